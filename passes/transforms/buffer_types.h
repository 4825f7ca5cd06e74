// Internal to passes/transforms: the types of a buffer in its new layout.
#pragma once

#include "analysis/buffers/buffer_uses.h"
#include "analysis/module/analyses.h"
#include "analysis/module/decorations.h"
#include "ir/rewriter.h"
#include "lanewise/buffer_layout.h"

#include <map>
#include <set>
#include <vector>

namespace lanewise {

/// What takes one place in a group: a leaf, or the leaves that are packed into one word.
using LeafSlot = std::vector<uint32_t>;
/// The slots of each group, in the order of their places in it.
std::vector<std::vector<LeafSlot>> slotsByGroup(const BufferLayout& layout);

/// Declares the types before the variable and decorates them.
class BufferTypes {
public:
  BufferTypes(Analyses& analyses, Rewriter& rewriter, const BufferView& view,
              const BufferLayout& layout);

  Id block() const { return block_; }
  /// What the variable points to: the block, or an array of descriptors.
  Id whole() const { return whole_; }

  /// One run of the whole array, which is seen through a variable of its own type: how SoA is
  /// written where the number of elements, and so where a run starts, is not literal.
  struct Run {
    Id variable;
    Id block;            ///< its struct type
    uint32_t member = 0; ///< of the runtime array of the groups
  };
  /// By group; empty for tiles and literal counts.
  const std::vector<Run>& runs() const { return runs_; }
  /// Variables that were declared beside the view's own.
  const std::vector<Id>& newVariables() const { return newVariables_; }

private:
  Id typeOf(const LeafSlot& slot);
  Id declareGroup(const std::vector<LeafSlot>& slots);
  Id declareArray(Id element, uint64_t length, uint64_t stride);
  Id declareStruct(const std::vector<Id>& members);
  Id declareTiles(Id tile);
  void declareTiled();
  void declareRuns();
  Run declareRun(Id array);
  bool isPlain(const LeafSlot& slot) const;
  void declareBlock(Id array);
  Id declareDescriptors(Id block);
  void copyLeafDecorations(const LeafSlot& slot, Id type, uint32_t member,
                           std::set<spv::Decoration> done = {});
  void copyDecoration(const Decoration& decoration, Id type, uint32_t member);
  void decorate(Id type, spv::Decoration decoration, uint32_t value);
  void decorateMember(Id type, uint32_t member, spv::Decoration decoration, uint32_t value);
  void nameAll(Id tile, const std::vector<Id>& groups);

  Analyses& analyses_;
  const Module& module_;
  Rewriter& rewriter_;
  const BufferView& view_;
  const BufferLayout& layout_;
  const InstRef anchor_; ///< the variable: new types stand before it
  InstRef annotations_;  ///< new decorations stand behind it
  std::vector<std::vector<LeafSlot>> slots_;
  uint64_t elements_; ///< in one tile
  Id block_, whole_;
  std::vector<Run> runs_;
  std::vector<Id> newVariables_;
};

} // namespace lanewise
