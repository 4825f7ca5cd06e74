#include "transforms/value_edits.h"

#include "analysis/module/decorations.h"
#include "transforms/debug_cursor.h"

#include <algorithm>
#include <cassert>
#include <utility>

namespace lanewise {
namespace {

/// Decorations that speak of how an operation is computed, so that they go with it.
bool isOfOperation(spv::Decoration d) {
  switch (d) {
  case spv::Decoration::RelaxedPrecision:
  case spv::Decoration::NoContraction:
  case spv::Decoration::FPFastMathMode:
  case spv::Decoration::FPRoundingMode:
  case spv::Decoration::NoSignedWrap:
  case spv::Decoration::NoUnsignedWrap:
    return true;
  default:
    return false;
  }
}

} // namespace

ValueEdits::ValueEdits(Analyses& analyses, Rewriter& rewriter)
    : analyses_(analyses), module_(analyses.module()), rewriter_(rewriter),
      state_(module_.instCount() + 1, State::Kept) {}

Id ValueEdits::lastOf(Id id) const {
  Id last = id;
  while (last.value < instead_.size() && instead_[last.value]) last = instead_[last.value];
  while (instead_[id.value] != last) id = std::exchange(instead_[id.value], last);
  return last;
}

bool ValueEdits::mustStayAsCopy(Id old) const {
  const auto all = analyses_.get<Decorations>().of(old);
  return std::any_of(all.begin(), all.end(),
                     [](const Decoration& d) { return !isOfOperation(d.decoration); });
}

void ValueEdits::replace(Id old, Id value, Decorated decorated) {
  hasEdits_ = true;
  const InstRef def = module_.def(old);
  const bool isUndefined = module_.opcodeOf(value) == spv::Op::OpUndef;
  if (isUndefined || (decorated == Decorated::KeepAsCopy && mustStayAsCopy(old))) {
    state_[def.value] = State::Copied;
    copies_.emplace(def, value);
    return;
  }
  assert(resolved(value) != old);
  hasReplacements_ = true;
  state_[def.value] = State::Erased;
  if (instead_.empty()) instead_.resize(module_.idBound());
  instead_[old.value] = value;
}

void ValueEdits::erase(InstRef inst) {
  hasEdits_ = true;
  state_[inst.value] = State::Erased;
}

bool ValueEdits::isGone(Id id) const {
  const InstRef def = module_.def(id);
  return def && isErased(def) && (instead_.empty() || !instead_[id.value]);
}

bool ValueEdits::usesGone(InstRef i) const {
  bool found = false;
  module_.forEachIdOperand(i, [&](uint32_t, Id id) { found = found || isGone(id); });
  return found;
}

void ValueEdits::renameOperands(InstRef i) {
  const std::span<const Id> instead = instead_;
  module_.forEachIdOperand(i, [&, instead](uint32_t n, Id id) {
    if (id.value < instead.size() && instead[id.value]) rewriter_.setId(i, n, lastOf(id));
  });
}

/// Names and decorations of a value that was replaced go, as those of one that was erased do.
void ValueEdits::applyToGlobal(InstRef i) {
  const auto isTargetGone = [&](Id id) {
    const InstRef def = module_.def(id);
    return def && isErased(def);
  };
  const OpClass c = module_.facts(i).opClass;
  const spv::Op op = module_.opcode(i);
  if (op == spv::Op::OpGroupDecorate) {
    Inst group(module_.inst(i).first(2));
    for (uint32_t n = 2; n < module_.wordCount(i); ++n)
      if (!isTargetGone(module_.idAt(i, n))) group.id(module_.idAt(i, n));
    if (group.finish().size() != module_.wordCount(i)) rewriter_.replace(i, std::move(group));
  } else if (op == spv::Op::OpName ||
             (c == OpClass::Annotation && op != spv::Op::OpDecorationGroup &&
              op != spv::Op::OpGroupMemberDecorate)) {
    if (isTargetGone(module_.idAt(i, 1))) rewriter_.erase(i);
  }
}

void ValueEdits::applyToBody(InstRef i) {
  if (isDebugInstruction(module_, i) && usesGone(i)) {
    rewriter_.erase(i);
    return;
  }
  assert(!usesGone(i) && "an erased value is used");
  if (hasReplacements_) renameOperands(i);
}

/// A copy instead of the definition; one instead of a phi stands behind the phis.
void ValueEdits::writeCopy(InstRef def) {
  Inst copy(spv::Op::OpCopyObject);
  copy.id(module_.resultType(def)).id(module_.resultId(def)).id(resolved(copies_.at(def)));
  if (module_.opcode(def) != spv::Op::OpPhi) {
    rewriter_.replace(def, std::move(copy));
    return;
  }
  rewriter_.erase(def);
  InstRef behind = def;
  const auto isAmongPhis = [&](InstRef i) {
    const OpClass c = module_.facts(i).opClass;
    return module_.opcode(i) == spv::Op::OpPhi || c == OpClass::Line ||
           isDebugInstruction(module_, i);
  };
  while (isAmongPhis(behind)) behind = InstRef(behind.value + 1);
  rewriter_.insertBefore(behind, std::move(copy));
}

void ValueEdits::apply() {
  if (!hasEdits_) return;
  for (InstRef i : module_.insts()) {
    switch (state_[i.value]) {
    case State::Erased:
      rewriter_.erase(i);
      break;
    case State::Kept:
      if (module_.blockOf(i))
        applyToBody(i);
      else
        applyToGlobal(i);
      break;
    case State::Copied:
      writeCopy(i);
      break;
    case State::Rewritten:
      break;
    }
  }
}

} // namespace lanewise
