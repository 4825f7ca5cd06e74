// What a pass that changes the layout of buffers takes and gives beside what every pass has.
#pragma once

#include "lanewise/buffer_layout.h"

#include <map>
#include <span>

namespace lanewise {

struct LayoutExchange {
  /// Layouts that were decided for the whole program that the module is a part of, by where the
  /// module sees the buffer: the pass carries these out and decides none. Null: the module stands
  /// alone.
  const std::map<BindingNumber, BufferLayout>* decided = nullptr;
  /// `--narrow-fields`.
  std::span<const NarrowRequest> narrow = {};
  /// What the pass changed, if it did.
  LayoutManifest manifest = {};
};

} // namespace lanewise
