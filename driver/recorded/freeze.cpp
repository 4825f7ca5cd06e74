#include "recorded/freeze.h"

#include "ir/module.h"
#include "support/failure.h"

#include <algorithm>
#include <fmt/format.h>
#include <optional>
#include <set>

namespace lanewise::driver {

namespace {

using Values = std::map<uint32_t, std::string>;

/// Of each id that has one: its SpecId.
using SpecIds = std::map<uint32_t, uint32_t>;

Result<SpecIds> specIdsOf(const Module& module) {
  SpecIds ids;
  for (InstRef i : module.globals()) {
    const spv::Op op = module.opcode(i);
    // Deprecated, and written by nobody since 2018: the decoration would have to be split.
    if (op == spv::Op::OpGroupDecorate) return failure("decorations in groups");
    if (op == spv::Op::OpDecorate && module.wordCount(i) >= 4 &&
        spv::Decoration(module.word(i, 2)) == spv::Decoration::SpecId)
      ids[module.word(i, 1)] = module.word(i, 3);
  }
  return ids;
}

uint64_t bitsOf(const std::string& bytes) {
  uint64_t bits = 0;
  for (size_t n = 0; n < bytes.size(); ++n) bits |= uint64_t(uint8_t(bytes[n])) << (8 * n);
  return bits;
}

/// The words of a literal of this type: narrow integers fill theirs by their sign (SPIR-V 2.2.1).
/// Nothing where the value is not of the type's size.
std::optional<uint64_t> literalOf(const Module& module, Id type, const std::string& bytes) {
  const InstRef def = module.def(type);
  const bool isInteger = module.opcode(def) == spv::Op::OpTypeInt;
  if (!isInteger && module.opcode(def) != spv::Op::OpTypeFloat) return {};
  const uint32_t width = module.word(def, 2);
  if (bytes.size() * 8 != width || width > 64) return {};
  const uint64_t bits = bitsOf(bytes);
  const bool isNegative = isInteger && module.word(def, 3) != 0 && (bits >> (width - 1) & 1) != 0;
  return isNegative && width < 64 ? bits | ~uint64_t(0) << width : bits;
}

void setOpcode(std::span<uint32_t> inst, spv::Op op) {
  inst[0] = (inst[0] & 0xffff0000) | uint32_t(op);
}

/// Writes the value, if there is one, into the instruction that declares the constant.
Status fix(const Module& module, InstRef i, std::span<uint32_t> inst, const std::string* value,
           uint32_t specId) {
  const spv::Op op = module.opcode(i);
  const Error wrongSize = failure(fmt::format("constant {}: a value of another size", specId));
  if (op == spv::Op::OpSpecConstant) {
    setOpcode(inst, spv::Op::OpConstant);
    if (!value) return ok();
    const std::optional<uint64_t> literal = literalOf(module, module.resultType(i), *value);
    if (!literal) return wrongSize;
    for (size_t n = 3; n < inst.size(); ++n) inst[n] = uint32_t(*literal >> (32 * (n - 3)));
    return ok();
  }
  if (op != spv::Op::OpSpecConstantTrue && op != spv::Op::OpSpecConstantFalse)
    return failure(fmt::format("constant {}: declared by an unknown instruction", specId));
  bool isTrue = op == spv::Op::OpSpecConstantTrue;
  if (value && value->size() != sizeof(uint32_t)) return wrongSize; // VkBool32
  if (value) isTrue = bitsOf(*value) != 0;
  setOpcode(inst, isTrue ? spv::Op::OpConstantTrue : spv::Op::OpConstantFalse);
  return ok();
}

/// A composite of fixed constants is fixed; one of something computed (OpSpecConstantOp) may not be
/// said to be.
void fixComposite(const Module& module, InstRef i, std::span<uint32_t> inst,
                  std::set<uint32_t>& open) {
  for (uint32_t n = 3; n < module.wordCount(i); ++n)
    if (open.contains(module.word(i, n))) {
      open.insert(module.word(i, 2));
      return;
    }
  setOpcode(inst, spv::Op::OpConstantComposite);
}

} // namespace

Result<std::vector<uint32_t>> freezeConstants(std::vector<uint32_t> words, const Values& values) {
  Result<Module> module = Module::read(words);
  if (!module) return module.error();
  Result<SpecIds> specIds = specIdsOf(*module);
  if (!specIds) return specIds.error();
  std::set<uint32_t> open;          // results that stay computed when the pipeline is made
  std::vector<InstRef> decorations; // that go
  for (InstRef i : module->globals()) {
    const std::span inst(words.data() + module->wordOffset(i), module->wordCount(i));
    const spv::Op op = module->opcode(i);
    if (op == spv::Op::OpDecorate && spv::Decoration(module->word(i, 2)) == spv::Decoration::SpecId)
      decorations.push_back(i);
    if (op == spv::Op::OpSpecConstantOp) open.insert(module->word(i, 2));
    if (op == spv::Op::OpSpecConstantComposite) fixComposite(*module, i, inst, open);
    const auto specId = specIds->find(module->resultId(i).value);
    const bool isDeclared = op == spv::Op::OpSpecConstant || op == spv::Op::OpSpecConstantTrue ||
                            op == spv::Op::OpSpecConstantFalse;
    if (specId == specIds->end() && !isDeclared) continue;
    const uint32_t id = specId == specIds->end() ? 0 : specId->second;
    const auto value = specId == specIds->end() ? values.end() : values.find(id);
    if (Status s = fix(*module, i, inst, value == values.end() ? nullptr : &value->second, id); !s)
      return s.error();
  }
  for (auto at = decorations.rbegin(); at != decorations.rend(); ++at) {
    const auto from = words.begin() + ptrdiff_t(module->wordOffset(*at));
    words.erase(from, from + module->wordCount(*at));
  }
  return words;
}

} // namespace lanewise::driver
