#version 430
#extension GL_KHR_memory_scope_semantics : require
// Counts the invocations in the first word of `target`.
layout(local_size_x = 16) in;
layout(set = 0, binding = 0) buffer Target { uint target[]; };
void main() {
  atomicAdd(target[0], 1u, gl_ScopeDevice, gl_StorageSemanticsBuffer, gl_SemanticsRelaxed);
}
