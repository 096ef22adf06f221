"""What the tests from outside share: the build that script/test made."""

import os
import pathlib
import re

import pytest

ROOT = pathlib.Path(__file__).resolve().parent.parent


@pytest.fixture(scope="session")
def root():
    return ROOT


@pytest.fixture(scope="session")
def build_dir():
    """The configured and compiled build; build/ unless CUMULO_BUILD_DIR says otherwise."""
    path = pathlib.Path(os.environ.get("CUMULO_BUILD_DIR", ROOT / "build"))
    assert (path / "CMakeCache.txt").exists(), f"{path} is not configured: run script/test"
    return path


@pytest.fixture(scope="session")
def cache(build_dir):
    """The build's settings by name."""
    text = (build_dir / "CMakeCache.txt").read_text()
    return dict(re.findall(r"^(\w+):\w+=(.*)$", text, re.MULTILINE))
