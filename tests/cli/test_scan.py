"""cumulo scan against NumPy, on every device."""

import numpy as np
import pytest
from command import DEVICES, OPERATORS, identity
from command import scan as expected_scan

GPU_TYPES = ["u4", "i4", "f4"]
CPU_TYPES = ["u8", "i8", "f8"]
ALGORITHMS = [
    (device, algorithm)
    for device in DEVICES
    for algorithm in (
        ["serial", "blocked"]
        if device == "cpu"
        else ["hillis-steele", "blelloch", "reduce-then-scan"]
    )
]
SIZES = [0, 1, 2, 127, 1023, 1024, 1025, 4095, 4097, 70001]


def defined(types):
    """Pairs of a type and an operator: and, or and xor are for integers only."""
    return [(t, op) for t in types for op in OPERATORS if t[0] != "f" or op not in ("and", "or", "xor")]


def make_values(dtype, n, op="add"):
    random = np.random.default_rng(n)
    dtype = np.dtype(dtype)
    if dtype.kind == "f":
        # Sums and products that are exact in any order: only then must NumPy agree to the bit.
        if op == "mul":
            return random.choice([-1.0, 1.0], n).astype(dtype)
        return random.integers(-64, 64, n).astype(dtype)
    limits = np.iinfo(dtype)
    return random.integers(limits.min, limits.max, n, dtype=dtype, endpoint=True)


@pytest.fixture
def scan(command, device, tmp_path):
    """Scans an array by way of .npy files."""

    def run(values, *options, on=device):
        np.save(tmp_path / "in.npy", values)
        command("scan", "in.npy", "-o", "out.npy", "--force", "--check", "--device", on, *options)
        return np.load(tmp_path / "out.npy")

    return run


def test_the_example(command, device):
    shown = command("scan", "-", "--exclusive", "--device", device, stdin="3 1 4 1 5 9 2 6")
    assert shown.out == "0\n3\n4\n8\n9\n14\n23\n25\n"


def test_the_example_under_auto(command):
    assert command("scan", "-", "--exclusive", stdin="3 1 4 1 5").out == "0\n3\n4\n8\n9\n"


@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("dtype", GPU_TYPES)
def test_sizes(scan, dtype, n):
    values = make_values(dtype, n)
    found = scan(values)
    assert found.dtype == values.dtype
    np.testing.assert_array_equal(found, expected_scan(values))


@pytest.mark.parametrize("dtype,op", defined(GPU_TYPES))
def test_operators(scan, dtype, op):
    values = make_values(dtype, 5000, op)
    for exclusive in (False, True):
        options = ["--op", op] + ["--exclusive"] * exclusive
        np.testing.assert_array_equal(scan(values, *options), expected_scan(values, op, exclusive))


@pytest.mark.parametrize("dtype,op", defined(CPU_TYPES))
def test_wide_types_on_the_cpu(scan, dtype, op):
    values = make_values(dtype, 5000, op)
    np.testing.assert_array_equal(scan(values, "--op", op, on="cpu"), expected_scan(values, op))


@pytest.mark.parametrize("n", [0, 1, 5, 4097])
@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("kind", ["inclusive", "exclusive", "include-initial"])
@pytest.mark.parametrize("init", [None, -7])
def test_options(scan, n, reverse, kind, init):
    values = make_values("i4", n)
    options = ["--reverse"] * reverse
    options += [] if kind == "inclusive" else ["--" + kind]
    options += [] if init is None else ["--init", init]
    wanted = expected_scan(
        values,
        exclusive=kind == "exclusive",
        reverse=reverse,
        init=init,
        include_initial=kind == "include-initial",
    )
    np.testing.assert_array_equal(scan(values, *options), wanted)


@pytest.mark.parametrize("n", [0, 1, 8, 100, 256])
@pytest.mark.parametrize("device,algorithm", ALGORITHMS, indirect=["device"])
def test_algorithms(command, device, algorithm, n):
    values = make_values("u4", n)
    shown = command(
        *("scan", "-", "--json", "--check", "--device", device, "--algorithm", algorithm),
        *("--dtype", "u32"),
        stdin=" ".join(map(str, values)),
    ).json
    assert shown["values"] == expected_scan(values).tolist()
    assert shown["algorithm"] == algorithm
    if n == 256 and algorithm == "hillis-steele":
        assert shown["counts"] == {"steps": 8, "additions": 1793, "barriers": 16, "subgroup_calls": 0}


def test_no_elements_are_scanned_as_one_would_be(command, device):
    """Auto names what it chose, whether there was anything to do or not."""
    ask = ["scan", "-", "--json", "--device", device, "--dtype", "u32"]
    nothing, one = (command(*ask, stdin=text).json for text in ("", "7"))
    assert nothing["algorithm"] == one["algorithm"] != "none"
    assert nothing["values"] == [] and nothing["total"] == 0


