// Numbers for integers and Booleans, one for each component of a vector: copies, bit casts and
// parts of vectors that were put together have the number of what they come from, equal literals
// share one.
#pragma once

#include "analysis/control_flow/cfg.h"
#include "analysis/module/analyses.h"
#include "analysis/module/constants.h"
#include "analysis/module/decorations.h"
#include "analysis/module/types.h"
#include "ir/module.h"

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <utility>
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
  const Info& info(Slot slot) const { return infos_[slot.value]; }
  uint32_t count() const { return uint32_t(infos_.size()); } ///< slots are less

  /// The components of an integer, a Boolean or a vector of them; empty for anything else.
  std::span<const Slot> of(Id id) const {
    if (id.value >= begin_.size()) return {};
    return {slots_.data() + begin_[id.value], size_[id.value]};
  }
  /// The component, or the scalar where it is none; null for values that have no slots.
  Slot of(Id id, uint32_t component) const {
    const auto all = of(id);
    return all.size() == 1 ? all[0] : component < all.size() ? all[component] : Slot();
  }
  Slot literal(uint32_t width, uint64_t bits);

private:
  void numberGlobals();
  void numberBlock(BlockRef block);
  void number(InstRef i);
  void add(Id id, std::span<const Slot> slots);
  void collectParts(InstRef i);
  uint32_t widthOf(Id type) const;

  const Module& module_;
  const Constants& constants_;
  const Types& types_;
  const Decorations& decorations_;
  std::vector<Info> infos_;
  std::vector<Slot> slots_;
  std::vector<Slot> parts_, chosen_;                       ///< of the instruction at hand
  std::vector<uint32_t> begin_, size_;                     ///< by Id, into slots_
  std::map<std::pair<uint32_t, uint64_t>, Slot> literals_; ///< by width and bits
};

} // namespace lanewise
