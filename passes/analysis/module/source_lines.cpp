#include "analysis/module/source_lines.h"

#include <algorithm>
#include <spirv/unified1/NonSemanticShaderDebugInfo100.h>

namespace lanewise {

namespace {

// OpExtInst: type, result, set and instruction take words 1 to 4.
constexpr uint32_t kFirstOperand = 5;

/// The instruction of NonSemantic.Shader.DebugInfo.100 that `i` is, if it is one.
bool isDebugInfo(const Module& module, InstRef i, uint32_t instruction) {
  return i && module.opcode(i) == spv::Op::OpExtInst && module.word(i, 4) == instruction &&
         module.extInstSet(module.idAt(i, 3)) == ExtInstSet::NonSemanticShaderDebugInfo100;
}

std::string stringOf(const Module& module, Id id) {
  const InstRef def = module.def(id);
  if (!def || module.opcode(def) != spv::Op::OpString) return {};
  return std::string(module.stringAt(def, 2));
}

/// Operand `n` of a debug instruction: numbers are given as 32-bit constants.
uint32_t numberAt(const Module& module, InstRef i, uint32_t n) {
  if (kFirstOperand + n >= module.wordCount(i)) return 0;
  const InstRef def = module.def(module.idAt(i, kFirstOperand + n));
  return def && module.opcode(def) == spv::Op::OpConstant ? module.word(def, 3) : 0;
}

SourceLocation decodeDebugLine(const Module& module, InstRef line) {
  SourceLocation at;
  if (module.wordCount(line) <= kFirstOperand) return at;
  const InstRef source = module.def(module.idAt(line, kFirstOperand));
  if (isDebugInfo(module, source, NonSemanticShaderDebugInfo100DebugSource) &&
      module.wordCount(source) > kFirstOperand)
    at.file = stringOf(module, module.idAt(source, kFirstOperand));
  // Source, line start, line end, column start, column end.
  at.line = numberAt(module, line, 1);
  at.column = numberAt(module, line, 3);
  return at;
}

} // namespace

SourceLines::SourceLines(const Module& module) {
  bool active = false;
  auto begin = [&](InstRef i) {
    entries_.push_back({i, i});
    active = true;
  };
  auto end = [&](InstRef from) {
    if (active) entries_.push_back({from, InstRef()});
    active = false;
  };
  for (InstRef i : module.insts()) {
    const OpcodeFacts& facts = module.facts(i);
    if (facts.opClass == OpClass::Terminator) {
      end(InstRef(i.value + 1));
    } else if (facts.opcode == spv::Op::OpLine) {
      begin(i);
    } else if (facts.opcode == spv::Op::OpNoLine) {
      end(i);
    } else if (facts.opcode == spv::Op::OpExtInst) {
      if (isDebugInfo(module, i, NonSemanticShaderDebugInfo100DebugLine)) begin(i);
      if (isDebugInfo(module, i, NonSemanticShaderDebugInfo100DebugNoLine)) end(i);
    }
  }
}

SourceLocation SourceLines::at(const Module& module, InstRef inst) const {
  const auto behind =
      std::upper_bound(entries_.begin(), entries_.end(), inst,
                       [](InstRef i, const Entry& entry) { return i < entry.from; });
  if (behind == entries_.begin()) return {};
  const InstRef line = (behind - 1)->line;
  if (!line) return {};
  if (module.opcode(line) != spv::Op::OpLine) return decodeDebugLine(module, line);
  return {stringOf(module, module.idAt(line, 1)), module.word(line, 2), module.word(line, 3)};
}

} // namespace lanewise
