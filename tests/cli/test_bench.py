"""Benchmarks as the command tells of them."""

import json
import subprocess
import sys

import pytest
from command import DEVICES, each_device, refuse, run, run_json

on_cpu_once = pytest.mark.skipif("cpu" not in DEVICES, reason="once is enough")


def bench(*arguments, status=0):
    return json.loads(run("bench", *arguments, "--json", status=status).stdout)


@each_device
def test_every_case_is_timed_and_compared(device):
    result = bench("scan", "--n", "1,1000,5003", "--runs", "2", "--device", device,
                   "--types", "u32,f32", "--ops", "add,max,xor", "--kinds", "inclusive,exclusive")
    assert result["schema"] == "cumulo-bench/2" and result["ok"]
    assert result["versions"] and result["date"] and result["device"]["name"]
    assert result["device"]["backend"] == ("cpu" if device == "cpu" else "webgpu")
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


@each_device
def test_the_clock_is_named(device):
    clocks = {clock: {m["clock"] for m in bench("scan", "--n", "3000", "--types", "u32", "--runs", "2",
                                                "--device", device, *option)["measurements"]}
              for clock, option in (("own", []), ("wall", ["--wall-clock"]))}
    assert clocks["wall"] == {"wall"}
    assert clocks["own"] == {"wall"} if device == "cpu" else len(clocks["own"]) == 1


@on_cpu_once
def test_the_text_names_what_stands_beside():
    text = run("bench", "scan", "--n", "70000", "--runs", "2", "--device", "cpu").stdout.decode()
    for word in ("memcpy", "tbb::parallel_scan", "std::inclusive_scan, par", "cumulo", "of copy"):
        assert word in text


@on_cpu_once
def test_the_pages_of_the_arrays_are_named():
    for option, pages in (([], "ordinary"), (["--pages", "huge"], "huge")):
        result = bench("scan", "--n", "70000", "--runs", "2", "--device", "cpu", "--types", "u32", *option)
        assert result["ok"] and result["pages"] == pages
    refuse("bench", "scan", "--n", "100", "--pages", "small")


@on_cpu_once
def test_what_cannot_be_timed_is_refused():
    refuse("bench", "sort")
    assert "sideways" in refuse("bench", "scan", "--layouts", "sideways")
    refuse("bench", "scan", "--n", "0", "--device", "cpu")
    refuse("bench", "scan", "--runs", "0", "--device", "cpu")
    for n in ("2^62", "2^63", "18446744073709551615", "1e15", "2^42"):
        assert "memory" in refuse("bench", "scan", "--n", n, "--device", "cpu")
        assert "memory" in refuse("bench", "accuracy", "--n", n, "--device", "cpu")
    refuse("bench", "scan", "--types", "u33")
    refuse("bench", "scan", "--kinds", "exclusiv")
    refuse("bench", "scan", "--types", "f32", "--ops", "xor", "--device", "cpu")


@each_device
def test_algorithms_are_compared_by_what_they_do(device):
    result = bench("scan", "--n", "200", "--types", "u32", "--runs", "1", "--device", device,
                   "--algorithms", "all")
    ours = {m["algorithm"]: m for m in result["measurements"] if m["role"] == "scan" and
            m["name"].startswith("cumulo")}
    if device == "cpu":
        assert ours["serial"]["work"] == {"steps": 1, "additions": 199, "bytes": 1600}
        assert set(ours) == {"serial", "blocked"}
        return
    assert {"hillis-steele", "blelloch", "reduce-then-scan", "single-pass"} <= set(ours)
    work = ours["hillis-steele"]["work"]
    assert work["steps"] == 8
    assert work["additions"] == sum(200 - 2**k for k in range(8))
    assert ours["blelloch"]["work"]["additions"] == 2 * 199
    assert ours["reduce-then-scan"]["work"]["bytes"] >= 2 * 800
    too_large = bench("scan", "--n", "100000", "--types", "u32", "--runs", "1", "--device", device,
                      "--algorithms", "blelloch,reduce-then-scan")
    assert too_large["ok"]
    assert [m for m in too_large["measurements"] if "refused" in m][0]["algorithm"] == "blelloch"
    large = [m for m in too_large["measurements"] if "work" in m][0]
    assert large["algorithm"] == "reduce-then-scan"  # which reads its input twice
    assert large["work"]["steps"] == 3 and large["work"]["bytes"] >= 3 * 400_000


@each_device
def test_accuracy(device):
    result = bench("accuracy", "--n", "50000", "--device", device)
    assert result["schema"] == "cumulo-accuracy/1"
    rows = {(row["data"], row["method"]): row for row in result["rows"]}
    assert len(rows) == 4
    ours, loop = rows["positive", "cumulo"], rows["positive", "f32 loop"]
    assert 0 < ours["rms_relative"] < ours["max_relative"] < 1e-6
    assert ours["max_relative"] < loop["max_relative"]
    assert b"RMS" in run("bench", "accuracy", "--n", "1000", "--device", device).stdout
    refuse("bench", "accuracy", "--n", "0", "--device", device)


