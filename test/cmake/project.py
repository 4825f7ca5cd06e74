"""A CMake project in a scratch folder whose path has a space, for the tests beside this file."""

import os
import pathlib
import shutil
import subprocess
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ["LANEWISE_BUILD"])
PROGRAM = pathlib.Path(os.environ["LANEWISE_BIN"]) / "lanewise"
CXX = os.environ["LANEWISE_CXX"]
SANITIZED = os.environ.get("LANEWISE_SANITIZE") == "1"
GENERATORS = [generator for generator, tool in (("Ninja", "ninja"), ("Unix Makefiles", "make")) if shutil.which(tool)]

# Without a package: the function and the program as they lie in the build.
PREAMBLE = f"""\
cmake_minimum_required(VERSION 3.22)
project(shaders LANGUAGES NONE)
add_executable(Lanewise::lanewise_program IMPORTED)
set_target_properties(Lanewise::lanewise_program PROPERTIES IMPORTED_LOCATION "{PROGRAM}")
include("{ROOT}/utils/cmake/LanewiseCompileShaders.cmake")
"""

SHADER = """#version 430
layout(local_size_x = 32) in;
layout(binding = 0) buffer Data { uint data[]; };
void main() { data[gl_GlobalInvocationID.x] += 1u; }
"""


class Project:
    """Sources in `source`, one build folder; run() results are kept in `output`."""

    def __init__(self, generator="Ninja"):
        self._scratch = tempfile.TemporaryDirectory(prefix="lanewise ")
        self.folder = pathlib.Path(self._scratch.name)
        self.source = self.folder / "source"
        self.build_folder = self.folder / "build"
        self.generator = generator
        self.output = ""
        self.source.mkdir()

    def close(self):
        self._scratch.cleanup()

    def write(self, files):
        for name, text in files.items():
            path = self.source / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")

    def run(self, *command, environment=None):
        """The exit code; the output of both streams is in self.output."""
        done = subprocess.run(
            [str(part) for part in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False,
            env={**os.environ, "LC_ALL": "C", **(environment or {})})
        self.output = done.stdout
        return done.returncode

    def configure(self, *options):
        return self.run("cmake", "-G", self.generator, "-S", self.source, "-B", self.build_folder, *options)

    def build(self, *options, environment=None):
        return self.run("cmake", "--build", self.build_folder, *options, environment=environment)

    def times(self):
        """Modification time of each file in the build folder."""
        return {path.relative_to(self.build_folder).as_posix(): path.stat().st_mtime_ns
                for path in self.build_folder.rglob("*") if path.is_file()}

    def lines(self, word):
        """The lines of the output that hold a word, without what stands before it."""
        return [line[line.index(word):] for line in self.output.splitlines() if word in line]
