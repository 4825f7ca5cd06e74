#version 430
// Each invocation writes one word of `target`, from word `first` on.
layout(local_size_x = 16) in;
layout(set = 0, binding = 0) buffer Target { uint target[]; };
layout(push_constant) uniform Where { uint first; uint value; };
void main() { target[first + gl_GlobalInvocationID.x] = value; }
