// Compile errors come as FILE:LINE: error, the first one first, with nothing about counting.
// RUN: (%lanewise opt %s -o %t.out 2> %t.err; test $? -eq 1) && FileCheck %s < %t.err
// RUN: not test -e %t.out
// CHECK: {{^}}{{.*}}bad-source.comp:[[# @LINE + 7]]: error: 'undeclared' : undeclared identifier
// CHECK-NOT: No code generated
// CHECK-NOT: compilation terminated
// The place of an error in an included file is that file's.
#version 450
layout(local_size_x = 1) in;
void main() {
  int x = undeclared;
}
