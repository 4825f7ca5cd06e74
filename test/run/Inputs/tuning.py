"""Prints a tuning file for a module: MODULE TIMES.json NAME...: the first device leaves the module as it is, the second has -O.

A NAME of `here` is the device that the times are of, `other` is `elsewhere`.
"""

import hashlib
import json
import sys

module, times, *names = sys.argv[1:]
with open(module, "rb") as file:
    digest = hashlib.sha256(file.read()).hexdigest()
with open(times, encoding="utf-8") as file:
    here = json.load(file)["devices"][0]
for passes, name in zip(([], ["-O"]), names):
    device = here if name == "here" else {"other": "elsewhere"}.get(name, name)
    print(f'[[choice]]\nmodule = "{digest}"\nfile = "s.comp"\nshader = "s"\nshape = ""\ndevice = "{device}"\ndriver = "1"\n'
          f'passes = {json.dumps(passes)}\ntarget = "generic"\nratio = 1.0\ninterval = [1.0, 1.0]\noutput = "{digest}"\n')
