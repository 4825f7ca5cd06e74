"""What the tests of an installed tree share."""

import subprocess


def commands(program):
    """The names that `lanewise --help` lists."""
    text = subprocess.run([program, "--help"], capture_output=True, text=True, check=True).stdout
    lines = text.split("Commands:\n")[1].split("\n\n")[0].splitlines()
    return [line.split()[0] for line in lines if not line.startswith("   ")]
