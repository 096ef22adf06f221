""".bin and .raw: elements one after the other, little endian."""

import numpy as np
import pytest
from command import NUMPY


@pytest.mark.parametrize("extension", ["bin", "raw", "BIN"])
@pytest.mark.parametrize("dtype", NUMPY)
def test_there_and_back(command, tmp_path, dtype, extension):
    values = np.array([0x0102, 0x0304, 0x0506]).astype(NUMPY[dtype])
    (tmp_path / f"in.{extension}").write_bytes(values.tobytes())
    command("scan", f"in.{extension}", "--dtype", dtype, "-o", f"out.{extension}", "--device", "cpu")
    written = (tmp_path / f"out.{extension}").read_bytes()
    assert written == np.cumsum(values, dtype=NUMPY[dtype]).tobytes()


def test_nothing(command, tmp_path):
    (tmp_path / "in.bin").write_bytes(b"")
    assert command("scan", "in.bin", "--dtype", "f32").out == ""


def test_the_type_has_to_be_said(refused, tmp_path):
    (tmp_path / "in.bin").write_bytes(bytes(8))
    assert "--dtype" in refused("scan", "in.bin")


@pytest.mark.parametrize("dtype,length", [("u32", 1), ("f32", 7), ("u64", 12), ("f64", 9)])
def test_half_an_element(refused, tmp_path, dtype, length):
    (tmp_path / "in.bin").write_bytes(bytes(length))
    said = refused("scan", "in.bin", "--dtype", dtype)
    assert f"{length} bytes, not a multiple" in said


def test_larger_than_memory(refused, tmp_path):
    with open(tmp_path / "in.bin", "wb") as file:
        file.truncate(1 << 42)  # a hole: takes no disk
    assert "memory" in refused("scan", "in.bin", "--dtype", "u32", "-o", "out.npy")


def test_raw_from_standard_input(command):
    shown = command("scan", "-", "--format", "bin", "--dtype", "u32", stdin=b"\1\0\0\0\2\1\0\0")
    assert shown.out == "1\n259\n"
