"""NumPy's files in and out: shapes, orders, bytes and types, and what is refused."""

import io
import struct

import numpy as np
import pytest
from command import NUMPY

# Bytes of a value differ from each other, so that a swap shows.
ODD = [0x01020304, 0x0A0B0C0D, 3, 0x10203040, 77]


@pytest.fixture
def scan_file(command, tmp_path):
    """Scans the bytes of an .npy file and gives the array that was written."""

    def run(content, *options):
        (tmp_path / "in.npy").write_bytes(content)
        command("scan", "in.npy", "-o", "out.npy", "--force", "--check", "--device", "cpu", *options)
        return np.load(tmp_path / "out.npy")

    return run


@pytest.fixture
def refuse(refused, tmp_path):
    def run(content, *options):
        (tmp_path / "in.npy").write_bytes(content)
        return refused("scan", "in.npy", "-o", "out.npy", *options)

    return run


def file_of(array, version=(1, 0)):
    stream = io.BytesIO()
    np.lib.format.write_array(stream, array, version=version)
    return stream.getvalue()


def file_with(header, data=b"", version=b"\x01\x00"):
    length = struct.pack("<H" if version == b"\x01\x00" else "<I", len(header))
    return b"\x93NUMPY" + version + length + header.encode() + data


WIDENED = {
    "u1": "u4",
    "u2": "u4",
    "u4": "u4",
    "u8": "u8",
    "i1": "i4",
    "i2": "i4",
    "i4": "i4",
    "i8": "i8",
    "f2": "f4",
    "f4": "f4",
    "f8": "f8",
    "b1": "u4",
}


@pytest.mark.parametrize("order", ["<", ">"])
@pytest.mark.parametrize("stored", WIDENED)
def test_every_type_and_byte_order(scan_file, stored, order):
    if stored[0] == "f":
        values = np.array([1.5, -2.25, 0.125, 1024, 3]).astype(order + stored)
    elif stored == "b1":
        values = np.array([True, False, True, True, False])
    else:
        largest = np.iinfo(stored).max
        values = np.array([value % largest for value in ODD]).astype(order + stored)
    found = scan_file(file_of(values))
    assert found.dtype == WIDENED[stored]
    np.testing.assert_array_equal(found, np.cumsum(values, dtype=WIDENED[stored]))


@pytest.mark.parametrize("prefix", ["=", "|", ""])
def test_other_marks_of_byte_order(scan_file, prefix):
    values = np.array(ODD, "<u4")
    header = "{'descr': '%su4', 'fortran_order': False, 'shape': (5,)}\n" % prefix
    found = scan_file(file_with(header, values.tobytes()))
    np.testing.assert_array_equal(found, np.cumsum(values, dtype="u4"))


def test_truth_is_one_whatever_its_byte(scan_file):
    header = "{'descr': '|b1', 'fortran_order': False, 'shape': (3,)}\n"
    assert scan_file(file_with(header, b"\x01\x00\x02")).tolist() == [1, 1, 2]


def test_halves_subnormal_and_infinite(scan_file):
    values = np.float16([6e-8, 6.1e-5, -65504, np.inf])
    np.testing.assert_array_equal(scan_file(file_of(values)), np.cumsum(values, dtype="f4"))


@pytest.mark.parametrize("version", [(1, 0), (2, 0), (3, 0)])
@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("shape", [(3, 5), (2, 3, 4), (7,), (1, 6), (6, 1)])
def test_shapes_orders_and_versions(scan_file, shape, order, version):
    values = np.arange(1, np.prod(shape) + 1, dtype="i4").reshape(shape)
    stored = np.asarray(values, order=order)
    found = scan_file(file_of(stored, version))
    np.testing.assert_array_equal(found, np.cumsum(values, dtype="i4").reshape(shape))


def test_a_shape_that_no_longer_fits_becomes_a_row(scan_file):
    found = scan_file(file_of(np.ones((2, 3), "u4")), "--include-initial")
    assert found.shape == (7,)


@pytest.mark.parametrize("shape", [(0,), (0, 5), (5, 0), (2, 0, 3)])
def test_nothing_keeps_its_shape(scan_file, shape):
    assert scan_file(file_of(np.zeros(shape, "f4"))).shape == shape


def test_a_single_number_has_no_dimensions(scan_file):
    found = scan_file(file_of(np.array(3.5, "f4")))
    assert (found.shape, found.item()) == ((), 3.5)


@pytest.mark.parametrize(
    "stored,dtype", [("u1", "u64"), ("u4", "u64"), ("u4", "f64"), ("i2", "f32"), ("f4", "f64"), ("b1", "i32")]
)
def test_dtype_widens(scan_file, stored, dtype):
    values = np.array([1, 0, 1], stored)
    found = scan_file(file_of(values), "--dtype", dtype)
    assert found.dtype == NUMPY[dtype]
    np.testing.assert_array_equal(found, [1, 1, 2])


@pytest.mark.parametrize("stored,dtype", [("i4", "f32"), ("i4", "u32"), ("f8", "f32"), ("u4", "i32"), ("i8", "f64")])
def test_dtype_never_loses_a_value(refuse, stored, dtype):
    said = refuse(file_of(np.array([1, 2], stored)), "--dtype", dtype)
    assert stored in said and dtype in said


