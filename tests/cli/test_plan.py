"""cumulo plan of every primitive: no device is looked at."""

import json

import pytest
from command import refuse, run, run_json

PRIMITIVES = ["scan", "reduce", "compact", "partition", "unique", "runs", "allocate", "expand"]
# A device with room for many elements.
ROOMY = {"max_storage_binding_size": 2**32 - 4, "max_buffer_size": 2**32}


def plan(*arguments):
    return run_json("plan", *arguments)["plan"]


def buffers(made):
    return [b["name"] for b in made["buffers"]]


def kernels(made):
    return [k["name"] for k in made["kernels"]]


@pytest.mark.parametrize("primitive", PRIMITIVES)
def test_every_primitive_has_a_plan(primitive, tmp_path):
    made = plan(primitive, "--n", "1e5")
    assert made["n"] == 100_000 and made["steps"] and not made["counted"]
    assert primitive in run("plan", primitive).stdout.decode()
    traits = tmp_path / "traits.json"
    traits.write_text(json.dumps(ROOMY))
    assert plan(primitive, "--n", "2^27", "--traits", traits)["n"] == 2**27
    with_text = run("plan", primitive, "--n", "1e5", "--wgsl").stdout.decode()
    assert "@compute" in with_text and f"// kernel {kernels(made)[0]}" in with_text


@pytest.mark.parametrize("primitive", PRIMITIVES)
def test_every_primitive_may_be_counted_on_the_device(primitive):
    made = plan(primitive, "--n", "1e5", "--counted")
    assert made["counted"]
    assert any(s.get("indirect") for s in made["steps"])
    assert any(b["role"] == "count" for b in made["buffers"])


def devices_file(tmp_path, *names):
    listed = [{"index": i, "name": name, "traits": dict(ROOMY, max_buffer_size=2**30 << i)}
              for i, name in enumerate(names)]
    listed.append({"index": None, "name": "CPU, 2 threads", "backend": "cpu"})
    path = tmp_path / "devices.json"
    path.write_text(json.dumps({"schema": "cumulo/1", "primitive": "devices", "devices": listed}))
    return path


def test_traits_of_a_list_of_devices(tmp_path):
    alone = devices_file(tmp_path, "Big GPU")
    assert plan("scan", "--n", "2^27", "--traits", alone)["n"] == 2**27
    several = devices_file(tmp_path, "First GPU", "Other GPU")
    # 2^29 bytes of input fit the one's buffers, not the other's.
    ask = ["scan", "--n", "2^28", "--dtype", "u64", "--traits", several]
    assert "max_buffer_size" in refuse("plan", *ask, "--device", 0)
    assert plan(*ask, "--device", "other")["n"] == 2**28
    assert plan(*ask, "--device", 1)["n"] == 2**28
    numbered = devices_file(tmp_path, "GPU 4080", "GPU 4090")
    assert plan(*ask[:-1], numbered, "--device", 4090)["n"] == 2**28
    several = devices_file(tmp_path, "First GPU", "Other GPU")
    message = refuse("plan", *ask)
    assert "choose one with --device" in message and "0 (First GPU), 1 (Other GPU)" in message
    assert "lists no adapter 'third'" in refuse("plan", *ask, "--device", "third")
    one = tmp_path / "one.json"
    one.write_text(json.dumps(json.loads(several.read_text())["devices"][1]))
    assert plan("scan", "--n", "2^28", "--dtype", "u64", "--traits", one)["n"] == 2**28


def test_what_devices_prints_is_read(tmp_path):
    printed = tmp_path / "devices.json"
    listed = run_json("devices")
    printed.write_text(json.dumps(listed))
    adapters = [d for d in listed["devices"] if "traits" in d]
    if adapters:
        assert plan("scan", "--traits", printed, "--device", 0)["n"] == 10**6
    else:
        assert "lists no adapter" in refuse("plan", "scan", "--traits", printed)


def test_traits_that_are_none(tmp_path):
    path = tmp_path / "traits.json"
    path.write_text("no JSON")
    assert "cumulo devices --json" in refuse("plan", "scan", "--traits", path)
    path.write_text("{}")
    assert "--device" in refuse("plan", "scan", "--traits", path, "--device", 0)
    assert "--traits" in refuse("plan", "scan", "--device", 0)


