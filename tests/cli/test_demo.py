"""cumulo demo: both pages, their pictures, and a scan that is wrong on purpose."""

import os
import re

import pytest

NO_DRIVER = {**os.environ, "VK_DRIVER_FILES": "/none.json", "VK_ICD_FILENAMES": "/none.json"}


@pytest.fixture
def demo(command, device):
    def run(*options, status=0):
        arguments = ["demo", "--json", "--device", device, *options]
        return command(*arguments, status=status).json

    return run


def svg_colour(root, name):
    """A colour of the palette as an SVG file names it."""
    palette = (root / "src/picture/palette.hpp").read_text()
    parts = re.search(rf"Colour {name}{{(.*), (.*), (.*)}};", palette).groups()
    return "rgb({:g}%,{:g}%,{:g}%)".format(*(100 * float(part) for part in parts))


def test_the_first_page(demo, device):
    page = demo()["pages"]["sales"]
    assert page["n"] == 256
    assert page["first"] == [0, 2, 6, 7, 10, 10, 12, 16, 17, 20, 20, 22]
    assert page["total"] == 510
    assert page["check"] == {"ok": True, "first_difference": None}
    assert page["time"]["runs"] == 5
    assert page["time"]["median_ms"] > 0
    assert page["time"]["clock"] in (("wall",) if device == "cpu" else ("device", "wall"))


def test_the_first_page_in_words(command, device):
    shown = command("demo", "--device", device).out
    assert re.search(r"\n +totals +0 +2 +6 +7 +10 +10 +12 +16 +17 +20 +20 +22\n", shown)
    assert re.search(r"\n +in all +510\n", shown)
    assert re.search(r"\n +time +[0-9.e-]+ ms \(median of 5, (wall|device) clock\)", shown)


def test_the_second_page(demo):
    page = demo()["pages"]["compaction"]
    assert page["values"] == [3, 1, 4, 1, 5, 9, 2, 6]
    assert page["keep"] == [1, 0, 1, 1, 0, 1, 0, 1]
    assert page["slots"] == [0, 1, 1, 2, 3, 3, 4, 4]
    assert page["packed"] == [3, 4, 1, 9, 6]
    assert page["allocated"] == [0, 3, 4, 8, 9, 14, 23, 25, 31]
    assert page["check"] == {"ok": True, "first_difference": None}


@pytest.mark.parametrize("format", ["png", "svg", "pdf"])
def test_the_pictures(demo, tmp_path, format):
    pages = demo("--format", format)["pages"]
    names = [f"cumulo-demo/compaction.{format}", f"cumulo-demo/sales.{format}"]
    assert sorted(page["picture"] for page in pages.values()) == names
    written = sorted(path.name for path in (tmp_path / "cumulo-demo").iterdir())
    assert written == [f"compaction.{format}", f"sales.{format}"]


def test_the_picture_says_what_scan_it_was(demo, device, tmp_path):
    page = demo("--format", "svg")["pages"]["sales"]
    words = (tmp_path / "cumulo-demo" / "sales.svg").read_text()
    if device == "cpu":
        assert page["algorithm"] == "blocked"
        assert "blocked scan; total 510" in words
        assert "8 steps" not in words and "1793 additions" not in words
    else:
        assert page["algorithm"] == "hillis-steele"
        assert "8 steps, two barriers each; total 510" in words
        assert "Hillis-Steele: 1793 additions" in words


def test_a_second_run_replaces_the_pictures(demo, tmp_path):
    demo()
    first = (tmp_path / "cumulo-demo" / "compaction.png").read_bytes()
    demo()
    assert (tmp_path / "cumulo-demo" / "compaction.png").read_bytes() == first


def test_a_wrong_element_shows_in_both_pages(demo, tmp_path, root):
    demo("--out", "right", "--format", "svg")
    shown = demo("--out", "wrong", "--format", "svg", "--break-element", 5, status=1)
    for name, wanted in (("sales", 10), ("compaction", 14)):
        check = shown["pages"][name]["check"]
        assert not check["ok"]
        difference = check["first_difference"]
        assert (difference["index"], difference["expected"], difference["found"]) == (5, wanted, 0)
        right, wrong = (tmp_path / folder / f"{name}.svg" for folder in ("right", "wrong"))
        red = svg_colour(root, "wrong")
        assert red not in right.read_text()
        assert red in wrong.read_text()
        assert f"wrong: {difference['what']}[5] is 0, not {wanted}" in wrong.read_text()


def test_a_wrong_element_is_named_in_the_text(command, device):
    shown = command("demo", "--device", device, "--break-element", 100, status=1)
    assert "WRONG: total at index 100 is 0, and a plain loop gives" in shown.out


def test_without_a_driver_the_cpu_does_it(command):
    shown = command("demo", env=NO_DRIVER)
    assert "The CPU backend does the work" in shown.out
    assert "510" in shown.out
    refused = command("demo", "--device", "gpu", "--json", env=NO_DRIVER, status=3)
    assert refused.json["error"]["kind"] == "no-device"


def test_a_folder_that_cannot_be(command, tmp_path):
    (tmp_path / "file").write_text("mine")
    assert "folder 'file'" in command("demo", "--out", "file", "--device", "cpu", status=2).err


def test_without_a_driver_devices_says_so(command):
    assert "No adapter was found" in command("devices", env=NO_DRIVER).out
    assert len(command("devices", "--json", env=NO_DRIVER).json["devices"]) == 1
