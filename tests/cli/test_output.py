"""Where results go: files that appear whole or not at all, standard output, pictures."""

import os
import resource
import signal
import struct
import subprocess
import time

import numpy as np
import pytest
from command import COMMAND

EXTENSIONS = ["npy", "csv", "tsv", "txt", "bin", "raw"]


@pytest.fixture
def numbers(tmp_path):
    (tmp_path / "in.txt").write_text("1 2 3")
    return tmp_path


def files(folder):
    return sorted(path.name for path in folder.iterdir())


@pytest.mark.parametrize("extension", EXTENSIONS)
def test_every_extension(command, numbers, extension):
    name = "out." + extension
    shown = command("scan", "in.txt", "-o", name)
    assert shown.out == "" and "total 6" in shown.err
    assert files(numbers) == sorted(["in.txt", name])
    content = (numbers / name).read_bytes()
    if extension == "npy":
        assert np.load(numbers / name).tolist() == [1, 3, 6]
    elif extension in ("bin", "raw"):
        assert content == struct.pack("<3I", 1, 3, 6)
    else:
        assert content == b"1\n3\n6\n"


def test_the_mode_of_a_new_file(command, numbers):
    command("scan", "in.txt", "-o", "out.txt", preexec_fn=lambda: os.umask(0o027))
    assert (numbers / "out.txt").stat().st_mode & 0o777 == 0o640


def test_a_minus_is_standard_output(command):
    assert command("scan", "-", "-o", "-", stdin="1 2").out == "1\n3\n"


def test_force_overwrites(command, refused, numbers):
    (numbers / "out.txt").write_text("mine")
    assert "--force" in refused("scan", "in.txt", "-o", "out.txt")
    command("scan", "in.txt", "-o", "out.txt", "--force")
    assert (numbers / "out.txt").read_text() == "1\n3\n6\n"


def test_force_replaces_what_a_link_means(command, refused, numbers):
    (numbers / "real.txt").write_text("mine")
    (numbers / "link.txt").symlink_to("real.txt")
    assert "--force" in refused("scan", "in.txt", "-o", "link.txt")
    command("scan", "in.txt", "-o", "link.txt", "--force")
    assert (numbers / "link.txt").is_symlink()
    assert (numbers / "real.txt").read_text() == "1\n3\n6\n"


@pytest.mark.parametrize(
    "out,what",
    [
        ("none/out.txt", "no folder 'none'"),
        ("in.txt/out.txt", "no folder 'in.txt'"),
        ("folder.npy", "is a folder"),
        ("out.xyz", "known are .npy, .csv, .tsv, .txt, .bin and .raw"),
        ("out", "known are .npy"),
        ("in.txt", "is the input file itself"),
        ("./folder/../in.txt", "is the input file itself"),
        ("symbolic.txt", "is the input file itself"),
        ("hard.txt", "is the input file itself"),
    ],
)
def test_outputs_that_cannot_be(refused, numbers, out, what):
    (numbers / "folder").mkdir()
    (numbers / "folder.npy").mkdir()
    (numbers / "symbolic.txt").symlink_to("in.txt")
    os.link(numbers / "in.txt", numbers / "hard.txt")
    assert what in refused("scan", "in.txt", "-o", out, "--force")


def test_devices_and_pipes_are_not_replaced(refused, numbers):
    os.mkfifo(numbers / "pipe.txt")
    (numbers / "null.txt").symlink_to("/dev/null")
    (numbers / "null.png").symlink_to("/dev/null")
    for name in ("pipe.txt", "null.txt"):
        assert "a device or a pipe" in refused("scan", "in.txt", "-o", name, "--force")
    refused("scan", "in.txt", "-o", "out.txt", "--picture", "null.png", "--force")
    assert (numbers / "pipe.txt").is_fifo() and os.path.exists("/dev/null")


def test_the_longest_names(command, numbers):
    stem = "x" * 251
    command("scan", "in.txt", "-o", stem + ".txt", "--picture", stem + ".png")
    assert files(numbers) == sorted(["in.txt", stem + ".txt", stem + ".png"])


def test_a_file_that_is_replaced_keeps_its_mode(command, numbers):
    (numbers / "out.txt").write_text("mine")
    (numbers / "out.txt").chmod(0o600)
    command("scan", "in.txt", "-o", "out.txt", "--force")
    assert (numbers / "out.txt").stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-", "<&- >&- 2>&-"])
def test_closed_standard_descriptors(numbers, closed):
    script = f"{COMMAND} scan in.txt -o out.txt {closed}"
    assert subprocess.run(["sh", "-c", script], cwd=numbers, check=False).returncode == 0
    assert (numbers / "out.txt").read_text() == "1\n3\n6\n"
    script = f"{COMMAND} scan in.txt >&-"
    process = subprocess.run(["sh", "-c", script], cwd=numbers, capture_output=True, check=False)
    assert process.returncode == 2
    assert b"cannot write standard output" in process.stderr


