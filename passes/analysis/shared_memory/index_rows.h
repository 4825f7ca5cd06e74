// An index of a flat array taken apart into rows and a place in a row, where ranges prove that the
// place stays in its row:
//
//   32 * y + x + 65, x in 0 to 30, rows of 32   =>   row y + 2, place x + 1
//
// A gap behind each row is then a longer row to each access, `33 * y + x + 67`: no arithmetic is
// added, and constants stay constants.
#pragma once

#include "analysis/module/analyses.h"
#include "analysis/module/constants.h"
#include "analysis/module/entry_points.h"
#include "analysis/shared_memory/shared_variables.h"
#include "analysis/values/affine.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace lanewise {

/// The low 32 bits of a number that is no specialization constant.
std::optional<uint32_t> lowBitsOf(const Constants& constants, Id id);

/// A 32-bit value times a number, modulo 2^32.
struct IndexTerm {
  Id value;
  int32_t coefficient = 1;
};

struct IndexRows {
  /// What chooses the row: coefficients, and the constant, are multiples of the row's length.
  std::vector<IndexTerm> rows;
  int32_t rowConstant = 0;
  /// What chooses the place: from 0 to the length less 1, the constant included.
  std::vector<IndexTerm> places;
  int32_t placeConstant = 0;
};

class IndexSplitter {
public:
  /// `entryPoints`: those under which the accesses may run. `affineOf` gives their forms.
  IndexSplitter(Analyses& analyses, std::span<const EntryPoint* const> entryPoints,
                std::function<Affine&(const EntryPoint&)> affineOf);

  /// The sum of `steps`, in rows of `length` (a power of two): as an integer what the shader
  /// computes modulo 2^32, wherever that is in range of an array of less than 2 GiB. Nothing where
  /// that is not proved for the block `at`, for every specialization.
  std::optional<IndexRows> split(std::span<const IndexTerm> steps, uint32_t length, BlockRef at);

private:
  using Interval = std::pair<int64_t, int64_t>;

  bool add(IndexRows& sum, IndexTerm term, uint32_t length, BlockRef at, uint32_t depth);
  std::optional<Interval> rangeOf(const IndexTerm& term, BlockRef at);
  std::optional<Interval> rangeOf(std::span<const IndexTerm> terms, BlockRef at);
  std::optional<int32_t> literal(Id id) const { return lowBitsOf(analyses_.get<Constants>(), id); }

  Analyses& analyses_;
  const Module& module_;
  std::vector<const EntryPoint*> entryPoints_;
  std::function<Affine&(const EntryPoint&)> affineOf_;
};

/// A set of lengths by their logarithms: a gap behind each row of such a length costs `access` no
/// arithmetic. Of variables that are arrays of arrays through and through; empty for any other.
uint32_t lengthsOfRows(IndexSplitter& splitter, const Module& module,
                       const SharedVariable& variable, const SharedAccess& access);

} // namespace lanewise
