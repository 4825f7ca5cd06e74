"""docs/examples/cmake, built against an installed tree that was moved afterwards: with Ninja and with Make."""

import os
import re
import shutil
import subprocess
import time
import unittest

import project
from project import BUILD, CXX, GENERATORS, ROOT, SANITIZED, Project


def install(folder, *options):
    """Installs the build to `folder`/installed, moves the tree to `folder`/moved here; where it is then."""
    prefix, moved = folder / "installed", folder / "moved here"
    done = subprocess.run(["cmake", "--install", BUILD, "--prefix", prefix, *options], stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, check=False)
    if done.returncode != 0:
        raise RuntimeError(done.stdout)
    prefix.rename(moved)
    return moved


class Example(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.installed = Project()
        cls.addClassCleanup(cls.installed.close)
        cls.prefix = install(cls.installed.folder)

    def test_tree_names_no_other_place(self):
        """The package finds everything from where it lies."""
        files = list(self.prefix.rglob("*.cmake")) + list((self.prefix / "include").rglob("*.h"))
        self.assertGreater(len(files), 8)
        for file in files:
            text = file.read_text(encoding="utf-8")
            for place in (ROOT, BUILD, self.installed.folder):
                self.assertNotRegex(text, rf"(?<![\w.}}/-]){re.escape(str(place))}", file)

    def test_headers_need_nothing_else(self):
        """No fmt, no SPIRV-Headers, nothing from the sources; and no warnings."""
        source = self.installed.folder / "only.cpp"
        source.write_text("#include <lanewise/lanewise.h>\nint main() { return int(lanewise::listPasses().empty()); }\n",
                          encoding="utf-8")
        done = subprocess.run(
            [CXX, "-std=c++20", "-Wall", "-Wextra", "-Wpedantic", "-Wshadow", "-Werror", "-fsyntax-only", "-H",
             f"-I{self.prefix}/include", source], capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertNotIn("fmt/", done.stderr)
        self.assertNotIn("spirv", done.stderr.lower())

    def find(self, prefix, lines, *options):
        """Configures a project that finds the package in `prefix`; whether that worked."""
        project = Project()
        self.addCleanup(project.close)
        project.write({"CMakeLists.txt": f"cmake_minimum_required(VERSION 3.22)\nproject(p LANGUAGES NONE)\n{lines}\n"})
        done = project.configure(f"-DCMAKE_PREFIX_PATH={prefix}", *options)
        self.output = " ".join(project.output.split())
        return done == 0

    def test_versions(self):
        self.assertTrue(self.find(self.prefix, "find_package(Lanewise 0.1.0 EXACT REQUIRED COMPONENTS library program)"), self.output)
        self.assertFalse(self.find(self.prefix, "find_package(Lanewise 0.2 REQUIRED)"))
        self.assertFalse(self.find(self.prefix, "find_package(Lanewise REQUIRED COMPONENTS compiler)"))

    def test_development_alone(self):
        """Without the component Runtime there is a library, and the lack of a program is told."""
        project = Project()
        self.addCleanup(project.close)
        prefix = install(project.folder, "--component", "Development")
        self.assertFalse((prefix / "bin").exists())
        find = "find_package(Lanewise REQUIRED)\n"
        use = find + "lanewise_compile_shaders(TARGET t SOURCES a.comp)\n"
        self.assertTrue(self.find(prefix, find + "add_library(l INTERFACE)\ntarget_link_libraries(l INTERFACE Lanewise::lanewise)"))
        self.assertFalse(self.find(prefix, use))
        self.assertIn("install the component Runtime", self.output)
        self.assertFalse(self.find(prefix, "find_package(Lanewise REQUIRED COMPONENTS program)"))
        self.assertFalse(self.find(prefix, find, "-DLANEWISE_EXECUTABLE=/nowhere/lanewise"))
        self.assertIn("LANEWISE_EXECUTABLE: there is no file", self.output)
        self.assertFalse(self.find(prefix, use, f"-DLANEWISE_EXECUTABLE={self.prefix}/bin/lanewise"))
        self.assertIn("SOURCES a.comp: there is no file", self.output) # as far as it should get

    def test_all_generators(self):
        for generator in GENERATORS:
            with self.subTest(generator):
                self.follow(generator)

    def start(self, generator):
        self.project = Project(generator)
        self.addCleanup(self.project.close)
        shutil.copytree(ROOT / "docs/examples/cmake", self.project.source, dirs_exist_ok=True)
        # GNU ld's lists of what it read, which CMake 3.27 and newer use, cannot have a space in a path.
        flags = ["-DCMAKE_LINK_DEPENDS_USE_LINKER=OFF"]
        if SANITIZED:
            flags.append("-DCMAKE_CXX_FLAGS=-fsanitize=address,undefined")
        code = self.project.configure(f"-DCMAKE_PREFIX_PATH={self.prefix}", f"-DCMAKE_CXX_COMPILER={CXX}", *flags)
        self.assertEqual(code, 0, self.project.output)

    def build(self):
        """Builds; what was done, as words."""
        # Make compares whole clock ticks of the file system.
        time.sleep(0.02)
        self.assertEqual(self.project.build(), 0, self.project.output)
        return {word: len(self.project.lines(word))
                for word in ("Optimizing shader", "Embedding shader", "Building CXX", "Linking CXX")}

    def edit(self, name, old, new):
        path = self.project.source / name
        text = path.read_text(encoding="utf-8")
        self.assertIn(old, text)
        path.write_text(text.replace(old, new), encoding="utf-8")

    def follow(self, generator):
        self.start(generator)
        self.assertEqual(self.build(), {"Optimizing shader": 2, "Embedding shader": 1, "Building CXX": 1, "Linking CXX": 1})
        self.assertEqual(self.project.run(self.project.build_folder / "tiles"), 0, self.project.output)
        self.assertIn("padded 'tile' from [32][32] to [32][33]", self.project.output)
        nothing = {"Optimizing shader": 0, "Embedding shader": 0, "Building CXX": 0, "Linking CXX": 0}
        self.assertEqual(self.build(), nothing)

        # An #include that changes what the shaders do: both, and what embeds one of them.
        self.edit("shaders/include/tile.glsl", "at.y * width + at.x", "at.y * width + at.x + 1u")
        self.assertEqual(self.build(), {"Optimizing shader": 2, "Embedding shader": 1, "Building CXX": 1, "Linking CXX": 1})

        # A comment: both are looked at and come out equal, so no C++ is built.
        before = self.project.times()
        self.edit("shaders/include/tile.glsl", "// Where", "// Just where")
        done = self.build()
        self.assertEqual((done["Optimizing shader"], done["Building CXX"], done["Linking CXX"]), (2, 0, 0))
        if generator == "Ninja":
            self.assertEqual(done["Embedding shader"], 0)
        after = self.project.times()
        for name in ("tiles_shaders/transpose.comp.spv", "tiles_shaders/transpose.comp.h", "tiles"):
            self.assertEqual(before[name], after[name], name)
        self.assertEqual(self.build(), nothing)

        # A mistake is told with its place, and leaves no half output.
        before = self.project.times()
        self.edit("shaders/transpose.comp", "barrier();", "barier();")
        self.assertNotEqual(self.project.build(), 0)
        line = 1 + (self.project.source / "shaders/transpose.comp").read_text(encoding="utf-8").split("barier")[0].count("\n")
        self.assertIn(f"{self.project.source}/shaders/transpose.comp:{line}: error: ", self.project.output)
        self.unchanged_outputs(before)
        self.assertNotEqual(self.project.build(), 0) # and again
        self.edit("shaders/transpose.comp", "barier();", "barrier();")
        done = self.build()
        self.assertEqual((done["Optimizing shader"], done["Building CXX"]), (2, 0))

    def unchanged_outputs(self, before):
        after = self.project.times()
        shaders = {name for name in set(before) | set(after) if "shaders/" in name and "CMakeFiles" not in name}
        for name in shaders:
            self.assertEqual(before.get(name), after.get(name), name)

    def test_broken_from_the_start(self):
        """No output at all, not even a temporary file."""
        self.start(GENERATORS[0])
        self.edit("shaders/transpose.comp", "void main()", "void main(")
        self.assertNotEqual(self.project.build("--", "-k0"), 0)
        self.assertIn("shaders/transpose.comp:", self.project.output)
        outputs = [path for folder in ("tiles_shaders", "shaders")
                   for path in (self.project.build_folder / folder).rglob("*") if path.is_file()]
        self.assertEqual(outputs, [])

    def test_install_of_outputs(self):
        """OUTPUTS names files that install() takes."""
        self.start(GENERATORS[0])
        self.assertEqual(self.project.build(), 0, self.project.output)
        prefix = self.project.folder / "out"
        self.assertEqual(self.project.run("cmake", "--install", self.project.build_folder, "--prefix", prefix), 0)
        self.assertTrue((prefix / "share/tiles/transpose.comp.spv").is_file())


if __name__ == "__main__":
    unittest.main()
