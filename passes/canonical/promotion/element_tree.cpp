#include "canonical/promotion/element_tree.h"

#include <algorithm>

namespace lanewise {

std::optional<uint32_t> literalIndex(const Module& module, Id id) {
  const InstRef def = module.def(id);
  if (!def) return std::nullopt;
  if (module.opcode(def) == spv::Op::OpConstantNull) return 0;
  if (module.opcode(def) != spv::Op::OpConstant) return std::nullopt;
  if (module.wordCount(def) > 4 && module.word(def, 4) != 0) return std::nullopt;
  const uint32_t value = module.word(def, 3); // a negative one is larger than any count
  return value;
}

uint32_t ElementTree::addRoot(Id type, uint32_t variable) {
  Node root;
  root.type = type;
  root.variable = variable;
  nodes_.push_back(root);
  nodesOf_.resize(size_t(variable) + 1, 1);
  tooLarge_.resize(size_t(variable) + 1);
  return size() - 1;
}

uint32_t ElementTree::elementCount(Id type) const {
  const InstRef def = module_.def(type);
  switch (module_.opcode(def)) {
  case spv::Op::OpTypeStruct: {
    // Of memory that others see: nothing to take apart.
    const auto all = decorations_.of(type);
    if (std::any_of(all.begin(), all.end(), [](const Decoration& d) {
          return d.decoration == spv::Decoration::Volatile ||
                 d.decoration == spv::Decoration::Coherent;
        }))
      return 0;
    return module_.wordCount(def) - 2;
  }
  case spv::Op::OpTypeMatrix:
    return module_.word(def, 3);
  case spv::Op::OpTypeArray: {
    const InstRef length = module_.def(module_.idAt(def, 3));
    if (module_.opcode(length) != spv::Op::OpConstant) return 0;
    return literalIndex(module_, module_.idAt(def, 3)).value_or(UINT32_MAX);
  }
  default:
    return 0;
  }
}

bool ElementTree::expand(uint32_t node) {
  if (nodes_[node].childCount != 0) return true;
  const uint32_t count = elementCount(nodes_[node].type);
  if (count == 0) return false;
  const uint32_t variable = nodes_[node].variable;
  if (count > kMaxElements || nodesOf_[variable] + count > kMaxNodes) {
    tooLarge_[variable] = true;
    return false;
  }
  nodesOf_[variable] += count;
  nodes_[node].firstChild = size();
  nodes_[node].childCount = count;
  const InstRef def = module_.def(nodes_[node].type);
  const bool isStruct = module_.opcode(def) == spv::Op::OpTypeStruct;
  Node element;
  element.variable = variable;
  element.parent = node;
  element.depth = nodes_[node].depth + 1;
  for (uint32_t n = 0; n < count; ++n) {
    element.type = module_.idAt(def, isStruct ? 2 + n : 2);
    nodes_.push_back(element);
  }
  return true;
}

uint32_t ElementTree::child(uint32_t node, uint32_t index) {
  if (expand(node) && index < nodes_[node].childCount) return nodes_[node].firstChild + index;
  nodes_[node].isWhole = true;
  return 0;
}

bool ElementTree::isComponent(uint32_t node, uint32_t index) const {
  const InstRef def = module_.def(nodes_[node].type);
  return module_.opcode(def) == spv::Op::OpTypeVector && index < module_.word(def, 3);
}

void ElementTree::settle() {
  for (uint32_t n = 1; n < size(); ++n) {
    Node& node = nodes_[n];
    const bool isInWhole = node.parent != 0 && !nodes_[node.parent].isSplit();
    const bool isLeaf = node.isWhole || node.childCount == 0;
    node.top = isInWhole ? nodes_[node.parent].top : isLeaf ? n : 0;
    node.leafCount = node.top == n;
  }
  for (uint32_t n = size(); n-- > 1;)
    if (nodes_[n].parent != 0) nodes_[nodes_[n].parent].leafCount += nodes_[n].leafCount;
  uint32_t next = 0;
  for (uint32_t n = 1; n < size(); ++n) {
    const Node& node = nodes_[n];
    if (node.parent == 0) {
      nodes_[n].firstLeaf = next;
      next += node.leafCount;
    }
    uint32_t inside = node.firstLeaf;
    for (uint32_t c = node.firstChild; c < node.firstChild + node.childCount; ++c) {
      nodes_[c].firstLeaf = inside;
      inside += nodes_[c].leafCount;
    }
  }
  leafCount_ = next;
}

} // namespace lanewise
