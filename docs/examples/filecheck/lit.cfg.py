# A suite of shader tests that runs lanewise: docs/filecheck.md explains it line by line.
import os
import shutil
import sys

import lit.formats

# The module is installed with lanewise: bin/lanewise, share/lanewise/lit/lanewise_lit.py.
program = os.environ.get("LANEWISE") or shutil.which("lanewise")
if program is None:
    lit_config.fatal("no lanewise on PATH; say LANEWISE=/path/to/lanewise")
sys.path.insert(0, os.path.join(os.path.dirname(os.path.realpath(program)), "../share/lanewise/lit"))
import lanewise_lit

config.name = "shaders"
config.test_format = lit.formats.ShTest()
config.suffixes = [".comp", ".spvasm"]
config.test_source_root = os.path.dirname(__file__)
config.test_exec_root = os.environ.get("SHADER_TESTS_OUTPUT", "/tmp/shader-tests")
lanewise_lit.configure(config, lit_config, program=program)
