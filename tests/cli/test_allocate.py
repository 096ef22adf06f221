"""cumulo allocate against NumPy's cumsum, on every device."""

import numpy as np
import pytest
from command import DEVICES, run, run_json

MOST = 2**32 - 1


def expected(counts, capacity=None, wide=False):
    """Offsets and what the JSON says of them, from sums in 64 bits."""
    ends = np.cumsum(counts, dtype=np.uint64)
    offsets = np.concatenate([[np.uint64(0)], ends])
    total = int(offsets[-1])
    most = 2**64 - 1 if wide else MOST
    limit = most if capacity is None else min(capacity, most)
    fitting = int(np.searchsorted(ends, np.uint64(limit), side="right"))
    offsets = np.minimum(offsets, np.uint64(most)).astype(np.uint64 if wide else np.uint32)
    return offsets, {"total": total, "fitting": fitting, "used": int(offsets[fitting]),
                     "overflow": total > limit, "capacity": capacity}


def number(value):
    return int(value)  # beyond 2^53 JSON has them as text


@pytest.fixture
def allocate(command, device, tmp_path):
    def allocate(counts, capacity=None, wide=False, on=device):
        np.save(tmp_path / "counts.npy", counts)
        options = [] if capacity is None else ["--capacity", capacity]
        options += ["--wide"] * wide
        done = command("allocate", "counts.npy", "-o", "offsets.npy", "--force", "--check", "--json",
                       "--device", on, *options)
        return np.load(tmp_path / "offsets.npy"), done.json

    def check(counts, capacity=None, wide=False):
        found, json = allocate(counts, capacity, wide)
        offsets, facts = expected(counts, capacity, wide)
        assert found.dtype == offsets.dtype
        np.testing.assert_array_equal(found, offsets)
        for key, value in facts.items():
            assert (json[key] if value is None or isinstance(value, bool)
                    else number(json[key])) == value, key
        assert json["n"] == len(counts) and json["check"]["ok"]

    return check


def test_the_example(device):
    done = run("allocate", "-", "--device", device, stdin="3 0 4 1")
    assert done.stdout == b"0\n3\n3\n7\n8\n"


@pytest.mark.parametrize("n", [0, 1, 2, 1023, 1024, 1025, 4097, 70001])
@pytest.mark.parametrize("wide", [False, True])
def test_sizes(allocate, n, wide):
    counts = np.random.default_rng(n).integers(0, 50, n).astype(np.uint32)
    allocate(counts, wide=wide)
    allocate(counts, capacity=int(counts.sum()) // 2, wide=wide)


@pytest.mark.parametrize("counts", [
    [2**31, 2**31], [2**31, 2**31 - 1], [MOST], [MOST, 0, 0], [MOST, 0, 1], [1, MOST], [MOST] * 5000,
    [2**31] * 4, [2**30] * 4, [2**30] * 5, [0] * 3000 + [MOST] + [0] * 3000 + [1],
])
@pytest.mark.parametrize("capacity", [None, 0, 2**31, MOST - 1, MOST, 2**33])
def test_the_flag_is_right_past_two_to_the_32(allocate, counts, capacity):
    counts = np.array(counts, np.uint32)
    allocate(counts, capacity)
    allocate(counts, capacity, wide=True)


def test_a_capacity_in_the_middle(device):
    found = run_json("allocate", "-", "--capacity", 5, "--check", "--time", "--device", device,
                     stdin="3 0 4 1")
    assert found["offsets"] == found["values"] == [0, 3, 3, 7, 8]
    assert (found["total"], found["capacity"], found["overflow"]) == (8, 5, True)
    assert (found["fitting"], found["used"]) == (2, 3)
    assert found["check"]["ok"] and found["time"]["runs"] == 5


def test_any_whole_numbers_are_counts(allocate):
    for dtype in (np.uint8, np.int32, np.int64, np.uint64, np.float64):
        allocate(np.array([3, 0, 200, 1], dtype))


@pytest.mark.parametrize("text", ["3 -1 2", "1 2.5", "4294967296", "1 nan"])
def test_others_are_refused(refused, text):
    assert "a count is a whole number" in refused("allocate", "-", stdin=text)


def test_a_wrong_offset_is_found(command, device, tmp_path):
    found = command("allocate", "-", "--break-element", 2, "--check", "-o", "out.npy", "--device",
                    device, stdin="3 0 4 1", status=1)
    assert "index 2 is 4" in found.err and not (tmp_path / "out.npy").exists()


def test_an_overflow_is_said(command, device):
    said = command("allocate", "-", "--device", device, stdin="4294967295 1").err
    assert "--wide" in said and "total 4294967296" in said


def test_bad_requests(refused):
    assert "--capacity" in refused("allocate", "-", "--capacity", "-3", stdin="1")
    assert "needs an input" in refused("allocate")
    assert "--algorithm" in refused("allocate", "-", "--algorithm", "fast", stdin="1")


@pytest.mark.parametrize("n", [0, 1, 8, 9, 5000])
@pytest.mark.parametrize("capacity", [None, 0, 11, 10**6])
def test_pictures(command, tmp_path, n, capacity):
    counts = " ".join(str(k % 4) for k in range(n))
    options = [] if capacity is None else ["--capacity", capacity]
    for name in ("allocate", "expand"):
        done = command(name, "-", "--picture", "a.svg", "--force", "--json", *options, stdin=counts)
        assert done.json["picture"] == "a.svg"
        assert (tmp_path / "a.svg").read_bytes().startswith(b"<?xml")


@pytest.mark.parametrize("device", [name for name in DEVICES if name != "cpu"])
def test_algorithms(command, device):
    for algorithm in ("reduce-then-scan", "single-pass"):
        found = command("allocate", "-", "--algorithm", algorithm, "--check", "--json", "--device",
                        device, stdin="5 6 7").json
        assert found["algorithm"] == algorithm and found["values"] == [0, 5, 11, 18]
