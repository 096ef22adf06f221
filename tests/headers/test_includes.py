"""Every #include of the C++ sources is one that ARCHITECTURE.md's table "Who may include whom" allows.

A row's last cell names what all files of its folder see; after each semicolon stands what some of them
see besides, as `FILE`, `FILE`: NAMES. A NAME is a folder of another row (its last part, or "public
headers", which leaves cumulo/webgpu.hpp out), a library of LIBRARIES, or one header in backticks.
Every file sees its own folder, the standard library and what is no library of the list.
"""

import fnmatch
import pathlib
import re

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
CHECKED = ("include", "src", "app", "bench", "web/planner", "examples")
# How the includes of a library begin.
LIBRARIES = {
    "`webgpu.h`": ("webgpu/", "cumulo/webgpu.hpp"),
    "oneTBB": ("oneapi/", "tbb/"),
    "Highway": ("hwy/",),
    "Cairo": ("cairo", "pango/"),
}


def table():
    """Of each row the pairs of files (patterns; None for all) and names: {folder: [(files, names)]}."""
    text = (ROOT / "ARCHITECTURE.md").read_text()
    section = text.split("## Who may include whom\n")[1].split("\n## ")[0]
    rows = {}
    for folder, cell in re.findall(r"^\| `([\w/]+)/` \|.*\| ?(.*?) ?\|$", section, re.MULTILINE):
        everyone, *some = cell.split("; ")
        rows[folder] = [(None, everyone.split(", "))]
        for files, _, names in (part.partition(": ") for part in some):
            rows[folder].append((re.findall("`(.*?)`", files), names.split(", ")))
    return rows


TABLE = table()


def folder_of(path):
    """The row that a file belongs to: the one with the longest folder."""
    rows = [folder for folder in TABLE if path.startswith(folder + "/")]
    return max(rows, key=len, default=None)


def name_of(folder):
    return "public headers" if folder == "include/cumulo" else folder.rpartition("/")[2]


def seen_by(path):
    """The names that the table gives to a file."""
    folder = folder_of(path)
    seen = []
    for files, names in TABLE[folder]:
        if files is None or any(fnmatch.fnmatch(path, f"{folder}/{file}") for file in files):
            seen += names
    return seen


def target_of(path, included):
    """The repository's file that an include means, or None; some are made from a NAME.in."""
    for start in (pathlib.Path(path).parent, "include", "src", "app", ""):
        for suffix in ("", ".in"):
            target = (ROOT / start / (included + suffix)).resolve()
            if target.is_file():
                return str(target.relative_to(ROOT))
    return None


def fault(path, form, included):
    """What is wrong with an include of a file, or None; form is " or <."""
    names = seen_by(path)
    if f"`{included}`" in names:
        return None
    for library, starts in LIBRARIES.items():
        if included.startswith(starts):
            return None if library in names else f"{included} is of {library}"
    target = target_of(path, included)
    if target is None:
        return None if form == "<" else f"{included} is not there"
    theirs = folder_of(target)
    if theirs is None:
        return f"{included} is in no row"
    allowed = theirs == folder_of(path) or name_of(theirs) in names
    return None if allowed else f"{included} is of {name_of(theirs)}"


def sources(folder):
    paths = [path for kind in ("hpp", "cpp", "hpp.in") for path in (ROOT / folder).rglob(f"*.{kind}")]
    return sorted(str(path.relative_to(ROOT)) for path in paths)


@pytest.mark.parametrize("folder", CHECKED)
def test_only_what_the_table_allows_is_included(folder):
    paths = sources(folder)
    assert paths
    wrong = []
    for path in paths:
        assert folder_of(path), f"{path} is in no row"
        text = (ROOT / path).read_text()
        for form, included in re.findall(r'^\s*#\s*include\s*(["<])([^">]+)[">]', text, re.MULTILINE):
            what = fault(path, form, included)
            if what:
                wrong.append(f"{path}: {what}")
    assert not wrong, "\n".join(wrong)


def test_the_table_names_what_there_is():
    known = {name_of(folder) for folder in TABLE} | set(LIBRARIES)
    with_sources = [row for row in TABLE if row.startswith(CHECKED) and sources(row)]
    assert len(with_sources) > len(CHECKED)
    for folder in with_sources:
        for files, names in TABLE[folder]:
            for file in files or []:
                assert list((ROOT / folder).glob(file)), f"{folder}: no file {file}"
            for name in names:
                assert name in known or target_of("", name.strip("`")), f"{folder}: what is {name}?"


@pytest.mark.parametrize(
    "path, form, included",
    [
        ("include/cumulo/scan.hpp", "<", "webgpu/webgpu.h"),
        ("include/cumulo/scan.hpp", '"', "cumulo/webgpu.hpp"),
        ("include/cumulo/scan.hpp", '"', "plan/preprocess.hpp"),
        ("src/predicate/compile.cpp", '"', "plan/preprocess.hpp"),
        ("src/plan/scan.cpp", '"', "cpu/scan.hpp"),
        ("src/plan/scan.cpp", '"', "gpu/context.hpp"),
        ("src/plan/scan.cpp", "<", "webgpu/webgpu.h"),
        ("src/cpu/scan.cpp", '"', "plan/preprocess.hpp"),
        ("src/gpu/context.cpp", '"', "plan/preprocess.hpp"),
        ("src/gpu/context.cpp", "<", "oneapi/tbb/parallel_for.h"),
        ("src/api/scan.cpp", '"', "picture/scene.hpp"),
        ("src/picture/scene.cpp", '"', "cumulo/webgpu.hpp"),
        ("src/picture/gpu_painter.cpp", "<", "cairo.h"),
        ("src/picture/scene.cpp", '"', "api/impl.hpp"),
        ("app/main.cpp", '"', "plan/preprocess.hpp"),
        ("app/main.cpp", '"', "predicate/edit_distance.hpp"),
        ("app/formats/file.cpp", '"', "../../src/gpu/context.hpp"),
        ("bench/accuracy.cpp", '"', "gpu/context.hpp"),
        ("bench/repeat.cpp", '"', "api/calls.hpp"),
        ("web/planner/planner.cpp", '"', "gpu/context.hpp"),
        ("examples/culling.cpp", '"', "api/impl.hpp"),
        ("src/plan/scan.cpp", '"', "plan/no_such_file.hpp"),
    ],
)
def test_a_wrong_include_is_found(path, form, included):
    assert (ROOT / path).is_file()
    assert fault(path, form, included)
