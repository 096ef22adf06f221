"""Fixtures of the tests from outside: the command in an empty folder, on the devices asked for."""

import json
import subprocess

import pytest
from command import COMMAND, DEVICES

TIMEOUT = 120  # seconds; the command must not hang


class Outcome:
    def __init__(self, process):
        self.status = process.returncode
        self.out = process.stdout.decode(errors="replace")
        self.err = process.stderr.decode(errors="replace")

    @property
    def json(self):
        """The one JSON object on standard output."""
        return json.loads(self.out)

    def __repr__(self):
        return f"status {self.status}\n{self.out[:2000]}\n{self.err[:2000]}"


@pytest.fixture
def command(tmp_path):
    """Runs the command in an empty folder and expects the status, or one of several."""

    def run(*arguments, stdin=b"", status=0, **options):
        process = subprocess.run(
            [COMMAND, *map(str, arguments)],
            input=stdin.encode() if isinstance(stdin, str) else stdin,
            capture_output=True,
            cwd=tmp_path,
            timeout=TIMEOUT,
            check=False,
            **options,
        )
        outcome = Outcome(process)
        assert outcome.status in (status if isinstance(status, tuple) else (status,)), outcome
        for accident in ("terminate called", "Sanitizer", "panicked", "Assertion"):
            assert accident not in outcome.err, outcome
        return outcome

    return run


@pytest.fixture
def refused(command, tmp_path):
    """Expects status 2, one sentence on standard error, and the folder as it was; gives the
    sentence."""

    def run(*arguments, stdin=b""):
        before = {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*")}
        outcome = command(*arguments, stdin=stdin, status=2)
        assert outcome.out == ""
        assert outcome.err.startswith("cumulo: ") and outcome.err.count("\n") == 1, outcome
        assert {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*")} == before
        return outcome.err

    return run


@pytest.fixture(params=DEVICES)
def device(request):
    return request.param
