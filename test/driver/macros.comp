// -D defines macros, with the value 1 when none is given.
// RUN: %lanewise opt %s -DWIDTH=64 -D FAST -S | FileCheck %s
// CHECK: LocalSize 64 1 1
// RUN: not %lanewise opt %s -o %t.no 2>&1 | FileCheck %s --check-prefix=MISSING
// MISSING: macros.comp:[[# @LINE + 2]]: error: {{.*}}WIDTH
#version 450
layout(local_size_x = WIDTH * FAST) in;
void main() {}
// The last definition counts, also where the first is the project file's.
// RUN: %lanewise opt %s -DWIDTH=8 -D FAST -DWIDTH=32 -S | FileCheck %s --check-prefix=LAST
// RUN: echo 'define-macro = ["WIDTH=8", "FAST"]' >%t.toml
// RUN: %lanewise opt %s --project=%t.toml -DWIDTH=32 -S | FileCheck %s --check-prefix=LAST
// LAST: LocalSize 32 1 1
// RUN: not %lanewise opt %s -D 1x=2 2>&1 | FileCheck %s --check-prefix=DIGIT
// DIGIT: error: -D 1x=2: a macro's name begins with no digit
