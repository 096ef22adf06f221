"""Adds up the reports of all test suites; the last line is: N passed, N failed[, N skipped].

usage: count_results.py FOLDER

FOLDER holds for every suite NAME.status, the exit status of its process, and NAME.xml, its report
in JUnit's form (GoogleTest and pytest both write it), unless the process died before. For a suite
that was not started NAME.status reads "failed REASON" or "skipped REASON". A suite that ended badly
without a failed test counts as one failure. Exits 1 when anything failed or when no test ran.
"""

import collections
import pathlib
import sys
import xml.etree.ElementTree

Outcome = collections.namedtuple("Outcome", "suite test kind reason")


def read_report(suite, report):
    for case in xml.etree.ElementTree.parse(report).iter("testcase"):
        test = f"{case.get('classname')}.{case.get('name')}"
        if case.get("status") == "notrun":  # a disabled or filtered test of GoogleTest
            continue
        children = {child.tag: child for child in case}
        for tag, kind in (("failure", "failed"), ("error", "failed"), ("skipped", "skipped")):
            if tag in children:
                yield Outcome(suite, test, kind, children[tag].get("message") or "")
                break
        else:
            yield Outcome(suite, test, "passed", "")


def read_suite(status_file):
    suite = status_file.stem
    status, _, reason = status_file.read_text().strip().partition(" ")
    if status in ("failed", "skipped"):
        return [Outcome(suite, "all its tests", status, reason)]
    report = status_file.with_suffix(".xml")
    outcomes = []
    if report.exists():
        try:
            outcomes = list(read_report(suite, report))
        except xml.etree.ElementTree.ParseError as problem:
            outcomes = [Outcome(suite, "its report", "failed", str(problem))]
    if status != "0" and not any(outcome.kind == "failed" for outcome in outcomes):
        outcomes.append(Outcome(suite, "the process", "failed", f"ended with status {status}"))
    return outcomes


def main():
    outcomes = []
    for status_file in sorted(pathlib.Path(sys.argv[1]).glob("*.status")):
        outcomes += read_suite(status_file)
    for kind in ("skipped", "failed"):
        for outcome in outcomes:
            if outcome.kind == kind:
                reason = " ".join(outcome.reason.split())[:300]
                print(f"{kind}: {outcome.suite}: {outcome.test}: {reason}")
    counts = collections.Counter(outcome.kind for outcome in outcomes)
    line = f"{counts['passed']} passed, {counts['failed']} failed"
    print(line + (f", {counts['skipped']} skipped" if counts["skipped"] else ""))
    sys.exit(1 if counts["failed"] or not counts["passed"] else 0)


if __name__ == "__main__":
    main()
