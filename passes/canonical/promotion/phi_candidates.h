// Phis that a promotion may need, and which of them it needs: a phi all of whose operands are one
// value (or the phi itself) is that value.
//
// In a reducible flow graph, what remains is minimal: M. Braun et al., "Simple and Efficient
// Construction of Static Single Assignment Form" (2013), section 3. Linear in the number of
// operands, apart from the rare phi that turns out to be another one after a third has looked at
// it.
#pragma once

#include "ir/handles.h"

#include <cstdint>
#include <span>
#include <vector>

namespace lanewise {

/// What a variable holds at some place: an id, a candidate, or nothing that was ever written.
struct HeldValue {
  static constexpr uint32_t kPhi = 0x80000000; ///< above every id
  uint32_t bits = 0;                           ///< 0: undefined

  static HeldValue of(Id id) { return {id.value}; }
  static HeldValue ofPhi(uint32_t index) { return {kPhi | index}; }
  bool isUndefined() const { return bits == 0; }
  bool isPhi() const { return (bits & kPhi) != 0; }
  uint32_t phi() const { return bits & ~kPhi; }
  Id id() const { return Id(bits); } ///< neither undefined nor a phi
  bool operator==(const HeldValue&) const = default;
};

class PhiCandidates {
public:
  explicit PhiCandidates(uint32_t idBound) : known_(idBound, HeldValue{kUnknown}) {}

  /// A candidate for `variable` at the beginning of `block`, whose operands follow by addOperand(),
  /// one for each reachable predecessor.
  uint32_t add(BlockRef block, uint32_t variable);
  /// `from` is the predecessor, `value` what the variable holds at its end.
  void addOperand(BlockRef from, HeldValue value) { operands_.push_back({from, value}); }
  /// Of the last candidate: an operand that was not known yet.
  struct Operand {
    BlockRef from;
    HeldValue value;
  };
  std::span<Operand> operands(uint32_t phi) {
    return {operands_.data() + phis_[phi].begin,
            (phi + 1 < phis_.size() ? phis_[phi + 1].begin : operands_.size()) - phis_[phi].begin};
  }
  uint32_t size() const { return uint32_t(phis_.size()); }
  BlockRef block(uint32_t phi) const { return phis_[phi].block; }
  uint32_t variable(uint32_t phi) const { return phis_[phi].variable; }
  /// Forgets the last candidates, from `first` on.
  void truncate(uint32_t first);

  /// The result of a load is this value.
  void know(Id load, HeldValue value) { known_[load.value] = value; }
  /// Finds out which candidates are needed.
  void simplify();
  /// What stands for the value, as far as is known.
  HeldValue find(HeldValue v);
  bool isNeeded(uint32_t phi) const { return phis_[phi].same == HeldValue::ofPhi(phi); }

private:
  static constexpr uint32_t kUnknown = UINT32_MAX;
  struct Phi {
    BlockRef block;
    uint32_t variable;
    uint32_t begin;     ///< into operands_
    HeldValue same;     ///< itself while it is needed
    uint32_t first = 0; ///< the operand that all up to `next` equal, unless they are the phi itself
    uint32_t next = 0;
    uint32_t watchers = UINT32_MAX; ///< into watches_: candidates to be looked at with this one
  };
  struct Watch {
    uint32_t phi, next;
  };

  HeldValue next(HeldValue v) const;
  void check(uint32_t phi);
  void watch(HeldValue watched, uint32_t phi);

  std::vector<Phi> phis_;
  std::vector<Operand> operands_;
  std::vector<HeldValue> known_; ///< by Id of a load
  std::vector<Watch> watches_;
  std::vector<uint32_t> pending_;
};

} // namespace lanewise
