"""Two pipelines of FILE: constant 0 is 31 in FIRST workgroups, and 32 in SECOND."""

import sys

file, first, second = sys.argv[1:]
for value, groups in ((31, first), (32, second)):
    print(f'[[pipeline]]\nfile = "{file}"\nconstants = {{ 0 = {value} }}\n'
          f"dispatches = [ {{ groups = [{groups}, 1, 1] }} ]\n")
