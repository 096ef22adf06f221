"""Every public header compiles as the first and only include, with warnings as errors."""

import pathlib
import subprocess

import pytest

INCLUDE = pathlib.Path(__file__).resolve().parents[2] / "include"
HEADERS = sorted(str(path.relative_to(INCLUDE)) for path in INCLUDE.glob("cumulo/*.hpp"))


@pytest.mark.parametrize("header", HEADERS)
def test_header_compiles_alone(header, cache, tmp_path):
    source = tmp_path / "alone.cpp"
    # Twice: a header without an include guard fails, too.
    source.write_text(f'#include "{header}"\n#include "{header}"\n')
    command = [cache["CMAKE_CXX_COMPILER"], "-std=c++23", "-fsyntax-only", "-Wall", "-Wextra",
               "-Wpedantic", "-Wshadow", "-Werror", f"-I{INCLUDE}",
               "-isystem", f"{cache['CUMULO_WGPU_NATIVE_DIR']}/include", str(source)]
    result = subprocess.run(command, capture_output=True, text=True)
    assert result.returncode == 0, result.stderr


def test_cumulo_hpp_includes_every_header_but_the_interop():
    text = (INCLUDE / "cumulo/cumulo.hpp").read_text()
    missing = [h for h in HEADERS if h not in ("cumulo/cumulo.hpp", "cumulo/webgpu.hpp")
               and f'#include "{h}"' not in text]
    assert not missing
