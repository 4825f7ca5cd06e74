"""What the tests of an installed tree share."""

import subprocess


def commands(program):
    """The names that `lanewise --help` lists; of "layout pack" and its like the first word."""
    text = subprocess.run([program, "--help"], capture_output=True, text=True, check=True).stdout
    lines = text.split("Commands:\n")[1].split("\n\n")[0].splitlines()
    return list(dict.fromkeys(line.split()[0] for line in lines if not line.startswith("   ")))
