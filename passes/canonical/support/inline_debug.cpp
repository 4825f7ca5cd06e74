#include "canonical/support/inline_debug.h"

#include "ir/debug_instructions.h"

namespace lanewise {
namespace {

/// Longest chain of inlined calls that a compiler has left us and that is carried on.
constexpr uint32_t kMaxChain = 64;

} // namespace

InlineDebug::InlineDebug(const Module& module, Rewriter& rewriter)
    : module_(module), rewriter_(rewriter), sets_(module.idBound()) {
  for (InstRef i : module.globals()) {
    if (module.opcode(i) == spv::Op::OpExtInstImport) {
      const Id id = module.resultId(i);
      const ExtInstSet set = module.extInstSet(id);
      if (set != ExtInstSet::NonSemanticShaderDebugInfo100 && set != ExtInstSet::OpenClDebugInfo100)
        continue;
      sets_[id.value] = uint8_t(set);
      isActive_ = true;
    } else if (module.opcode(i) == spv::Op::OpString) {
      isActive_ = true; // every line names one
    }
  }
}

bool InlineDebug::isOfFunction(InstRef i) const {
  return isExtInst(module_.opcode(i)) && sets_[module_.word(i, 3)] &&
         module_.word(i, 4) == kDebugFunctionDefinition;
}

bool InlineDebug::declaresValue(InstRef i) const {
  if (!isExtInst(module_.opcode(i)) || !sets_[module_.word(i, 3)] ||
      module_.word(i, 4) != kDebugDeclare || module_.wordCount(i) < 8)
    return false;
  const Id variable = module_.idAt(i, 6);
  return module_.opcodeOf(variable) == spv::Op::OpFunctionParameter &&
         module_.opcodeOf(module_.typeOf(variable)) != spv::Op::OpTypePointer;
}

bool InlineDebug::read(InstRef i, State& state, Place& place) {
  const spv::Op op = module_.opcode(i);
  if (op == spv::Op::OpLine || op == spv::Op::OpNoLine) {
    state.line = op == spv::Op::OpLine ? i : InstRef();
    return true;
  }
  if (op != spv::Op::OpExtInst || !sets_[module_.word(i, 3)]) return false;
  const bool isShader =
      ExtInstSet(sets_[module_.word(i, 3)]) == ExtInstSet::NonSemanticShaderDebugInfo100;
  switch (module_.word(i, 4)) {
  case kDebugScope: {
    const Id inner = module_.wordCount(i) > 6 ? module_.idAt(i, 6) : Id();
    state.scopeInst = i;
    state.scope = module_.idAt(i, 5);
    state.inlinedAt = inner;
    if (!place.isCopy) return true;
    state.inlinedAt = inner ? behind(inner, place, i) : inlinedAt(place, i);
    if (!state.inlinedAt) state.scopeInst = {}, state.scope = {};
    return true;
  }
  case kDebugNoScope:
    state.scopeInst = {}, state.scope = {}, state.inlinedAt = {};
    return true;
  case kDebugLine:
    if (isShader) state.debugLine = i;
    return isShader;
  case kDebugNoLine:
    if (isShader) state.debugLine = {};
    return isShader;
  default:
    return false;
  }
}

/// The line of a call: a constant, or in OpenCL.DebugInfo.100 the number itself.
Id InlineDebug::lineOf(const State& state, bool isLiteral) {
  if (state.debugLine && !isLiteral) return module_.idAt(state.debugLine, 6);
  const uint32_t line = state.line ? module_.word(state.line, 2) : 0;
  return isLiteral ? Id(line) : rewriter_.uint32Constant(line);
}

/// Null when nobody knows in which scope the call is.
Id InlineDebug::inlinedAt(Place& place, InstRef scopeInst) {
  if (place.inlinedAt || !place.call.scope) return place.inlinedAt;
  const bool isLiteral =
      ExtInstSet(sets_[module_.word(scopeInst, 3)]) == ExtInstSet::OpenClDebugInfo100;
  const Id line = lineOf(place.call, isLiteral);
  place.inlinedAt = rewriter_.declare({}, [&](Id id) {
    Inst inst(spv::Op::OpExtInst);
    inst.id(module_.resultType(scopeInst)).id(id).id(module_.idAt(scopeInst, 3));
    inst.word(kDebugInlinedAt).id(line).id(place.call.scope);
    if (place.call.inlinedAt) inst.id(place.call.inlinedAt);
    return inst;
  });
  return place.inlinedAt;
}

/// The chain of calls from `inner` on, with the copy's own call behind the last. Null when that
/// cannot be said.
Id InlineDebug::behind(Id inner, Place& place, InstRef scopeInst) {
  std::vector<InstRef> chain;
  for (Id next = inner; next;) {
    const InstRef d = module_.def(next);
    if (!d || !isExtInst(module_.opcode(d)) || module_.word(d, 4) != kDebugInlinedAt ||
        chain.size() == kMaxChain)
      return {};
    chain.push_back(d);
    next = module_.wordCount(d) > 7 ? module_.idAt(d, 7) : Id();
  }
  Id last = inlinedAt(place, scopeInst);
  if (!last) return {};
  for (; !chain.empty(); chain.pop_back())
    last = rewriter_.declare({}, [&](Id id) {
      return Inst(module_.inst(chain.back()).first(7)).set(2, id.value).id(last);
    });
  return last;
}

void InlineDebug::writeExt(InstRef like, uint32_t instruction, std::vector<uint32_t>& out) {
  out.insert(out.end(), {uint32_t(spv::Op::OpExtInst) | 5u << 16, module_.word(like, 1),
                         rewriter_.newId().value, module_.word(like, 3), instruction});
}

void InlineDebug::writeScope(const State& wanted, std::vector<uint32_t>& out) {
  if (!wanted.scope) {
    writeExt(written_.scopeInst, kDebugNoScope, out);
    return;
  }
  const size_t begin = out.size();
  writeExt(wanted.scopeInst, kDebugScope, out);
  out.push_back(wanted.scope.value);
  if (wanted.inlinedAt) out.push_back(wanted.inlinedAt.value);
  out[begin] = uint32_t(spv::Op::OpExtInst) | uint32_t(out.size() - begin) << 16;
}

void InlineDebug::establish(const State& wanted, std::vector<uint32_t>& out) {
  if (written_.scope != wanted.scope || written_.inlinedAt != wanted.inlinedAt)
    writeScope(wanted, out);
  const auto copy = [&](InstRef i) {
    const size_t begin = out.size();
    const auto words = module_.inst(i);
    out.insert(out.end(), words.begin(), words.end());
    return begin;
  };
  if (written_.line != wanted.line) {
    if (wanted.line)
      copy(wanted.line);
    else
      out.push_back(uint32_t(spv::Op::OpNoLine) | 1u << 16);
  }
  if (written_.debugLine != wanted.debugLine) {
    if (wanted.debugLine)
      out[copy(wanted.debugLine) + 2] = rewriter_.newId().value;
    else
      writeExt(written_.debugLine, kDebugNoLine, out);
  }
  written_ = wanted;
}

} // namespace lanewise
