// The parts of composite variables: a tree for each variable, as deep as somebody looked into it.
#pragma once

#include "analysis/module/decorations.h"
#include "ir/module.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace lanewise {

/// A literal of up to 32 bits that says which element, the same for every specialization. Nothing
/// for what is not known, or negative.
std::optional<uint32_t> literalIndex(const Module& module, Id id);

/// Nodes run from 1; a parent has a lower number than its children, which follow one another.
class ElementTree {
public:
  struct Node {
    Id type;
    uint32_t variable = 0;
    uint32_t parent = 0; ///< 0 for the root of a variable
    uint32_t depth = 0;
    uint32_t firstChild = 0, childCount = 0;
    bool isWhole = false;       ///< must not be taken apart
    bool hasOtherUses = false;  ///< other ones than to be loaded and stored, whole or by component
    bool hasComponents = false; ///< of a vector: single ones are accessed
    // By settle():
    uint32_t top = 0;       ///< the variable-to-be that holds it; 0 when it is taken apart
    uint32_t firstLeaf = 0; ///< variables-to-be in it: consecutive numbers
    uint32_t leafCount = 0;
    bool isSplit() const { return top == 0; }
  };

  /// Composites with more elements stay whole, and so does what would make a variable more parts.
  static constexpr uint32_t kMaxElements = 128;
  static constexpr uint32_t kMaxNodes = 1024;

  ElementTree(const Module& module, const Decorations& decorations)
      : module_(module), decorations_(decorations), nodes_(1) {}

  uint32_t addRoot(Id type, uint32_t variable);
  /// Element `index` of a node; 0 if the node cannot be taken apart there, which is noted.
  uint32_t child(uint32_t node, uint32_t index);
  /// True for a vector with such a component.
  bool isComponent(uint32_t node, uint32_t index) const;
  Node& operator[](uint32_t node) { return nodes_[node]; }
  const Node& operator[](uint32_t node) const { return nodes_[node]; }
  uint32_t size() const { return uint32_t(nodes_.size()); }
  /// Which element of its parent it is.
  uint32_t indexInParent(uint32_t node) const {
    return node - nodes_[nodes_[node].parent].firstChild;
  }
  /// True when somebody wanted to look into a composite that is too large.
  bool isTooLarge(uint32_t variable) const {
    return variable < tooLarge_.size() && tooLarge_[variable];
  }

  /// Decides what is taken apart, and numbers the variables-to-be.
  void settle();
  uint32_t leafCount() const { return leafCount_; }

private:
  bool expand(uint32_t node);
  /// Elements of a composite that can be taken apart, else 0.
  uint32_t elementCount(Id type) const;

  const Module& module_;
  const Decorations& decorations_;
  std::vector<Node> nodes_;
  std::vector<uint32_t> nodesOf_; ///< by variable
  std::vector<bool> tooLarge_;    ///< by variable
  uint32_t leafCount_ = 0;
};

} // namespace lanewise
