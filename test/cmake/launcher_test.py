"""docs/examples/distributed/over_ssh in a Ninja build: two ssh servers on this machine take the calls of one build."""

import os
import pathlib
import pwd
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import unittest

from project import PREAMBLE, ROOT, SHADER, Project

LAUNCHER = ROOT / "docs/examples/distributed/over_ssh"
SERVER = pathlib.Path(__file__).with_name("ssh_server.py")
BUILD = """\
set_property(GLOBAL PROPERTY JOB_POOLS machines=4)
set(LANEWISE_LAUNCHER "{launcher}")
lanewise_compile_shaders(TARGET t SOURCES s0.comp s1.comp s2.comp s3.comp s4.comp s5.comp EMBED
  JOB_POOL machines DEFINES "TEXT=it's a b")
"""


def python_with_asyncssh():
    """A system's package belongs to the system's Python, which need not be this one."""
    for python in (sys.executable, "/usr/bin/python3"):
        if subprocess.run([python, "-c", "import asyncssh"], capture_output=True, check=False).returncode == 0:
            return python
    return None


PYTHON = python_with_asyncssh()


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


class Machines:
    """ssh servers that write the commands they take to a file each."""

    def __init__(self, folder, names):
        self.folder, self.names, self.processes = folder, names, []
        self.run("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", folder / "key")
        self.config = folder / "ssh_config"
        text = ""
        for name in names:
            port = free_port()
            self.start(name, port)
            text += (f"Host {name}\n  HostName 127.0.0.1\n  Port {port}\n  User {pwd.getpwuid(os.getuid()).pw_name}\n"
                     f"  IdentityFile {folder}/key\n  IdentitiesOnly yes\n  StrictHostKeyChecking no\n"
                     f"  UserKnownHostsFile {folder}/known\n  LogLevel ERROR\n")
        self.config.write_text(text)

    @staticmethod
    def run(*command):
        subprocess.run(command, check=True, capture_output=True)

    def start(self, name, port):
        process = subprocess.Popen([PYTHON, SERVER, str(port), self.folder / "key", self.folder / f"{name}.log"],
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.processes.append(process)
        for _ in range(400):
            with socket.socket() as client:
                if client.connect_ex(("127.0.0.1", port)) == 0:
                    return
            time.sleep(0.05)
        raise RuntimeError(f"{name}: its server does not start")

    def commands(self, name):
        log = self.folder / f"{name}.log"
        return log.read_text().splitlines() if log.exists() else []

    def stop(self):
        for process in self.processes:
            process.terminate()
            process.wait()


@unittest.skipUnless(PYTHON and shutil.which("ssh") and shutil.which("flock"), "no python3-asyncssh, ssh or flock")
class Launcher(unittest.TestCase):
    def setUp(self):
        # ssh's configuration takes no folder with spaces for keys.
        scratch = tempfile.TemporaryDirectory(prefix="lanewise-ssh-")
        self.addCleanup(scratch.cleanup)
        self.folder = pathlib.Path(scratch.name)
        self.machines = Machines(self.folder, ["alpha", "beta"])
        self.addCleanup(self.machines.stop)
        self.environment = {"LANEWISE_HOSTS": "alpha:2 beta:2", "LANEWISE_SSH": f"ssh -F {self.machines.config}",
                            "XDG_RUNTIME_DIR": str(self.folder)}

    def project(self, launcher):
        project = Project()
        self.addCleanup(project.close)
        project.write({"CMakeLists.txt": PREAMBLE + BUILD.format(launcher=launcher),
                       **{f"s{n}.comp": SHADER.replace("1u", f"{n + 1}u") for n in range(6)}})
        self.assertEqual(project.configure(), 0, project.output)
        return project

    def results(self, project):
        return {path.name: path.read_bytes() for path in (project.build_folder / "t_shaders").iterdir()
                if path.suffix in (".spv", ".h")}

    def test_build_on_two_machines(self):
        here = self.project("")
        self.assertEqual(here.build(), 0, here.output)
        there = self.project(LAUNCHER)
        self.assertEqual(there.build(environment=self.environment), 0, there.output)
        self.assertEqual(len(self.results(there)), 12)
        self.assertEqual(self.results(there), self.results(here))
        taken = {name: self.machines.commands(name) for name in self.machines.names}
        self.assertEqual(sum(map(len, taken.values())), 12, taken)
        for name, commands in taken.items():
            self.assertGreater(len(commands), 0, name)
        self.assertEqual(there.build(environment=self.environment), 0)
        self.assertIn("no work to do", there.output)

        # Mistakes come back with their place, and as failures.
        there.write({"s3.comp": SHADER.replace("{ data[", "{ date[")})
        self.assertNotEqual(there.build(environment=self.environment), 0)
        self.assertIn(f"{there.source}/s3.comp:", there.output)
        self.assertIn(": error: ", there.output)

    def test_machine_that_is_away(self):
        self.machines.stop()
        project = self.project(LAUNCHER)
        self.assertEqual(project.build(environment=self.environment), 0, project.output)
        self.assertIn("cannot be reached; running here", project.output)
        self.assertEqual(len(self.results(project)), 12)

    def test_arguments_arrive_as_they_are(self):
        words = ["a b", "it's", '"q"', "$HOME", "*", "\\", "", "line\nline"]
        done = subprocess.run(
            [LAUNCHER, "printf", "<%s>", *words], capture_output=True, text=True, check=False,
            env={**os.environ, **self.environment})
        self.assertEqual((done.returncode, done.stdout), (0, "".join(f"<{word}>" for word in words)), done.stderr)
        self.assertEqual(sum(len(self.machines.commands(name)) > 0 for name in self.machines.names), 1)
        for code in (2, 3):
            done = subprocess.run([LAUNCHER, "sh", "-c", f"exit {code}"], check=False, env={**os.environ, **self.environment})
            self.assertEqual(done.returncode, code)


if __name__ == "__main__":
    unittest.main()
