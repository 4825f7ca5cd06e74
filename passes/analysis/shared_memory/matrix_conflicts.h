// What the banks of Workgroup memory make of loads and stores of cooperative matrices.
//
// Which invocation touches which element is the implementation's affair, so what is counted is a
// model: pieces of 16 bytes of 8 lines of memory at a time (rows, or columns of a matrix that is
// laid out by columns), as instructions do that load matrices.
// docs/design/conflicts-by-counting.md.
#pragma once

#include "analysis/module/analyses.h"
#include "analysis/shared_memory/bank_conflicts.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace lanewise {

/// OpCooperativeMatrixLoadKHR or OpCooperativeMatrixStoreKHR on Workgroup memory.
struct MatrixTransfer {
  InstRef inst;
  Id pointer;
  bool isStore = false, isByColumns = false;
  uint32_t rows = 0, columns = 0, componentBytes = 0;
  uint64_t strideBytes = 0; ///< from line to line

  uint32_t lines() const { return isByColumns ? columns : rows; }
  uint32_t lineBytes() const { return (isByColumns ? rows : columns) * componentBytes; }
};

struct MatrixCost {
  uint32_t degree = 0; ///< highest of a phase
  uint64_t cycles = 0, cleanCycles = 0;
};

/// Those of the module whose sizes and strides are known, in module order.
std::vector<MatrixTransfer> collectMatrixTransfers(Analyses& analyses, const TargetProfile& target);
MatrixCost costOf(const MatrixTransfer& transfer, const TargetProfile& target);

} // namespace lanewise