def test_standard_input_may_be_a_file_too(numbers):
    with open(numbers / "in.txt", "rb") as stdin:
        process = subprocess.run(
            [COMMAND, "scan", "-", "-o", "in.txt", "--force"],
            stdin=stdin,
            capture_output=True,
            cwd=numbers,
            check=False,
        )
    assert process.returncode == 2
    assert b"is the input file itself" in process.stderr
    assert (numbers / "in.txt").read_text() == "1 2 3"


@pytest.mark.parametrize("name", ["none.txt", "folder", "folder.txt", "in.xyz", "in"])
def test_inputs_that_cannot_be(refused, tmp_path, name):
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder.txt").mkdir()
    (tmp_path / "in.xyz").write_text("1")
    assert name in refused("scan", name, "-o", "out.npy")


def test_a_limit_on_file_size_leaves_nothing(command, tmp_path):
    np.save(tmp_path / "in.npy", np.ones(100_000, "u4"))

    def limit():
        resource.setrlimit(resource.RLIMIT_FSIZE, (10_000, 10_000))

    shown = command("scan", "in.npy", "-o", "out.txt", preexec_fn=limit, status=2)
    assert "cannot write 'out.txt'" in shown.err
    assert files(tmp_path) == ["in.npy"]


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become a user without processes")
@pytest.mark.parametrize("most", [1, 2])
@pytest.mark.parametrize("more", [[], ["--wide"]])
def test_too_few_threads_are_no_crash(tmp_path, most, more):
    np.save(tmp_path / "in.npy", np.ones(3_000_000, "u4"))

    def limit():
        os.setgroups([])
        os.setgid(65_533)
        os.setuid(65_533)
        resource.setrlimit(resource.RLIMIT_NPROC, (most, most))

    arguments = ["scan", "-", "--format", "npy", "--device", "cpu", "--json", "--check", *more]
    # A sanitizer that looks for leaks would need a process of its own.
    sanitizer = os.environ.get("ASAN_OPTIONS", "") + " detect_leaks=0"
    environment = {**os.environ, "ASAN_OPTIONS": sanitizer}
    with open(tmp_path / "in.npy", "rb") as stdin:
        try:
            process = subprocess.run(
                [COMMAND, *arguments], stdin=stdin, capture_output=True, preexec_fn=limit,
                check=False, timeout=120, env=environment,
            )
        except PermissionError:
            pytest.skip("that user may not run the command where it stands")
    if process.returncode == 4:
        assert b"could not start its threads" in process.stderr
        assert b'"out-of-memory"' in process.stdout
    else:
        assert process.returncode == 0 and b"3000000" in process.stdout


def test_a_full_device_is_an_error():
    with open("/dev/full", "wb") as full:
        process = subprocess.run(
            [COMMAND, "scan", "-"], input=b"1 2", stdout=full, stderr=subprocess.PIPE, check=False
        )
    assert process.returncode == 2
    assert b"cannot write standard output" in process.stderr


def test_a_reader_that_goes_away(tmp_path):
    np.save(tmp_path / "in.npy", np.ones(3_000_000, "u4"))
    process = subprocess.Popen(
        [COMMAND, "scan", tmp_path / "in.npy", "--quiet"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert process.stdout.readline() == b"1\n"
    process.stdout.close()
    assert process.wait(timeout=60) == 0
    assert process.stderr.read() == b""
    process.stderr.close()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_while_writing_leaves_nothing(tmp_path, number):
    np.save(tmp_path / "in.npy", np.random.default_rng(1).random(8_000_000))
    arguments = [COMMAND, "scan", "in.npy", "--device", "cpu", "-o", "out.txt"]
    process = subprocess.Popen(arguments, cwd=tmp_path, stderr=subprocess.DEVNULL)
    until = time.monotonic() + 60
    while len(files(tmp_path)) == 1 and process.poll() is None:
        assert time.monotonic() < until
    assert process.poll() is None, "it must be writing now"
    process.send_signal(number)
    assert process.wait(timeout=60) == -number
    assert files(tmp_path) == ["in.npy"]


def test_quiet(command, numbers):
    assert command("scan", "in.txt", "--quiet").err == ""
    assert command("scan", "in.txt").err.startswith("cumulo: 3 u32 (inferred)")


STARTS = {"png": b"\x89PNG\r\n\x1a\n", "svg": b"<?xml", "pdf": b"%PDF-"}


@pytest.mark.parametrize("extension", STARTS)
@pytest.mark.parametrize("n", [0, 1, 10, 5000])
def test_pictures(command, device, tmp_path, extension, n):
    np.save(tmp_path / "in.npy", np.arange(n, dtype="f4"))
    name = "picture." + extension
    command("scan", "in.npy", "-o", "out.npy", "--picture", name, "--device", device)
    assert files(tmp_path) == ["in.npy", "out.npy", name]
    assert (tmp_path / name).read_bytes().startswith(STARTS[extension])


@pytest.mark.parametrize(
    "picture,what", [("p.gif", "png"), ("none/p.png", "no folder"), ("old.png", "--force")]
)
def test_pictures_that_cannot_be(refused, numbers, picture, what):
    (numbers / "old.png").write_bytes(b"mine")
    assert what in refused("scan", "in.txt", "-o", "out.npy", "--picture", picture)