def test_floats_follow_the_values(scan):
    values = np.float32([1, -0.0, np.inf, 2, np.nan, 3])
    found = scan(values)
    np.testing.assert_array_equal(found[:4], np.float32([1, 1, np.inf, np.inf]))
    assert np.isnan(found[4:]).all()


def test_random_floats_pass_the_check(scan):
    values = np.random.default_rng(5).standard_normal(100_000).astype("f4")
    found = scan(values)
    exact = np.cumsum(values, dtype="f8")
    assert np.max(np.abs(found - exact)) < 1e-6 * np.sum(np.abs(values))
    np.testing.assert_array_equal(found, scan(values), err_msg="the same bits in every run")


@pytest.mark.parametrize("op", OPERATORS)
def test_nothing_scanned_is_the_identity(command, device, op):
    shown = command(
        *("scan", "-", "--op", op, "--dtype", "i32", "--device", device, "--json", "--check")
    ).json
    assert (shown["n"], shown["values"]) == (0, [])
    assert shown["total"] == int(identity(op, "i4"))


@pytest.mark.parametrize("index", [0, 6, 5000])
@pytest.mark.parametrize("reverse", [False, True])
def test_a_wrong_element_is_found(command, device, tmp_path, index, reverse):
    values = np.arange(1, 6001, dtype="u4")
    np.save(tmp_path / "in.npy", values)
    arguments = ["scan", "in.npy", "--check", "--device", device, "--break-element", index]
    arguments += ["--reverse"] * reverse
    shown = command(*arguments, "-o", "out.npy", status=1)
    wanted = int(expected_scan(values, reverse=reverse)[index])
    assert f"index {index} is 0, and a sequential computation gives {wanted}" in shown.err
    assert not (tmp_path / "out.npy").exists()
    check = command(*arguments, "--json", status=1).json["check"]
    difference = {"index": index, "expected": wanted, "found": 0}
    assert check == {"ok": False, "first_difference": difference}


def test_a_wrong_float_is_found(command, device):
    text = " ".join(["0.5"] * 2000)
    options = ["--check", "--json", "--device", device, "--break-element", 1500]
    shown = command("scan", "-", *options, stdin=text, status=1).json
    assert shown["type"] == "f32"
    assert shown["check"]["first_difference"] == {"index": 1500, "expected": 750.5, "found": 0.0}


@pytest.mark.parametrize("dtype", ["f32", "f64"])
@pytest.mark.parametrize("factor", ["1", "1.5 0.6", "-2 0.5"])
def test_a_wrong_product_is_found_among_many(command, dtype, factor):
    text = " ".join([factor] * 3000)
    options = ["--op", "mul", "--dtype", dtype, "--check", "--quiet", "--device", "cpu"]
    command("scan", "-", *options, stdin=text)
    shown = command("scan", "-", *options, "--json", "--break-element", 700, stdin=text, status=1)
    assert shown.json["check"]["first_difference"]["index"] == 700


def test_an_infinity_of_the_wrong_sign_is_found(command):
    """Nothing overflows here: where the input itself is infinite, so must the sums be."""
    text = "1 inf 2 3"
    command("scan", "-", "--check", "--device", "cpu", stdin=text)
    shown = command("scan", "-", "--check", "--json", "--break-element", 2, stdin=text, status=1)
    assert shown.json["check"]["first_difference"] == {"index": 2, "expected": "inf", "found": 0.0}


@pytest.mark.parametrize("text", ["3e38 3e38 -3e38 -3e38", "1e30 1e30 1e-30 1e-30", "0 1e30 1e30 2", "inf 0 1 -inf", "nan 1"])
@pytest.mark.parametrize("op", ["add", "mul"])
def test_what_leaves_the_range_passes_the_check(command, device, text, op):
    options = ["--dtype", "f32", "--op", op, "--check", "--device", device]
    command("scan", "-", *options, stdin=" ".join([text] * 200))


def test_doubles_need_the_cpu(command, device, tmp_path):
    np.save(tmp_path / "in.npy", np.arange(5, dtype="f8"))
    if device == "cpu":
        command("scan", "in.npy", "--device", device)
        return
    shown = command("scan", "in.npy", "--device", device, "-o", "out.npy", status=2)
    assert "f64" in shown.err
    assert not (tmp_path / "out.npy").exists()


def test_times_name_their_clock(command, device):
    shown = command("scan", "-", "--time", "--json", "--device", device, stdin="1 2 3").json
    assert shown["time"]["runs"] == 5
    assert shown["time"]["median_ms"] > 0
    assert shown["time"]["clock"] in (("wall",) if device == "cpu" else ("device", "wall"))
    said = command("scan", "-", "--time", "--device", device, stdin="1 2 3").err
    assert f"ms (median of 5, {shown['time']['clock']} clock)" in said


def test_many_tiles(scan):
    values = make_values("u4", 1_500_003)
    np.testing.assert_array_equal(scan(values), expected_scan(values))
    np.testing.assert_array_equal(
        scan(values, "--exclusive", "--reverse"), expected_scan(values, exclusive=True, reverse=True)
    )
