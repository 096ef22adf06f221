"""Files in and out: every format, and the faults that others have had with them."""

import numpy as np
import pytest
from command import refuse, run, run_json

CPU = ("--device", "cpu")


def values_of(path, *options):
    return run_json("scan", path, *CPU, *options)["values"]


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("dtype", ["u1", "i1", "u2", ">u2", "<i4", ">i4", "<u4", ">u4", "<f4",
                                   ">f4", "<f8", ">f8", "<u8", "<i8", ">i8", "?"])
def test_npy_types_and_orders(tmp_path, dtype, order):
    x = np.asarray([[0, 1, 2], [3, 5, 7]] if dtype != "?" else [[0, 1, 1], [1, 0, 1]]).astype(dtype)
    np.save(tmp_path / "a.npy", np.asarray(x, order=order))
    run("scan", tmp_path / "a.npy", "-o", tmp_path / "b.npy", *CPU)
    found = np.load(tmp_path / "b.npy")
    assert found.shape == (2, 3)
    np.testing.assert_array_equal(found.ravel(), np.cumsum(x.ravel().astype(np.int64)))


@pytest.mark.parametrize("version", [(1, 0), (2, 0), (3, 0)])
def test_npy_versions(tmp_path, version):
    with open(tmp_path / "a.npy", "wb") as file:
        np.lib.format.write_array(file, np.arange(5, dtype="<u4"), version=version)
    assert values_of(tmp_path / "a.npy") == [0, 1, 3, 6, 10]


@pytest.mark.parametrize("shape", [(), (0,), (0, 5), (5, 0), (1, 1)])
def test_npy_scalars_and_empty(tmp_path, shape):
    np.save(tmp_path / "a.npy", np.full(shape, 3, "<f4"))
    result = run_json("scan", tmp_path / "a.npy", *CPU)
    assert result["n"] == int(np.prod(shape)) and result["total"] == 3 * result["n"]
    run("scan", tmp_path / "a.npy", "-o", tmp_path / "b.npy", *CPU)
    assert np.load(tmp_path / "b.npy").shape == shape


@pytest.mark.parametrize("array", [np.array(["a", "b"]), np.array([1j]), np.zeros(3, "u4,f4"),
                                   np.array([{}], dtype=object), np.zeros(2, "datetime64[s]")])
def test_npy_beyond_numbers(tmp_path, array):
    np.save(tmp_path / "a.npy", array, allow_pickle=True)
    refuse("scan", tmp_path / "a.npy", "-o", tmp_path / "b.npy", *CPU)
    assert not (tmp_path / "b.npy").exists()


def test_npy_damaged(tmp_path):
    np.save(tmp_path / "good.npy", np.arange(1000, dtype="<u4"))
    good = (tmp_path / "good.npy").read_bytes()
    bad = {"cut header": good[:40], "cut data": good[:-5], "too long": good + b"xyzw",
           "magic": b"\x93NUMPX" + good[6:], "version": good[:6] + b"\x09" + good[7:],
           "header length": good[:8] + b"\xff\xff" + good[10:], "empty": b"",
           "huge shape": good.replace(b"(1000,)", b"(9999999999999999999,)"[:7])}
    for name, data in bad.items():
        (tmp_path / "bad.npy").write_bytes(data)
        refuse("scan", tmp_path / "bad.npy", *CPU), name
    np.save(tmp_path / "i.npy", np.arange(3, dtype="<i4"))
    refuse("scan", tmp_path / "i.npy", "--dtype", "f32", *CPU)


def test_csv(tmp_path):
    table = tmp_path / "t.csv"
    table.write_bytes(b'\xef\xbb\xbfday,"sold, all",price\r\n1,3,0.5\r\n"2",1,0.25\r\n3,4,1\r\n')
    assert values_of(table, "--column", "sold, all") == [3, 4, 8]
    assert values_of(table, "--column", "1") == [3, 4, 8]
    assert values_of(table, "--column", "price") == [0.5, 0.75, 1.75]
    message = refuse("scan", table, "--column", "sales", *CPU)
    assert "day" in message and "price" in message
    refuse("scan", table, *CPU)  # which column?
    (tmp_path / "one.tsv").write_text("5\n6\n")
    assert values_of(tmp_path / "one.tsv") == [5, 11]
    (tmp_path / "ragged.csv").write_text("a,b\n1,2\n3\n")
    assert "3" in refuse("scan", tmp_path / "ragged.csv", "--column", "a", *CPU)
    run("scan", table, "--column", "day", "-o", tmp_path / "o.csv", *CPU)
    assert (tmp_path / "o.csv").read_text().split() == ["day", "1", "3", "6"]


def test_text_tokens():
    assert run_json("scan", "-", *CPU, stdin="1, 2\n3\r\n 4")["values"] == [1, 3, 6, 10]
    message = refuse("scan", "-", *CPU, stdin="1 2\n3 x7 4")
    assert "line 2" in message and "x7" in message and "column 3" in message
    refuse("scan", "-", "--dtype", "u32", *CPU, stdin="4294967296")
    refuse("scan", "-", "--dtype", "u32", *CPU, stdin="-1")
    refuse("scan", "-", "--dtype", "i32", *CPU, stdin="nan")
    refuse("scan", "-", "--dtype", "u32", *CPU, stdin="1.5")


@pytest.mark.parametrize("text,name", [("1 2", "u32"), ("4294967295", "u32"), ("-1 2", "i32"),
                                       ("4294967296", "i64"), ("-1 4294967295", "i64"),
                                       ("1.5", "f32"), ("1e3", "f32"), ("nan 1", "f32")])
def test_inference(text, name):
    result = run_json("scan", "-", *CPU, stdin=text)
    assert result["type"] == name and result["inferred"] is True


def test_raw(tmp_path):
    x = np.array([0x01020304, 2, 3], "<u4")
    (tmp_path / "a.bin").write_bytes(x.tobytes())
    run("scan", tmp_path / "a.bin", "--dtype", "u32", "-o", tmp_path / "b.raw", *CPU)
    np.testing.assert_array_equal(np.fromfile(tmp_path / "b.raw", "<u4"), np.cumsum(x))
    assert "dtype" in refuse("scan", tmp_path / "a.bin", *CPU)
    (tmp_path / "odd.bin").write_bytes(b"12345")
    refuse("scan", tmp_path / "odd.bin", "--dtype", "u32", *CPU)


def test_empty_input():
    result = run_json("scan", "-", *CPU)
    assert result["n"] == 0 and result["values"] == [] and result["total"] == 0
    result = run_json("scan", "-", "--op", "min", "--dtype", "u32", *CPU)
    assert result["total"] == 0xFFFFFFFF
    assert run("scan", "-", *CPU).stdout == b""


def test_text_out(tmp_path):
    assert run("scan", "-", "--exclusive", *CPU, stdin="3 1 4 1 5 9 2 6").stdout.split() == [
        b"0", b"3", b"4", b"8", b"9", b"14", b"23", b"25"]
    run("scan", "-", "-o", tmp_path / "o.txt", *CPU, stdin="1.5 2.25")
    assert (tmp_path / "o.txt").read_text().split() == ["1.5", "3.75"]
