// Where a given invocation certainly is, and what it computes there: forms of indices and
// conditions, evaluated invocation by invocation in the first workgroup and in the first iterations
// of loops.
#pragma once

#include "analysis/barriers/memory_effects.h"
#include "analysis/control_flow/loops.h"
#include "lint/barrier_intervals.h"
#include "lint/context.h"

#include <array>
#include <optional>
#include <vector>

namespace lanewise {

/// An index of an access.
struct PlaceIndex {
  AffineExpr value;
  uint64_t extent = 0; ///< of the array or vector that it stands in; 0 for a member of a struct
};

/// When a block runs: in the first iteration of every loop around it, except for one that may be in
/// its second.
struct Moment {
  BlockRef block;
  const Loop* loop = nullptr; ///< the one that is in its second iteration
};

class ExactAddresses {
public:
  using Lane = std::array<uint32_t, 3>;

  ExactAddresses(LintContext& context, Kernel& kernel) : context_(context), kernel_(kernel) {}

  /// The indices of an access from its variable on; nothing when one of them is not understood.
  std::optional<std::vector<PlaceIndex>> indicesOf(const MemoryAccess& access) const;

  /// The form with all values that the moment decides; nothing when it is not a function of the
  /// local id then.
  struct Fixed {
    const AffineExpr* form = nullptr;
    std::vector<Affine::Assignment> assigned;
  };
  std::optional<Fixed> fix(const AffineExpr& form, const Moment& moment) const;
  std::optional<uint32_t> evaluate(const Fixed& fixed, const Lane& lane) const;

  /// Whether two stores of one element certainly leave different values there, certainly the same
  /// one, or neither is known.
  enum class Values : uint8_t { Same, Differ, Unknown };
  Values compare(Id a, const Moment& whenA, const Lane& laneA, Id b, const Moment& whenB,
                 const Lane& laneB, uint32_t depth = 0) const;

private:
  bool assign(const AffineExpr& form, const Moment& moment,
              std::vector<Affine::Assignment>& assigned) const;
  std::optional<uint32_t> valueOf(uint32_t term, const Moment& moment) const;
  std::optional<uint32_t> integerOf(Id value, const Moment& moment, const Lane& lane) const;
  Values compareOperands(InstRef a, const Moment& whenA, const Lane& laneA, InstRef b,
                         const Moment& whenB, const Lane& laneB, uint32_t depth) const;

  LintContext& context_;
  Kernel& kernel_;
};

} // namespace lanewise
