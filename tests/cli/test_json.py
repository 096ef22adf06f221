"""The JSON object: exactly one, with a schema, on success and on failure."""

import os

import numpy as np
import pytest


@pytest.fixture
def ask(command):
    def run(*arguments, stdin="", status=0):
        return command(*arguments, "--json", stdin=stdin, status=status).json

    return run


def test_the_fields_of_a_scan(ask, device):
    shown = ask("scan", "-", "--device", device, stdin="3 1 4 1 5 9 2 6")
    assert shown["schema"] == "cumulo/1"
    assert shown["primitive"] == "scan"
    assert (shown["n"], shown["type"], shown["total"]) == (8, "u32", 31)
    assert shown["values"] == [3, 4, 8, 9, 14, 23, 25, 31]
    assert shown["check"] is None and shown["time"] is None and shown["output"] is None
    assert set(shown["device"]) == {"name", "backend", "kind"}
    assert shown["device"]["backend"] == ("cpu" if device == "cpu" else "webgpu")
    assert shown["device"]["kind"] in ("cpu", "software", "integrated", "discrete")
    checked = ask("scan", "-", "--device", device, "--check", stdin="1")
    assert checked["check"] == {"ok": True, "first_difference": None}


def test_values_end_where_they_grow_many(ask, tmp_path):
    for n, there in ((4096, True), (4097, False)):
        np.save(tmp_path / "in.npy", np.ones(n, "u4"))
        assert ("values" in ask("scan", "in.npy")) == there


def test_an_output_takes_the_values(ask, tmp_path):
    shown = ask("scan", "-", "-o", "out.txt", stdin="1 2")
    assert shown["output"] == "out.txt" and "values" not in shown
    assert (tmp_path / "out.txt").read_text() == "1\n3\n"


def test_numbers_that_json_has_none_for(ask):
    shown = ask("scan", "-", "--op", "max", stdin="-inf 0.1 inf nan")
    assert shown["values"] == ["-inf", 0.1, "inf", "nan"]
    assert shown["total"] == "nan"


def test_integers_beyond_doubles_are_strings(ask):
    large = 2**53
    shown = ask("scan", "-", "--dtype", "i64", stdin=f"{large} 1")
    assert shown["values"] == [large, str(large + 1)]
    shown = ask("scan", "-", "--dtype", "i64", stdin=f"-{large} -1")
    assert shown["values"] == [-large, str(-large - 1)]
    shown = ask("scan", "-", "--dtype", "u64", stdin=str(2**64 - 1))
    assert shown["total"] == str(2**64 - 1)


@pytest.mark.parametrize(
    "arguments,status,kind",
    [
        (["scan", "none.txt"], 2, "file"),
        (["scan", "-", "--op", "ad"], 2, "bad-argument"),
        (["scan", "-", "--none"], 2, "bad-argument"),
        (["scan", "-", "--device", "no such device"], 3, "no-device"),
        (["none"], 2, "bad-argument"),
        (["plan", "scan", "--n", "x"], 2, "bad-argument"),
        (["demo", "--format", "gif"], 2, "bad-argument"),
    ],
)
def test_errors(command, arguments, status, kind):
    shown = command(*arguments, "--json", status=status)
    assert set(shown.json) == {"schema", "error"}
    assert shown.json["schema"] == "cumulo/1"
    error = shown.json["error"]
    assert set(error) == {"kind", "message", "reasons"}
    assert error["kind"] == kind
    assert error["message"] in shown.err
    assert isinstance(error["reasons"], list)


def test_names_that_are_no_text(command, tmp_path):
    name = b"in\xff.txt"
    with open(bytes(tmp_path) + b"/" + name, "wb") as file:
        file.write(b"1 x")
    assert "in" in command("scan", os.fsdecode(name), "--json", status=2).json["error"]["message"]
