"""The contract of the command: exit statuses, refusals, files that must not appear, help."""

import json
import os
import signal
import struct
import subprocess
import time

import numpy as np
import pytest
from command import COMMAND, DEVICES, each_device, refuse, run, run_json


def no_leftovers(folder, *known):
    assert sorted(path.name for path in folder.iterdir()) == sorted(known)


def test_outputs_are_guarded(tmp_path):
    source = tmp_path / "in.txt"
    source.write_text("1 2 3")
    out = tmp_path / "out.txt"
    run("scan", source, "-o", out, "--device", "cpu")
    assert "--force" in refuse("scan", source, "-o", out, "--device", "cpu")
    run("scan", source, "-o", out, "--force", "--device", "cpu")
    refuse("scan", source, "-o", source, "--force", "--device", "cpu")
    os.symlink(source, tmp_path / "link.txt")
    refuse("scan", source, "-o", tmp_path / "link.txt", "--force", "--device", "cpu")
    refuse("scan", source, "-o", tmp_path / "no" / "out.txt", "--device", "cpu")
    assert "npy" in refuse("scan", source, "-o", tmp_path / "out.xyz", "--device", "cpu")
    refuse("scan", tmp_path / "missing.txt", "--device", "cpu")
    assert source.read_text() == "1 2 3"
    no_leftovers(tmp_path, "in.txt", "out.txt", "link.txt")


def test_bad_words():
    assert "--exclusive" in refuse("scan", "-", "--exclusiv", stdin="1")
    assert "scan" in refuse("scam")
    assert "add" in refuse("scan", "-", "--op", "ad", stdin="1")
    refuse("scan", "-", "--init", "x", stdin="1")
    refuse("scan", "-", "--init", "-1", "--dtype", "u32", stdin="1")
    refuse("scan", "-", "--dtype", "u33", stdin="1")
    refuse("scan", "-", "--op", "xor", "--dtype", "f32", stdin="1")
    refuse("scan", "-", "--algorithm", "fast", stdin="1")
    refuse("scan")


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


def png_size(path):
    data = path.read_bytes()
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    return struct.unpack(">II", data[16:24])


@each_device
def test_demo(tmp_path, device):
    result = run_json("demo", "--out", tmp_path / "d", "--device", device)
    sales, compaction = result["pages"]["sales"], result["pages"]["compaction"]
    assert sales["first"] == [0, 2, 6, 7, 10, 10, 12, 16, 17, 20, 20, 22] and sales["total"] == 510
    assert sales["check"]["ok"] and sales["time"]["runs"] == 5
    counts = sales["counts"]
    assert counts["hillis-steele"]["additions"] == 1793 and counts["hillis-steele"]["steps"] == 8
    assert counts["loop"]["additions"] == 255 and counts["blelloch"]["additions"] == 510
    assert compaction["inclusive"] == [3, 4, 8, 9, 14, 23, 25, 31]
    assert compaction["exclusive"] == [0, 3, 4, 8, 9, 14, 23, 25]
    assert png_size(tmp_path / "d" / "sales.png") == (600, 330)
    assert png_size(tmp_path / "d" / "compaction.png") == (600, 360)
    text = run("demo", "--out", tmp_path / "d", "--device", device).stdout.decode()
    assert "510" in text and "1793" in text
    broken = run_json("demo", "--out", tmp_path / "b", "--device", device, "--break-element", 100,
                      status=1)
    difference = broken["pages"]["sales"]["check"]["first_difference"]
    assert difference["index"] == 100 and difference["expected"] != difference["found"]


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


@pytest.mark.skipif("cpu" not in DEVICES, reason="once is enough")
def test_bench():
    result = json.loads(run("bench", "scan", "--n", "1000,70000", "--runs", "2", "--device", "cpu",
                            "--json").stdout)
    assert result["schema"] == "cumulo-bench/1" and result["ok"]
    assert len(result["measurements"]) == 2 * 2 * 6
    assert all(m["median_ms"] > 0 for m in result["measurements"])
    refuse("bench", "sort")


def run_json_plan(*arguments):
    return run_json(*arguments)["plan"]


@pytest.mark.parametrize("name", ["scan", "demo", "devices", "plan", "bench"])
def test_help(name):
    assert b"Example" in run("help", name).stdout
    assert name.encode() in run("help").stdout


@pytest.mark.skipif("cpu" not in DEVICES, reason="once is enough")
def test_interrupted(tmp_path):
    np.save(tmp_path / "in.npy", np.ones(1 << 26, "<f4"))
    for delay in (0.05, 0.15, 0.3):
        process = subprocess.Popen(
            [COMMAND, "scan", tmp_path / "in.npy", "-o", tmp_path / "out.txt", "--device", "cpu"],
            stderr=subprocess.PIPE)
        time.sleep(delay)
        process.send_signal(signal.SIGINT)
        process.wait(timeout=60)
        assert process.returncode != 0
        no_leftovers(tmp_path, "in.npy")
