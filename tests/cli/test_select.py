"""compact, partition, unique and runs against NumPy, on every device."""

import numpy as np
import pytest
from command import NUMPY, each_device, refuse, run, run_json

RANDOM = np.random.default_rng(5)
SIZES = [0, 1, 2, 31, 64, 65, 1000, 4097, 70001]


def numbers(n, dtype, few=False):
    if np.dtype(dtype).kind == "f":
        return (RANDOM.integers(-9, 9, n) / 2).astype(dtype)
    if few:
        return RANDOM.integers(0, 3, n).astype(dtype)
    info = np.iinfo(dtype)
    return RANDOM.integers(info.min, info.max, n, dtype=dtype, endpoint=True)


def heads(x):
    return np.concatenate([np.full(min(len(x), 1), True), x[1:] != x[:-1]])


def lines(done):
    return done.stdout.decode().split("\n")[:-1]


def test_the_example():
    stdin = "3 1 4 1 5 9 2 6"
    assert lines(run("compact", "-", "--where", "x > 3", stdin=stdin)) == ["4", "5", "9", "6"]
    assert lines(run("compact", "-", "--where", "x > 3", "--indices", stdin=stdin)) == [
        "2", "4", "5", "7"]
    assert lines(run("partition", "-", "--where", "x % 2 == 0", stdin=stdin)) == list("42631159")
    assert lines(run("unique", "-", stdin="1 1 2 2 2 1")) == ["1", "2", "1"]
    assert lines(run("runs", "-", stdin="1 1 2 2 2 1")) == ["1 2 0", "2 3 2", "1 1 5"]


@each_device
@pytest.mark.parametrize("dtype", NUMPY)
def test_compact_by_flags(device, dtype, tmp_path):
    for n in SIZES:
        x = numbers(n, NUMPY[dtype])
        flags = RANDOM.integers(0, 3, n).astype(np.uint8) * 100
        np.save(tmp_path / "x.npy", x)
        np.save(tmp_path / "flags.npy", flags)
        out = tmp_path / "kept.npy"
        result = run_json("compact", tmp_path / "x.npy", "--keep", tmp_path / "flags.npy", "-o", out,
                          "--force", "--check", "--device", device)
        kept = x[flags != 0]
        assert result["count"] == len(kept) and result["check"]["ok"]
        found = np.load(out)
        assert found.dtype == x.dtype and found.tobytes() == kept.tobytes()
        run("compact", tmp_path / "x.npy", "--keep", tmp_path / "flags.npy", "-o", out, "--force",
            "--indices", "--device", device)
        assert np.array_equal(np.load(out), np.nonzero(flags)[0])


CONDITIONS = [
    ("x > 3", lambda x, i: x > 3),
    ("x > -1", lambda x, i: x.astype(object) > -1 if x.dtype.kind == "u" else x > -1),
    ("i % 3 == 1 or x < 1", lambda x, i: (i % 3 == 1) | (x < 1)),
    ("not (-2 < x <= 2.5)", lambda x, i: ~((x > -2.0) & (x <= 2.5))),
    ("x / 3 > 0.5", lambda x, i: x / x.dtype.type(3) > 0.5),
    ("x - x == 0", lambda x, i: np.full(len(x), True)),
]


@each_device
@pytest.mark.parametrize("text,condition", CONDITIONS, ids=[c[0] for c in CONDITIONS])
def test_by_predicates(device, text, condition, tmp_path):
    for dtype in NUMPY.values():
        x = numbers(3000, dtype, few=True) if np.dtype(dtype).kind != "f" else numbers(3000, dtype)
        np.save(tmp_path / "x.npy", x)
        keep = condition(x, np.arange(len(x))).astype(bool)
        out = tmp_path / "out.npy"
        result = run_json("compact", tmp_path / "x.npy", "--where", text, "-o", out, "--force",
                          "--device", device)
        assert result["count"] == keep.sum()
        assert np.array_equal(np.load(out), x[keep])
        result = run_json("partition", tmp_path / "x.npy", "--where", text, "-o", out, "--force",
                          "--check", "--device", device)
        assert result["split"] == keep.sum() and result["check"]["ok"]
        assert np.array_equal(np.load(out), np.concatenate([x[keep], x[~keep]]))


@each_device
def test_three_way_partition(device):
    x = RANDOM.integers(0, 100, 900)
    text = " ".join(map(str, x))
    result = run_json("partition", "-", "--where", "x < 30", "--second", "x < 60 or i < 9",
                      "--check", "--device", device, stdin=text)
    first = x < 30
    second = ~first & ((x < 60) | (np.arange(len(x)) < 9))
    assert result["values"] == [*x[first], *x[second], *x[~first & ~second]]
    assert result["split"] == first.sum() and result["second_split"] == (first | second).sum()
    assert result["check"]["ok"]


