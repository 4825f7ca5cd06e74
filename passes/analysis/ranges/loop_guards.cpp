#include "analysis/ranges/loop_guards.h"

#include <algorithm>

namespace lanewise {
namespace {

constexpr uint64_t kMostOfWord = UINT32_MAX;
/// Phis of a counter; those of real ones are a few for each loop around.
constexpr size_t kMaxPhis = 64;

} // namespace

// ---- what counts ----

/// Whether a borrow is 1 where the low word goes from 0 to 2^32 - 1, and 0 everywhere else.
bool LoopGuards::isBorrow(Slot borrow, Slot low, Slot nextLow) const {
  const InstRef select = slots_.info(borrow).def;
  if (!select || module_.opcode(select) != spv::Op::OpSelect) return false;
  const uint32_t component = slots_.info(borrow).component;
  if (!isLiteral(part(select, 4, component), 1) || !isLiteral(part(select, 5, component), 0))
    return false;
  const Slot condition = part(select, 3, component);
  const InstRef equal = condition ? slots_.info(condition).def : InstRef();
  if (!equal || module_.opcode(equal) != spv::Op::OpIEqual) return false;
  const uint32_t n = slots_.info(condition).component;
  for (uint32_t word : {3u, 4u}) {
    const Slot left = part(equal, word, n), right = part(equal, 7 - word, n);
    if ((left == low && isLiteral(right, 0)) || (left == nextLow && isLiteral(right, kMostOfWord)))
      return true;
  }
  return false;
}

/// The phi of two words that `value` is one less than; null where it is not known. Either word may
/// be the low one, but the same at each step: together, two ways to count come to 0 much sooner.
InstRef LoopGuards::counterBefore(Id value, Web& web) const {
  Slot now[2], by[2], next[2];
  for (uint32_t n = 0; n < 2; ++n) {
    next[n] = slots_.of(value, n);
    const ValueSlots::Info info = slots_.info(next[n]);
    if (!info.def || info.isRelaxed || info.width != 32 ||
        module_.opcode(info.def) != spv::Op::OpISub)
      return {};
    now[n] = part(info.def, 3, info.component);
    by[n] = part(info.def, 4, info.component);
  }
  const InstRef phi = now[0] ? slots_.info(now[0]).def : InstRef();
  if (!phi || module_.opcode(phi) != spv::Op::OpPhi) return {};
  for (uint32_t n = 0; n < 2; ++n)
    if (now[n] != slots_.of(module_.resultId(phi), n)) return {};
  const uint32_t low = isLiteral(by[0], 1) ? 0 : 1;
  if (!isLiteral(by[low], 1) || !isBorrow(by[1 - low], now[low], next[low])) return {};
  if (web.low.value_or(low) != low) return {};
  web.low = low;
  const InstRef step = slots_.info(next[low]).def;
  if (std::find(web.steps.begin(), web.steps.end(), step) == web.steps.end())
    web.steps.push_back(step);
  return phi;
}

bool LoopGuards::isStart(Id value) const {
  const auto words = slots_.of(value);
  return words.size() == 2 && isLiteral(words[0], kMostOfWord) && isLiteral(words[1], kMostOfWord);
}

/// False where something else may come in.
bool LoopGuards::collect(Id value, Web& web) const {
  if (isStart(value)) return true;
  InstRef phi = module_.def(value);
  if (phi && module_.opcode(phi) != spv::Op::OpPhi) phi = counterBefore(value, web);
  if (!phi) return false;
  if (std::find(web.phis.begin(), web.phis.end(), phi) != web.phis.end()) return true;
  const auto words = slots_.of(module_.resultId(phi));
  if (words.size() != 2 || web.phis.size() == kMaxPhis) return false;
  for (Slot word : words)
    if (slots_.info(word).isRelaxed || slots_.info(word).width != 32) return false;
  web.phis.push_back(phi);
  for (uint32_t n = 3; n + 1 < module_.wordCount(phi); n += 2)
    if (!collect(module_.idAt(phi, n), web)) return false;
  return true;
}

// ---- what ends ----

bool LoopGuards::ends(const Loop& loop) {
  const auto [at, isNew] = ends_.try_emplace(loop.header);
  if (isNew) at->second = proofs_.ends(loop);
  return at->second;
}

bool LoopGuards::hasNaturalLoops(FunctionRef function) {
  const auto [at, isNew] = hasNaturalLoops_.try_emplace(function);
  if (isNew) at->second = isReducible(analyses_, function);
  return at->second;
}

/// Whether all loops around the step end that the count goes on through. Without a phi of it in its
/// header, no iteration knows what the one before has counted.
bool LoopGuards::endsAround(InstRef step, const Web& web) {
  for (const Loop* loop = loops_.innermost(module_.blockOf(step)); loop;
       loop = loops_.parent(*loop)) {
    const bool isCarried = std::any_of(web.phis.begin(), web.phis.end(), [&](InstRef phi) {
      return module_.blockOf(phi) == loop->header;
    });
    if (isCarried && !ends(*loop)) return false;
  }
  return true;
}

LoopGuards::Verdict LoopGuards::judge(InstRef test) {
  const InstRef equal = module_.def(module_.idAt(test, 3));
  if (!equal || module_.opcode(equal) != spv::Op::OpIEqual) return Verdict::NoGuard;
  for (uint32_t word : {3u, 4u}) {
    const auto zeros = slots_.of(module_.idAt(equal, 7 - word));
    const InstRef phi = module_.def(module_.idAt(equal, word));
    if (zeros.size() != 2 || !isLiteral(zeros[0], 0) || !isLiteral(zeros[1], 0) || !phi ||
        module_.opcode(phi) != spv::Op::OpPhi)
      continue;
    Web web;
    if (!collect(module_.resultId(phi), web) || web.steps.empty()) continue;
    if (!hasNaturalLoops(module_.functionOf(module_.blockOf(phi)))) return Verdict::MayReachZero;
    const bool areEnding = std::all_of(web.steps.begin(), web.steps.end(),
                                       [&](InstRef step) { return endsAround(step, web); });
    return areEnding ? Verdict::NeverZero : Verdict::MayReachZero;
  }
  return Verdict::NoGuard;
}

} // namespace lanewise
