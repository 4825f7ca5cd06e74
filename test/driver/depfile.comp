// -MD -MF lists what was read, escaped as make has it.
// RUN: rm -rf %t && mkdir %t
// RUN: %lanewise opt %s -I %S/Inputs -I "%S/Inputs/with space" -o %t/out.spv -MD -MF %t/out.d && FileCheck %s < %t/out.d
// CHECK: {{.*}}/out.spv: \
// CHECK-NEXT: {{.*}}/depfile.comp \
// CHECK-NEXT: {{.*}}/Inputs/factor.glsl \
// CHECK-NEXT: {{.*}}/Inputs/with\ space/other.glsl{{$}}
// Without -MF it stands beside the output.
// RUN: %lanewise opt %s -I%S/Inputs "-I%S/Inputs/with space" -o %t/two.spv -MD && test -s %t/two.spv.d
// -MT names what is made where that is not the output, and implies -MD.
// RUN: %lanewise opt %s -I%S/Inputs "-I%S/Inputs/with space" -o %t/two.spv -MT "%t/a stamp" && FileCheck %s --check-prefix=TARGET < %t/two.spv.d
// TARGET: {{.*}}/a\ stamp: \
// TARGET-NEXT: {{.*}}/depfile.comp \
// -MP: make goes on where an include is gone.
// RUN: %lanewise opt %s -I%S/Inputs "-I%S/Inputs/with space" -o %t/two.spv -MP && FileCheck %s --check-prefix=PHONY < %t/two.spv.d
// PHONY: two.spv: {{.*}}
// PHONY: {{^}}/{{.*[^:]}}:{{$}}
// RUN: not %lanewise opt %s %s -o %t -MT x 2>&1 | FileCheck %s --check-prefix=ONE
// ONE: -MT names one output
// With --write-if-changed an output that would become what it is keeps its time; another is written.
// RUN: touch -d 2001-01-01 %t/two.spv && %lanewise opt %s -I%S/Inputs "-I%S/Inputs/with space" -o %t/two.spv --write-if-changed
// RUN: %python -c "import os; assert os.stat(r'%t/two.spv').st_mtime < 1e9"
// RUN: %lanewise opt %s -I%S/Inputs "-I%S/Inputs/with space" -o %t/two.spv --write-if-changed -O
// RUN: %python -c "import os; assert os.stat(r'%t/two.spv').st_mtime > 1e9"
// RUN: touch -d 2001-01-01 %t/two.spv && %lanewise opt %s -I%S/Inputs "-I%S/Inputs/with space" -o %t/two.spv -O
// RUN: %python -c "import os; assert os.stat(r'%t/two.spv').st_mtime > 1e9"
// Make has no way to write a line break in a name.
// RUN: cd %t && cp %S/order.spvasm "$(printf 'a\nb.spvasm')" && not %lanewise opt "$(printf 'a\nb.spvasm')" -o %t/five.spv -MD 2>&1 | FileCheck %s --check-prefix=BREAK
// BREAK: a?b.spvasm: a depfile (-MD) cannot hold a name with a line break
// RUN: not test -e %t/five.spv && not test -e %t/five.spv.d
// Errors in included files name the included file.
// RUN: not %lanewise opt %s -I %S/Inputs -o %t/three.spv -MD 2>&1 | FileCheck %s --check-prefix=MISSING
// MISSING: depfile.comp:[[# @LINE + 6]]: error: {{.*}}other.glsl
// RUN: not test -e %t/three.spv && not test -e %t/three.spv.d
// RUN: not %lanewise opt %s -MD 2>&1 | FileCheck %s --check-prefix=NEEDS
// NEEDS: -MD needs -o FILE
#version 450
#include "factor.glsl"
#include <other.glsl>
layout(local_size_x = 1) in;
layout(binding = 0) buffer Data { float data[]; };
void main() { data[0] *= kFactor * kOther; }
