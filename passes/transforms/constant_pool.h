// Constants that a pass needs: an equal one that the module has, or a new one.
#pragma once

#include "analysis/module/analyses.h"
#include "ir/rewriter.h"

#include <cstdint>
#include <map>
#include <span>
#include <vector>

namespace lanewise {

/// New declarations stand before the first function, so anything in a function may use what this
/// hands out. Constants with decorations are never shared.
class ConstantPool {
public:
  ConstantPool(Analyses& analyses, Rewriter& rewriter) : analyses_(analyses), rewriter_(rewriter) {}

  /// A literal of an OpTypeInt or OpTypeFloat of up to 64 bits: `bits` from the lowest on; what is
  /// above the width is ignored (SPIR-V 2.2.1 says what a literal holds there).
  Id number(Id type, uint64_t bits);
  Id boolean(Id boolType, bool value);
  Id composite(Id type, std::span<const Id> constituents);
  /// OpConstantNull: the zero of a type that has one.
  Id null(Id type);
  Id undef(Id type);

  /// The words of a constant that this pool made; empty for any other id.
  std::span<const uint32_t> made(Id id) const;

private:
  Id get(spv::Op op, Id type, std::span<const uint32_t> operands);
  void index();
  void note(Id id, std::span<const uint32_t> words);

  Analyses& analyses_;
  Rewriter& rewriter_;
  bool isIndexed_ = false;
  std::map<std::vector<uint32_t>, Id> known_; ///< by opcode, type, operands; looked up only
  std::vector<std::vector<uint32_t>> made_;   ///< by id - firstMade_, finished words
  uint32_t firstMade_ = 0;
};

} // namespace lanewise
