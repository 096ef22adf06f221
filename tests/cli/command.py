"""How the tests run the command, and NumPy as the oracle of a scan."""

import json
import os
import subprocess

import numpy as np
import pytest

COMMAND = os.environ.get("CUMULO", "build/cumulo")
DEVICES = os.environ.get("CUMULO_DEVICES", "cpu").split(",")

each_device = pytest.mark.parametrize("device", DEVICES)

NUMPY = {"u32": "<u4", "i32": "<i4", "f32": "<f4", "u64": "<u8", "i64": "<i8", "f64": "<f8"}


def run(*arguments, stdin=b"", status=0):
    """Runs the command; asserts its exit status and that no accident shows."""
    if isinstance(stdin, str):
        stdin = stdin.encode()
    done = subprocess.run(
        [COMMAND, *map(str, arguments)], input=stdin, capture_output=True, timeout=120, check=False
    )
    errors = done.stderr.decode(errors="replace")
    assert done.returncode == status, f"status {done.returncode}, not {status}: {errors}"
    for accident in ("terminate called", "Sanitizer", "panicked", "Assertion"):
        assert accident not in errors
    return done


def run_json(*arguments, stdin=b"", status=0):
    done = run(*arguments, "--json", stdin=stdin, status=status)
    result = json.loads(done.stdout)
    assert result["schema"] == "cumulo/1"
    return result


def refuse(*arguments, stdin=b"", status=2):
    """A refusal is a sentence on standard error, the same with --json as an object."""
    done = run(*arguments, stdin=stdin, status=status)
    message = done.stderr.decode()
    assert message.startswith("cumulo: ") and len(message) > 20, message
    error = run_json(*arguments, stdin=stdin, status=status)["error"]
    assert error["kind"] and error["message"]
    return message


OPERATORS = {
    "add": np.add, "mul": np.multiply, "min": np.minimum, "max": np.maximum,
    "and": np.bitwise_and, "or": np.bitwise_or, "xor": np.bitwise_xor,
}


def identity(op, dtype):
    dtype = np.dtype(dtype)
    if op in ("add", "or", "xor"):
        return dtype.type(0)
    if op == "mul":
        return dtype.type(1)
    if op == "and":
        return np.bitwise_not(dtype.type(0))
    if dtype.kind == "f":
        return dtype.type(np.inf if op == "min" else -np.inf)
    info = np.iinfo(dtype)
    return dtype.type(info.max if op == "min" else info.min)


def scan(x, op="add", exclusive=False, reverse=False, init=None, include_initial=False):
    """The scan by NumPy, floats in a wider type."""
    kind = np.dtype(np.longdouble) if x.dtype.kind == "f" else x.dtype
    x = x.astype(kind)
    if reverse:
        x = x[::-1]
    start = identity(op, kind) if init is None else kind.type(init)
    with np.errstate(all="ignore"):
        prefixes = OPERATORS[op].accumulate(np.concatenate([np.array([start], x.dtype), x]))
        prefixes = prefixes.astype(x.dtype)
    if not include_initial:
        prefixes = prefixes[:-1] if exclusive else prefixes[1:]
    return prefixes[::-1] if reverse else prefixes
