#version 430
// Reads every `step`th element: 32 meets one bank, 33 all of them. The extent is literal, so that a gap can be put in.
layout(local_size_x = 256) in;
layout(constant_id = 0) const uint step = 1;
layout(set = 0, binding = 0) buffer Data { uint data[]; };
shared uint cells[8192];
void main() {
  uint t = gl_LocalInvocationIndex;
  for (uint n = 0; n < 32; ++n) cells[n * 256 + t] = data[n * 256 + t];
  barrier();
  uint sum = 0;
  for (uint n = 0; n < 32; ++n) sum += cells[t * step + n];
  data[gl_GlobalInvocationID.x] = sum;
}
