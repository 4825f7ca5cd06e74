#include "canonical/numbering/value_table.h"

#include "ir/integer_semantics.h"

#include <algorithm>

namespace lanewise {

using Kind = TypeInfo::Kind;

ValueTable::ValueTable(Analyses& analyses, const ValueEdits& edits, ConstantPool& constants)
    : module_(analyses.module()), types_(analyses.get<Types>()), edits_(edits),
      constants_(constants), rewrittenAt_(module_.instCount() + 1) {
  mayForm8_ = module_.declares(spv::Capability::Int8);
  mayForm16_ = module_.declares(spv::Capability::Int16);
  mayFormHalf_ = module_.declares(spv::Capability::Float16);
}

bool ValueTable::isUsedOnce(Id id) const {
  if (resolved(id) != id || !module_.def(id)) return false;
  if (uses_.empty()) countUses();
  return id.value < uses_.size() && uses_[id.value] == 1;
}

/// DefUse would say more than is asked, and goes with what the pass changes.
void ValueTable::countUses() const {
  uses_.resize(module_.idBound());
  for (InstRef i : InstRange{module_.globals().last, module_.insts().last})
    if (module_.blockOf(i))
      module_.forEachIdOperand(i, [&](uint32_t, Id id) {
        if (uses_[id.value] < 2) ++uses_[id.value];
      });
}

void ValueTable::rewrite(InstRef inst, Inst words) {
  rewrittenAt_[inst.value] = uint32_t(pool_.size()) + 1;
  const auto finished = words.finish();
  pool_.insert(pool_.end(), finished.begin(), finished.end());
}

Id ValueTable::scalarOf(Id type) const {
  const TypeInfo& info = types_.info(type);
  return info.kind == Kind::Vector ? info.element : type;
}

uint32_t ValueTable::widthOf(Id type) const {
  const TypeInfo& info = types_.info(scalarOf(type));
  switch (info.kind) {
  case Kind::Bool:
    return 1;
  case Kind::Int:
    if ((info.width == 8 && !mayForm8_) || (info.width == 16 && !mayForm16_)) return 0;
    return info.width <= 64 ? info.width : 0;
  case Kind::Float:
    return info.width == 16 && !mayFormHalf_ ? 0 : info.width;
  default:
    return 0;
  }
}

std::optional<uint64_t> ValueTable::literalOf(std::span<const uint32_t> words) const {
  if (words.empty()) return {};
  switch (spv::Op(words[0] & 0xFFFF)) {
  case spv::Op::OpConstant: {
    const uint32_t width = widthOf(Id(words[1]));
    if (width == 0 || words.size() > 5) return {};
    return wrapped(words[3] | (words.size() == 5 ? uint64_t(words[4]) << 32 : 0), width);
  }
  case spv::Op::OpConstantTrue:
    return 1;
  case spv::Op::OpConstantFalse:
    return 0;
  case spv::Op::OpConstantNull:
    if (types_.info(Id(words[1])).kind == Kind::Vector || widthOf(Id(words[1])) == 0) return {};
    return 0;
  default:
    return {};
  }
}

Id ValueTable::constantComponent(Id vector, uint32_t n) const {
  const auto words = inst(vector);
  if (words.empty()) return {};
  const TypeInfo& type = types_.info(Id(words[1]));
  if (type.kind != Kind::Vector || n >= type.count) return {};
  const spv::Op op = spv::Op(words[0] & 0xFFFF);
  if (op == spv::Op::OpConstantNull)
    return widthOf(type.element) == 0 ? Id() : constants_.null(type.element);
  if (op != spv::Op::OpConstantComposite || words.size() != 3 + type.count) return {};
  return Id(words[3 + n]);
}

std::optional<uint64_t> ValueTable::splat(Id id) const {
  const auto words = inst(id);
  if (words.empty()) return {};
  const spv::Op op = spv::Op(words[0] & 0xFFFF);
  if (op != spv::Op::OpConstantNull && op != spv::Op::OpConstantComposite) return literalOf(words);
  const TypeInfo& type = types_.info(Id(words[1]));
  if (type.kind != Kind::Vector) return literalOf(words);
  if (op == spv::Op::OpConstantNull)
    return widthOf(type.element) == 0 ? std::nullopt : std::optional<uint64_t>(0);
  std::optional<uint64_t> same;
  for (uint32_t n = 0; n < type.count; ++n) {
    const Id component = constantComponent(id, n);
    const auto value = component ? literal(component) : std::nullopt;
    if (!value || (same && *same != *value)) return {};
    same = value;
  }
  return same;
}

bool ValueTable::isConstant(Id id) const {
  switch (opcode(id)) {
  case spv::Op::OpConstant:
  case spv::Op::OpConstantTrue:
  case spv::Op::OpConstantFalse:
  case spv::Op::OpConstantNull:
  case spv::Op::OpConstantComposite:
    return true;
  default:
    return false;
  }
}

} // namespace lanewise