@each_device
@pytest.mark.parametrize("dtype", NUMPY)
def test_unique_and_runs(device, dtype, tmp_path):
    for n in SIZES:
        x = numbers(n, NUMPY[dtype], few=True)
        np.save(tmp_path / "x.npy", x)
        first = heads(x)
        starts = np.nonzero(first)[0]
        out = tmp_path / "out.npy"
        result = run_json("unique", tmp_path / "x.npy", "-o", out, "--force", "--check", "--device",
                          device)
        assert result["count"] == len(starts) and np.array_equal(np.load(out), x[first])
        result = run_json("runs", tmp_path / "x.npy", "-o", out, "--force", "--check", "--device",
                          device)
        runs = np.load(out)
        assert result["runs"] == len(starts) and result["check"]["ok"]
        assert np.array_equal(runs["value"], x[first])
        assert np.array_equal(runs["start"], starts)
        assert np.array_equal(np.repeat(runs["value"], runs["length"]), x)


def test_runs_as_a_table(tmp_path):
    out = tmp_path / "runs.csv"
    (tmp_path / "in.csv").write_text("id,kind\n1,7\n2,7\n3,8\n")
    run("runs", tmp_path / "in.csv", "--column", "kind", "-o", out)
    assert out.read_text() == "kind,length,start\n7,2,0\n8,1,2\n"


TABLE = (
    'id,"unit price",stock,name\r\n'
    '1,24.5,3,"Smith, J"\r\n'
    "2, 25.0 ,1,\r\n"
    '3,0.1,0,"a ""quoted"" one"\r\n'
    "4,1e1,007,plain\r\n"
    '5,"12.5",2,last'
)


@each_device
def test_rows_are_kept_as_they_are(device, tmp_path):
    table = tmp_path / "data.csv"
    table.write_bytes(TABLE.encode())
    out = tmp_path / "kept.csv"
    rows = TABLE.splitlines(keepends=True)
    result = run_json("compact", table, "--where", "`unit price` < 25 and stock > 0", "-o", out,
                      "--check", "--device", device)
    assert result["n"] == 5 and result["count"] == 3 and result["check"]["ok"]
    assert out.read_bytes() == "".join([rows[0], rows[1], rows[4], rows[5]]).encode()
    # The last row comes before others: it gets the line end of its file.
    run("partition", table, "--where", "id == 5", "-o", out, "--force", "--device", device)
    assert out.read_bytes() == "".join([rows[0], rows[5], "\r\n", *rows[1:5]]).encode()
    shown = run_json("compact", table, "--where", "i >= 3", "--device", device)
    assert shown["type"] == "rows" and shown["rows"] == [r.rstrip("\r\n") for r in rows[4:]]
    indices = run_json("compact", table, "--where", "stock == 0", "--indices")
    assert indices["indices"] == [2]


def test_a_header_of_numbers_is_one_for_predicates_too(tmp_path):
    table = tmp_path / "years.csv"
    table.write_text("2020,2021\n5,1\n7,2\n")
    kept = run("compact", table, "--column", "`2021`", "--where", "`2020` > 6", "--device", "cpu")
    assert kept.stdout == b"2\n"
    kept = run("compact", table, "--column", "1", "--where", "c0 > 6", "--device", "cpu")
    assert kept.stdout == b"2021\n2\n"


def test_rows_without_a_header(tmp_path):
    table = tmp_path / "data.tsv"
    table.write_text("3\tapple\n5\tpear\n1\tplum\n")
    assert run("compact", table, "--where", "c0 > 2").stdout == b"3\tapple\n5\tpear\n"
    (tmp_path / "flags.txt").write_text("0 1 2")
    kept = run("compact", table, "--keep", tmp_path / "flags.txt")
    assert kept.stdout == b"5\tpear\n1\tplum\n"


def test_tables_with_little_in_them(tmp_path):
    table = tmp_path / "data.csv"
    for text, kept in [
        ("a,b\n", "a,b\n"), ("", ""), ("a,b\r\n1,2\r\n\r\n", "a,b\r\n1,2\r\n"), ("a,b", "a,b"),
        ("\ufeffa,b\n1,2\n", "\ufeffa,b\n1,2\n"), ("7\n8", "7\n8")]:
        table.write_bytes(text.encode())
        assert run("compact", table, "--where", "i >= 0").stdout == kept.encode()


def test_one_column_by_another(tmp_path):
    table = tmp_path / "data.csv"
    table.write_bytes(TABLE.encode())
    done = run("compact", table, "--column", "id", "--where", "stock > 1 and x > 1")
    assert lines(done) == ["4", "5"]


def test_no_more_than_the_capacity():
    result = run_json("compact", "-", "--where", "x > 1", "--capacity", 2, "--check",
                      stdin="1 2 3 4 1")
    assert result["values"] == [2, 3] and result["count"] == 3
    assert result["capacity"] == 2 and result["overflow"] is True and result["check"]["ok"]


