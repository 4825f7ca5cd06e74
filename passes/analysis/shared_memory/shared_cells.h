// A Workgroup variable as a row of cells, one for each scalar in it, and every access of it as a
// choice of some consecutive ones.
//
// A vec4 is four cells, a struct those of its members one after the other, whatever the layout in
// memory. Exact: every use of the variable is an access, or it is named as what stands in the way.
#pragma once

#include "analysis/module/analyses.h"
#include "ir/module.h"

#include <cstdint>
#include <string_view>
#include <vector>

namespace lanewise {

/// A load, store or atomic of `count` cells from `first` + the sum of index * stride on.
struct CellAccess {
  enum class Kind : uint8_t {
    Read, ///< loads, and all atomics
    Write ///< OpStore, volatile ones too
  };
  /// An index that is not literal.
  struct Index {
    Id id;
    uint32_t extent = 0; ///< it must be less
    uint32_t stride = 0; ///< in cells
  };
  InstRef inst;
  Kind kind{};
  std::vector<Index> indices;
  uint32_t first = 0, count = 0;
};

struct CellVariable {
  Id id;
  uint32_t cells = 0;
  std::vector<CellAccess> accesses; ///< in module order
  /// What is not understood; empty when everything is. The rest is only valid then.
  std::string_view obstacle; ///< stable: "other-use", "too-large", ...
  InstRef obstacleAt;        ///< the use; null for the variable itself
};

/// Variables of more cells are not looked at: more than any device has of Workgroup memory.
inline constexpr uint32_t kMaxCells = 1 << 16;

/// `variable` is an OpVariable in Workgroup memory.
CellVariable collectCells(Analyses& analyses, InstRef variable);

} // namespace lanewise
