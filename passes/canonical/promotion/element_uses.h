// What a module does with the parts of its local variables.
#pragma once

#include "analysis/module/analyses.h"
#include "canonical/promotion/debug_values.h"
#include "canonical/promotion/element_tree.h"
#include "canonical/promotion/local_variables.h"
#include "ir/module.h"

#include <cstdint>
#include <vector>

namespace lanewise {

/// A pointer into a local variable: the variable itself, or an access chain.
struct LocalPointer {
  enum class Kind : uint8_t {
    Exact,     ///< to the whole node
    Component, ///< to one component of the node, a vector
    Inside     ///< to some part of the node that only running the shader tells
  };
  InstRef def;
  uint32_t node = 0;
  Kind kind = Kind::Exact;
  uint32_t component = 0;
};

/// A load of a whole node.
struct WholeLoad {
  InstRef inst;
  uint32_t node = 0;
  bool isNeeded = false; ///< by others than what takes single elements
};

/// An instruction that reads or writes a node, or takes something from a WholeLoad.
struct ElementAccess {
  enum class Kind : uint8_t { Load, Store, Copy, Extract };
  InstRef inst;
  Kind kind;
};

/// Collected in two walks over the module: which ids are such pointers and loads, then who uses
/// them. Uses that rewriting cannot follow are noted in the tree and in the variables.
class ElementUses {
public:
  explicit ElementUses(Analyses& analyses);

  LocalVariables& variables() { return variables_; }
  const LocalVariables& variables() const { return variables_; }
  ElementTree& tree() { return tree_; }
  const ElementTree& tree() const { return tree_; }
  const DebugDeclarations& debug() const { return debug_; }
  /// Pointers in module order, variables first.
  const std::vector<LocalPointer>& pointers() const { return pointers_; }
  std::vector<WholeLoad>& loads() { return loads_; }
  const std::vector<WholeLoad>& loads() const { return loads_; }
  /// In module order.
  const std::vector<ElementAccess>& accesses() const { return accesses_; }
  /// Null if the id is none.
  const LocalPointer* pointer(Id id) const {
    const uint32_t role = roles_[id.value];
    return role == 0 || (role & kLoad) != 0 ? nullptr : &pointers_[role - 1];
  }
  /// Index into loads(), or kNone.
  uint32_t loadOf(Id id) const {
    const uint32_t role = roles_[id.value];
    return (role & kLoad) == 0 ? kNone : role & ~kLoad;
  }
  static constexpr uint32_t kNone = UINT32_MAX;

  /// False when nothing is to be done.
  bool collect();

private:
  static constexpr uint32_t kLoad = 0x80000000;

  bool findPointers();
  void readChain(InstRef i);
  void readUses(InstRef i);
  bool readLoad(InstRef i);
  bool readStore(InstRef i);
  bool readCopy(InstRef i);
  void useHere(const LocalPointer& p) { variables_.useIn(tree_[p.node].variable, function_); }
  void useOtherwise(Id id);
  void useOtherwise(InstRef i);

  const Module& module_;
  LocalVariables variables_;
  ElementTree tree_;
  DebugDeclarations debug_;
  FunctionRef function_;        ///< that is being read
  std::vector<uint32_t> roles_; ///< by Id: index + 1 into pointers_, or kLoad + index into loads_
  std::vector<LocalPointer> pointers_;
  std::vector<WholeLoad> loads_;
  std::vector<ElementAccess> accesses_;
};

} // namespace lanewise
