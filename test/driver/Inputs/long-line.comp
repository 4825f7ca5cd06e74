#version 430
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) buffer Data { float data[]; };
shared float tile[64];
void main() {
	uint lid = gl_LocalInvocationID.x; float sum = 0.0; /* a line that is longer than a terminal is wide, with what it is about near its end */ sum += tile[lid ^ 1]; data[lid] = sum; /* and something behind it, so that it goes on and on until even two hundred columns are full */
	tile[lid] = sum;
}
