"""cumulo reduce, with NumPy as the oracle."""

import numpy as np
import pytest
from command import NUMPY, OPERATORS, each_device, identity, refuse, run, run_json

INTEGERS = [(kind, op) for kind in ("u32", "i32", "u64", "i64") for op in OPERATORS]
FLOATS = [(kind, op) for kind in ("f32", "f64") for op in ("add", "mul", "min", "max")]


def values(kind, n, seed=1):
    rng = np.random.default_rng(seed + n)
    if kind.startswith("f"):
        return rng.uniform(0.99, 1.01, n).astype(NUMPY[kind])
    info = np.iinfo(NUMPY[kind])
    return rng.integers(info.min, info.max, n, dtype=NUMPY[kind], endpoint=True) | 1


def reduced(op, x):
    with np.errstate(all="ignore"):
        return OPERATORS[op].reduce(np.concatenate([[identity(op, x.dtype)], x]).astype(x.dtype),
                                    dtype=x.dtype)


def of_file(tmp_path, x, *options, status=0):
    np.save(tmp_path / "in.npy", x)
    return run_json("reduce", tmp_path / "in.npy", *options, status=status)


@each_device
@pytest.mark.parametrize("kind, op", INTEGERS)
def test_integers_are_exact(tmp_path, device, kind, op):
    for n in (0, 1, 1000, 20011):
        x = values(kind, n)
        result = of_file(tmp_path, x, "--op", op, "--device", device, "--check")
        assert int(result["total"]) == int(reduced(op, x)), (n, kind, op)
        assert result["check"] == {"ok": True, "first_difference": None}
        assert (result["primitive"], result["n"], result["type"]) == ("reduce", n, kind)
        assert result["op"] == op


@each_device
@pytest.mark.parametrize("kind, op", FLOATS)
def test_floats_are_near_and_checked(tmp_path, device, kind, op):
    if kind == "f64" and device != "cpu":
        pytest.skip("f64 runs on the CPU backend")
    for n in (1, 1000, 20011):
        x = values(kind, n)
        result = of_file(tmp_path, x, "--op", op, "--device", device, "--check")
        wanted = reduced(op, x.astype(np.longdouble))
        assert result["total"] == pytest.approx(float(wanted), rel=1e-3 if kind == "f32" else 1e-9)
        assert result["check"]["ok"]


# The last value of an inclusive scan, to the bit.
@each_device
def test_it_is_the_last_of_a_scan(tmp_path, device):
    for n in (5, 1024, 1025, 50021):
        x = np.random.default_rng(n).normal(size=n).astype("<f4")
        total = of_file(tmp_path, x, "--device", device)["total"]
        run("scan", tmp_path / "in.npy", "-o", tmp_path / "out.npy", "--force", "--device", device)
        assert np.float32(total) == np.load(tmp_path / "out.npy")[-1]


@each_device
def test_text_in_text_out(device):
    out = run("reduce", "-", "--device", device, "--quiet", stdin="3 1 4 1 5 9 2 6")
    assert (out.stdout, out.stderr) == (b"31\n", b"")
    said = run("reduce", "-", "--op", "max", "--time", "--check", "--device", device, stdin="3 1 9")
    assert said.stdout == b"9\n"
    for word in ("3 u32 (inferred)", "reduce max", "median of 5", "checked"):
        assert word in said.stderr.decode()


def test_no_numbers_give_the_identity():
    for op, wanted in (("add", "0"), ("mul", "1"), ("min", "inf"), ("max", "-inf")):
        out = run("reduce", "-", "--dtype", "f32", "--op", op, "--device", "cpu", stdin="")
        assert out.stdout.decode().strip() == wanted


def test_files_out(tmp_path):
    (tmp_path / "in.csv").write_text("a,sold\n1,2\n3,40\n")
    out = tmp_path / "out.npy"
    result = run_json("reduce", tmp_path / "in.csv", "--column", "sold", "-o", out)
    assert result["output"] == str(out)
    assert np.load(out).shape == () and np.load(out) == 42
    run("reduce", tmp_path / "in.csv", "--column", "sold", "-o", tmp_path / "out.csv")
    assert (tmp_path / "out.csv").read_text().split() == ["sold", "42"]
    refuse("reduce", tmp_path / "in.csv", "--column", "sold", "-o", out)
    run("reduce", tmp_path / "in.csv", "--column", "a", "-o", out, "--force")
    assert np.load(out) == 4


