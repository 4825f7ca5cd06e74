// Internal to --gvn: numbers for what memory holds. Two loads of one pointer with the same numbers
// give the same value where the first dominates the second.
#pragma once

#include "analysis/module/analyses.h"
#include "analysis/module/decorations.h"
#include "canonical/numbering/value_table.h"
#include "canonical/support/memory_classes.h"

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

namespace lanewise {

/// Conservative: a write that may reach a place changes its number.
class MemoryNumbers {
public:
  MemoryNumbers(Analyses& analyses, const ValueTable& values);

  struct Number {
    uint32_t ofClass, ofVariable;
  };

  void enterFunction(FunctionRef f);
  /// `from` is the only predecessor, or null: then anything may have happened that the function
  /// does.
  void enterBlock(BlockRef b, BlockRef from);
  void leaveBlock(BlockRef b) { atEnd_[b.value] = now_; }
  /// Takes note of what an instruction may write.
  void execute(InstRef i);
  /// Of what a load or store (`inst`) of `pointer` touches now; nothing where values may change by
  /// themselves or the access says more than where: volatile, coherent, with availability.
  std::optional<Number> numberOf(InstRef inst, Id pointer) const;
  /// Whether a pointer leads into a buffer, where a store may have no effect: out of range, or by a
  /// helper invocation.
  bool isBuffer(Id pointer) const { return classOfPointer(pointer) == MemoryClass::Buffer; }
  /// Whether it leads to memory that other invocations load from and store to: a buffer or
  /// Workgroup memory.
  bool isShared(Id pointer) const {
    return isBuffer(pointer) || classOfPointer(pointer) == MemoryClass::Workgroup;
  }

private:
  static constexpr size_t kClasses = size_t(MemoryClass::Count);
  struct Write {
    MemoryClasses classes = 0;
    Id variable; ///< only this one of the class
  };

  MemoryClass classOfPointer(Id pointer) const;
  Id variableOf(Id pointer) const;
  Write writeOf(InstRef i) const;
  bool isSteady(Id variable) const;

  const Module& module_;
  const ValueTable& values_;
  const Decorations& decorations_;
  bool haveSpecialMembers_ = false, haveSpecialVariables_ = false; ///< coherent or volatile ones
  bool mayWorkgroupAlias_ = false;
  MemoryClasses written_ = 0; ///< by the function at hand
  uint32_t last_ = 0;
  std::array<uint32_t, kClasses> now_{};
  std::vector<std::array<uint32_t, kClasses>> atEnd_; ///< by BlockRef
  std::vector<uint32_t> ofVariable_;                  ///< by Id; [0]: variables that are not known
  std::vector<bool>
      isConstant_; ///< by Id: uniform blocks, which may share a class with what is written
};

} // namespace lanewise
