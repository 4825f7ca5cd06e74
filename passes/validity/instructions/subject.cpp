#include "validity/instructions/subject.h"

#include "ir/grammar_names.h"
#include "ir/newer_enumerants.h"
#include "ir/operand_walk.h"
#include "text/format_text.h"

#include <algorithm>

namespace lanewise::validity {

namespace {

/// The enumeration of the first operand of an opcode.
uint8_t enumOfFirstOperand(spv::Op op) {
  return factsOf(op).operands.front().enumIndex;
}

} // namespace

Declared::Declared(const Module& module) : capabilities_(kMost, false) {
  for (InstRef i : module.globals()) {
    const spv::Op op = module.opcode(i);
    if (op == spv::Op::OpCapability)
      add(spv::Capability(module.word(i, 1)));
    else if (op == newer::Op::OpConditionalCapabilityINTEL)
      add(spv::Capability(module.word(i, 2)));
    else if (op == spv::Op::OpExtension)
      extensions_.push_back(module.stringAt(i, 1));
    else if (op == newer::Op::OpConditionalExtensionINTEL)
      extensions_.push_back(module.stringAt(i, 2));
    else if (op == spv::Op::OpMemoryModel || module.facts(i).opClass == OpClass::Type)
      break;
  }
  std::sort(extensions_.begin(), extensions_.end());
}

void Declared::add(spv::Capability c) {
  const uint8_t capabilityEnum = enumOfFirstOperand(spv::Op::OpCapability);
  std::vector<spv::Capability> open{c};
  while (!open.empty()) {
    const uint32_t next = uint32_t(open.back());
    open.pop_back();
    if (next >= kMost || capabilities_[next]) continue;
    capabilities_[next] = true;
    if (const Requirements* r = requirementsOf(capabilityEnum, next))
      open.insert(open.end(), r->capabilities.begin(), r->capabilities.end());
  }
}

bool Declared::hasExtension(std::string_view name) const {
  return std::binary_search(extensions_.begin(), extensions_.end(), name);
}

namespace {

NarrowTypes narrowTypes(const Declared& d) {
  return {d.has(spv::Capability::Int8), d.has(spv::Capability::Int16),
          d.has(spv::Capability::Float16) || d.hasExtension("SPV_AMD_gpu_shader_half_float") ||
              d.hasExtension("SPV_AMD_gpu_shader_half_float_fetch")};
}

} // namespace

Subject::Subject(const Module& m)
    : module(m), declared(m), shapes(m, narrowTypes(declared)),
      isShader(declared.has(spv::Capability::Shader)),
      isKernel(declared.has(spv::Capability::Kernel)) {
  types_.resize(m.idBound());
  for (InstRef i : m.insts())
    if (const OpcodeFacts& f = m.facts(i);
        f.hasResultType && f.hasResult && f.opcode != spv::Op::OpFunction)
      types_[m.word(i, 2)] = m.idAt(i, 1);
  for (InstRef i : m.globals())
    if (m.opcode(i) == spv::Op::OpMemoryModel) {
      addressing = spv::AddressingModel(m.word(i, 1));
      memoryModel = spv::MemoryModel(m.word(i, 2));
      break;
    }
}

bool Subject::fail(InstRef i, std::string_view what, Id id) {
  if (!fault)
    fault = Error{formatText("{}: {}", module.facts(i).name, what),
                  module.wordOffset(i),
                  id ? id.value : module.resultId(i).value,
                  {}};
  return false;
}

bool Subject::failOperand(InstRef i, uint32_t word, std::string_view what) {
  const Id id = module.idAt(i, word);
  return fail(i,
              formatText("operand {} has type {}, {}", operandNumber(module, i, word),
                         describeType(module, typeOf(id)), what),
              id);
}

std::optional<int64_t> Subject::literalInt(Id constant) const {
  const InstRef d = module.def(constant);
  if (!d || !shapeOfValue(constant).isInt()) return {};
  if (module.opcode(d) == spv::Op::OpConstantNull) return 0;
  if (module.opcode(d) != spv::Op::OpConstant) return {};
  const Shape& s = shapeOfValue(constant);
  if (module.wordCount(d) < 4 || s.width > 64) return {};
  uint64_t bits = module.word(d, 3);
  if (module.wordCount(d) > 4) return int64_t(bits | uint64_t(module.word(d, 4)) << 32);
  return s.scalar == Scalar::Signed ? int64_t(int32_t(uint32_t(bits))) : int64_t(bits);
}

bool Subject::isConstant(Id id) const {
  const InstRef d = module.def(id);
  return d && module.facts(d).opClass == OpClass::Constant;
}

bool Subject::isSpecConstant(Id id) const {
  const InstRef d = module.def(id);
  return d && module.facts(d).name.starts_with("OpSpecConstant");
}

uint32_t operandNumber(const Module& module, InstRef i, uint32_t word) {
  const OpcodeFacts& f = module.facts(i);
  return word - f.hasResult - f.hasResultType;
}

} // namespace lanewise::validity
