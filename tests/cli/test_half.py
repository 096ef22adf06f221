"""Scans and reductions of f16: in files, on every device, and only where asked for."""

import numpy as np
import pytest
from command import scan as expected_scan


def numbers(n, op):
    """Whose sums and products are exact in f32 in any order."""
    random = np.random.default_rng(n)
    values = random.choice([-1.0, 1.0, 0.5, 2.0], n) if op == "mul" else random.integers(-60, 61, n)
    return values.astype("f2")


@pytest.mark.parametrize("n,op", [(0, "add"), (1, "mul"), (3, "add"), (1024, "max"), (5001, "add"),
                                  (5001, "mul"), (5001, "min")])
def test_halves_in_and_out(command, device, tmp_path, n, op):
    values = numbers(n, op)
    np.save(tmp_path / "in.npy", values)
    for options in ([], ["--exclusive"], ["--reverse", "--include-initial"]):
        command("scan", "in.npy", "-o", "out.npy", "--force", "--dtype", "f16", "--op", op, "--check",
                "--device", device, *options)
        found = np.load(tmp_path / "out.npy")
        assert found.dtype == np.float16
        wanted = expected_scan(values.astype("f4"), op, exclusive="--exclusive" in options,
                               reverse="--reverse" in options,
                               include_initial="--include-initial" in options)
        with np.errstate(over="ignore"):
            np.testing.assert_array_equal(found, wanted.astype("f2"))


@pytest.mark.parametrize("op", ["add", "mul", "max"])
def test_a_reduction_is_the_last_of_a_scan(command, device, tmp_path, op):
    values = numbers(20_001, op)
    np.save(tmp_path / "in.npy", values)
    shown = command("reduce", "in.npy", "--dtype", "f16", "--op", op, "--check", "--json",
                    "--device", device).json
    with np.errstate(over="ignore"):
        wanted = expected_scan(values.astype("f4"), op)[-1].astype("f2")
    assert shown["type"] == "f16"
    assert float(shown["total"]) == wanted


@pytest.mark.parametrize("n", [2047, 2049, 8191])
def test_ones_are_counted(command, device, n):
    """A sum kept in f16 stops at 2048."""
    shown = command("scan", "-", "--dtype", "f16", "--check", "--json", "--quiet", "--device", device,
                    stdin="1 " * n).json
    assert shown["total"] == float(np.float16(n))
    command("reduce", "-", "--dtype", "f16", "--check", "--device", device, stdin="1 " * n)


def test_results_alone_are_rounded(command, device):
    """2048 + 1 is 2048 in f16, but the next 1 makes 2050 of it."""
    ask = ["scan", "-", "--dtype", "f16", "--json", "--check", "--device", device]
    shown = command(*ask, stdin="2048 1 1 2 65504 inf").json
    assert shown["type"] == "f16"
    assert shown["values"] == [2048, 2048, 2050, 2052, "inf", "inf"]
    shown = command(*ask, "--init", "0.5", "--exclusive", stdin="1e-7 -0.5 nan").json
    assert shown["values"] == [0.5, 0.5, 1e-07]
    assert shown["total"] == "nan"


def test_random_halves_pass_the_check(command, device, tmp_path):
    np.save(tmp_path / "in.npy", np.random.default_rng(3).standard_normal(20_000).astype("f2"))
    for op in ("add", "mul"):
        command("scan", "in.npy", "--dtype", "f16", "--op", op, "--check", "--device", device)
        command("reduce", "in.npy", "--dtype", "f16", "--op", op, "--check", "--device", device)
    command("scan", "in.npy", "--dtype", "f16", "--check", "--device", device, "--break-element", 77,
            status=1)


def test_the_serial_algorithm_is_checked_exactly(command, tmp_path):
    np.save(tmp_path / "in.npy", np.random.default_rng(4).standard_normal(5000).astype("f2"))
    for options in ([], ["--wide"]):
        command("scan", "in.npy", "--dtype", "f16", "--check", "--algorithm", "serial",
                "--device", "cpu", *options)


def test_wide_sums_are_f32(command, device, tmp_path):
    np.save(tmp_path / "in.npy", np.full(3001, 100.5, "f2"))
    command("scan", "in.npy", "-o", "out.npy", "--dtype", "f16", "--wide", "--check",
            "--init", "0.25", "--device", device)
    found = np.load(tmp_path / "out.npy")
    assert found.dtype == np.float32
    np.testing.assert_array_equal(found, np.arange(1, 3002, dtype="f4") * np.float32(100.5) + 0.25)


def test_texts_are_short(command):
    shown = command("scan", "-", "--dtype", "f16", "--op", "max", "--device", "cpu",
                    stdin="0.1 0.3 1e-7 65504")
    assert shown.out == "0.1\n0.3\n0.3\n65504\n"


def test_raw_halves(command, device, tmp_path):
    (tmp_path / "in.bin").write_bytes(np.array([1.5, 2.25, -4], "<f2").tobytes())
    command("scan", "in.bin", "-o", "out.bin", "--dtype", "f16", "--device", device)
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


@pytest.mark.parametrize("ask", [["compact", "--where", "x > 1"], ["unique"], ["runs"], ["allocate"],
                                 ["expand"]])
def test_other_commands_refuse_halves(refused, ask):
    assert "f16" in refused(ask[0], "-", *ask[1:], "--dtype", "f16", "--device", "cpu", stdin="1 2")


def test_a_plan_needs_no_feature(command):
    shown = command("plan", "scan", "--dtype", "f16", "--n", "100001").out
    assert "f16" in shown and "enable f16" not in shown
    assert "f16" in command("plan", "reduce", "--dtype", "f16", "--n", "100001").out


def test_a_picture(command, tmp_path):
    command("scan", "-", "--dtype", "f16", "--picture", "p.svg", "--device", "cpu", stdin="0.5 1.5 -3")
    assert "f16" in (tmp_path / "p.svg").read_text()
