"""The Debian packages that cpack makes: their fields, their files, and that the program runs.

usage: deb_test.py BUILD CPACK
"""

import gzip
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

BUILD, CPACK = pathlib.Path(sys.argv.pop(1)), sys.argv.pop(1)
SKIPPED = 77


def output(*command, **options):
    done = subprocess.run(command, capture_output=True, text=True, check=False, **options)
    assert done.returncode == 0, (command, done.stdout, done.stderr)
    return done.stdout


class Package(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.scratch = tempfile.TemporaryDirectory()
        folder = pathlib.Path(cls.scratch.name)
        # Quick compression; how it was compressed is none of a user's concern, nor is the umask of who did it.
        output(CPACK, "-G", "DEB", "--config", BUILD / "CPackConfig.cmake", "-B", folder / "made",
               "-D", "CPACK_DEBIAN_COMPRESSION_TYPE=gzip", umask=0o077)
        cls.files = sorted((folder / "made").glob("*.deb"))
        cls.package, cls.tree = cls.files[0], folder / "tree"
        cls.development, cls.development_tree = cls.files[-1], folder / "development"
        output("dpkg-deb", "-x", cls.package, cls.tree)
        output("dpkg-deb", "-x", cls.development, cls.development_tree)

    @classmethod
    def tearDownClass(cls):
        cls.scratch.cleanup()

    def field(self, name, package=None):
        return output("dpkg-deb", "-f", package or self.package, name).strip()

    def test_names_by_debians_rule(self):
        version = re.search(r"VERSION (\d+\.\d+\.\d+)", (pathlib.Path(__file__).parents[2] / "CMakeLists.txt").read_text()).group(1)
        architecture = output("dpkg", "--print-architecture").strip()
        self.assertEqual([file.name for file in self.files],
                         [f"lanewise_{version}-1_{architecture}.deb", f"liblanewise-dev_{version}-1_{architecture}.deb"])
        self.assertEqual((self.field("Package"), self.field("Version"), self.field("Architecture")),
                         ("lanewise", f"{version}-1", architecture))

    def test_needs_what_the_program_is_linked_with(self):
        depends = self.field("Depends")
        linked = re.findall(r"NEEDED.*\[(.+?)\]", output("readelf", "-d", self.tree / "usr/bin/lanewise"))
        self.assertIn("libc.so.6", linked)
        for library in linked:
            # "libfmt.so.9" is of libfmt9, "libstdc++.so.6" of libstdc++6, "libz.so.1" of zlib1g; libc6 has libm as well.
            library = library.replace("libz.so.1", "zlib1g")
            name, _, version = library.partition(".so.")
            name = name.replace("_", "-") + ("-" if name[-1].isdigit() else "") + version
            if not name.startswith(("libm6", "ld-linux", "libgcc-s")):
                self.assertIn(name, depends)
        # Opened at run time, by those who verify: nothing that is linked tells of it.
        self.assertNotIn("vulkan", depends)
        self.assertEqual(self.field("Recommends"), "libvulkan1, mesa-vulkan-drivers | vulkan-icd")

    def test_description(self):
        self.assertRegex(self.field("Description"), r"^optimizer for [^\n]+\n .*Lanewise rewrites")
        self.assertRegex(self.field("Maintainer"), r"^.+ <.+@.+>$")

    def test_checksums(self):
        for package in self.files:
            checked = subprocess.run(["sha256sum", "-c", f"{package.name}.sha256"], cwd=package.parent,
                                     capture_output=True, text=True, check=False)
            self.assertEqual((checked.returncode, checked.stdout), (0, f"{package.name}: OK\n"))

    def test_files_are_where_debian_has_them(self):
        for name in ("bin/lanewise", "share/doc/lanewise/copyright", "share/doc/lanewise/changelog.gz",
                     "share/doc/lanewise/changelog.Debian.gz", "share/man/man1/lanewise-opt.1.gz",
                     "share/bash-completion/completions/lanewise", "share/zsh/site-functions/_lanewise",
                     "share/fish/vendor_completions.d/lanewise.fish", "share/lanewise/lit/lanewise_lit.py",
                     "share/vulkan/explicit_layer.d/VkLayer_lanewise.json"):
            self.assertTrue((self.tree / "usr" / name).is_file(), name)
        self.assertEqual([path.name for path in self.tree.iterdir()], ["usr"])
        self.assertFalse((self.tree / "usr/share/doc/lanewise/LICENSE").exists())
        self.assertEqual(list((self.tree / "usr/share/man").rglob("*.1")), [])
        self.assertEqual(len(list((self.tree / "usr").glob("lib/**/lanewise/libVkLayer_lanewise.so"))), 1)

    def test_the_other_package_is_for_building(self):
        self.assertEqual(self.field("Depends", self.development), f"lanewise (= {self.field('Version')})")
        self.assertEqual(self.field("Section", self.development), "libdevel")
        usr = self.development_tree / "usr"
        self.assertTrue((usr / "include/lanewise/lanewise.h").is_file())
        self.assertEqual(len(list(usr.glob("lib/**/liblanewise.a"))), 1)
        self.assertEqual(len(list(usr.glob("lib/**/LanewiseConfig.cmake"))), 1)
        self.assertTrue((usr / "share/doc/liblanewise-dev/copyright").is_file())
        self.assertFalse((usr / "bin").exists())

    def test_no_file_is_in_both(self):
        def files(tree):
            return {path.relative_to(tree) for path in tree.rglob("*") if path.is_file()}
        self.assertEqual(files(self.tree) & files(self.development_tree), set())

    def test_owners_and_modes(self):
        for line in (output("dpkg-deb", "-c", self.package) + output("dpkg-deb", "-c", self.development)).splitlines():
            mode, owner = line.split()[:2]
            self.assertEqual(owner, "root/root", line)
            self.assertIn(mode, ("drwxr-xr-x", "-rwxr-xr-x", "-rw-r--r--"), line)

    def test_pages_are_whole(self):
        page = gzip.decompress((self.tree / "usr/share/man/man1/lanewise.1.gz").read_bytes()).decode()
        self.assertIn(".SH SEE ALSO", page)
        log = gzip.decompress((self.tree / "usr/share/doc/lanewise/changelog.Debian.gz").read_bytes()).decode()
        self.assertRegex(log, r"^lanewise \([\d.]+-1\) ")
        self.assertRegex(log, r"\n -- .+ <.+>  \w{3}, \d\d \w{3} \d{4} [\d:]+ \+0000\n$")

    def test_program_runs(self):
        program = self.tree / "usr/bin/lanewise"
        self.assertRegex(output(program, "--version"), r"^lanewise \d")
        self.assertNotIn(".symtab", output("readelf", "-S", program))


if __name__ == "__main__":
    for tool in ("dpkg-deb", "dpkg-shlibdeps", "readelf"):
        if shutil.which(tool) is None:
            print(f"{tool} is not installed")
            sys.exit(SKIPPED)
    os.environ["LC_ALL"] = "C"
    unittest.main()
