// Numbers for integers and Booleans, one for each component of a vector: copies, bit casts and
// parts of vectors that were put together have the number of what they come from, equal literals
// share one.
#pragma once

#include "analysis/control_flow/cfg.h"
#include "analysis/module/analyses.h"
#include "analysis/module/constants.h"
#include "analysis/module/decorations.h"
#include "analysis/module/types.h"
#include "ir/index_table.h"
#include "ir/module.h"

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace lanewise {

/// Stands for one integer or Boolean; 0 is none.
using Slot = Handle<struct SlotTag>;

class ValueSlots {
public:
  /// Looks at every function; of blocks only at those that can be reached.
  explicit ValueSlots(Analyses& analyses);

  struct Info {
    InstRef def; ///< null for a literal
    uint32_t component = 0;
    uint32_t width = 0;
    std::optional<uint64_t> literal;
    /// Each use may see another value: nothing that one use shows holds for the next.
    bool isUndef = false;
    /// It may be computed with 16 bits (RelaxedPrecision): beyond them it may be anything.
    bool isRelaxed = false;
  };
  Info info(Slot slot) const {
    const Packed& p = infos_[slot.value];
    if (p.isLiteral) return {{}, 0, p.width, literals_[p.source], false, false};
    return {InstRef(p.source), p.component, p.width, {}, p.isUndef != 0, p.isRelaxed != 0};
  }
  uint32_t count() const { return uint32_t(infos_.size()); } ///< slots are less

  /// The components of an integer, a Boolean or a vector of them; empty for anything else.
  std::span<const Slot> of(Id id) const {
    if (id.value >= size_.size()) return {};
    const Slot& first = first_[id.value];
    if (size_[id.value] == 1) return {&first, 1};
    return {parts_.data() + first.value, size_[id.value]};
  }
  /// The component, or the scalar where it is none; null for values that have no slots.
  Slot of(Id id, uint32_t component) const {
    const auto all = of(id);
    return all.size() == 1 ? all[0] : component < all.size() ? all[component] : Slot();
  }
  Slot literal(uint32_t width, uint64_t bits);

private:
  /// An Info in the room that it takes: there may be as many as there are ids.
  struct Packed {
    uint32_t source = 0; ///< InstRef of what defines it; of a literal an index into literals_
    uint32_t component : 16 = 0;
    uint32_t width : 8 = 0;
    uint32_t isLiteral : 1 = false;
    uint32_t isUndef : 1 = false;
    uint32_t isRelaxed : 1 = false;
  };
  static constexpr uint32_t kMostComponents = UINT16_MAX;

  void numberGlobals();
  void numberBlock(BlockRef block);
  void number(InstRef i);
  void add(Id id, std::span<const Slot> slots);
  void collectParts(InstRef i);
  void appendNew(InstRef i, uint32_t component, uint32_t width, bool isRelaxed);
  uint32_t widthOf(Id type) const;
  size_t hashOfLiteral(uint32_t slot) const;

  const Module& module_;
  const Constants& constants_;
  const Types& types_;
  const Decorations& decorations_;
  std::vector<Packed> infos_;  ///< by Slot
  std::vector<uint16_t> size_; ///< by Id: how many slots it has
  std::vector<Slot> first_;    ///< by Id: the slot of one that has one; else an index into parts_
  std::vector<Slot> parts_;    ///< of vectors
  std::vector<Slot> here_, chosen_; ///< of the instruction at hand
  std::vector<uint64_t> literals_;
  IndexTable literalSlots_; ///< by width and bits
};

} // namespace lanewise
