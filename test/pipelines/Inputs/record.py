"""Pipelines of the module FILE, one with each CONSTANTS, as `lanewise run --record` names it: by its hash."""

import hashlib
import sys

with open(sys.argv[1], "rb") as file:
    module = hashlib.sha256(file.read()).hexdigest()
for constants in sys.argv[2:]:
    print(f'[[pipeline]]\nmodule = "{module}"\nconstants = {constants}\n')
