"""Sums and products that leave the range of a type chosen for a text: the results wrap, and that is said."""

import pytest

WIDEST = 2**32 - 1


@pytest.mark.parametrize(
    "text, kind, total, words",
    [
        (f"{WIDEST} 1 5", "u32", 5, ["2^32", "--dtype u64", "--wide"]),
        ("2147483647 -3 4", "i32", -(2**31), ["2^32", "--dtype i64", "--wide"]),
        ("-2147483648 -1", "i32", 2**31 - 1, ["2^32", "--dtype i64"]),
        (f"{2**63 - 1} 2", "i64", str(-(2**63) + 1), ["2^64", "--dtype u64"]),
        (f"{2**63 - 1} 2 -2", "i64", None, ["2^64", "--dtype f64"]),
        (f"{2**63 - 1} {2**63 - 1} 2", "i64", 0, ["2^64", "--dtype f64"]),
        (f"{2**64 - 1} 3", "u64", 2, ["2^64", "--dtype f64"]),
    ],
)
@pytest.mark.parametrize("primitive", ["scan", "reduce"])
def test_a_wrapped_sum_is_told(command, device, primitive, text, kind, total, words):
    shown = command(primitive, "-", "--json", "--check", "--device", device, stdin=text)
    assert shown.json["type"] == kind
    if total is None and primitive == "reduce":  # it is right again
        assert shown.json["wrapped"] is None
        return
    assert total is None or shown.json["total"] == total
    assert shown.json["wrapped"] in shown.err
    for word in [kind, "modulo", *words]:
        assert word in shown.json["wrapped"]


@pytest.mark.parametrize("options", [["--dtype", "u64"], ["--wide"], ["--op", "add-saturated"], ["--op", "max"]])
@pytest.mark.parametrize("primitive", ["scan", "reduce"])
def test_what_avoids_it(command, primitive, options):
    shown = command(primitive, "-", "--json", *options, stdin=f"{WIDEST} 1")
    assert shown.json["wrapped"] is None and "wrapped" not in shown.err


@pytest.mark.parametrize("primitive", ["scan", "reduce"])
def test_a_type_that_was_asked_for_wraps_unsaid(command, primitive):
    shown = command(primitive, "-", "--json", "--dtype", "u32", stdin=f"{WIDEST} 1")
    assert shown.json["total"] == 0 and shown.json["wrapped"] is None


def test_a_sum_that_just_fits(command):
    assert command("reduce", "-", "--json", stdin=f"{WIDEST - 1} 1").json["wrapped"] is None
    assert command("scan", "-", "--json", stdin="").json["wrapped"] is None


def test_prefixes_that_come_back(command):
    """A total is right again; a prefix on the way was not."""
    text = "2147483647 5 -5"
    assert command("reduce", "-", "--json", stdin=text).json["wrapped"] is None
    assert command("scan", "-", "--json", stdin=text).json["wrapped"]
    # From the end, no prefix leaves the range.
    assert command("scan", "-", "--json", "--reverse", stdin=text).json["wrapped"] is None


@pytest.mark.parametrize(
    "text, scanned, reduced",
    [
        ("65536 65536 3", True, True),
        ("65535 65537", False, False),
        ("65536 65536 0 7", True, False),
        ("0 65536 65536", False, False),
        ("-65536 65536", True, True),
        (f"{2**32} {2**32}", True, True),
    ],
)
def test_products(command, text, scanned, reduced):
    for primitive, wrapped in [("scan", scanned), ("reduce", reduced)]:
        note = command(primitive, "-", "--json", "--op", "mul", stdin=text).json["wrapped"]
        assert (note is not None) == wrapped
        if wrapped:
            assert note.startswith("the product") and "--dtype f64" in note


def test_the_initial_value_counts(command):
    assert command("scan", "-", "--json", "--init", WIDEST, stdin="1").json["wrapped"]
    assert command("scan", "-", "--json", "--init", WIDEST, stdin="0").json["wrapped"] is None


def test_tables_and_quiet(command, tmp_path):
    (tmp_path / "in.csv").write_text(f"sold\n{WIDEST}\n2\n")
    assert "--wide" in command("reduce", "in.csv").err
    assert command("reduce", "in.csv", "--quiet").err == ""
