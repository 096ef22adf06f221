"""The installed library and the source folder both serve a program of another project."""

import os
import re
import subprocess

import pytest

SLOTS = "0 1 1 2 3 3 4 4"


def run(*command, **options):
    result = subprocess.run([str(part) for part in command], capture_output=True, text=True, **options)
    assert result.returncode == 0, f"{command}:\n{result.stdout[-3000:]}\n{result.stderr[-3000:]}"
    return result.stdout


def bare_environment():
    """No help in finding libraries, and no driver: the CPU backend does the work."""
    kept = {name: value for name, value in os.environ.items() if name != "LD_LIBRARY_PATH"}
    return kept | {"VK_DRIVER_FILES": "/nonexistent", "VK_ICD_FILENAMES": "/nonexistent"}


def configure(source, build, cache, *options):
    # Unoptimised: what is tested here is finding and linking.
    run("cmake", "-G", "Ninja", "-S", source, "-B", build, "-DCMAKE_BUILD_TYPE=Debug",
        f"-DCMAKE_CXX_COMPILER={cache['CMAKE_CXX_COMPILER']}", *options)
    run("cmake", "--build", build)


def check_consumer(build):
    assert run(build / "consumer", env=bare_environment()).split() == SLOTS.split()
    run(build / "interop", env=bare_environment())


@pytest.fixture(scope="module")
def installed(build_dir, tmp_path_factory):
    """An installation that was moved after it was made."""
    first = tmp_path_factory.mktemp("first") / "prefix"
    run("cmake", "--install", build_dir, "--prefix", first)
    moved = tmp_path_factory.mktemp("moved") / "another place"
    first.rename(moved)
    return moved


def test_installed_command_finds_its_libraries(installed):
    text = run(installed / "bin/cumulo", "scan", "-", "--exclusive", "--device", "cpu",
               input="3 1 4 1 5 9 2 6", env=bare_environment())
    assert text.split() == ["0", "3", "4", "8", "9", "14", "23", "25"]


def test_installed_tree_is_complete(installed, root):
    for header in (root / "include/cumulo").iterdir():
        assert (installed / "include/cumulo" / header.name).exists()
    for name in ("include/webgpu/webgpu.h", "include/webgpu/wgpu.h"):
        assert (installed / name).exists()
    assert list(installed.rglob("libwgpu_native.so"))
    assert list(installed.rglob("cumuloConfig.cmake"))


def test_installed_files_name_no_build_folder(installed, root):
    for path in installed.rglob("*.cmake"):
        assert str(root) not in path.read_text(), path


def test_find_package(installed, root, cache, tmp_path):
    configure(root / "tests/install", tmp_path, cache, f"-DCMAKE_PREFIX_PATH={installed}")
    check_consumer(tmp_path)


@pytest.fixture(scope="module")
def embedded(root, cache, tmp_path_factory):
    """The consumer with cumulo as a folder of its project: as a static library, to be installed."""
    build = tmp_path_factory.mktemp("embedded")
    configure(root / "tests/install", build, cache, f"-DCUMULO_SOURCE={root}",
              f"-DCUMULO_WGPU_NATIVE_DIR={cache['CUMULO_WGPU_NATIVE_DIR']}",
              "-DBUILD_SHARED_LIBS=OFF", "-DCUMULO_INSTALL=ON")
    return build


def test_add_subdirectory(embedded):
    check_consumer(embedded)
    assert not list(embedded.rglob("cumulo_*_tests")), "a user's project builds the library alone"


def test_find_package_of_a_static_library(embedded, root, cache, tmp_path):
    prefix = tmp_path / "prefix"
    run("cmake", "--install", embedded, "--prefix", prefix)
    assert list(prefix.rglob("libcumulo.a"))
    configure(root / "tests/install", tmp_path / "consumer", cache, f"-DCMAKE_PREFIX_PATH={prefix}")
    check_consumer(tmp_path / "consumer")


def test_readme_shows_the_program_that_is_tested(root):
    blocks = re.findall(r"```cpp\n(.*?)```", (root / "README.md").read_text(), re.DOTALL)
    assert (root / "tests/install/main.cpp").read_text() in blocks
