"""cumulo expand against NumPy's repeat, on every device."""

import numpy as np
import pytest
from command import run, run_json

TYPES = ["<u4", "<i4", "<f4", "<u8", "<i8", "<f8"]


@pytest.fixture
def expand(command, device, tmp_path):
    """Expands by way of .npy files and compares with NumPy, bit for bit."""

    def check(counts, values=None, capacity=None):
        np.save(tmp_path / "counts.npy", counts)
        options = [] if capacity is None else ["--capacity", capacity]
        if values is not None:
            np.save(tmp_path / "values.npy", values)
            options += ["--values", "values.npy"]
        done = command("expand", "counts.npy", "-o", "out.npy", "--force", "--check", "--json",
                       "--device", device, *options)
        items = np.arange(len(counts), dtype=np.uint32) if values is None else values
        expected = np.repeat(items, counts)
        total = len(expected)
        expected = expected[:capacity]
        found = np.load(tmp_path / "out.npy")
        assert found.dtype == expected.dtype
        assert found.tobytes() == expected.tobytes()
        assert done.json["total"] == total and done.json["count"] == len(expected)
        assert done.json["overflow"] == (total > len(expected)) and done.json["check"]["ok"]

    return check


def test_the_example(device):
    assert run("expand", "-", "--device", device, stdin="2 0 3").stdout == b"0\n0\n2\n2\n2\n"


@pytest.mark.parametrize("n", [0, 1, 2, 255, 4095, 4096, 4097, 30001])
def test_sizes(expand, n):
    random = np.random.default_rng(n)
    counts = random.integers(0, 6, n)
    expand(counts)
    expand(counts, random.integers(-1000, 1000, n).astype(np.int32))
    expand(counts, capacity=int(counts.sum()) // 2)


@pytest.mark.parametrize("dtype", TYPES)
def test_types(expand, dtype):
    random = np.random.default_rng(3)
    counts = random.integers(0, 9, 5000)
    bits = random.integers(0, 2**63, 5000, dtype=np.uint64)
    values = bits.astype(dtype) if dtype[1] != "f" else random.standard_normal(5000).astype(dtype)
    if dtype[1] == "f":
        values[:3] = [np.nan, -0.0, np.inf]
        counts[:3] = 2
    expand(counts, values)


@pytest.mark.parametrize("spread", ["zero", "one has all", "the last has all", "mostly zero"])
def test_however_they_are_spread(expand, spread):
    counts = np.zeros(20000, np.uint32)
    if spread == "one has all":
        counts[7000] = 30000
    elif spread == "the last has all":
        counts[-1] = 30000
    elif spread == "mostly zero":
        counts[::97] = np.arange(len(counts[::97])) % 301
    expand(counts)
    expand(counts, np.arange(20000, dtype=np.float32), capacity=10001)


def test_huge_counts_up_to_a_capacity(expand):
    counts = np.array([3, 0, 7], np.uint32)
    expand(counts, capacity=100)
    found = run_json("expand", "-", "--capacity", 5, stdin="4294967295 4294967295")
    assert found["total"] == 2**33 - 2 and found["count"] == 5 and found["values"] == [0] * 5


def test_decoding_runs(device, tmp_path):
    values = np.array([1, 1, 2, 2, 2, 1], np.uint32)
    starts = np.flatnonzero(np.concatenate([[True], values[1:] != values[:-1]]))
    lengths = np.diff(np.concatenate([starts, [len(values)]]))
    table = "value,length\n" + "".join(f"{values[s]},{k}\n" for s, k in zip(starts, lengths))
    path = tmp_path / "runs.csv"
    path.write_text(table)
    done = run("expand", path, "--column", "length", "--values", path, "--values-column", "value",
               "--device", device)
    assert done.stdout.split() == [str(v).encode() for v in values]


@pytest.mark.parametrize("extension", ["npy", "csv", "tsv"])
@pytest.mark.parametrize("dtype", TYPES)
def test_what_runs_took_apart_is_whole_again(command, device, tmp_path, extension, dtype):
    values = np.repeat(np.arange(50), np.arange(50) % 7).astype(dtype)
    np.save(tmp_path / "in.npy", values)
    runs = f"runs.{extension}"
    command("runs", "in.npy", "-o", runs, "--device", device)
    kind = dtype[1] + str(8 * int(dtype[2]))
    command("expand", runs, "--column", "length", "--values", runs, "--values-column", "value",
            "--values-dtype", kind, "-o", "out.npy", "--device", device)
    found = np.load(tmp_path / "out.npy")
    assert found.dtype == values.dtype and found.tobytes() == values.tobytes()


@pytest.mark.parametrize("extension", ["npy", "csv"])
def test_a_column_to_choose_is_asked_for_by_its_option(command, refused, tmp_path, extension):
    runs = f"runs.{extension}"
    command("runs", "-", "-o", runs, stdin="1 1 2")
    assert "choose one with --column: " in refused("expand", runs)
    said = refused("expand", runs, "--column", "length", "--values", runs)
    assert "choose one with --values-column: " in said and "value, length, start" in said
    (tmp_path / "v.bin").write_bytes(bytes(8))
    assert "--values-dtype" in refused("expand", "-", "--values", "v.bin", stdin="1 1")
    said = refused("compact", "-", "--keep", runs, stdin="1 2")
    assert "one is needed" in said and "--column" not in said


def test_bad_requests(refused, tmp_path):
    (tmp_path / "v.txt").write_text("1 2 3")
    assert "3 values" in refused("expand", "-", "--values", "v.txt", stdin="1 2")
    assert "index 1" in refused("expand", "-", stdin="1 -2")
    assert "standard input" in refused("expand", "-", "--values", "-", stdin="1")
    assert "--values" in refused("expand", "-", "--values-column", "a", stdin="1")
    assert "outputs" in refused("expand", "-", stdin="4294967295 4294967295")
    assert "needs an input" in refused("expand")


def test_a_wrong_output_is_found(command, device, tmp_path):
    found = command("expand", "-", "--break-element", 3, "--check", "-o", "out.npy", "--device",
                    device, stdin="2 0 3", status=1)
    assert "index 3" in found.err and not (tmp_path / "out.npy").exists()


def test_time(device):
    assert run_json("expand", "-", "--time", "--device", device, stdin="2 0 3")["time"]["runs"] == 5
