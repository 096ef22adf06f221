"""Numbers as text: .txt, .csv and .tsv, and standard input."""

import numpy as np
import pytest


@pytest.fixture
def scan_text(command, tmp_path):
    """Scans a file's text and gives the values and the type."""

    def run(text, *options, name="in.txt"):
        (tmp_path / name).write_bytes(text.encode() if isinstance(text, str) else text)
        shown = command("scan", name, "--json", "--device", "cpu", *options).json
        return shown["values"], shown["type"]

    return run


@pytest.fixture
def refuse(refused, tmp_path):
    def run(text, *options, name="in.txt"):
        (tmp_path / name).write_bytes(text.encode() if isinstance(text, str) else text)
        return refused("scan", name, "-o", "out.npy", *options)

    return run


@pytest.mark.parametrize(
    "text",
    ["1 2 3", "1,2,3", "1, 2, 3,", "1\n2\n3\n", "1\r\n2\r\n3", "\t1\n\n2  3\n\n", "\ufeff1 2 3", "+1 +2 3"],
)
def test_text_separators(scan_text, text):
    assert scan_text(text) == ([1, 3, 6], "u32")


@pytest.mark.parametrize("text", ["", " \n\r\n\t", "\ufeff"])
def test_no_numbers(scan_text, text):
    assert scan_text(text) == ([], "u32")


@pytest.mark.parametrize(
    "text,wanted",
    [
        ("0 4294967295", "u32"),
        ("1 -1", "i32"),
        ("-2147483648 2147483647", "i32"),
        ("-2147483649", "i64"),
        ("-1 4294967295", "i64"),
        ("4294967296", "i64"),
        ("9223372036854775808", "u64"),
        ("1 2.5", "f32"),
        ("1e3", "f32"),
        ("nan -inf", "f32"),
    ],
)
def test_the_type_that_fits(command, text, wanted):
    shown = command("scan", "-", "--op", "max", "--json", stdin=text)
    assert (shown.json["type"], shown.json["inferred"]) == (wanted, True)
    assert f"{wanted} (inferred)" in shown.err


def test_dtype_overrides(scan_text):
    assert scan_text("1 2", "--dtype", "f64") == ([1.0, 3.0], "f64")
    assert scan_text("1 2", "--dtype", "i32") == ([1, 3], "i32")


@pytest.mark.parametrize(
    "text,options,place,what",
    [
        ("1 2\n3 x4 5", [], "line 2, character 3", "'x4' is not a number"),
        ("1\r\n2\r\n3 4z", [], "line 3, character 3", "'4z' is not a number"),
        ("1\r2\rq", [], "line 3, character 1", "'q' is not a number"),
        ("1 2,,3", [], "line 1, character 5", "no number before this comma"),
        ("1 ٣", [], "line 1, character 3", "is not a number"),
        ("1 0x10", [], "line 1, character 3", "'0x10' is not a number"),
        ("1 1e", [], "line 1, character 3", "'1e' is not a number"),
        ("1 --2", [], "line 1, character 3", "'--2' is not a number"),
        ("1 +-2", [], "line 1, character 3", "'+-2' is not a number"),
        ("1 \0 2", [], "line 1, character 3", "is not a number"),
        ("1 4294967296", ["--dtype", "u32"], "line 1, character 3", "outside the range of u32"),
        ("5 -3", ["--dtype", "u32"], "line 1, character 3", "negative"),
        ("5 -2147483649", ["--dtype", "i32"], "line 1, character 3", "outside the range of i32"),
        ("5 99999999999999999999", ["--dtype", "u64"], "line 1, character 3", "range of u64"),
        ("5 1.5", ["--dtype", "u32"], "line 1, character 3", "not an integer"),
        ("5 nan", ["--dtype", "i32"], "line 1, character 3", "not an integer"),
        ("5 inf", ["--dtype", "u32"], "line 1, character 3", "not an integer"),
        ("0.5 1e39", [], "line 1, character 5", "outside the range of f32"),
        ("0.5 1e309", ["--dtype", "f64"], "line 1, character 5", "outside the range of f64"),
    ],
)
def test_tokens_that_do_not_fit(refuse, text, options, place, what):
    said = refuse(text, *options)
    assert "'in.txt', " + place in said
    assert what in said


def test_long_tokens_are_shortened(refuse):
    assert len(refuse("1 " + "9x" * 100_000)) < 200


