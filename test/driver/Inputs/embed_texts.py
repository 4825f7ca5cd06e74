"""Texts that are hard to write as C++ literals, in the folder that is given."""

import pathlib
import sys

folder = pathlib.Path(sys.argv[1])
# What ends raw literals, what escapes elsewhere, ends of lines of other systems, and letters of several bytes.
folder.joinpath("ends.glsl").write_bytes(
    'a)" )shader" )shader1" \\n ??= "\t% \u00e9\u4e2d\r\none\rtwo\r\r\nlast line without end'.encode("utf-8"))
# Longer than any one literal may be, once with lines and once without.
folder.joinpath("long.glsl").write_text("".join(f"line {n} \u00e9\n" for n in range(3000)) + "x" * 20000, "utf-8")
folder.joinpath("class").write_text("float f;\n", "utf-8")
folder.joinpath("empty.glsl").write_text("", "utf-8")
