#include "analysis/shared_memory/index_rows.h"

#include "analysis/module/types.h"

#include <algorithm>
#include <bit>

namespace lanewise {
namespace {

/// How far back values are looked through, and rows that are asked for.
constexpr uint32_t kMostParts = 8, kMostLogarithm = 15;
/// No array is as long, so that a sum between these bounds is the index.
constexpr int64_t kMostIndex = int64_t(1) << 31;

} // namespace

IndexSplitter::IndexSplitter(Analyses& analyses, std::span<const EntryPoint* const> entryPoints,
                             std::function<Affine&(const EntryPoint&)> affineOf)
    : analyses_(analyses), module_(analyses.module()),
      entryPoints_(entryPoints.begin(), entryPoints.end()), affineOf_(std::move(affineOf)) {}

std::optional<uint32_t> lowBitsOf(const Constants& constants, Id id) {
  const auto value = constants.value(id);
  return value && value->isLiteral ? std::optional(uint32_t(value->asSigned())) : std::nullopt;
}

/// Of the term as an integer, under all entry points.
std::optional<IndexSplitter::Interval> IndexSplitter::rangeOf(const IndexTerm& term, BlockRef at) {
  std::optional<Interval> all;
  for (const EntryPoint* entry : entryPoints_) {
    if (!entry->workgroupSize || !entry->workgroupSize->isLiteral) return std::nullopt;
    Affine& affine = affineOf_(*entry);
    const AffineExpr& form = affine.of(term.value);
    const auto range = affine.rangeAt(form, at);
    if (!range || form.dependsOnSpec) return std::nullopt;
    const int64_t a = int64_t(range->first) * term.coefficient;
    const int64_t b = int64_t(range->second) * term.coefficient;
    const Interval own(std::min(a, b), std::max(a, b));
    if (own.first <= -kMostIndex || own.second >= kMostIndex) return std::nullopt;
    all = all ? Interval(std::min(all->first, own.first), std::max(all->second, own.second)) : own;
  }
  return all;
}

std::optional<IndexSplitter::Interval> IndexSplitter::rangeOf(std::span<const IndexTerm> terms,
                                                              BlockRef at) {
  Interval sum(0, 0);
  for (const IndexTerm& term : terms) {
    const auto own = rangeOf(term, at);
    if (!own) return std::nullopt;
    sum.first += own->first, sum.second += own->second;
  }
  return sum;
}

/// Takes the term apart as far as parts of it choose rows. False when it is not a number of 32
/// bits.
bool IndexSplitter::add(IndexRows& sum, IndexTerm term, uint32_t length, BlockRef at,
                        uint32_t depth) {
  const auto times = [&](int32_t factor) {
    return int32_t(uint32_t(term.coefficient) * uint32_t(factor));
  };
  if (const auto number = literal(term.value)) {
    sum.placeConstant = int32_t(uint32_t(sum.placeConstant) + uint32_t(times(*number)));
    return true;
  }
  const TypeInfo& type = analyses_.get<Types>().info(module_.typeOf(term.value));
  if (type.kind != TypeInfo::Kind::Int || type.width != 32) return false;
  const bool isRow = uint32_t(term.coefficient) % length == 0;
  if (isRow && rangeOf(term, at)) {
    sum.rows.push_back(term);
    return true;
  }
  const InstRef def = module_.def(term.value);
  const spv::Op op = depth < kMostParts ? module_.opcode(def) : spv::Op::OpNop;
  IndexRows parts;
  const auto addOperand = [&](uint32_t word, int32_t coefficient) {
    return add(parts, {module_.idAt(def, word), coefficient}, length, at, depth + 1);
  };
  bool isTakenApart = false;
  switch (op) {
  case spv::Op::OpBitcast:
  case spv::Op::OpCopyObject:
    isTakenApart = addOperand(3, term.coefficient);
    break;
  case spv::Op::OpIAdd:
    isTakenApart = addOperand(3, term.coefficient) && addOperand(4, term.coefficient);
    break;
  case spv::Op::OpISub:
    isTakenApart = addOperand(3, term.coefficient) && addOperand(4, times(-1));
    break;
  case spv::Op::OpIMul:
    if (const auto right = literal(module_.idAt(def, 4)))
      isTakenApart = addOperand(3, times(*right));
    else if (const auto left = literal(module_.idAt(def, 3)))
      isTakenApart = addOperand(4, times(*left));
    break;
  case spv::Op::OpShiftLeftLogical:
    if (const auto by = literal(module_.idAt(def, 4)); by && *by >= 0 && *by < 32)
      isTakenApart = addOperand(3, times(int32_t(uint32_t(1) << *by)));
    break;
  default:
    break;
  }
  if (!isTakenApart || (parts.rows.empty() && parts.placeConstant == 0)) {
    sum.places.push_back(term);
    return true;
  }
  sum.rows.insert(sum.rows.end(), parts.rows.begin(), parts.rows.end());
  sum.places.insert(sum.places.end(), parts.places.begin(), parts.places.end());
  sum.placeConstant = int32_t(uint32_t(sum.placeConstant) + uint32_t(parts.placeConstant));
  return true;
}

std::optional<IndexRows> IndexSplitter::split(std::span<const IndexTerm> steps, uint32_t length,
                                              BlockRef at) {
  IndexRows sum;
  for (const IndexTerm& step : steps)
    if (!add(sum, step, length, at, 0)) return std::nullopt;
  const auto rows = rangeOf(sum.rows, at), places = rangeOf(sum.places, at);
  if (!rows || !places) return std::nullopt;
  const int64_t constant = sum.placeConstant;
  // The place of the least sum says which row the constant is in.
  const int64_t least = places->first + constant, most = places->second + constant;
  const int64_t inRow = least & (int64_t(length) - 1);
  if (most - least + inRow >= int64_t(length)) return std::nullopt;
  if (rows->first + least <= -kMostIndex || rows->second + most >= kMostIndex) return std::nullopt;
  sum.rowConstant = int32_t(least - inRow);
  sum.placeConstant = int32_t(constant - (least - inRow));
  return sum;
}

uint32_t lengthsOfRows(IndexSplitter& splitter, const Module& module,
                       const SharedVariable& variable, const SharedAccess& access) {
  const std::vector<uint32_t> arrays = variable.arraysAbove(access.node);
  if (arrays.empty() || arrays.front() != 0 || arrays != variable.arrayChain(0)) return 0;
  std::vector<IndexTerm> steps(arrays.size());
  uint64_t stride = 1;
  for (size_t n = arrays.size(); n-- > 0; stride *= variable.nodes[arrays[n]].extent) {
    if (stride >= uint64_t(kMostIndex)) return 0;
    steps[n] = {access.indices[n], int32_t(stride)};
  }
  uint32_t lengths = 0;
  for (uint32_t logarithm = 1; logarithm <= kMostLogarithm && uint64_t(1) << logarithm < stride;
       ++logarithm)
    if (splitter.split(steps, uint32_t(1) << logarithm, module.blockOf(access.inst)))
      lengths |= uint32_t(1) << logarithm;
  return lengths;
}

} // namespace lanewise