def test_errors_far_into_a_large_file(refuse):
    assert "line 200001, character 1" in refuse("7\n" * 200_000 + "seven\n8\n")


CSV = 'day,"units ""sold""",note\r\n1,10,"a, b"\r\n2,20,"two\r\nlines"\r\n3,"30",\r\n'


@pytest.mark.parametrize("column", ['units "sold"', "1"])
def test_csv_columns(scan_text, column):
    assert scan_text(CSV, "--column", column, name="in.csv") == ([10, 30, 60], "u32")


@pytest.mark.parametrize("text", ["5\n6\n", "a\n5\n6", "\ufeffa\r\n5\r\n6\r\n", '"a"\n"5"\n 6 \n'])
def test_csv_with_one_column(scan_text, text):
    assert scan_text(text, name="in.csv") == ([5, 11], "u32")


def test_csv_without_a_header(scan_text):
    assert scan_text("1,2\n3,4\n", "--column", "1", name="in.csv")[0] == [2, 6]


@pytest.mark.parametrize(
    "text,column,wanted",
    [
        # Labels of rows: the first line holds numbers like the others.
        ("2024-01-01,5\n2024-01-02,6\n", "1", [5, 11]),
        ("a,1,x\nb,2,y\n", "1", [1, 3]),
        ("a,7\n", "1", [7]),
        ("a,0\nb,2\n", "1", [0, 2]),
        # Names that are numbers.
        ("id,2020\n1,5\n2,6\n", "1", [5, 11]),
        ("name,2020\nFR,5\nDE,6\n", "2020", [5, 11]),
        ("id,0\n1,5\n2,6\n", "0", [5, 11]),
        (",2020\n,5\n", "2020", None),
        ("name,sold\nFR,5\nDE,6\n", "1", [5, 11]),
        (",value\n0,5\n1,6\n", "1", [5, 11]),
    ],
)
def test_csv_first_line(scan_text, refuse, text, column, wanted):
    if wanted is None:
        assert "no column" in refuse(text, "--column", column, name="in.csv")
    else:
        assert scan_text(text, "--column", column, name="in.csv")[0] == wanted


NUMERIC_NAMES = "2019,2020\n5,6\n7,8\n"


def test_names_that_are_numbers(scan_text, refuse):
    assert scan_text(NUMERIC_NAMES, "--column", "`2020`", name="in.csv")[0] == [6, 14]
    # An index, unless it is written as a name.
    assert scan_text("1,0\n5,6\n", "--column", "0", name="in.csv")[0] == [1, 6]
    assert scan_text("1,0\n5,6\n", "--column", "`0`", name="in.csv")[0] == [6]
    assert scan_text("id,0\n1,5\n", "--column", "`id`", name="in.csv")[0] == [1]
    assert scan_text("`a`,b\n1,5\n", "--column", "`a`", name="in.csv")[0] == [1]
    said = refuse(NUMERIC_NAMES, "--column", "2020", name="in.csv")
    assert "no names: 0 to 1" in said and "'`2020`'" in said
    assert "no column '3'" in refuse(NUMERIC_NAMES, "--column", "`3`", name="in.csv")


def test_rows_below_names_that_are_numbers(command, tmp_path):
    (tmp_path / "in.csv").write_text(NUMERIC_NAMES)
    kept = command("compact", "in.csv", "--where", "`2020` > 6")
    assert kept.out == "2019,2020\n7,8\n"
    assert command("compact", "in.csv", "--where", "c1 > 6").out == "2019,2020\n7,8\n"
    assert command("compact", "in.csv", "--where", "c1 < 7").out == "5,6\n"


@pytest.mark.parametrize("column, near", [("sol", "sold"), ("Day", "day")])
def test_a_column_near_a_known_one(refuse, column, near):
    said = refuse("day,sold\n1,2\n", "--column", column, name="in.csv")
    assert f"did you mean {near}?" in said


@pytest.mark.parametrize(
    "text, name, hint",
    [
        ("day;sold\n1;2\n", "in.csv", "its first line has ';' and no comma"),
        ("day;sold\n1,5;2,5\n", "in.csv", "its first line has ';' and no comma"),
        ("day|sold\n1|2\n", "in.tsv", "its first line has '|' and no tab"),
        ("day\tsold\n1\t2\n", "in.csv", "--format tsv"),
        ("day,sold\n1,2\n", "in.tsv", "--format csv"),
    ],
)
def test_another_separator_is_hinted_at(command, refuse, text, name, hint):
    assert hint in refuse(text, name=name)
    assert hint in refuse(text, "--column", "sold", name=name)
    assert hint in command("compact", name, "--where", "sold > 1", status=2).err


