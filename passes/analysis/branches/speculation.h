// Whether an instruction may be executed where, or when, it was not before.
//
// Legal is what is total and pure (OpcodeFacts::speculatable), and beyond that what is proved to be
// defined: divisions by what is never 0, conversions of what fits, indices in range, loads of what
// is there and does not change. "May" is proved, "may not" is possible only.
// docs/design/predication.md, Predication.
#pragma once

#include "analysis/module/analyses.h"
#include "analysis/values/affine.h"
#include "ir/module.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace lanewise {

/// Why an instruction may not be executed speculatively.
enum class SpeculationBlocker : uint8_t {
  None,
  Store,
  Atomic,
  Barrier,
  Call,
  SubgroupOperation, ///< the result depends on which invocations execute it, derivatives included
  ImageRead,
  Load,       ///< not proved to be in range, unwritten and apart from what others do
  Division,   ///< by what may be 0, or overflows
  Conversion, ///< of a float that may not fit
  Index,      ///< of a vector, array or struct, not proved to be in range
  Promise,    ///< it is decorated with what need hold only where the branch leads to it
  Unknown,    ///< opcode or instruction that the library does not know
  Unread,     ///< the grammar has it, but nobody has written down what it does
  Other
};

/// Short stable name for remarks: "store", "load", "subgroup-operation".
std::string_view nameOf(SpeculationBlocker blocker);
/// One clause for people, without the place: "the divisor may be 0, or the quotient may overflow".
std::string_view explain(SpeculationBlocker blocker);

/// True when `value` has a decoration that says something of the invocations or values that compute
/// it, and makes the shader undefined where that is not so: NoSignedWrap, Uniform, MaxByteOffset.
bool isPromised(Analyses& analyses, Id value);

struct PointerOrigin;

class Speculation {
public:
  explicit Speculation(Analyses& analyses);

  /// Whether `inst`, which stands in a block that `at` dominates, may be executed at the end of the
  /// block `at` whenever that is, its operands being there. Memory is as it is at the end of `at`:
  /// the caller knows that nothing is written between there and where `inst` stands.
  SpeculationBlocker blockerOf(InstRef inst, BlockRef at);
  /// What stands in the way of executing `inst` even where it is certain to be executed a little
  /// later anyhow, by the same invocations one by one: effects beyond reading memory, dependence on
  /// other invocations, promises.
  SpeculationBlocker blockerOfMoving(InstRef inst) const;

private:
  using Range = std::pair<uint32_t, uint32_t>;

  std::optional<Range> rangeOf(Id value, BlockRef at);
  bool isBelow(Id index, uint64_t count, BlockRef at);
  bool isDefinedDivision(InstRef inst, BlockRef at);
  bool isDefinedDivisor(Id divisor, bool isSigned, BlockRef at);
  bool isDefinedConversion(InstRef inst, BlockRef at);
  bool isInRange(InstRef accessChain, BlockRef at);
  bool isInRangeToVariable(Id pointer, BlockRef at);
  bool isVolatile(InstRef load) const;
  uint32_t descriptorLevels(Id variable) const;
  bool isInArray(const PointerOrigin& origin) const;
  bool mayHaveDivergentDescriptors(InstRef inst) const;
  bool isSafeLoad(InstRef load, BlockRef at);
  bool wasAccessed(const std::vector<Id>& place, BlockRef at, InstRef load);
  bool isSameInterval(InstRef before, BlockRef at) const;
  void collectAccesses();

  Analyses& analyses_;
  const Module& module_;
  std::optional<Affine> affine_;
  bool hasVolatile_ = false;         ///< something is declared volatile or coherent
  bool hasDescriptorArrays_ = false; ///< a variable stands for several descriptors
  bool hasAccesses_ = false;
  /// Non-atomic loads and stores by what they touch: the variable, then the indices. Buffers and
  /// Workgroup memory; of Uniform blocks only the variable and the indices that choose the
  /// descriptor.
  std::map<std::vector<Id>, std::vector<InstRef>> accesses_;
  std::vector<bool> endsInterval_; ///< by BlockRef: a barrier, an atomic, a call or an unknown
                                   ///< stands in it
};

} // namespace lanewise
