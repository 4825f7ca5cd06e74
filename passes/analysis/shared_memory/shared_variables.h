// Variables in Workgroup memory that hold arrays: what they are made of, and who accesses them.
//
// The walk over the uses of a variable is shared by everything that reasons about Workgroup arrays.
// It says what each access is, and names every use that it does not see through (an Obstacle), so
// that a pass that changes the variable's layout knows what stands in its way. Exact: a use is
// either an access or an obstacle.
#pragma once

#include "analysis/module/analyses.h"
#include "analysis/module/entry_points.h"
#include "analysis/module/types.h"
#include "lanewise/target_profile.h"

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace lanewise {

/// A place in the type of a variable: the whole, a struct member, what an array holds. A type that
/// stands at two places is two nodes. Elements (scalars, vectors, matrices) have no nodes inside.
struct LayoutNode {
  enum class Kind : uint8_t { Element, Array, Struct };
  static constexpr uint32_t kNone = UINT32_MAX;

  Kind kind = Kind::Element;
  Id type;
  uint32_t parent = kNone;
  std::vector<uint32_t> children; ///< Array: what it holds; Struct: its members, in order
  Id length;                      ///< Array: its length constant,
  uint64_t extent = 0;            ///< and the value of that constant
  SizeAlign size;                 ///< Element: its natural layout
};

/// A load, store, atomic or other use of one element, of a part of one, or of a whole (an array, a
/// struct), which then keeps its type.
struct SharedAccess {
  InstRef inst;
  uint32_t node = 0; ///< what is accessed, or holds what is accessed
  /// Index of each array above `node`, outermost first.
  std::vector<Id> indices;
  /// Where in the element: a constant number of bytes, and dynamic parts (index, bytes for each
  /// step).
  uint64_t offset = 0;
  std::vector<std::pair<Id, uint64_t>> dynamicOffsets;
  /// Every index of a vector component or matrix column on the way, and how many there are.
  std::vector<std::pair<Id, uint64_t>> components;
  /// Bytes that one lane moves.
  uint32_t bytes = 0;
};

/// An access chain into the variable.
struct SharedChain {
  InstRef inst;
  uint32_t node = 0; ///< where it ends; an Element when it ends inside one
  /// All indices from the variable on, those of the chains before it included.
  std::vector<Id> steps;
};

/// A use that the walk does not see through.
struct Obstacle {
  InstRef inst;
  std::string_view name; ///< stable: "whole-array-load", "pointer-argument", ...
  std::string reason;    ///< what it is, for people
  /// True when normalizeSharedUses (transforms/shared_memory_uses.h) may take it out of the way.
  bool isRemovable = false;
};

struct SharedVariable {
  InstRef variable;
  Id id;
  std::vector<LayoutNode>
      nodes; ///< the variable's type is the first; parents stand before children
  std::vector<SharedAccess> accesses;
  /// Accesses of wholes that are obstacles, and those that a function makes through a pointer to an
  /// element that it is given (without `indices`, which the call has): no cost is counted for them,
  /// but their indices must stay in range like any other.
  std::vector<SharedAccess> uncounted;
  std::vector<SharedChain> chains;
  std::vector<Obstacle> obstacles;

  /// The arrays that hold `node`, outermost first; `node` itself does not count.
  std::vector<uint32_t> arraysAbove(uint32_t node) const;
  /// True if `array` is one of arraysAbove(node).
  bool isAbove(uint32_t array, uint32_t node) const;
  /// True if some array holds `node`.
  bool isInArray(uint32_t node) const;
  /// The arrays directly inside one another that start at `top`, outermost first. `top` is an
  /// Array.
  std::vector<uint32_t> arrayChain(uint32_t top) const;
  bool hasArray() const;
};

/// All Workgroup variables of the module that hold an array, in module order; with `all`, those
/// without arrays too. Variables whose type has more than kMaxLayoutNodes places have a single node
/// and an obstacle.
std::vector<SharedVariable> collectSharedVariables(Analyses& analyses, const TargetProfile& target,
                                                   bool all = false);

std::vector<const SharedVariable*> pointersTo(std::span<const SharedVariable> variables);
inline constexpr uint32_t kMaxLayoutNodes = 4096;

/// Workgroup variables that an entry point uses or lists in its interface, ascending by id.
std::vector<Id> workgroupVariables(Analyses& analyses, const EntryPoint& entry);

/// The sizes of some Workgroup variables, in place of those that their types have.
using SharedSizes = std::map<Id, uint64_t>;

/// Bytes of Workgroup memory that an entry point uses as a function of the size of one variable:
/// what does not change is looked up once.
class SharedMemoryUse {
public:
  SharedMemoryUse(Analyses& analyses, const EntryPoint& entry, const TargetProfile& target,
                  Id variable, const SharedSizes& sizes);
  /// Nothing when some variable has no known size.
  std::optional<uint64_t> bytes(uint64_t variableBytes) const;

private:
  std::vector<SizeAlign> parts_;
  size_t variable_ = 0; ///< which of them; none when it is not there
  bool isKnown_ = true;
};

/// Bytes of Workgroup memory that an entry point uses, by the natural layout
/// (Types::naturalLayout); `sizes` replaces those of some variables. Nothing when some variable has
/// no known size.
std::optional<uint64_t> sharedMemoryBytes(Analyses& analyses, const EntryPoint& entry,
                                          const TargetProfile& target,
                                          const SharedSizes& sizes = {});

} // namespace lanewise