@pytest.mark.parametrize("name", ["compact", "partition", "unique", "runs"])
def test_algorithms_go_with_devices(device, name):
    ask = [name, "-"] + (["--where", "x > 1"] if name in ("compact", "partition") else [])
    fits, others = ["blocked"], ["mask-then-scatter", "single-pass"]
    if device != "cpu":
        # One pass needs subgroups of 32 lanes.
        fits, others = ["mask-then-scatter"], ["blocked"]
    for algorithm in fits:
        found = run_json(*ask, "--algorithm", algorithm, "--check", "--device", device, stdin="1 2 2 3")
        assert found["algorithm"] == algorithm and found["check"]["ok"]
    for algorithm in others:
        message = refuse(*ask, "--algorithm", algorithm, "--device", device, stdin="1 2 2 3")
        assert f"algorithm {algorithm} " in message and "CPU backend" in message
    assert "blocked" in refuse(*ask, "--algorithm", "serial", "--device", device, stdin="1")


@pytest.mark.parametrize("n", [0, 8, 9, 100_000])
def test_pictures(n, tmp_path):
    picture = tmp_path / "kept.svg"
    for command in (["compact", "--where", "x > 1"], ["partition", "--where", "x > 1"], ["unique"]):
        run(command[0], "-", *command[1:], "--picture", picture, "--force",
            stdin=" ".join(str(k % 4) for k in range(n)))
        assert picture.read_bytes().startswith(b"<?xml")


def test_a_small_picture_says_what_was_checked(command, device, tmp_path):
    def words(*options, status=0):
        command("compact", "-", "--where", "x > 2", "--picture", "a.svg", "--force", "--device", device,
                *options, stdin="3 1 4 1 5", status=status)
        return (tmp_path / "a.svg").read_text()

    plain, checked = words(), words("--check")
    for picture in (plain, checked):
        assert "compact: x &gt; 2" in picture and "log2 n" not in picture
        assert ("on CPU" if device == "cpu" else "webgpu, ") in picture
    assert "matches a plain loop" in checked and "match" not in plain
    assert "wrong: result 0 is 1, not 0" in words("--check", "--break-element", 0, status=1)


def test_a_wrong_result_shows(tmp_path):
    out = tmp_path / "out.txt"
    result = run_json("compact", "-", "--where", "x > 1", "--check", "--break-element", 1, "-o", out,
                      stdin="1 2 3", status=1)
    assert result["check"] == {
        "ok": False, "first_difference": {"index": 1, "expected": 3, "found": 0}}
    assert not out.exists()


def test_refusals(tmp_path):
    assert "--keep" in refuse("compact", "-", stdin="1 2")
    assert "one of them" in refuse("partition", "-", "--keep", "a", "--where", "x > 1", stdin="1")
    assert "2 flags for the 3 numbers" in refuse_flags(tmp_path, "1 0", "1 2 3")
    message = refuse("compact", "-", "--where", "x > ", stdin="1 2")
    assert "character 5" in message and message.splitlines()[1:] == ["  x > ", "      ^"]
    table = tmp_path / "data.csv"
    table.write_bytes(TABLE.encode())
    message = refuse("compact", table, "--where", "stok > 1")
    assert "did you mean stock?" in message
    assert "is not a number" in refuse("compact", table, "--where", "name > 1")
    assert "must be a .csv" in refuse("compact", table, "--where", "id > 1", "-o", tmp_path / "a.npy")
    assert "there is no 'x'" in refuse("compact", table, "--where", "x > 1")
    twice = tmp_path / "twice.csv"
    twice.write_text("a,b,a\n1,2,3\n")
    message = refuse("compact", twice, "--where", "b > 1 and a > 2")
    assert "character 11: there are several columns 'a'" in message
    assert run("compact", twice, "--where", "b > 1").stdout == b"a,b,a\n1,2,3\n"
    assert "127 bits" in refuse("compact", "-", "--dtype", "u64", "--where", "x * x > 1", stdin="1")
    assert list(tmp_path.glob("a*")) == []


def refuse_flags(tmp_path, flags, numbers_text):
    (tmp_path / "flags.txt").write_text(flags)
    return refuse("compact", "-", "--keep", tmp_path / "flags.txt", stdin=numbers_text)


@pytest.mark.parametrize("name", ["compact", "partition", "unique", "runs"])
def test_help_has_an_example(name):
    text = run("help", name).stdout.decode()
    assert "Example" in text and "JSON adds" in text


@each_device
def test_decimal_columns_are_told_apart_as_their_text_is(device, tmp_path):
    rows = tmp_path / "rows.csv"
    rows.write_text("v\n123456789.01\n123456789.02\n0.1\n")
    for where, kept in (("v == 123456789.01", "123456789.01\n"),
                        ("v > 123456789.015", "123456789.02\n"),
                        ("v < 0.2", "0.1\n")):
        out = run("compact", rows, "--where", where, "--check", "--device", device).stdout
        assert out.decode() == "v\n" + kept, where
    rows.write_text("v\n12.99\n0.1\n1e39\n")
    out = run("compact", rows, "--where", "v > 0.1", "--check", "--device", device).stdout
    assert out == b"v\n12.99\n1e39\n"
