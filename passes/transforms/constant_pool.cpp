#include "transforms/constant_pool.h"

#include "analysis/module/decorations.h"
#include "ir/integer_semantics.h"

namespace lanewise {
namespace {

bool isShareable(spv::Op op) {
  switch (op) {
  case spv::Op::OpConstant:
  case spv::Op::OpConstantTrue:
  case spv::Op::OpConstantFalse:
  case spv::Op::OpConstantComposite:
  case spv::Op::OpConstantNull:
  case spv::Op::OpUndef:
    return true;
  default:
    return false;
  }
}

} // namespace

void ConstantPool::index() {
  if (isIndexed_) return;
  isIndexed_ = true;
  const Module& module = rewriter_.module();
  const Decorations& decorations = analyses_.get<Decorations>();
  for (InstRef i : module.globals()) {
    if (!isShareable(module.opcode(i)) || !decorations.of(module.resultId(i)).empty()) continue;
    std::vector<uint32_t> key{uint32_t(module.opcode(i)), module.resultType(i).value};
    const auto operands = module.inst(i).subspan(3);
    key.insert(key.end(), operands.begin(), operands.end());
    known_.try_emplace(std::move(key), module.resultId(i));
  }
}

Id ConstantPool::get(spv::Op op, Id type, std::span<const uint32_t> operands) {
  index();
  std::vector<uint32_t> key{uint32_t(op), type.value};
  key.insert(key.end(), operands.begin(), operands.end());
  auto [known, isNew] = known_.try_emplace(std::move(key));
  if (!isNew) return known->second;
  known->second = rewriter_.declare({}, [&](Id id) {
    Inst inst = Inst(op).id(type).id(id).words(operands);
    note(id, inst.finish());
    return inst;
  });
  return known->second;
}

void ConstantPool::note(Id id, std::span<const uint32_t> words) {
  if (made_.empty()) firstMade_ = id.value;
  made_.resize(id.value - firstMade_ + 1);
  made_.back().assign(words.begin(), words.end());
}

std::span<const uint32_t> ConstantPool::made(Id id) const {
  if (made_.empty() || id.value < firstMade_ || id.value - firstMade_ >= made_.size()) return {};
  return made_[id.value - firstMade_];
}

Id ConstantPool::number(Id type, uint64_t bits) {
  const Module& module = rewriter_.module();
  const InstRef def = module.def(type);
  const uint32_t width = module.word(def, 2);
  const bool isSigned = module.opcode(def) == spv::Op::OpTypeInt && module.word(def, 3) != 0;
  bits = wrapped(bits, width);
  if (isSigned) bits = uint64_t(signedOf(bits, width));
  const uint32_t words[2] = {uint32_t(bits), uint32_t(bits >> 32)};
  return get(spv::Op::OpConstant, type, std::span(words, module.numberWords(type)));
}

Id ConstantPool::boolean(Id boolType, bool value) {
  return get(value ? spv::Op::OpConstantTrue : spv::Op::OpConstantFalse, boolType, {});
}

Id ConstantPool::composite(Id type, std::span<const Id> constituents) {
  std::vector<uint32_t> words;
  for (Id id : constituents) words.push_back(id.value);
  return get(spv::Op::OpConstantComposite, type, words);
}

Id ConstantPool::null(Id type) {
  return get(spv::Op::OpConstantNull, type, {});
}

Id ConstantPool::undef(Id type) {
  return get(spv::Op::OpUndef, type, {});
}

} // namespace lanewise
