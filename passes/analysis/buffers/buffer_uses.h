// Storage buffers that hold an array of structs, and every use of each: what --aos-to-soa may
// change in one module, and what stands in its way.
//
// Exact: each use of a buffer is an access, an access chain, a length, or a refusal. Refusals are
// values with a stable name; what is not understood is refused.
#pragma once

#include "analysis/module/analyses.h"
#include "ir/module.h"
#include "lanewise/buffer_layout.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lanewise {

/// A piece of the element struct that keeps its type: a scalar, a vector, a matrix or an array.
/// Structs inside the element are taken apart, arrays (of whatever) are not.
struct ElementLeaf {
  std::string path; ///< "position", "cell.energy"; members without a name are "0", "1", ...
  std::string type; ///< LayoutField::type
  std::vector<uint32_t> members; ///< from the element struct down
  /// The struct that has it as a member, and which one it is there.
  Id owner;
  uint32_t member = 0;
  Id typeId;
  uint32_t offset = 0; ///< bytes from the start of the element
  uint32_t size = 0;   ///< bytes
  uint32_t align = 4;  ///< bytes, by the std430 rules (Vulkan, "Offset and Stride Assignment")
};

/// Why a buffer stays as it is.
struct BufferRefusal {
  std::string_view name; ///< stable: "variable-pointer", "pointer-arithmetic", ...
  std::string reason;    ///< what it is, for people
  InstRef inst;          ///< the use; null: the declaration
};

/// A pointer that is made from the variable.
struct BufferPointer {
  enum class Kind : uint8_t {
    Whole,   ///< to the variable, a descriptor's block, the array, an element or a struct in it
    Leaf,    ///< to a leaf of an element
    InLeaf,  ///< to something inside a leaf
    Outside, ///< to a member beside the array, or into it
  };
  Kind kind = Kind::Whole;
  InstRef inst;                  ///< access chain or OpCopyObject; null for the variable
  std::vector<Id> steps;         ///< all indices from the variable on
  uint32_t leaf = 0;             ///< Leaf, InLeaf
  uint32_t leafSteps = 0;        ///< Leaf, InLeaf: how many of `steps` lead to the leaf
  std::vector<uint32_t> members; ///< Whole: struct members below the element so far
  Id pointee;
  bool isNonUniform = false;     ///< it, or one that it is made from, is decorated so
  bool startsAtVariable = false; ///< an access chain with the variable as its base
};

/// A load, store, atomic or copy of leaves of one element.
struct BufferAccess {
  InstRef inst;
  /// Whole: a struct value that must be taken apart. Else one leaf or a part of it.
  bool isWhole = false;
  bool isRead = false, isWrite = false, isAtomic = false;
  /// OpCopyMemory: it is the side that is written (word 1) or read (word 2).
  bool isCopy = false;
  size_t pointer = 0; ///< into BufferView::pointers
  /// Leaves that are touched. Of a struct that is loaded for a few of its members, these.
  std::vector<uint32_t> leaves;
  /// All leaves of the struct that is accessed; the same as `leaves` but for such loads.
  std::vector<uint32_t> allLeaves;
  uint32_t bytes = 0; ///< of the one leaf or part; 0 for whole accesses
};

/// One buffer variable of one module.
struct BufferView {
  Id variable;
  BindingNumber binding;
  bool hasBinding = false;
  std::string name;       ///< of the variable, else of its block, else "set.binding"
  std::string structName; ///< of the element
  bool isUniform = false; ///< a Uniform block that nobody writes: never rewritten
  /// The block's explicit layout as text: two views of one buffer agree when these are equal.
  /// Lengths by specialization constants are all alike there: where elements lie does not depend on
  /// them, before or after.
  std::string signature;

  bool hasArray = false; ///< the last member is an array of structs with an explicit layout
  Id block;              ///< struct type
  uint32_t arrayMember = 0;
  Id arrayType, elementType;
  uint32_t descriptorDims = 0; ///< arrays of descriptors around the block
  uint32_t arrayOffset = 0, stride = 0;
  Id length;                     ///< of a fixed array; null: runtime
  std::optional<uint64_t> count; ///< literal length
  std::vector<ElementLeaf> leaves;

  std::vector<BufferPointer> pointers; ///< [0] is the variable; each behind what it is made from
  std::vector<BufferAccess> accesses;  ///< in module order
  std::vector<BufferAccess> outside;   ///< those of members beside the array, without leaves
  std::vector<InstRef> lengths;        ///< OpArrayLength, in module order
  std::vector<BufferRefusal> refusals;
};

/// What one module shows of its buffers.
struct BufferUses {
  std::vector<BufferView> views; ///< all buffer variables, by id
  /// Why none of them may be rewritten: the module may reach them by other ways than variables, or
  /// index them with more than 32 bits.
  std::optional<BufferRefusal> refusal;
};

BufferUses collectBufferUses(Analyses& analyses);

} // namespace lanewise
