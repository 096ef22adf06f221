"""Operators of the user's own, from a file."""

import numpy as np
import pytest

AFFINE = """# maps x -> a x + b
name = affine
fields = a: f32, b: f32
identity = 1, 0
combine =
return Element(older.a * newer.a,
               rounded(newer.a * older.b) + newer.b);
"""

LAST = """fields = value: u32
identity = 0
combine =
return Element(select(older.value, newer.value, newer.value != 0u));
"""

MIXED = """fields = count: u32, sum: f32
identity = 0, 0
commutative = yes
combine =
return Element(older.count + newer.count, older.sum + newer.sum);
"""


@pytest.fixture
def gpu(device):
    if device == "cpu":
        pytest.skip("an operator from a file needs a GPU")
    return device


def composed(maps):
    """Inclusive scan of maps whose numbers are whole and small: exact in any order."""
    out = np.empty_like(maps)
    a, b = np.float32(1), np.float32(0)
    for i, (next_a, next_b) in enumerate(maps):
        a, b = a * next_a, next_a * b + next_b
        out[i] = a, b
    return out


def whole_maps(n):
    rng = np.random.default_rng(n)
    return np.stack([rng.choice([-1, 1], n), rng.integers(-9, 10, n)], axis=1).astype("f4")


def test_the_cpu_backend_refuses_it(command, tmp_path):
    (tmp_path / "affine.op").write_text(AFFINE)
    options = ["scan", "-", "--op", "affine.op", "--device", "cpu"]
    said = command(*options, stdin="1 2", status=2)
    assert "affine.op" in said.err and "GPU" in said.err and said.out == ""
    error = command(*options, "--json", stdin="1 2", status=2).json["error"]
    assert error["kind"] == "unsupported"


def test_text_in_text_out(command, tmp_path, gpu):
    (tmp_path / "affine.op").write_text(AFFINE)
    options = ["scan", "-", "--op", "affine.op", "--device", gpu]
    assert command(*options, stdin="2 1  2 1  2 1").out == "2 1\n4 3\n8 7\n"
    shown = command(*options, "--exclusive", "--init", "1, 10", "--json", stdin="2 1 2 1").json
    assert shown["values"] == [[1, 10], [2, 21]]
    assert shown["total"] == [4, 43]
    assert shown["op"] == "affine" and shown["n"] == 2


def test_csv_columns_by_name(command, tmp_path, gpu):
    (tmp_path / "affine.op").write_text(AFFINE)
    (tmp_path / "in.csv").write_text("b,other,a\n1,x,2\n1,y,2\n")
    command("scan", "in.csv", "--op", "affine.op", "--device", gpu, "-o", "out.csv")
    assert (tmp_path / "out.csv").read_text() == "a,b\n2,1\n4,3\n"


# The fields that help promises are there, null where they are about numbers.
@pytest.mark.parametrize("name", ["scan", "reduce"])
def test_json_has_the_fields_of_a_scan_of_numbers(command, tmp_path, gpu, name):
    (tmp_path / "affine.op").write_text(AFFINE)
    by_file = [name, "-", "--op", "affine.op", "--device", gpu, "--json"]
    shown = command(*by_file, stdin="2 1 2 1").json
    for field in ("result_type", "inferred", "wrapped"):
        assert field in shown and shown[field] is None
    numbers = command(name, "-", "--device", gpu, "--json", stdin="2 1").json
    assert shown.keys() == numbers.keys()


@pytest.mark.parametrize("n", [0, 1, 5, 3000])
def test_npy_tables_and_records(command, tmp_path, gpu, n):
    (tmp_path / "affine.op").write_text(AFFINE)
    maps = whole_maps(n)
    options = ["--op", "affine.op", "--device", gpu]
    np.save(tmp_path / "in.npy", maps)
    command("scan", "in.npy", *options, "-o", "out.npy")
    np.testing.assert_array_equal(np.load(tmp_path / "out.npy"), composed(maps))
    for byte_order in "<>":
        records = np.zeros(n, dtype=[("b", byte_order + "f4"), ("skip", "i8"), ("a", "<f4")])
        records["a"], records["b"] = maps.T
        np.save(tmp_path / "in.npy", records)
        command("scan", "in.npy", *options, "-o", "out.npy", "--force")
        out = np.load(tmp_path / "out.npy")
        assert out.dtype == np.dtype([("a", "<f4"), ("b", "<f4")])
        np.testing.assert_array_equal(np.stack([out["a"], out["b"]], axis=1), composed(maps))


