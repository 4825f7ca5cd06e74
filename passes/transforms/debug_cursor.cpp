#include "transforms/debug_cursor.h"

#include "ir/debug_instructions.h"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

namespace lanewise {

bool DebugState::read(const Module& module, InstRef inst) {
  switch (module.opcode(inst)) {
  case spv::Op::OpLine:
    inForce_[Line] = inst;
    return true;
  case spv::Op::OpNoLine:
    inForce_[Line] = InstRef();
    return true;
  case spv::Op::OpExtInst:
    break;
  default:
    return false;
  }
  const ExtInstSet set = module.extInstSet(module.idAt(inst, 3));
  const bool isShader = set == ExtInstSet::NonSemanticShaderDebugInfo100;
  if (!isShader && set != ExtInstSet::OpenClDebugInfo100) return false;
  switch (module.word(inst, 4)) {
  case kDebugScope:
    inForce_[Scope] = inst;
    return true;
  case kDebugNoScope:
    inForce_[Scope] = InstRef();
    return true;
  case kDebugLine:
    if (isShader) inForce_[ExtendedLine] = inst;
    return isShader;
  case kDebugNoLine:
    if (isShader) inForce_[ExtendedLine] = InstRef();
    return isShader;
  default:
    return false;
  }
}

/// What ends the state of a channel that is in force.
Inst DebugCursor::ending(DebugState::Channel channel) {
  if (channel == DebugState::Line) return Inst(spv::Op::OpNoLine);
  const InstRef in = state_.inForce_[channel];
  return Inst(spv::Op::OpExtInst)
      .id(module_.resultType(in))
      .id(rewriter_.newId())
      .id(module_.idAt(in, 3))
      .word(channel == DebugState::Scope ? kDebugNoScope : kDebugNoLine);
}

void DebugCursor::moveTo(const DebugState& state) {
  for (uint8_t c = 0; c < DebugState::Count; ++c) {
    const InstRef from = state_.inForce_[c], to = state.inForce_[c];
    if (from == to) continue;
    // The result id of a debug instruction says nothing.
    const uint32_t first = c == DebugState::Line ? 1 : 3;
    if (from && to &&
        std::ranges::equal(module_.inst(from).subspan(first), module_.inst(to).subspan(first)))
      continue;
    if (!to) {
      emit_(ending(DebugState::Channel(c)));
      continue;
    }
    Inst copy(module_.inst(to));
    if (c != DebugState::Line) copy.set(2, rewriter_.newId().value);
    emit_(std::move(copy));
  }
  state_ = state;
}

void moveInstructions(const Module& module, Rewriter& rewriter, std::span<const InstMove> moves,
                      const std::function<void(const InstMove&)>& moved) {
  // Blocks are read once, however many places their instructions go to.
  std::vector<InstRef> all;
  for (const InstMove& move : moves) all.push_back(move.inst);
  std::ranges::sort(all);
  std::map<InstRef, DebugState> stood;
  DebugState state;
  InstRef last;
  for (InstRef i : all) {
    const BlockRef b = module.blockOf(i);
    if (!last || module.blockOf(last) != b) {
      state = DebugState();
      last = module.blockInsts(b).first;
    }
    state.read(module, InstRange{last, i});
    last = i;
    stood[i] = state;
  }
  std::map<InstRef, std::vector<const InstMove*>> byPlace;
  for (const InstMove& move : moves) byPlace[move.before].push_back(&move);
  for (const auto& [before, group] : byPlace) {
    DebugState there;
    there.read(module, InstRange{module.blockInsts(module.blockOf(before)).first, before});
    DebugCursor cursor(
        module, rewriter,
        [&, at = before](Inst inst) { rewriter.insertBefore(at, std::move(inst)); }, there);
    for (const InstMove* move : group) {
      cursor.moveTo(stood.at(move->inst));
      rewriter.insertBefore(before, Inst(module.inst(move->inst)));
      rewriter.erase(move->inst);
      if (moved) moved(*move);
    }
    cursor.moveTo(there);
  }
}

} // namespace lanewise