@each_device
def test_every_layout_is_timed(device):
    arguments = ["scan", "--n", "1000,4099", "--types", "u32,u64", "--ops", "add,affine", "--runs", "1",
                 "--layouts", "all", "--kinds", "inclusive,exclusive", "--device", device]
    if device == "cpu":
        assert "layout" in refuse("bench", *arguments)
        return
    result = bench(*arguments)
    assert result["ok"]
    ours = [m for m in result["measurements"] if m["role"] == "scan"]
    assert all(m["median_ms"] > 0 for m in ours)
    names = {"cumulo"} | {f"cumulo, {layout}" for layout in
                          ("reverse", "in-place", "odd-offsets", "include-initial")}
    for n in (1000, 4099):
        for element, op in (("u32", "add"), ("u64", "add"), ("(a: f32, b: f32)", "affine")):
            group = [m for m in ours if (m["n"], m["type"], m["op"]) == (n, element, op)]
            assert {m["name"] for m in group} == names and len(group) == 9


@each_device
def test_runs_repeat_to_the_bit(device):
    result = bench("repeat", "--n", "3,3001", "--runs", "12", "--device", device)
    assert result["schema"] == "cumulo-repeat/1" and result["ok"] and result["other_scans"] > 0
    scans = {row["scan"] for row in result["rows"]}
    assert {f"f32 {op}" for op in ("add", "mul", "min", "max")} | {"u64 add", "affine"} <= scans
    # A single pass may stall where waiting workgroups are not known to go on.
    rows = [row for row in result["rows"] if row.get("stalled") != 12 and "refused" not in row]
    assert {row["algorithm"] for row in rows} >= {"blocked" if device == "cpu" else "reduce-then-scan"}
    for row in rows:
        assert (row["runs"], row["others"], row["as_on_cpu"]) == (12, 0, True), row
    for key in {(row["scan"], row["n"]) for row in rows}:
        assert len({row["digest"] for row in rows if (row["scan"], row["n"]) == key}) == 1
    refuse("bench", "repeat", "--n", "0", "--device", device)


@on_cpu_once
def test_results_are_drawn(tmp_path):
    results = tmp_path / "r.json"
    results.write_text(json.dumps(bench("scan", "--n", "1000,4000,16000", "--runs", "1",
                                        "--types", "u32", "--device", "cpu")))
    for suffix in ("png", "svg"):
        picture = tmp_path / f"p.{suffix}"
        run("bench", "plot", results, "-o", picture)
        assert picture.stat().st_size > 1000
    assert run_json("bench", "plot", results, "-o", picture, "--force")["picture"] == str(picture)
    assert "cumulo" in picture.read_text()
    assert "overwrite" in refuse("bench", "plot", results, "-o", picture)
    refuse("bench", "plot", results, "-o", tmp_path / "p.gif")
    refuse("bench", "plot", results, "-o", tmp_path / "q.png", "--type", "i32")
    refuse("bench", "plot", tmp_path / "none.json", "-o", tmp_path / "q.png")


@on_cpu_once
def test_reports_are_merged(root, tmp_path):
    def merge(*arguments, status=0):
        done = subprocess.run([sys.executable, root / "bench/merge_reports.py", *arguments],
                              capture_output=True, text=True, timeout=60, check=False)
        assert done.returncode == status, done.stderr
        return done.stdout + done.stderr

    ours = bench("scan", "--n", "1000,4096", "--runs", "1", "--types", "u32", "--device", "cpu")
    rival = json.loads(json.dumps(ours))
    rival["program"] = "rival"
    rival["measurements"] = [dict(m, name="their scan") for m in rival["measurements"]
                             if m["name"] == "cumulo"]
    for name, report in (("a-rival", rival), ("ours", ours)):
        (tmp_path / f"{name}.json").write_text(json.dumps(report))
    reports = [tmp_path / "a-rival.json", tmp_path / "ours.json"]
    table = merge("--out", tmp_path / "all.json", "--commit", "abc", *reports)
    assert "their scan, inclusive" in table and "2^12" in table and "1000" in table
    merged = json.loads((tmp_path / "all.json").read_text())
    assert merged["schema"] == "cumulo-bench-set/1" and merged["commit"] == "abc"
    assert [report["program"] for report in merged["reports"]] == ["cumulo", "rival"]

    rival["ok"] = False
    rival["measurements"][0] = {**{k: rival["measurements"][0][k] for k in
                                   ("name", "role", "n", "type", "op", "kind")},
                                "failure": "its result is wrong"}
    reports[0].write_text(json.dumps(rival))
    table = merge(*reports, status=1)
    assert "FAILED" in table and "its result is wrong" in table
    idle = next(m for m in ours["measurements"] if m["name"] == "cumulo")
    idle.update(n=1 << 28, median_ms=0.1, gb_per_s=21474.8, of_copy=1.2)
    reports[1].write_text(json.dumps(ours))
    assert "faster than a copy" in merge(reports[1], status=1)
    reports[0].write_text("{}")
    merge(*reports, status=1)


@each_device
def test_compact_beside_the_standard_library(device):
    result = bench("compact", "--n", 5000, "--shares", "0,0.5,1", "--runs", 2, "--device", device)
    assert result["schema"] == "cumulo-compact/1"
    assert all(row["failure"] is None for row in result["rows"])
    ours = [row for row in result["rows"] if row["method"] == "cumulo"]
    assert len(ours) == 12 and all(row["median_ms"] > 0 for row in ours)
    if device == "cpu":
        assert "std::copy_if, par" in {row["method"] for row in result["rows"]}
    assert "sizes from 1" in refuse("bench", "compact", "--n", 0)