def test_a_wrong_value_is_told_and_not_written(tmp_path):
    np.save(tmp_path / "in.npy", np.arange(10, dtype="<u4"))
    options = ["reduce", tmp_path / "in.npy", "--check", "--break-element", "0", "--device", "cpu",
               "-o", tmp_path / "out.npy"]
    said = run(*options, status=1)
    assert "the value is 0, and a sequential computation gives 45" in said.stderr.decode()
    result = run_json(*options, status=1)
    assert result["check"] == {"ok": False,
                               "first_difference": {"index": 0, "expected": 45, "found": 0}}
    assert not (tmp_path / "out.npy").exists()


@each_device
def test_an_operator_from_a_file(tmp_path, device):
    (tmp_path / "affine.op").write_text(
        "name = affine\nfields = a: f32, b: f32\nidentity = 1, 0\ncombine =\n"
        "return Element(older.a * newer.a, rounded(newer.a * older.b) + newer.b);\n")
    options = ["reduce", "-", "--op", tmp_path / "affine.op", "--device", device]
    if device == "cpu":
        assert "GPU" in refuse(*options, stdin="1 2")
        return
    assert run(*options, stdin="2 1  2 1  2 1").stdout == b"8 7\n"
    result = run_json(*options, stdin="2 1  2 1")
    assert result["total"] == [4, 3] and result["op"] == "affine" and result["n"] == 2
    assert run_json(*options, stdin="")["total"] == [1, 0]
    refuse(*options, "--check", stdin="2 1")
    refuse(*options, "--dtype", "f32", stdin="2 1")


def test_what_is_refused(tmp_path):
    assert "needs an input" in refuse("reduce")
    assert "--op" in refuse("reduce", "-", "--op", "ad", stdin="1")
    refuse("reduce", "-", "--op", "xor", "--dtype", "f32", stdin="1")
    refuse("reduce", tmp_path / "none.npy")
    refuse("reduce", "-", "--exclusive", stdin="1")
    refuse("reduce", "-", "--format", "nonsense", stdin="1")
    assert "add" in refuse("reduce", "-", "--wide", "--op", "max", stdin="1")
    assert "f64" in refuse("reduce", "-", "--wide", "--dtype", "f64", stdin="1")


@each_device
def test_wide_sums(tmp_path, device):
    rng = np.random.default_rng(4)
    for n in (0, 1, 1000, 20011):
        for kind, wide in (("u32", "u64"), ("i32", "i64")):
            info = np.iinfo(NUMPY[kind])
            x = rng.integers(info.min, info.max, n, dtype=NUMPY[kind], endpoint=True)
            out = tmp_path / "out.npy"
            result = of_file(tmp_path, x, "--wide", "--device", device, "--check", "-o", out, "--force")
            assert int(result["total"]) == int(x.sum(dtype=NUMPY[wide]))
            assert result["check"]["ok"] and result["result_type"] == wide
            assert np.load(out).dtype == NUMPY[wide] and np.load(out) == x.sum(dtype=NUMPY[wide])
    x = np.array([1e8, 1, -1e8, 2.0**-30], "<f4")
    result = of_file(tmp_path, x, "--wide", "--device", device, "--check", "--time")
    assert result["total"] == 1 + 2.0**-30 and result["result_type"] == "f64"
    assert result["check"]["ok"] and result["time"]["runs"] == 5


def test_a_wrong_wide_sum_is_told(tmp_path):
    x = np.full(10, 2**32 - 1, "<u4")
    result = of_file(tmp_path, x, "--wide", "--check", "--break-element", 0, "--device", "cpu", status=1)
    assert result["check"]["first_difference"]["expected"] == 10 * (2**32 - 1)


def test_the_plan_of_a_reduction():
    text = run("plan", "reduce", "--n", "1e6").stdout.decode()
    for word in ("reduce (add, u32)", "reduce_batches", "reduce_rest", "output"):
        assert word in text
    plan = run_json("plan", "reduce", "--n", "1000", "--type", "f32", "--op", "min")["plan"]
    assert len(plan["steps"]) == 1
    refuse("plan", "reduce", "--exclusive")
    refuse("plan", "reduce", "--type", "f64")


@each_device
def test_the_benchmark_counts_reading(device):
    import json

    result = json.loads(run("bench", "reduce", "--n", "3000,50021", "--types", "u32,f32", "--ops",
                            "add,max", "--runs", "2", "--device", device, "--json").stdout)
    assert result["ok"]
    ours = [m for m in result["measurements"] if m["name"] == "cumulo, reduce"]
    assert len(ours) == 8 and all(m["role"] == "reduce" for m in ours)
    for m in ours:
        best = min(c["median_ms"] for c in result["measurements"] if c["role"] == "copy" and
                   (c["n"], c["type"], c["op"]) == (m["n"], m["type"], m["op"]))
        assert m["of_copy"] == pytest.approx(best / 2 / m["median_ms"])
