#include "analysis/control_flow/selections.h"

#include "analysis/control_flow/cfg.h"

#include <algorithm>

namespace lanewise {
namespace {

/// The targets of the branch as arms without blocks: each target once.
std::vector<std::pair<BlockRef, Arm>> targetsOf(const Module& module, const Selection& s) {
  std::vector<std::pair<BlockRef, Arm>> targets;
  auto armTo = [&](uint32_t word) -> Arm& {
    const BlockRef target = module.blockOfLabel(module.idAt(s.branch, word));
    auto known = std::find_if(targets.begin(), targets.end(),
                              [&](const auto& t) { return t.first == target; });
    if (known != targets.end()) return known->second;
    return targets.emplace_back(target, Arm()).second;
  };
  if (!s.isSwitch) {
    armTo(2);
    armTo(3);
    return targets;
  }
  armTo(2).isDefault = true;
  const uint32_t literalWords = module.numberWords(module.typeOf(s.condition));
  for (uint32_t w = 3; w + literalWords < module.wordCount(s.branch); w += literalWords + 1)
    armTo(w + literalWords).literalWords.push_back(w);
  return targets;
}

} // namespace

Selections::Selections(Analyses& analyses)
    : module_(analyses.module()), cfg_(analyses.get<Cfg>()), isExit_(module_.blockCount() + 1) {
  for (const Construct& c : cfg_.constructs()) {
    isExit_[c.merge.value] = true;
    isExit_[c.continueTarget.value] = true; // null for a selection: index 0 is no block
  }
}

std::vector<BlockRef> Selections::headers(FunctionRef function) const {
  std::vector<BlockRef> headers;
  for (BlockRef b : cfg_.reversePostOrder(function)) {
    const Construct* construct = cfg_.constructAt(b);
    if (!construct || construct->kind == Construct::Kind::Loop) continue;
    const InstRef branch = module_.terminator(b);
    const spv::Op end = module_.opcode(branch);
    if (end != spv::Op::OpBranchConditional &&
        (end != spv::Op::OpSwitch ||
         module_.numberWords(module_.typeOf(module_.idAt(branch, 1))) == 0))
      continue;
    if (construct->merge && cfg_.isReachable(construct->merge)) headers.push_back(b);
  }
  std::sort(headers.begin(), headers.end());
  return headers;
}

Arm Selections::walk(const Selection& s, BlockRef target,
                     const PassesThrough& passesThrough) const {
  Arm arm;
  auto stop = [&](ArmObstacle::Kind kind, InstRef place) {
    arm.obstacle = {kind, place};
    return arm;
  };
  BlockRef from = s.header;
  bool isBehindInner = false; // its merge block is an exit, and has the inner arms as ways in
  for (BlockRef at = target; at != s.merge;) {
    const InstRef way = module_.terminator(from);
    if (const Construct* ahead = cfg_.constructAt(at);
        ahead && ahead->kind == Construct::Kind::Loop)
      return stop(ArmObstacle::Kind::Loop, module_.mergeInst(at));
    if (!isBehindInner && isExit_[at.value]) return stop(ArmObstacle::Kind::Leaves, way);
    if (!isBehindInner && cfg_.predecessors(at).size() != 1)
      return stop(ArmObstacle::Kind::SharedBlock, way);
    arm.blocks.push_back(at);
    from = at;
    const InstRef mergeInst = module_.mergeInst(at), end = module_.terminator(at);
    isBehindInner = bool(mergeInst);
    if (mergeInst) {
      if (!passesThrough(at)) return stop(ArmObstacle::Kind::Selection, mergeInst);
      at = cfg_.constructAt(at)->merge;
      // Where to leave one is where to leave the other: then its phis have no value for this arm.
      if (at == s.merge) return stop(ArmObstacle::Kind::SharedBlock, mergeInst);
    } else if (module_.opcode(end) == spv::Op::OpBranch) {
      at = cfg_.successors(at).front();
    } else {
      return stop(ArmObstacle::Kind::Leaves, end);
    }
  }
  return arm;
}

Selection Selections::read(BlockRef header, const PassesThrough& passesThrough) const {
  Selection s;
  s.header = header;
  s.merge = cfg_.constructAt(header)->merge;
  s.mergeInst = module_.mergeInst(header);
  s.branch = module_.terminator(header);
  s.isSwitch = module_.opcode(s.branch) == spv::Op::OpSwitch;
  s.condition = module_.idAt(s.branch, 1);
  for (auto& [target, arm] : targetsOf(module_, s)) {
    Arm walked = walk(s, target, passesThrough);
    walked.literalWords = std::move(arm.literalWords);
    walked.isDefault = arm.isDefault;
    s.arms.push_back(std::move(walked));
  }
  s.ownsMerge = cfg_.predecessors(s.merge).size() == s.arms.size();
  return s;
}

} // namespace lanewise
