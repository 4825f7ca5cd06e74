// What each instruction does to memory that several invocations share: which variable, which part
// of it, read, written or atomic.
//
// Function, Private and Input memory, push constants and Uniform blocks that nobody may write are
// not looked at: no other invocation can change them during a dispatch. Conservative: what is not
// understood touches everything of every class.
#pragma once

#include "analysis/module/analyses.h"
#include "analysis/module/barriers.h"
#include "ir/module.h"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace lanewise {

/// One access of one class of memory by one instruction.
struct MemoryAccess {
  InstRef inst;
  MemoryClass memory{};
  bool isRead = false, isWrite = false;
  bool isAtomic = false;
  /// How far others may learn of something by it, as rankOf() a scope; 0 if it is no signal
  /// (analysis/barriers/memory_signals.h).
  int signalReach = 0;
  /// Memory classes that an atomic orders by its own semantics, as a mask of 1 << MemoryClass.
  uint32_t orderedClasses = 0;
  /// Only the texels of an image whose Dim is Buffer may also be reached through a buffer.
  bool isTexelBuffer = false;
  /// The variable that is accessed; null: it may be any of the class.
  Id variable;
  /// The indices of the access chain from the variable on, outermost first, as far as they lead;
  /// the access touches no more than what they name. Empty for images.
  std::vector<Id> indices;
};

/// How two variables, or the unknown, may stand for one memory.
enum class Aliasing : uint8_t {
  None,     ///< never
  Possible, ///< the module does not exclude it
  Same      ///< one variable, or one descriptor by another type
};

class MemoryEffects {
public:
  explicit MemoryEffects(Analyses& analyses);

  /// All accesses, in module order.
  std::span<const MemoryAccess> all() const { return accesses_; }
  /// Those of the instructions from `first` up to, not including, `last`: a range into all().
  std::span<const MemoryAccess> in(InstRange range) const;

  /// Whether two variables of one class (null: any) may be the same memory. Two descriptors may
  /// name one resource unless both are NonWritable, or one of them is Restrict (GLSL 4.10, Memory
  /// Qualifiers: the only way to that memory). Workgroup variables are apart, unless they are
  /// Aliased or blocks with an explicit layout, which lie over one another
  /// (SPV_KHR_workgroup_memory_explicit_layout).
  Aliasing aliasing(Id a, Id b) const;
  /// Whether somebody else may write what the access touches while the dispatch runs. Not where the
  /// module sees the memory only through variables that are NonWritable.
  bool mayBeWrittenByOthers(const MemoryAccess& access) const;
  /// True for an array of descriptors: its first index chooses the resource.
  bool isArrayOfDescriptors(Id variable) const {
    const VariableFacts* facts = factsOf(variable);
    return facts && facts->isArrayOfDescriptors;
  }
  /// True when accesses of a buffer and of an image may meet in this module, by texel buffers.
  bool buffersMayAliasImages() const { return buffersMayAliasImages_; }

private:
  class Collector;
  struct VariableFacts {
    Id id;
    MemoryClass memory{};
    bool isReadOnly = false, isRestrict = false, mayOverlap = false;
    bool isArrayOfDescriptors = false;
    bool mayBeWritten = true; ///< mayBeWrittenByOthers()
    uint32_t set = UINT32_MAX, binding = UINT32_MAX;
  };
  const VariableFacts* factsOf(Id variable) const;

  std::vector<MemoryAccess> accesses_;
  std::vector<uint32_t> accessesFrom_;   ///< by InstRef: the first of it, or of what follows it
  std::vector<VariableFacts> variables_; ///< ascending by id
  bool buffersMayAliasImages_ = false;
};

/// "store to 's'", "atomic on 'counter'", "load of an unknown buffer": for remarks.
std::string describe(Analyses& analyses, const MemoryAccess& access);

} // namespace lanewise
