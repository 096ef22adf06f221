"""Merges reports of schema "cumulo-bench/2" into one file and prints one table of their scans.

usage: merge_reports.py [--commit HASH] [--out FILE] REPORT.json...

A scan's share is of the fastest copy that its own program measured; a result that was wrong has no
number anywhere.
"""

import argparse
import collections
import json
import pathlib
import sys


FAR = float("inf")
LATENCY_BOUND = 1 << 20  # up to here the microseconds above an empty dispatch tell more


def read(path):
    report = json.loads(pathlib.Path(path).read_text())
    if report.get("schema") != "cumulo-bench/2":
        sys.exit(f"merge_reports: {path} is no report of schema cumulo-bench/2")
    for m in report["measurements"]:
        refuse_faster_than_copy(report, m)
    return report


def refuse_faster_than_copy(report, m):
    """What `cumulo bench scan` refuses of its own: nothing this large is served by a cache."""
    if m["role"] != "scan" or not m.get("of_copy"):
        return
    moved = m["gb_per_s"] * m["median_ms"] * 1e6
    if moved >= 1 << 28 and m["of_copy"] > 1.1:
        report["ok"] = False
        for number in ("median_ms", "least_ms", "gb_per_s", "of_copy", "above_empty_us"):
            del m[number]
        m["failure"] = "it would have been faster than a copy of the same bytes can be"


def text_of_size(n):
    power = n.bit_length() - 1
    return f"2^{power}" if n == 1 << power else str(n)


def label(measurement):
    kind = measurement["kind"]
    return measurement["name"] + (f", {kind}" if kind and kind not in measurement["name"].lower() else "")


def cell(measurement):
    if "refused" in measurement:
        return "refused"
    if "failure" in measurement:
        return "FAILED"
    text = f"{measurement['median_ms']:.4f}"
    if measurement["of_copy"] is not None and measurement["role"] != "copy":
        text += f" {100 * measurement['of_copy']:5.1f}%"
    if measurement["above_empty_us"] is not None and measurement["n"] <= LATENCY_BOUND:
        text += f" {measurement['above_empty_us']:+.1f}"
    return text


def column_of(report, measurement):
    """All copies of a program share one column, its fastest."""
    if measurement["role"] == "scan":
        return label(measurement)
    name = {"copy": "fastest copy", "empty": "empty"}.get(measurement["role"], measurement["name"])
    return f"{name}, {report['program']}"


def columns(reports):
    """For each type and operator the columns' names and, by size, their measurements."""
    groups = collections.OrderedDict()
    for report in reports:
        for m in report["measurements"]:
            names, rows = groups.setdefault((m["type"], m["op"]), ([], collections.defaultdict(dict)))
            name = column_of(report, m)
            if name not in names:
                names.append(name)
            known = rows[m["n"]].get(name)
            if known is None or m.get("median_ms", FAR) < known.get("median_ms", FAR):
                rows[m["n"]][name] = m
    return groups


def print_table(reports):
    for report in reports:
        device = report["device"]
        print(f"{report['program']}: {device['name']}, {device['driver']}; {report['versions']}; "
              f"{report['date']}; {report['clock']} clock, medians of {report['runs']}")
    for (kind, op), (names, rows) in columns(reports).items():
        print(f"\n{kind} {op}: ms, % of the fastest copy of the same program, "
              "microseconds above its empty dispatch")
        widths = [max(len(name), 21) for name in names]
        print("| n      | " + " | ".join(f"{name:<{w}}" for name, w in zip(names, widths)) + " |")
        print("|--------|" + "|".join("-" * (w + 2) for w in widths) + "|")
        for n in sorted(rows):
            texts = [cell(rows[n][name]) if name in rows[n] else "-" for name in names]
            cells = [f"{text:>{w}}" for text, w in zip(texts, widths)]
            print(f"| {text_of_size(n):<6} | " + " | ".join(cells) + " |")
    for report in reports:
        for m in report["measurements"]:
            if "failure" in m:
                print(f"\n{report['program']}: {m['name']} at {text_of_size(m['n'])} {m['type']}: {m['failure']}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--commit", default="")
    parser.add_argument("--out")
    parser.add_argument("reports", nargs="+")
    arguments = parser.parse_args()
    reports = [read(path) for path in arguments.reports]
    # Ours first, wherever it stood.
    reports.sort(key=lambda report: report["program"] != "cumulo")
    if arguments.out:
        merged = {"schema": "cumulo-bench-set/1", "commit": arguments.commit, "reports": reports}
        with open(arguments.out, "x") as file:
            file.write(json.dumps(merged, indent=1) + "\n")
    print_table(reports)
    if arguments.out:
        print(f"\nwritten: {arguments.out}")
    sys.exit(0 if all(report["ok"] for report in reports) else 1)


if __name__ == "__main__":
    main()
