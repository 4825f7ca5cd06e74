"""Runs a command and interrupts it once a file of this name or pattern is there: PATTERN COMMAND..."""

import glob
import signal
import subprocess
import sys
import time

signal.signal(signal.SIGINT, signal.SIG_DFL)  # test runners ignore it, and what they start with it
process = subprocess.Popen(sys.argv[2:])
for _ in range(600):
    if glob.glob(sys.argv[1]):
        break
    time.sleep(0.1)
time.sleep(0.2)
process.send_signal(signal.SIGINT)
if process.wait() != -signal.SIGINT:
    sys.exit("it did not end by the signal")
sys.exit(1)
