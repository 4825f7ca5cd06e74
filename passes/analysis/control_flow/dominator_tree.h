// Dominators of any flow graph: what Dominance is made of, and other graphs over the same blocks
// (with the edges of merge instructions, for example) need as well.
//
// Algorithm: T. Lengauer, R. Tarjan, "A Fast Algorithm for Finding Dominators in a Flowgraph"
// (1979), the simple version with path compression: O(edges * log blocks) for every graph.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace lanewise {

/// Dominators of one flow graph after the other. Nodes are numbered from 0; the scratch arrays grow
/// to the largest graph and are used again. Inside, nodes go by their number in a depth-first walk,
/// from 1; 0 is "none".
class DominatorTree {
public:
  /// `successors(node, visit)` and `predecessors(node, visit)` call visit(node) for each neighbour.
  /// Nodes that `root` does not reach are left out.
  template <class Successors, class Predecessors>
  void compute(uint32_t nodes, uint32_t root, Successors&& successors, Predecessors&& predecessors);

  /// Nodes reached, the root among them. They are numbered from 1 to this.
  uint32_t reached() const { return count_; }
  uint32_t node(uint32_t number) const { return node_[number]; }
  /// Number of the immediate dominator, always less than `number`; 0 for the root.
  uint32_t idom(uint32_t number) const { return idom_[number]; }
  /// Interval [pre, post] of the dominator tree: that of a dominated node lies inside. From 1.
  uint32_t pre(uint32_t number) const { return pre_[number]; }
  uint32_t post(uint32_t number) const { return pre_[number] + size_[number] - 1; }

private:
  template <class Successors>
  void walk(uint32_t root, Successors&& successors);
  /// The node with the least semidominator on the linked path above `v`, `v` included.
  uint32_t eval(uint32_t v);
  void numberTree();

  uint32_t count_ = 0;
  std::vector<uint32_t> number_;                      ///< by node, 0 for not reached
  std::vector<uint32_t> node_, parent_, semi_, idom_; ///< by number
  std::vector<uint32_t> ancestor_, label_;            ///< by number: the forest of LINK and EVAL
  std::vector<uint32_t> bucketHead_, bucketNext_;     ///< by number: nodes by their semidominator
  std::vector<uint32_t> size_, pre_;                  ///< by number
  std::vector<uint32_t> path_;
  std::vector<std::pair<uint32_t, uint32_t>> stack_; ///< node, number of the node it was found from
};

template <class Successors>
void DominatorTree::walk(uint32_t root, Successors&& successors) {
  count_ = 0;
  stack_.assign(1, {root, 0});
  while (!stack_.empty()) {
    auto [node, from] = stack_.back();
    stack_.pop_back();
    if (number_[node] != 0) continue;
    number_[node] = ++count_;
    node_[count_] = node;
    parent_[count_] = from;
    // A node is numbered when it is popped, so this is a depth-first order with its true parents.
    successors(node, [&](uint32_t s) {
      if (number_[s] == 0) stack_.emplace_back(s, number_[node]);
    });
  }
}

inline uint32_t DominatorTree::eval(uint32_t v) {
  if (ancestor_[v] == 0) return v;
  path_.clear();
  for (uint32_t u = v; ancestor_[ancestor_[u]] != 0; u = ancestor_[u]) path_.push_back(u);
  while (
      !path_.empty()) { // from the top down, so that each ancestor is compressed before it is used
    const uint32_t u = path_.back(), a = ancestor_[u];
    path_.pop_back();
    if (semi_[label_[a]] < semi_[label_[u]]) label_[u] = label_[a];
    ancestor_[u] = ancestor_[a];
  }
  return label_[v];
}

template <class Successors, class Predecessors>
void DominatorTree::compute(uint32_t nodes, uint32_t root, Successors&& successors,
                            Predecessors&& predecessors) {
  number_.assign(nodes, 0);
  for (auto* byNumber : {&node_, &parent_, &semi_, &idom_, &ancestor_, &label_, &bucketHead_,
                         &bucketNext_, &size_, &pre_})
    if (byNumber->size() < size_t(nodes) + 1) byNumber->resize(size_t(nodes) + 1);
  walk(root, successors);

  for (uint32_t v = 1; v <= count_; ++v) {
    semi_[v] = label_[v] = v;
    ancestor_[v] = bucketHead_[v] = idom_[v] = 0;
  }
  for (uint32_t w = count_; w > 1; --w) {
    predecessors(node_[w], [&](uint32_t p) {
      if (number_[p] == 0) return;
      const uint32_t s = semi_[eval(number_[p])];
      if (s < semi_[w]) semi_[w] = s;
    });
    bucketNext_[w] = bucketHead_[semi_[w]];
    bucketHead_[semi_[w]] = w;
    const uint32_t p = parent_[w];
    ancestor_[w] = p;
    for (uint32_t v = bucketHead_[p]; v != 0; v = bucketNext_[v]) {
      const uint32_t u = eval(v);
      idom_[v] = semi_[u] < p ? u : p;
    }
    bucketHead_[p] = 0;
  }
  for (uint32_t w = 2; w <= count_; ++w)
    if (idom_[w] != semi_[w]) idom_[w] = idom_[idom_[w]];
  numberTree();
}

inline void DominatorTree::numberTree() {
  // A dominator has a lower number than what it dominates: one sweep up gives subtree sizes, one
  // sweep down gives each node the next free stretch of its dominator's interval.
  for (uint32_t v = 1; v <= count_; ++v) size_[v] = 1;
  for (uint32_t v = count_; v > 1; --v) size_[idom_[v]] += size_[v];
  std::vector<uint32_t>& nextFree = label_; // no longer needed
  for (uint32_t v = 1; v <= count_; ++v) {
    pre_[v] = v == 1 ? 1 : nextFree[idom_[v]];
    if (v != 1) nextFree[idom_[v]] += size_[v];
    nextFree[v] = pre_[v] + 1;
  }
}

} // namespace lanewise
