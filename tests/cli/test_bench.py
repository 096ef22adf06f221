"""Benchmarks as the command tells of them."""

import json

import pytest
from command import DEVICES, each_device, refuse, run

on_cpu_once = pytest.mark.skipif("cpu" not in DEVICES, reason="once is enough")


def bench(*arguments, status=0):
    return json.loads(run("bench", *arguments, "--json", status=status).stdout)


@each_device
def test_every_case_is_timed_and_compared(device):
    result = bench("scan", "--n", "1,1000,5003", "--runs", "2", "--device", device,
                   "--types", "u32,f32", "--ops", "add,max,xor", "--kinds", "inclusive,exclusive")
    assert result["schema"] == "cumulo-bench/2" and result["ok"]
    assert result["versions"] and result["date"] and result["device"]["name"]
    assert device == "cpu" or result["device"]["driver"]
    groups = {}
    for m in result["measurements"]:
        assert m["role"] == "empty" or m["median_ms"] > 0, m
        groups.setdefault((m["n"], m["type"], m["op"]), []).append(m)
    assert len(groups) == 3 * (3 + 2)  # xor is for integers
    for measurements in groups.values():
        copies = [m for m in measurements if m["role"] == "copy"]
        best = min(m["median_ms"] for m in copies)
        ours = [m for m in measurements if m["name"] == "cumulo"]
        assert {m["kind"] for m in ours} == {"inclusive", "exclusive"}
        for m in ours:
            assert m["of_copy"] == pytest.approx(best / m["median_ms"])
            assert (m["above_empty_us"] is None) == (device == "cpu")
        if device != "cpu":
            assert len(copies) == 12 or len(copies) == 8
            assert [m["role"] for m in measurements].count("empty") == 1


@on_cpu_once
def test_the_text_names_what_stands_beside():
    text = run("bench", "scan", "--n", "70000", "--runs", "2", "--device", "cpu").stdout.decode()
    for word in ("memcpy", "tbb::parallel_scan", "std::inclusive_scan, par", "cumulo", "of copy"):
        assert word in text


@on_cpu_once
def test_what_cannot_be_timed_is_refused():
    refuse("bench", "sort")
    refuse("bench", "scan", "--n", "0", "--device", "cpu")
    refuse("bench", "scan", "--runs", "0", "--device", "cpu")
    refuse("bench", "scan", "--types", "u33")
    refuse("bench", "scan", "--kinds", "exclusiv")
    refuse("bench", "scan", "--types", "f32", "--ops", "xor", "--device", "cpu")