@pytest.mark.parametrize("algorithm", ["serial", "blocked"])
def test_algorithms_without_plans(algorithm):
    for primitive, fits in (("scan", "hillis-steele"), ("allocate", "single-pass")):
        message = refuse("plan", primitive, "--algorithm", algorithm)
        assert "CPU backend" in message and fits in message and "--device" not in message


def test_what_selects():
    flags = plan("compact")
    assert flags["primitive"] == "compact" and "flags" in buffers(flags)
    by_bits = plan("compact", "--flags", "bits", "--n", "6400")
    assert [b["bytes"] for b in by_bits["buffers"] if b["name"] == "flags"] == [800]
    by_words = plan("compact", "--flags", "u32", "--n", "6400")
    assert [b["bytes"] for b in by_words["buffers"] if b["name"] == "flags"] == [25600]
    where = plan("compact", "--where", "x > 3", "--dtype", "f32", "--capacity", "10", "--n", "100")
    assert "flags" not in buffers(where)
    assert 40 in [b["bytes"] for b in where["buffers"] if b["role"] == "output"]
    indices = plan("compact", "--indices")
    assert "indices" in buffers(indices) and len(indices["buffers"]) < len(flags["buffers"]) + 1
    three = plan("partition", "--where", "x < 3", "--second", "x < 6")
    assert three["primitive"] == "three-way partition"
    assert {"indices", "lengths"} <= set(buffers(plan("runs")))
    wide = plan("unique", "--dtype", "u64", "--n", "1000")
    assert wide["buffers"][0]["bytes"] == 8000


def test_algorithms_of_selections(tmp_path):
    assert plan("compact", "--algorithm", "mask-then-scatter")["algorithm"] == "mask-then-scatter"
    assert "single-pass" in refuse("plan", "compact", "--algorithm", "single-pass")
    assert "mask-then-scatter" in refuse("plan", "unique", "--algorithm", "blelloch")
    assert "reduce-then-scan" in refuse("plan", "scan", "--algorithm", "mask-then-scatter")


def test_allocate_and_expand():
    assert plan("allocate", "--n", "10", "--wide")["buffers"][1]["bytes"] == 88
    assert plan("allocate", "--n", "10", "--capacity", "5")["buffers"][1]["bytes"] == 44
    assert plan("expand", "--n", "10", "--capacity", "7", "--dtype", "f64")["buffers"][2]["bytes"] == 56
    assert "values" not in buffers(plan("expand", "--indices"))


@pytest.mark.parametrize("primitive, option", [
    ("reduce", "--exclusive"), ("reduce", "--reverse"), ("reduce", "--algorithm=serial"),
    ("compact", "--op=max"), ("compact", "--wide"), ("unique", "--where=x > 1"),
    ("unique", "--flags=u8"), ("compact", "--second=x > 1"), ("partition", "--capacity=3"),
    ("runs", "--indices"), ("allocate", "--dtype=u64"), ("allocate", "--init=1"),
    ("expand", "--wide"), ("scan", "--capacity=1"), ("scan", "--where=x > 1")])
def test_options_of_other_primitives_are_refused(primitive, option):
    message = refuse("plan", primitive, option)
    assert f"plan {primitive} takes no {option.split('=')[0]}" in message


def test_bad_requests():
    message = refuse("plan", "compact", "--where", "x >")
    assert "--where" in message and "character 4" in message
    assert "give one" in refuse("plan", "compact", "--where", "x > 1", "--flags", "u8")
    assert "--second" in refuse("plan", "partition", "--where", "x > 1", "--second", "x >")
    assert "goes with" in refuse("plan", "partition", "--second", "x > 1")
    assert "known are u8, u32, bits" in refuse("plan", "compact", "--flags", "u16")
    assert "'compct' is unknown" in refuse("plan", "compct")
    assert "did you mean compact?" in refuse("plan", "compct")


def test_what_allocations_are_made_of():
    made = plan("allocate", "--n", "1e6")
    assert made["n"] == 10**6 and made["steps"][-1]["kernel"] == "settle_allocation"
    assert [b["name"] for b in made["buffers"][:3]] == ["counts", "offsets", "report"]
    made = plan("expand", "--n", "1e5", "--capacity", "2^20", "--counted")
    assert made["counted"] and made["steps"][-1]["kernel"] == "expand"
    assert [b["bytes"] for b in made["buffers"][:3]] == [400_000, 400_000, 4 << 20]
