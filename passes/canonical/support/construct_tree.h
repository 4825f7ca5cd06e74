// How the structured constructs of a function are nested (SPIR-V 2.11): for each block the
// innermost selection, switch, loop or continue construct that it stands in. Exact for modules that
// keep the rules. Follows merge and continue declarations as well as branches, so merge blocks that
// nothing branches to have their place, too.
#pragma once

#include "ir/module.h"

#include <cstdint>
#include <vector>

namespace lanewise {

struct NestedConstruct {
  enum class Kind : uint8_t { Selection, Switch, Loop, Continue };
  Kind kind{};
  BlockRef header; ///< of a continue construct: that of its loop
  BlockRef merge;
  uint32_t parent = 0; ///< index of the construct around it (which is lower), 0: none
  /// Of it and those around it, the innermost that is no plain selection; 0: none.
  uint32_t notSelection = 0;
  bool isInContinue = false; ///< it, or one around it, is a continue construct
};

class ConstructTree {
public:
  ConstructTree(const Module& module, FunctionRef function);

  /// Index of the innermost construct around a block, 0 for none, also for a block that cannot be
  /// reached. A header stands in what is around its construct, except that of a loop.
  uint32_t around(BlockRef b) const {
    const uint32_t known = around_[b.value - first_];
    return known == kUnreached ? 0 : known;
  }
  const NestedConstruct& operator[](uint32_t index) const { return constructs_[index]; }
  /// Indices are below this.
  size_t size() const { return constructs_.size(); }
  bool isInContinue(BlockRef b) const { return constructs_[around(b)].isInContinue; }

private:
  void visit(BlockRef b);
  void place(BlockRef b, uint32_t construct);
  uint32_t open(NestedConstruct construct);

  static constexpr uint32_t kUnreached = UINT32_MAX;
  const Module& module_;
  uint32_t first_;
  std::vector<uint32_t> around_; ///< by block of the function
  std::vector<NestedConstruct> constructs_{1};
  std::vector<BlockRef> work_;
};

} // namespace lanewise
