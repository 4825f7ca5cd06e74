// A compiler that dies of a module says so, and the next module has another one. Float atomics are unknown to some
// versions of the driver, known to others: either is fine here.
#version 450
#extension GL_EXT_shader_atomic_float : require
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) buffer Data { float data[]; };
void main() { atomicAdd(data[0], 1.0); }
