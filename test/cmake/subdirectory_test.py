"""Lanewise as a part of another project, by add_subdirectory and FetchContent: nothing of it leaks."""

import json
import shlex
import unittest

from project import CXX, ROOT, Project

PARENT = """\
cmake_minimum_required(VERSION 3.22)
project(parent LANGUAGES C CXX)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(before "${{CMAKE_CXX_FLAGS}}|${{CMAKE_CXX_FLAGS_RELEASE}}|${{CMAKE_BUILD_TYPE}}|${{CMAKE_CXX_STANDARD}}|${{CMAKE_RUNTIME_OUTPUT_DIRECTORY}}|${{CMAKE_CXX_COMPILER_LAUNCHER}}|${{CMAKE_MODULE_PATH}}")
{how}
set(after "${{CMAKE_CXX_FLAGS}}|${{CMAKE_CXX_FLAGS_RELEASE}}|${{CMAKE_BUILD_TYPE}}|${{CMAKE_CXX_STANDARD}}|${{CMAKE_RUNTIME_OUTPUT_DIRECTORY}}|${{CMAKE_CXX_COMPILER_LAUNCHER}}|${{CMAKE_MODULE_PATH}}")
if(NOT before STREQUAL after)
  message(FATAL_ERROR "changed: ${{before}} -> ${{after}}")
endif()
enable_testing()
add_executable(app main.cpp)
target_link_libraries(app PRIVATE Lanewise::lanewise)
lanewise_compile_shaders(TARGET app SOURCES a.comp EMBED)
install(TARGETS app)
"""
HOWS = {
    "add_subdirectory": f'add_subdirectory("{ROOT}" lanewise)',
    "FetchContent": f'include(FetchContent)\nFetchContent_Declare(lanewise SOURCE_DIR "{ROOT}")\nFetchContent_MakeAvailable(lanewise)',
}


class Subdirectory(unittest.TestCase):
    def test_parent_stays_as_it_is(self):
        for name, how in HOWS.items():
            with self.subTest(name):
                self.check(how)

    def check(self, how):
        project = Project()
        self.addCleanup(project.close)
        project.write({"CMakeLists.txt": PARENT.format(how=how), "a.comp": "#version 430\nvoid main() {}\n",
                       "main.cpp": "#include <lanewise/lanewise.h>\nint main() {}\n"})
        self.assertEqual(project.configure(f"-DCMAKE_CXX_COMPILER={CXX}", "-DCMAKE_BUILD_TYPE=Release"), 0, project.output)
        commands = json.loads((project.build_folder / "compile_commands.json").read_text())
        command = next(c["command"] for c in commands if c["file"].endswith("source/main.cpp"))
        # Nothing but the public headers and what they need of the language.
        flags = [flag for flag in shlex.split(command) if flag.startswith(("-W", "-f", "-D", "-O", "-std"))]
        self.assertEqual(flags, ["-O3", "-DNDEBUG", "-std=gnu++20"])
        folders = [part for part in shlex.split(command) if part.startswith("-I")]
        self.assertEqual([folder.rsplit("/", 1)[1] for folder in folders], ["app_shaders", "include"])
        # No tests, no benchmarks, no programs but the one; and nothing to install.
        self.assertEqual(project.run("ctest", "--test-dir", project.build_folder, "-N"), 0)
        self.assertIn("Total Tests: 0", project.output)
        self.assertNotIn("unit_tests", (project.build_folder / "build.ninja").read_text())
        self.assertFalse((project.build_folder / "package/LanewiseConfig.cmake").exists())
        # The shaders wait for the program, and the program's file is what they depend on.
        self.assertEqual(project.run("ninja", "-C", project.build_folder, "-t", "query", "app_shaders/a.comp.spv"), 0)
        self.assertRegex(project.output, r"input: (.*\n)+? *[^|\n]*/driver/lanewise\n")
        self.assertEqual(project.build("--target", "CMakeFiles/app.dir/main.cpp.o", "--", "-n"), 0, project.output)


if __name__ == "__main__":
    unittest.main()
