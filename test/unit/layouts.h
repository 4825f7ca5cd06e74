// Layouts that several tests need.
#pragma once

#include "lanewise/buffer_layout.h"

#include <string>

namespace lanewise {

/// Eleven 32-bit fields, one of them a vector of two, each vector or scalar a group of its own.
inline BufferLayout agentLayout(uint32_t tile) {
  BufferLayout layout;
  layout.name = "agents";
  layout.bindings = {{0, 0}, {0, 3}};
  layout.structName = "Agent";
  layout.strideBefore = 44;
  layout.tile = tile;
  for (uint32_t i = 0; i < 10; ++i) {
    const bool isVector = i == 4;
    const uint32_t size = isVector ? 8 : 4, offset = i <= 4 ? 4 * i : 4 * i + 4;
    layout.groups.push_back({size, size});
    LayoutField field;
    field.path = "f" + std::to_string(i);
    field.type = isVector ? "f32x2" : "u32";
    field.offsetBefore = offset;
    field.size = size;
    field.group = i;
    layout.fields.push_back(field);
  }
  return layout;
}

/// A header of 8 bytes, then {u32 kind; i32 energy; f32x3 place; <4 bytes of padding>; u32 id}:
/// kind and energy in 3 and 9 bits of one word, place and id together.
inline BufferLayout narrowedLayout(uint32_t tile) {
  BufferLayout layout;
  layout.name = "things";
  layout.bindings = {{1, 2}};
  layout.structName = "Thing";
  layout.arrayOffsetBefore = 8;
  layout.arrayOffsetAfter = 16;
  layout.strideBefore = 28;
  layout.tile = tile;
  layout.groups = {{4, 4}, {16, 16}};
  layout.fields = {{"kind", "u32", 0, 4, 0, 0, 3, 5, false},
                   {"energy", "i32", 4, 4, 0, 0, 9, 8, true},
                   {"place", "f32x3", 8, 12, 1, 0},
                   {"id", "u32", 24, 4, 1, 12}};
  return layout;
}

} // namespace lanewise
