"""utils/clients must see what is replaced, what comes out otherwise, and what cannot be compared."""

import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "utils/clients"))
import clients
import measure

BIN = pathlib.Path(os.environ["LANEWISE_BIN"])
LANEWISE = BIN / "lanewise"


class Clients(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        if " CPU " not in subprocess.run([LANEWISE, "devices"], capture_output=True, text=True).stdout:
            raise unittest.SkipTest("no lavapipe")
        cls.scratch = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.scratch.cleanup)
        cls.folder = pathlib.Path(cls.scratch.name)
        cls.module = cls.folder / "step.spv"
        subprocess.run([LANEWISE, "opt", ROOT / "test/run/Inputs/step.comp", "-o", cls.module], check=True)

    def measured(self, *command):
        return measure.measure(LANEWISE, "case", command, self.folder / "cache", 1, 60)

    def test_kernels_and_results(self):
        outcome = self.measured(BIN / "vulkan_client", self.module, "plain")
        self.assertEqual(outcome.failure, "")
        self.assertEqual(set(outcome.is_equal), {"original", "spirv-opt -O", "lanewise -O"})
        self.assertTrue(all(outcome.is_equal.values()))
        self.assertEqual(outcome.replaced("lanewise -O"), (2, 2))
        self.assertEqual(outcome.replaced("original"), (0, 2))
        self.assertTrue(all(len(k.times[way]) == 1 for k in outcome.kernels.values() for way in outcome.is_equal))

    def test_what_differs_under_the_layer(self):
        told = 'printf "%s\\n" "${LANEWISE_LAYER_OPTIMIZER:+optimized}"; exec "$@"'
        outcome = self.measured("sh", "-c", told, "sh", BIN / "vulkan_client", self.module, "plain")
        self.assertEqual(outcome.is_equal, {"original": True, "spirv-opt -O": False, "lanewise -O": False})

    def test_what_cannot_be_compared(self):
        self.assertIn("differs from itself", self.measured("sh", "-c", "cat /proc/sys/kernel/random/uuid").failure)
        self.assertIn("exit code 3 without the layer: why", self.measured("sh", "-c", "echo why >&2; exit 3").failure)
        self.assertIn("No such file", self.measured("/no/such/program").failure)
        hidden = self.measured("sh", "-c", 'test -z "$LANEWISE_LAYER_DATA"')
        self.assertIn("original: exit code 1", hidden.failure)

    def test_spirv_opt_runs_none_of_our_passes(self):
        flags = measure.ways_of(LANEWISE)["spirv-opt -O"].split()
        self.assertIn("--skip=pad-shared-memory:*", flags)
        done = subprocess.run([LANEWISE, "opt", *flags, "--remarks=applied", ROOT / "samples/transpose/transpose.comp",
                               "-o", self.folder / "out.spv"], capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_every_client_is_described(self):
        listed = subprocess.run([ROOT / "utils/clients/setup", "--list"], capture_output=True, text=True, check=True).stdout
        for client in clients.all_clients(self.folder):
            self.assertIn(f"{client.name} ", listed)
            self.assertTrue(client.commands(False))
        self.assertNotEqual(subprocess.run([ROOT / "utils/clients/setup", "nobody"], capture_output=True).returncode, 0)


if __name__ == "__main__":
    unittest.main()
