// Compares what the headers hold with the files that they were made of, given in this order.
#include "blur.h"
#include "class.h"
#include "empty.h"
#include "ends.h"
#include "long.h"

#include <cstdio>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>

static bool isFile(const char* path, std::string_view expected) {
  std::ifstream file(path, std::ios::binary);
  const std::string bytes(std::istreambuf_iterator<char>(file), {});
  if (bytes != expected) std::printf("%s: differs\n", path);
  return bytes == expected;
}

int main(int, char** files) {
  const char* words = reinterpret_cast<const char*>(app::shaders::blur_comp);
  bool ok = isFile(files[1], {words, sizeof app::shaders::blur_comp});
  // Strings end in a zero that no file has.
  ok &= isFile(files[2], {ends_glsl, sizeof ends_glsl - 1});
  ok &= isFile(files[3], {text, sizeof text - 1});
  ok &= isFile(files[4], {n::class_, sizeof n::class_ - 1});
  ok &= isFile(files[5], {empty_glsl, sizeof empty_glsl - 1});
  return ok ? 0 : 1;
}
