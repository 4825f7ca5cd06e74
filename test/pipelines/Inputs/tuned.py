"""Prints a tuning file for a module: MODULE, then DEVICE and FLAG by turns."""

import hashlib
import sys

module, *pairs = sys.argv[1:]
with open(module, "rb") as file:
    digest = hashlib.sha256(file.read()).hexdigest()
for device, flag in zip(pairs[::2], pairs[1::2]):
    print(f'[[choice]]\nmodule = "{digest}"\ndevice = "{device}"\npasses = ["{flag}"]\ntarget = "generic"\noutput = "{"0" * 64}"\n')