@pytest.mark.parametrize(
    "descr,what",
    [
        ("'|O'", "Python objects"),
        ("'<U24'", "strings"),
        ("'|S5'", "strings"),
        ("'<c8'", "complex numbers"),
        ("'<M8[ns]'", "dates or times"),
        ("'|V12'", "records"),
        ("'<f16'", "type"),
        ("'<i3'", "type"),
        ("'<x4'", "type"),
    ],
)
def test_other_elements_are_refused(refuse, descr, what):
    header = "{'descr': %s, 'fortran_order': False, 'shape': (2,), }\n" % descr
    assert what in refuse(file_with(header, bytes(48)))


def test_real_objects_and_records_are_refused(refuse):
    assert "objects" in refuse(file_of(np.array([{}, []], dtype=object)))
    said = refuse(file_of(np.zeros(3, [("x", "f4"), ("y", "u4")])))
    assert "records" in said and "--column: they are x, y" in said


RECORDS = np.array([(1, -3, 0.5), (2, 4, 1.5)], [("a", ">u2"), ("b", "<i8"), ("c", "<f4")])


@pytest.mark.parametrize("column, wanted", [("a", [1, 3]), ("b", [-3, 1]), ("1", [-3, 1]), ("c", [0.5, 2])])
def test_a_field_of_records(scan_file, column, wanted):
    np.testing.assert_array_equal(scan_file(file_of(RECORDS), "--column", column), wanted)


def test_records_of_one_field_and_of_several_dimensions(scan_file):
    one = np.array([(3,), (4,)], [("a", "<u4")])
    np.testing.assert_array_equal(scan_file(file_of(one)), [3, 7])
    table = np.asfortranarray(np.zeros((3, 2), [("a", "<u4"), ("b", "<u4")]))
    table["b"] = np.arange(6).reshape(3, 2)
    found = scan_file(file_of(table), "--column", "b")
    np.testing.assert_array_equal(found, np.cumsum(range(6)).reshape(3, 2))


def test_columns_that_are_not_there(refuse):
    assert "without a field 'd'; they have a, b, c" in refuse(file_of(RECORDS), "--column", "d")
    assert "no columns" in refuse(file_of(np.arange(3)), "--column", "a")


WHOLE = file_of(np.arange(15, dtype="f4").reshape(3, 5))


@pytest.mark.parametrize("length", [0, 1, 6, 7, 8, 9, 10, 50, 127, 128, len(WHOLE) - 1])
def test_cut_off(refuse, length):
    said = refuse(WHOLE[:length])
    assert "cut off" in said or "empty" in said or "no .npy file" in said


def test_too_long(refuse):
    assert "too long" in refuse(WHOLE + b"\0")


GOOD = "{'descr': '<u4', 'fortran_order': False, 'shape': (2,)}\n"


@pytest.mark.parametrize(
    "header",
    [
        "",
        "{}",
        "nonsense",
        GOOD.replace("(2,)", "(-2,)"),
        GOOD.replace("(2,)", "(2.0,)"),
        GOOD.replace("(2,)", "2"),
        GOOD.replace("(2,)", "(2,"),
        GOOD.replace("(2,)", "(99999999999999999999,)"),
        GOOD.replace("(2,)", "(" + "1," * 65 + ")"),
        GOOD.replace("False", "0"),
        GOOD.replace("'shape'", "'size'"),
        GOOD.replace("'<u4'", "'<u4"),
        GOOD.replace("{", ""),
        GOOD + "more",
    ],
)
def test_headers_that_say_nothing(refuse, header):
    assert "header" in refuse(file_with(header, bytes(8)))


@pytest.mark.parametrize(
    "shape", ["(4611686018427387904,)", "(4294967296, 4294967296)", "(2147483648, 2147483648, 4)", "(1000000000000,)"]
)
def test_shapes_beyond_the_data(refuse, shape):
    said = refuse(file_with(GOOD.replace("(2,)", shape), bytes(8)))
    assert "too large" in said or "cut off" in said


def test_a_zero_beside_large_extents_is_nothing(command):
    header = GOOD.replace("(2,)", "(4294967296, 4294967296, 0)")
    shown = command("scan", "-", "--format", "npy", "--json", stdin=file_with(header))
    assert shown.json["n"] == 0


def test_a_header_longer_than_the_file_or_any_need(refuse):
    assert "cut off" in refuse(b"\x93NUMPY\x01\x00\xff\xff" + GOOD.encode())
    long = b"\x93NUMPY\x02\x00" + struct.pack("<I", 2**31) + GOOD.encode()
    assert "header of 2147483648 bytes" in refuse(long)


def test_unknown_versions(refuse):
    assert "4.0" in refuse(file_with(GOOD, bytes(8), b"\x04\x00"))


def test_random_damage_never_crashes(command):
    random = np.random.default_rng(7)
    for _ in range(60):
        damaged = bytearray(WHOLE)
        for position in random.integers(0, 128, 3):
            damaged[position] = random.integers(0, 256)
        arguments = ["scan", "-", "--format", "npy", "--device", "cpu"]
        command(*arguments, stdin=bytes(damaged), status=(0, 2))


def test_what_is_written_is_what_numpy_writes(command, tmp_path):
    values = np.arange(6, dtype="u4").reshape(2, 3)
    np.save(tmp_path / "in.npy", values)
    command("scan", "in.npy", "-o", "out.npy")
    wanted = file_of(np.cumsum(values, dtype="u4").reshape(2, 3))
    assert (tmp_path / "out.npy").read_bytes() == wanted


def test_npy_from_standard_input(command):
    shown = command("scan", "-", "--format", "npy", stdin=file_of(np.array(ODD[:2], ">u4")))
    assert shown.out == f"{ODD[0]}\n{ODD[0] + ODD[1]}\n"
