"""Runs a command on one core, interrupts it half a second after it has written to its output, and says how it ends.

  impatient.py OUTPUT COMMAND...
"""
import os
import signal
import subprocess
import sys
import time

output, *command = sys.argv[1:]
os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
signal.signal(signal.SIGINT, signal.SIG_DFL)
with open(output, "w") as file:
    process = subprocess.Popen(command, stdout=file)
while os.path.getsize(output) == 0 and process.poll() is None:
    time.sleep(0.01)
time.sleep(0.5)
process.send_signal(signal.SIGINT)
print("exit code", process.wait())