def test_one_column_of_numbers_may_have_any_name(scan_text):
    assert scan_text("a;b\n1\n2\n", name="in.csv")[0] == [1, 3]


def test_tsv(scan_text):
    assert scan_text("a\tb\n1\t2\n3\t4\n", "--column", "b", name="in.tsv")[0] == [2, 6]


def test_csv_with_a_header_alone(scan_text):
    assert scan_text("a,b\n", "--column", "b", name="in.csv")[0] == []


def test_an_empty_csv(scan_text):
    assert scan_text("", name="in.csv")[0] == []


@pytest.mark.parametrize(
    "text,options,what",
    [
        ("a,b\n1,2\n3\n", ["--column", "a"], "line 3: 1 field where the first line has 2 fields"),
        ("a,b\n1,2\n3,4,5\n", ["--column", "a"], "line 3: 3 fields where the first line has 2"),
        ("a,b\n1,2\n\n3,4\n", ["--column", "b"], "line 3: 1 field"),
        ("a,b\n1,2\n", [], "choose one with --column: its columns are a, b"),
        ("1,2\n", [], "its columns have no names: 0 to 1"),
        ("a,b\n1,2\n", ["--column", "c"], "no column 'c'; its columns are a, b"),
        ("a,b\n1,2\n", ["--column", "2"], "no column '2'; its columns are a, b"),
        ("a,b\n1,2\n", ["--column", "-1"], "no column '-1'"),
        ("a,b\n1,2\n", ["--column", ""], "no column ''"),
        ("", ["--column", "a"], "no column 'a'; it has no columns"),
        ("a,a\n1,2\n", ["--column", "a"], "several columns 'a'"),
        ('a\n"1\n', [], "line 2, character 1: a quoted field does not end"),
        ('a\n"1"2\n', [], "line 2, character 1: more text after a closing quote"),
        ("a\n1\nx\n", [], "line 3, character 1: 'x' is not a number"),
        ("a,b\n1,2\n3,\n", ["--column", "b"], "line 3, character 3: a number is missing"),
        ("a,b\n1,é\n", ["--column", "b"], "line 2, character 3"),
    ],
)
def test_csv_faults(refuse, text, options, what):
    said = refuse(text, *options, name="in.csv")
    assert "'in.csv'" in said
    assert what in said


def test_column_needs_columns(refuse):
    assert "--column" in refuse("1 2", "--column", "a")


def test_csv_keeps_its_header(command, tmp_path):
    (tmp_path / "in.csv").write_text(CSV)
    command("scan", "in.csv", "--column", 'units "sold"', "-o", "out.csv")
    assert (tmp_path / "out.csv").read_text() == '"units ""sold"""\n10\n30\n60\n'
    assert command("scan", "out.csv").out == "10\n40\n100\n"


def test_csv_from_standard_input(command):
    assert command("scan", "-", "--format", "csv", stdin="n\n1\n2\n").out == "1\n3\n"


@pytest.mark.parametrize("dtype", ["f4", "f8"])
def test_floats_read_back_to_the_bit(command, tmp_path, dtype):
    random = np.random.default_rng(3)
    bits = random.integers(0, 2**63, 20_000, dtype="u8")
    values = bits.view("f8")[np.isfinite(bits.view("f8"))] if dtype == "f8" else bits.view("f4")
    np.save(tmp_path / "in.npy", values[np.isfinite(values)].astype(dtype))
    options = ["--op", "max", "--device", "cpu", "--reverse"]
    command("scan", "in.npy", "-o", "out.npy", *options)
    for extension in ("txt", "csv"):
        command("scan", "in.npy", "-o", "out." + extension, *options)
        name = dtype.replace("4", "32").replace("8", "64")
        again = ["--dtype", name, "--op", "max", "--device", "cpu", "--reverse"]
        command("scan", "out." + extension, "-o", "again.npy", "--force", *again)
        wanted, found = np.load(tmp_path / "out.npy"), np.load(tmp_path / "again.npy")
        assert wanted.tobytes() == found.tobytes()


def test_numbers_that_are_none(command):
    assert command("scan", "-", "--op", "max", stdin="-inf 1.5 inf nan").out == "-inf\n1.5\ninf\nnan\n"
