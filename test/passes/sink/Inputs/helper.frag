#version 450
#extension GL_EXT_demote_to_helper_invocation : require
layout(location = 0) in vec4 x;
layout(location = 0) out vec4 y;
void main() {
  bool is = helperInvocationEXT();
  vec4 dear = sqrt(x) / x.wzyx;
  y = vec4(1.0);
  if (x.x > 0.5) {
    demote;
    y = is ? dear : dear + 1.0;
  }
}