def test_fields_of_several_types(command, tmp_path, gpu):
    (tmp_path / "mixed.op").write_text(MIXED)
    (tmp_path / "in.csv").write_text("1,0.5\n1,2\n1,-1\n")
    options = ["--op", "mixed.op", "--device", gpu]
    assert command("scan", "in.csv", *options).out == "1 0.5\n2 2.5\n3 1.5\n"
    command("scan", "in.csv", *options, "-o", "out.npy")
    assert np.load(tmp_path / "out.npy").dtype == np.dtype([("count", "<u4"), ("sum", "<f4")])
    assert "several" in command("scan", "-", *options, stdin="1 2", status=2).err


def test_one_field(command, tmp_path, gpu):
    (tmp_path / "last.op").write_text(LAST)
    values = np.array([0, 7, 0, 0, 9, 0], "u4")
    np.save(tmp_path / "in.npy", values)
    command("scan", "in.npy", "--op", "last.op", "--device", gpu, "-o", "out.npy")
    np.testing.assert_array_equal(np.load(tmp_path / "out.npy"), [0, 7, 7, 7, 9, 9])
    command("scan", "in.npy", "--op", "last.op", "--device", gpu, "-o", "back.npy", "--reverse")
    np.testing.assert_array_equal(np.load(tmp_path / "back.npy"), [7, 7, 9, 9, 9, 0])


@pytest.mark.parametrize(
    "changed,line",
    [("older.a * newr.a", 6), ("older.a * newer.c", 6), ("older.a *", 6), ("1u", 6)],
)
def test_the_compilers_message_names_file_and_line(command, tmp_path, gpu, changed, line):
    (tmp_path / "bad.op").write_text(AFFINE.replace("older.a * newer.a", changed))
    said = command("scan", "-", "--op", "bad.op", "--device", gpu, stdin="1 2", status=2).err
    assert said.startswith(f"cumulo: bad.op:{line}") and said.count("\n") == 1, said


@pytest.mark.parametrize(
    "text,expected",
    [
        ("fields = a: f32\nidentity = 1\n", "combine ="),
        (LAST.replace("u32", "f64"), "bad.op:1: a field is u32, i32 or f32"),
        (LAST.replace("value: u32", "value"), "bad.op:1: field 'value'"),
        ("field = a: f32\n", "did you mean fields?"),
        ("identity 0\n", "bad.op:1"),
        (LAST.replace("= 0", "= 0, 1"), "bad.op:2: identity has 2 values"),
        (LAST.replace("= 0", "= x"), "bad.op:2: identity"),
        (LAST.replace("value:", "a b:"), "no identifier"),
        (LAST.replace("value: u32", "v: u32, v: u32").replace("= 0", "= 0, 0"), "two fields"),
        (LAST.replace("combine =", "combine = x"), "bad.op:3"),
        (LAST.replace("identity", "commutative = maybe\nidentity"), "commutative is yes or no"),
        ("", "bad.op:0"),
    ],
)
def test_files_that_are_no_operator(command, tmp_path, text, expected):
    (tmp_path / "bad.op").write_text(text)
    said = command("scan", "-", "--op", "bad.op", stdin="1", status=2).err
    assert expected in said and said.count("\n") == 1, said


def test_a_file_that_is_not_there(command):
    assert "none.op" in command("scan", "-", "--op", "none.op", stdin="1", status=2).err
    assert "known are add" in command("scan", "-", "--op", "nonsense", stdin="1", status=2).err


def test_options_for_numbers_are_refused(command, tmp_path):
    (tmp_path / "last.op").write_text(LAST)
    for option in (["--check"], ["--dtype", "u32"], ["--column", "0"], ["--picture", "p.png"]):
        command("scan", "-", "--op", "last.op", *option, stdin="1", status=2)
    for option in (["--check"], ["--dtype", "u32"], ["--column", "0"], ["--wide"]):
        said = [command(name, "-", "--op", "last.op", *option, stdin="1", status=2).err
                for name in ("scan", "reduce")]
        assert said[0] == said[1] and "with an operator from a file" in said[0]


def test_a_plan_takes_it(command, tmp_path):
    (tmp_path / "affine.op").write_text(AFFINE)
    shown = command("plan", "scan", "--n", "1e6", "--op", "affine.op", "--wgsl").out
    assert "affine" in shown and "rounded(newer.a * older.b)" in shown
