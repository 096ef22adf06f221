"""Devices, plans, benchmarks and help, as the command tells of them."""

import os
import subprocess

import pytest
from command import COMMAND, DEVICES, each_device, refuse, run, run_json


def test_devices_that_are_not_there():
    message = refuse("scan", "-", "--device", "no such device", stdin="1", status=3)
    assert "no such device" in message
    result = run_json("scan", "-", "--device", "99", stdin="1", status=3)
    assert result["error"]["kind"] == "no-device" and result["error"]["reasons"]
    environment = dict(os.environ, VK_DRIVER_FILES="/none.json", VK_ICD_FILENAMES="/none.json")
    done = subprocess.run([COMMAND, "scan", "-", "--device", "gpu"], input=b"1", env=environment,
                          capture_output=True, timeout=60, check=False)
    assert done.returncode == 3 and b"no adapter" in done.stderr
    done = subprocess.run([COMMAND, "scan", "-"], input=b"1 2", env=environment,
                          capture_output=True, timeout=60, check=False)
    assert done.returncode == 0 and done.stdout.split() == [b"1", b"3"]


@each_device
def test_devices_lists(device):
    devices = run_json("devices")["devices"]
    assert any(entry["backend"] == "cpu" for entry in devices)
    assert device == "cpu" or any(device.lower() in entry["name"].lower() for entry in devices)
    assert run("devices").stdout


def test_plan(tmp_path):
    plan = run_json_plan("plan", "scan", "--n", "1e6")
    assert plan["n"] == 1_000_000 and plan["algorithm"] == "reduce-then-scan"
    assert len([s for s in plan["steps"] if s["step"] == "dispatch"]) == 3
    assert b"reduce-then-scan" in run("plan", "scan", "--n", "2^20").stdout
    traits = tmp_path / "t.json"
    traits.write_text('{"max_storage_binding_size": 65537}')
    small = run_json_plan("plan", "scan", "--n", "100000", "--traits", traits)
    assert len(small["steps"]) > 3
    traits.write_text('{"max_bindings": 1}')
    assert "max_bindings" in refuse("plan", "scan", "--n", "10", "--traits", traits)


def run_json_plan(*arguments):
    return run_json(*arguments)["plan"]


@pytest.mark.parametrize("name", ["scan", "demo", "devices", "plan", "bench"])
def test_help(name):
    assert b"Example" in run("help", name).stdout
    assert name.encode() in run("help").stdout
