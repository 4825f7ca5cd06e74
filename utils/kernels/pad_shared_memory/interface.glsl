// What all kernels have in common. A kernel has 256 invocations in a workgroup, reads one word of the
// source for each and writes one word of the target; between the two it works `rounds` rounds in
// Workgroup memory. Arithmetic is on integers and no two invocations race, so the target is exact.

layout(set = 0, binding = 0, std430) readonly restrict buffer Source { uint source[]; };
layout(set = 0, binding = 1, std430) writeonly restrict buffer Target { uint target[]; };
layout(push_constant) uniform Constants { uint rounds; };

/// Index of the word that this invocation reads and writes.
uint ownWord() { return gl_WorkGroupID.x * 256 + gl_LocalInvocationIndex; }
