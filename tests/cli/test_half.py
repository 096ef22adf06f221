"""Scans of f16: on the CPU backend, in files, and only where asked for."""

import numpy as np
import pytest
from command import DEVICES
from command import scan as expected_scan

pytestmark = pytest.mark.skipif("cpu" not in DEVICES, reason="f16 is the CPU backend's so far")


@pytest.mark.parametrize("n", [0, 1, 3, 1024, 5001])
@pytest.mark.parametrize("op", ["add", "mul", "min", "max"])
def test_halves_in_and_out(command, tmp_path, n, op):
    random = np.random.default_rng(n)
    # Sums and products that are exact in any order.
    values = random.choice([-1.0, 1.0], n) if op == "mul" else random.integers(-2, 3, n)
    values = values.astype("f2")
    np.save(tmp_path / "in.npy", values)
    for options in ([], ["--exclusive"], ["--reverse", "--include-initial"]):
        command("scan", "in.npy", "-o", "out.npy", "--force", "--dtype", "f16", "--op", op, "--check",
                "--device", "cpu", *options)
        found = np.load(tmp_path / "out.npy")
        assert found.dtype == np.float16
        wanted = expected_scan(values, op, exclusive="--exclusive" in options,
                               reverse="--reverse" in options,
                               include_initial="--include-initial" in options)
        np.testing.assert_array_equal(found, wanted.astype("f2"))


def test_every_sum_is_rounded(command):
    """2048 + 1 is 2048 in f16, and so is 2048 + 1 + 1 from left to right."""
    shown = command("scan", "-", "--dtype", "f16", "--algorithm", "serial", "--json", "--check",
                    "--device", "cpu", stdin="2048 1 1 2 65504 inf").json
    assert shown["type"] == "f16"
    assert shown["values"] == [2048, 2048, 2048, 2050, "inf", "inf"]


def test_random_halves_pass_the_check(command, tmp_path):
    np.save(tmp_path / "in.npy", np.random.default_rng(3).standard_normal(20_000).astype("f2"))
    for op in ("add", "mul"):
        command("scan", "in.npy", "--dtype", "f16", "--op", op, "--check", "--device", "cpu")
    command("scan", "in.npy", "--dtype", "f16", "--check", "--device", "cpu", "--break-element", 77,
            status=1)


def test_texts_are_short(command):
    shown = command("scan", "-", "--dtype", "f16", "--op", "max", "--device", "cpu", stdin="0.1 0.3 1e-7 65504")
    assert shown.out == "0.1\n0.3\n0.3\n65504\n"


def test_raw_halves(command, tmp_path):
    (tmp_path / "in.bin").write_bytes(np.array([1.5, 2.25, -4], "<f2").tobytes())
    command("scan", "in.bin", "-o", "out.bin", "--dtype", "f16", "--device", "cpu")
    assert np.fromfile(tmp_path / "out.bin", "<f2").tolist() == [1.5, 3.75, -0.25]


def test_only_where_asked_for(command, tmp_path):
    assert command("scan", "-", "--json", stdin="0.5 1.5").json["type"] == "f32"
    np.save(tmp_path / "in.npy", np.array([0.5, 1.5], "f2"))
    assert command("scan", "in.npy", "--json", "--device", "cpu").json["type"] == "f32"


def test_what_no_half_holds_is_refused(refused, tmp_path):
    assert "range of f16" in refused("scan", "-", "--dtype", "f16", "--device", "cpu", stdin="65520")
    assert "f16" in refused("scan", "-", "--dtype", "f16", "--op", "xor", "--device", "cpu", stdin="1")
    np.save(tmp_path / "in.npy", np.array([0.5, 1.5], "f4"))
    assert "f16" in refused("scan", "in.npy", "--dtype", "f16", "--device", "cpu")


def test_a_picture(command, tmp_path):
    command("scan", "-", "--dtype", "f16", "--picture", "p.svg", "--device", "cpu", stdin="0.5 1.5 -3")
    assert "f16" in (tmp_path / "p.svg").read_text()
