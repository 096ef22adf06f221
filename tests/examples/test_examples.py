"""The examples are short, run on every adapter, and check themselves."""

import os
import subprocess

import pytest

ADAPTERS = [name for name in os.environ.get("CUMULO_DEVICES", "cpu").split(",") if name != "cpu"]
EXAMPLES = {
    "particle_compaction": "particles live: right",
    "many_scans": "24 of 24 scans in one submit are right",
    "variable_output": "factors of 30000 numbers, of which 20000 fit: right",
    "decode_runs": "pixels from",
    "culling": "instances drawn: right",
}


@pytest.mark.parametrize("name", EXAMPLES)
@pytest.mark.parametrize("adapter", ADAPTERS)
def test_examples_are_right(build_dir, adapter, name, tmp_path):
    done = subprocess.run([build_dir / "examples" / name], capture_output=True, text=True,
                          timeout=120, check=False, cwd=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    assert EXAMPLES[name] in done.stdout


@pytest.mark.parametrize("name", EXAMPLES)
def test_examples_are_short(root, name):
    assert len((root / "examples" / f"{name}.cpp").read_text().splitlines()) < 70
