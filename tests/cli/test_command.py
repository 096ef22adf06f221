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


@each_device
def test_devices_self_check(device):
    done = run("devices", "--self-check")
    assert b"what the others are compared with" in done.stdout
    devices = run_json("devices", "--self-check")["devices"]
    assert devices[-1]["backend"] == "cpu" and devices[-1]["self_check"] is None
    for entry in devices[:-1]:
        check = entry["self_check"]
        assert check["ok"], entry["name"]
        assert f"{sum(c['promised'] for c in check['cases'])} scans give" in done.stdout.decode()
        assert not check["contracts"] and not check["reassociates"], entry["name"]
        subnormal = [case for case in check["cases"] if not case["promised"]]
        assert check["flushes_denormals"] == any(case["first_difference"] for case in subnormal)
        for operator in ("add", "mul", "min", "max"):
            assert any(f"inclusive {operator} of" in case["name"] for case in check["cases"])
        for case in check["cases"]:
            assert case["first_difference"] is None or not case["promised"]
    assert device == "cpu" or any(e["self_check"] for e in devices[:-1])
    assert "self_check" not in run_json("devices")["devices"][0]


def test_plan_of_a_count_on_the_device():
    plan = run_json_plan("plan", "scan", "--n", "1e5", "--counted")
    assert plan["counted"] and sum(s.get("indirect") is not None for s in plan["steps"]) == 2
    assert b"counted on the device" in run("plan", "scan", "--counted").stdout


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


@pytest.mark.parametrize("arguments, said", [
    (["scan", "-", "--op"], "cumulo scan needs a value after --op, as in --op max"),
    (["scan", "-", "-o"], "cumulo scan needs a value after --output, as in --output results.npy"),
    (["scan", "-", "--op", "add", "--op", "max"], "cumulo scan takes --op once, not with each of add max"),
    (["scan", "-", "--json=foo"], "cumulo scan takes no value after --json: 'foo'"),
    (["compact", "-", "--where"], "as in --where 'x > 3'"),
    (["bench", "scan", "--heat", "hot"], "cumulo bench scan cannot take --heat 'hot': seconds"),
    (["bench", "scan", "--heat", "99"], "cumulo bench scan cannot take --heat '99'"),
    (["bench", "scan", "--pages", "thin"], "ordinary, or huge ones"),
    (["bench", "plot"], "cumulo bench plot needs "),
])
def test_options_without_what_they_need(arguments, said):
    message = run(*arguments, stdin="1", status=2).stderr.decode()
    assert said in message and message.count("\n") == 1
    for foreign in ("required", "Could not convert", "TEXT", "FLOAT", "At Most"):
        assert foreign not in message


@pytest.mark.parametrize("name", ["scan", "demo", "devices", "plan", "bench"])
def test_help(name):
    assert b"Example" in run("help", name).stdout
    assert name.encode() in run("help").stdout
