// What programs read: every key of one compute shader. A key that goes or changes its meaning breaks them.
// RUN: %lanewise reflect --format=json %s -o %t.json && %python %S/Inputs/check_json.py %t.json
#version 430
layout(local_size_x_id = 3, local_size_y = 2) in;
layout(constant_id = 7) const float scale = 0.1;
layout(constant_id = 8) const bool isFast = true;
layout(constant_id = 9) const int bias = -2;
struct Cell { vec3 place; float mass; mat3 turn; };
layout(set = 1, binding = 4, std430) readonly restrict buffer Cells { uint count; coherent Cell cells[]; } cells[3];
layout(set = 0, binding = 2, rgba8) writeonly uniform image2D photo;
layout(push_constant) uniform Push { layout(offset = 8) vec2 corner; uint row; } push;
layout(set = 2, binding = 0) uniform Unused { float nothing; };
shared float tile[4][8];
void main() {
  tile[0][gl_LocalInvocationIndex] = cells[push.row].cells[0].mass * scale + float(bias);
  if (isFast) imageStore(photo, ivec2(push.corner), vec4(tile[0][0]));
}
