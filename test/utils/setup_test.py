"""What a newcomer meets: utils/setup with an apt of our own, utils/format without its formatter, and a build that
neither a warning nor a missing test package stops."""

import json
import os
import pathlib
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
# Debian's packages that start a service when they are installed, or at the next boot.
SERVICES = {"redis-server", "redis", "openssh-server", "ssh", "dropbear", "tinysshd"}


class Scratch(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = pathlib.Path(scratch.name)

    def tool(self, name, script):
        path = self.folder / "bin" / name
        path.parent.mkdir(exist_ok=True)
        path.write_text("#!/bin/sh\n" + script)
        path.chmod(0o755)

    def run_script(self, name, *arguments, path=None):
        environment = {**os.environ, "PATH": path or f"{self.folder / 'bin'}:{os.environ['PATH']}"}
        return subprocess.run(["bash", ROOT / "utils" / name, *arguments], env=environment, capture_output=True, text=True,
                              check=False)


class Setup(Scratch):
    def install(self, *arguments, unknown=(), virtual=(), installed=()):
        """The packages that utils/setup hands to apt-get, where apt knows all but `unknown`, and of `virtual` that
        another package provides them."""
        state, log = self.folder / "installed", self.folder / "log"
        state.write_text("".join(f"{package}\n" for package in installed))
        log.write_text("")
        self.tool("dpkg-query", f'for last; do :; done; grep -qx "$last" {state} && echo installed\n')
        self.tool("apt-cache", f'''case " {" ".join(unknown)} " in *" $3 "*) exit 100 ;; esac
case " {" ".join(virtual)} " in *" $3 "*) ;; *) echo "Package: $3" ;; esac
''')
        self.tool("apt-get", f'''[ "$3" = install ] || exit 0
shift 5; echo "$@" >> {log}; for p; do echo "$p" >> {state}; done
''')
        self.tool("sudo", 'exec "$@"\n')
        done = self.run_script("setup", *arguments)
        self.assertEqual(done.returncode, 0, done.stderr)
        return log.read_text().split()

    def test_program_needs_nothing_of_the_tests(self):
        program, everything = self.install(), self.install("--tests")
        self.assertIn("g++", program)
        self.assertLess(set(program), set(everything))
        of_tests = set(everything) - set(program)
        self.assertLessEqual({"libgtest-dev", "llvm-19-tools", "clang-format-14", "chromium-headless-shell", "zsh"}, of_tests)

    def test_no_service(self):
        self.assertEqual(SERVICES & set(self.install("--tests")), set())

    def test_only_what_is_missing(self):
        self.assertEqual(self.install(installed=self.install()), [])

    def test_older_alternative_is_kept(self):
        packages = self.install("--tests", installed=["llvm-14-tools"])
        self.assertFalse([p for p in packages if p.startswith("llvm-")])

    def test_optional_package_that_apt_does_not_know(self):
        unknown = ["clang-format-14", "chromium-headless-shell", "chromium", "llvm-19-tools"]
        packages = self.install("--tests", unknown=unknown)
        self.assertFalse(set(unknown) & set(packages))
        self.assertIn("llvm-18-tools", packages)

    def test_name_that_is_only_provided(self):
        """On Ubuntu, chromium is a name of what installs a snap and its service."""
        packages = self.install("--tests", unknown=["chromium-headless-shell"], virtual=["chromium"])
        self.assertFalse([p for p in packages if p.startswith("chromium")])

    def test_list_has_both(self):
        done = self.run_script("setup", "--list")
        program, tests = done.stdout.split("Its tests need:")
        self.assertIn("glslang-dev", program)
        self.assertIn("libgtest-dev", tests)
        self.assertNotIn("libgtest-dev", program)

    def test_unknown_argument(self):
        done = self.run_script("setup", "--test")
        self.assertEqual(done.returncode, 1)
        self.assertIn("unknown argument '--test'", done.stderr)


class Format(Scratch):
    def setUp(self):
        super().setUp()
        for tool in ("bash", "dirname", "find", "sort"):
            self.tool(tool, f'exec {subprocess.check_output(["which", tool], text=True).strip()} "$@"\n')

    def test_other_version_is_a_skip_by_name(self):
        self.tool("clang-format", "echo Debian clang-format version 19.1.7\n")
        done = self.run_script("format", "--check", path=str(self.folder / "bin"))
        self.assertEqual(done.returncode, 77, done.stderr)
        self.assertIn("skipped, not checked: clang-format 14 is not installed (there is clang-format version 19.1.7)",
                      done.stderr)

    def test_formatting_without_the_formatter_fails(self):
        done = self.run_script("format", path=str(self.folder / "bin"))
        self.assertEqual(done.returncode, 1)
        self.assertIn("clang-format 14 is not installed; utils/setup --tests", done.stderr)

    def test_version_14_judges(self):
        self.tool("clang-format-14", 'case $1 in --version) echo clang-format version 14.0.6 ;; *) exit 1 ;; esac\n')
        done = self.run_script("format", "--check", path=str(self.folder / "bin"))
        self.assertEqual(done.returncode, 1)
        self.assertIn("not formatted", done.stderr)


class Build(Scratch):
    def test_warnings_are_errors_in_one_preset(self):
        presets = json.loads((ROOT / "CMakePresets.json").read_text())["configurePresets"]
        strict = [p["name"] for p in presets if p.get("cacheVariables", {}).get("LANEWISE_WERROR") == "ON"]
        self.assertEqual(strict, ["ci"])
        self.assertIn("--preset ci", (ROOT / ".ci/run").read_text())

    def configure(self, tests):
        # GoogleTest stands for all packages of the tests.
        return subprocess.run(
            ["cmake", "-G", "Ninja", "-S", ROOT, "-B", self.folder / tests, "-DLANEWISE_BENCHMARKS=OFF",
             f"-DLANEWISE_TESTS={tests}", "-DCMAKE_DISABLE_FIND_PACKAGE_GTest=ON"], capture_output=True, text=True,
            check=False)

    def test_without_the_packages_of_the_tests(self):
        done = self.configure("AUTO")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("The tests are left out for want of GoogleTest", done.stdout)
        self.assertNotIn("lanewise_unit_tests", (self.folder / "AUTO/build.ninja").read_text())

    def test_tests_that_were_asked_for(self):
        done = self.configure("ON")
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("The tests need GoogleTest", done.stderr)


if __name__ == "__main__":
    unittest.main()
