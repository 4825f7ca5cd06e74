#version 450
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) buffer Data { float data[64]; };
void main() {
	data[gl_LocalInvocationID.x] = tile[0];
}
