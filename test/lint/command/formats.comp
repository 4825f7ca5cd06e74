// The three formats of one report, exit codes, and where it goes.
// RUN: not %lanewise lint %s --format=json | FileCheck %s --check-prefix=JSON
// JSON: "version": 1,
// JSON: "rule": "shared-memory-race",
// JSON-NEXT: "severity": "error",
// JSON-NEXT: "input": "{{.*}}formats.comp",
// JSON-NEXT: "file": "{{.*}}formats.comp",
// JSON-NEXT: "line": [[#READ:]],
// JSON-NEXT: "column": 15,
// JSON-NEXT: "end-column": 19,
// JSON-NEXT: "function": "main",
// JSON: "notes": [
// JSON: "line": [[#READ-1]],
// JSON: "errors": 1,
// JSON-NEXT: "warnings": 0
//
// RUN: not %lanewise lint %s --format=sarif -o %t.sarif | count 0
// RUN: FileCheck %s --check-prefix=SARIF < %t.sarif
// SARIF: "version": "2.1.0"
// SARIF: "ruleId": "shared-memory-race"
// SARIF: "level": "error"
// SARIF: "startLine": [[#READ:]]
// SARIF-NEXT: "startColumn": 15,
// SARIF-NEXT: "endColumn": 19,
// SARIF: "relatedLocations"
// SARIF: "startLine": [[#READ-1]]
// RUN: %python %S/Inputs/check_sarif.py %t.sarif 1
//
// Assembly without lines: the place is the file, and the function is named.
// RUN: %lanewise opt --remarks=all --ssa-rewrite %s -S -o %t.spvasm
// RUN: not %lanewise lint %t.spvasm | FileCheck %s --check-prefix=ASSEMBLY
// ASSEMBLY: {{^.*}}.spvasm: error: in 'main': data race on 'tile'
// RUN: not %lanewise lint %t.spvasm --format=sarif | %python %S/Inputs/check_sarif.py - 1
//
// A binary with lines names the source and quotes the text that it carries.
// RUN: glslangValidator -V -g %s -o %t.spv
// RUN: not %lanewise lint %t.spv | FileCheck %s --check-prefix=BINARY
// BINARY: formats.comp:[[#READ:]]: error: data race
// BINARY-NEXT: {{^}}    data[lid] = tile[lid ^ 1];
// BINARY-NEXT: {{^                \^~~~$}}
//
// Standard input, and what nothing was found in.
// RUN: not %lanewise lint -x glsl - < %s | FileCheck %s --check-prefix=STDIN
// STDIN: error: data race on 'tile'
// RUN: %lanewise lint --disable=all --enable=divergent-branch %s --format=sarif | %python %S/Inputs/check_sarif.py - 0
// RUN: %lanewise lint --rule=divergent-branch %s --format=json | FileCheck %s --check-prefix=EMPTY
// EMPTY: "findings": [],
#version 430
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) buffer Data { float data[64]; };
shared float tile[64];

void main() {
  uint lid = gl_LocalInvocationID.x;
  tile[lid] = data[lid];
  data[lid] = tile[lid ^ 1];
}
