"""A folder of small shaders of each kind, each another one.

usage: make_folder.py FOLDER [COUNT]
"""

import pathlib
import sys

SOURCE = """#version 430
#include "scale.h"
layout(local_size_x = 32, local_size_y = 32) in;
layout(binding = 0) readonly buffer Source {{ float source[]; }};
layout(binding = 1) writeonly buffer Target {{ float target[]; }};
shared float tile[32][32];
void main() {{
  uvec2 at = gl_LocalInvocationID.xy;
  tile[at.y][at.x] = source[at.y * 32 + at.x] * {number}.0 * SCALE;
  barrier();
  target[at.y * 32 + at.x] = tile[at.x][at.y];
}}
"""
MODULE = """; Version: 1.3
               OpCapability Shader
               OpMemoryModel Logical GLSL450
               OpEntryPoint GLCompute %main "main"
               OpExecutionMode %main LocalSize {number} 1 1
               OpName %main "main"
       %void = OpTypeVoid
         %fn = OpTypeFunction %void
       %main = OpFunction %void None %fn
      %label = OpLabel
               OpReturn
               OpFunctionEnd
"""

folder = pathlib.Path(sys.argv[1])
count = int(sys.argv[2]) if len(sys.argv) > 2 else 4
(folder / "deep/er").mkdir(parents=True, exist_ok=True)
(folder / "scale.h").write_text("#define SCALE 2.0\n")
(folder / "deep/scale.h").write_text("#define SCALE 3.0\n")
(folder / "readme.txt").write_text("no shader\n")
for number in range(1, count + 1):
    below = ["", "deep/"][number % 2]
    (folder / f"{below}tile{number}.comp").write_text(SOURCE.format(number=number))
    (folder / f"deep/er/empty{number}.spvasm").write_text(MODULE.format(number=number))
