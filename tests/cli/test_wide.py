"""cumulo scan --wide: sums that outgrow their elements."""

import numpy as np
import pytest
from command import scan as expected_scan

WIDE = {"u4": "u8", "i4": "i8", "f4": "f8"}


def make_values(dtype, n):
    random = np.random.default_rng(n)
    if dtype == "f4":
        return random.standard_normal(n).astype("f4") * np.float32(1e4)
    limits = np.iinfo(dtype)
    return random.integers(limits.min, limits.max, n, dtype=dtype, endpoint=True)


@pytest.mark.parametrize(
    "n,options",
    [(0, ["--include-initial"]), (5, ["--exclusive"]), (4097, ["--reverse", "--include-initial"]), (20001, [])],
)
@pytest.mark.parametrize("dtype", WIDE)
def test_sums_outgrow_their_elements(command, device, tmp_path, dtype, n, options):
    values = make_values(dtype, n)
    np.save(tmp_path / "in.npy", values)
    command("scan", "in.npy", "-o", "out.npy", "--wide", "--check", "--device", device, *options)
    found = np.load(tmp_path / "out.npy")
    assert found.dtype == np.dtype(WIDE[dtype])
    wanted = expected_scan(
        values.astype(WIDE[dtype]),
        exclusive="--exclusive" in options,
        reverse="--reverse" in options,
        include_initial="--include-initial" in options,
    )
    if dtype == "f4":
        bound = 2.0**-40 * (np.abs(values.astype("f8")).sum() + 1)
        assert np.abs(found - wanted.astype("f8")).max(initial=0) <= bound
    else:
        np.testing.assert_array_equal(found, wanted)


def test_a_sum_beyond_32_bits_is_told(command, device):
    ask = ["scan", "-", "--wide", "--json", "--check", "--device", device]
    shown = command(*ask, stdin="4294967295 1 2").json
    assert (shown["type"], shown["result_type"]) == ("u32", "u64")
    assert shown["values"] == [2**32 - 1, 2**32, 2**32 + 2] and shown["total"] == 2**32 + 2
    shown = command(*ask, "--init", "-9000000000", stdin="-2147483648 -1").json
    assert (shown["type"], shown["result_type"]) == ("i32", "i64")
    assert shown["values"] == [-9000000000 - 2**31, -9000000000 - 2**31 - 1]


def test_small_floats_are_not_lost_beside_large_ones(command, device):
    """In f32 alone 1e8 + 1 is 1e8."""
    ask = ["scan", "-", "--wide", "--json", "--check", "--dtype", "f32", "--device", device]
    shown = command(*ask, stdin="1e8 1 1 -1e8 0.5").json
    assert (shown["type"], shown["result_type"]) == ("f32", "f64")
    assert shown["values"] == [1e8, 1e8 + 1, 1e8 + 2, 2, 2.5] and shown["total"] == 2.5


@pytest.mark.parametrize("algorithm", ["serial", "blocked"])
@pytest.mark.parametrize("text", ["1e38 3e38 -3e38", "inf 1", "nan 2 -inf", "1e-44 1e-45 -0"])
def test_what_leaves_the_range_passes_the_check(command, text, algorithm):
    command("scan", "-", "--wide", "--dtype", "f32", "--check", "--device", "cpu",
            "--algorithm", algorithm, stdin=" ".join([text] * 100))


@pytest.mark.parametrize("dtype", ["u32", "i32", "f32"])
def test_a_wrong_sum_is_found(command, device, dtype):
    text = " ".join(map(str, range(1, 3001)))
    shown = command("scan", "-", "--wide", "--dtype", dtype, "--check", "--json", "--device", device,
                    "--break-element", 700, stdin=text, status=1).json
    difference = {"index": 700, "expected": 701 * 702 // 2, "found": 0}
    assert shown["check"] == {"ok": False, "first_difference": difference}


def test_a_float_sum_is_checked_beyond_f32(command, tmp_path):
    """The check of pairs is not that of f32: the f32 sums themselves do not pass it."""
    values = np.random.default_rng(1).random(5000).astype("f4")
    np.save(tmp_path / "in.npy", values)
    command("scan", "in.npy", "-o", "wide.npy", "--wide", "--device", "cpu")
    command("scan", "in.npy", "-o", "narrow.npy", "--device", "cpu")
    exact = np.cumsum(values.astype("f8"))
    assert np.abs(np.load(tmp_path / "wide.npy") - exact).max() < 1e-9
    assert np.abs(np.load(tmp_path / "narrow.npy") - exact).max() > 1e-5


@pytest.mark.parametrize("name,first", [("out.txt", "4294967295"), ("out.csv", "4294967295")])
def test_texts_hold_all_digits(command, tmp_path, name, first):
    command("scan", "-", "-o", name, "--wide", "--device", "cpu", stdin="4294967295 4294967295")
    assert (tmp_path / name).read_text().split() == [first, "8589934590"]


def test_raw_files_hold_64_bits(command, tmp_path):
    (tmp_path / "in.bin").write_bytes(np.array([2**32 - 1, 3], "u4").tobytes())
    command("scan", "in.bin", "-o", "out.bin", "--wide", "--dtype", "u32", "--device", "cpu")
    assert np.fromfile(tmp_path / "out.bin", "<u8").tolist() == [2**32 - 1, 2**32 + 2]


@pytest.mark.parametrize("dtype", ["u32", "i32", "f32"])
def test_a_picture_of_wide_sums(command, tmp_path, dtype):
    command("scan", "-", "--wide", "--dtype", dtype, "--picture", "sums.svg", "--device", "cpu",
            stdin="2147483647 " * 9)
    assert "<svg" in (tmp_path / "sums.svg").read_text()


@pytest.mark.parametrize(
    "options,word",
    [
        (["--op", "mul"], "mul"),
        (["--dtype", "f64"], "f64"),
        (["--dtype", "u64"], "u64"),
        (["--init", "-1", "--dtype", "u32"], "-1"),
        (["--init", "0.5", "--dtype", "i32"], "0.5"),
    ],
)
def test_what_has_no_wide_sum_is_refused(refused, options, word):
    assert word in refused("scan", "-", "--wide", *options, stdin="1 2 3")


def test_a_plan_of_wide_sums(command):
    shown = command("plan", "scan", "--wide", "--type", "f32", "--n", "1000").out
    assert "wide f32" in shown
