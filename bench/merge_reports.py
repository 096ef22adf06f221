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


def read(path):
    report = json.loads(pathlib.Path(path).read_text())
    if report.get("schema") != "cumulo-bench/2":
        sys.exit(f"merge_reports: {path} is no report of schema cumulo-bench/2")
    return report


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
    share = measurement["of_copy"]
    text = f"{measurement['median_ms']:.4f}"
    return text if share is None else f"{text} {100 * share:5.1f}%"


def columns(reports):
    """For each type and operator the columns' names and, by size, their cells."""
    groups = collections.OrderedDict()
    for report in reports:
        for m in report["measurements"]:
            names, rows = groups.setdefault((m["type"], m["op"]), ([], collections.defaultdict(dict)))
            if m["role"] == "copy":
                name = f"copy, {report['program']}"
                best = rows[m["n"]].get(name)
                if "median_ms" in m and (best is None or m["median_ms"] < float(best)):
                    rows[m["n"]][name] = f"{m['median_ms']:.4f}"
            elif m["role"] == "empty":
                name = f"empty, {report['program']}"
                rows[m["n"]][name] = cell(m)
            else:
                name = label(m)
                rows[m["n"]][name] = cell(m)
            if name not in names:
                names.append(name)
    return groups


def print_table(reports):
    for report in reports:
        device = report["device"]
        print(f"{report['program']}: {device['name']}, {device['driver']}; {report['versions']}; "
              f"{report['date']}; {report['clock']} clock, medians of {report['runs']}")
    for (kind, op), (names, rows) in columns(reports).items():
        print(f"\n{kind} {op}: ms, and % of the fastest copy of the same program")
        widths = [max(len(name), 15) for name in names]
        print("| n      | " + " | ".join(f"{name:<{w}}" for name, w in zip(names, widths)) + " |")
        print("|--------|" + "|".join("-" * (w + 2) for w in widths) + "|")
        for n in sorted(rows):
            cells = [f"{rows[n].get(name, '-'):>{w}}" for name, w in zip(names, widths)]
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
