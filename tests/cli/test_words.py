"""The words of the command line: what is unknown, missing, or said twice; help; sizes."""

import pytest


@pytest.mark.parametrize(
    "arguments,what",
    [
        (["scan", "-", "--exclusiv"], "no option --exclusiv; did you mean --exclusive?"),
        (["scan", "-", "--dtyp=u32"], "no option --dtyp; did you mean --dtype?"),
        (["scan", "-", "--axis", "1"], "no option --axis"),
        (["scan", "-", "-x"], "no option -x"),
        (["scan", "-", "more"], "no further argument 'more'"),
        (["scan"], "scan needs an input"),
        (["scan", "-", "--op"], "--op"),
        (["scan", "-", "--op", "add", "--op", "max"], "--op"),
        (["scan", "-", "--op", "ad"], "known are add, mul, min, max, and, or, xor, add-saturated; did you mean add?"),
        (["scan", "-", "--op", ""], "--op ''"),
        (["scan", "-", "--op", "ADD"], "--op 'ADD'"),
        (["scan", "-", "--op", "ADD"], "neither an operator nor a file with one; known are add"),
        (["scan", "-", "--op", "ADD"], "did you mean add?"),
        (["scan", "-", "--algorithm", "singlepass"], "did you mean single-pass?"),
        (["scan", "-", "--dtype", "uint32"], "known are u32, i32, f32, u64, i64, f64"),
        (["scan", "-", "--format", "parquet"], "known are npy, csv, tsv, txt, bin, raw"),
        (["scan", "-", "--device", ""], "--device"),
        (["scan", "-", "--init", "one"], "'one' is not a number"),
        (["scan", "-", "--init", "-1"], "negative"),
        (["scan", "-", "--init", "1.5"], "not an integer"),
        (["scan", "-", "--dtype", "f32", "--op", "xor"], "xor"),
        (["scan", "-", "--json=maybe"], "maybe"),
        (["scna", "-"], "did you mean scan?"),
        (["sort", "-"], "the command 'sort' is unknown; known are scan"),
        (["--device", "cpu"], "a command comes first"),
        (["plan"], "plan needs a primitive"),
        (["plan", "sort"], "'sort' is unknown; known are scan"),
        (["plan", "scan", "--traits", "none.json"], "none.json"),
        (["demo", "--format", "gif"], "known are png, svg, pdf"),
        (["help", "scna"], "did you mean scan?"),
        (["help", "scan", "demo"], "one command"),
    ],
)
def test_words_that_cannot_be(refused, arguments, what):
    assert what in refused(*arguments, stdin="1 2")


def test_a_file_whose_name_begins_like_an_option(command, refused, tmp_path):
    (tmp_path / "-x.txt").write_text("1 2")
    assert command("scan", "--exclusive", "--", "-x.txt").out == "0\n1\n"
    assert "no further argument 'more'" in refused("scan", "--", "-x.txt", "more")


def test_no_words_at_all(command):
    assert "usage" in command(status=2).out


@pytest.mark.parametrize("word", ["1048576", "2^20", "1048576.0", "1.048576e6"])
def test_sizes(command, word):
    assert command("plan", "scan", "--n", word, "--json").json["plan"]["n"] == 2**20


@pytest.mark.parametrize("word", ["x", "-1", "1.5", "1e", "2^", "^2", "2^64", "1e20", "nan", "inf", "0x10"])
def test_sizes_that_are_none(refused, word):
    assert "is no count below 2^64" in refused("plan", "scan", f"--n={word}")


@pytest.mark.parametrize("word", ["2^63", "18446744073709551615", "1e19"])
def test_sizes_beyond_any_device(refused, word):
    assert len(refused("plan", "scan", "--n", word)) > 40


def test_plans_follow_their_options(command):
    assert "100000" in command("plan", "scan", "--n", "1e5").out
    base = command("plan", "scan", "--n", "1e5", "--json", "--wgsl").out
    for options in ("--exclusive", "--reverse", "--op=max", "--type=f32", "--init=3"):
        assert command("plan", "scan", "--n", "1e5", "--json", "--wgsl", options).out != base
    assert "@compute" in command("plan", "scan", "--wgsl").out


@pytest.mark.parametrize("arguments", [["--help"], ["-h"], ["help"], ["help", "help"]])
def test_the_overview(command, arguments):
    shown = command(*arguments).out
    for name in ("scan", "devices", "demo", "plan", "help", "version"):
        assert f"\n  {name} " in shown


@pytest.mark.parametrize("name", ["scan", "devices", "demo", "plan", "version"])
def test_help_has_an_example(command, name):
    shown = command("help", name).out
    assert "Example\n  " in shown and f"cumulo {name}" in shown
    assert command(name, "--help").out == shown
    assert "break-element" not in shown


def test_the_version(command):
    shown = command("version").out
    assert shown.startswith("cumulo 0.")
    assert command("--version").out == shown
    assert f"cumulo {command('version', '--json').json['version']}\n" == shown
