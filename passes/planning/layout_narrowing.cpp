#include "planning/layout_narrowing.h"

#include "analysis/control_flow/dominance.h"
#include "analysis/control_flow/loops.h"
#include "analysis/module/barriers.h"
#include "analysis/module/constants.h"
#include "analysis/module/entry_points.h"
#include "analysis/module/types.h"
#include "analysis/uniformity/uniformity.h"
#include "text/format_text.h"

#include <algorithm>

namespace lanewise {
namespace {

bool touches(const BufferAccess& access, std::span<const NarrowLeaf> word) {
  return std::any_of(word.begin(), word.end(), [&](const NarrowLeaf& n) {
    return std::find(access.allLeaves.begin(), access.allLeaves.end(), n.leaf) !=
           access.allLeaves.end();
  });
}

bool coversAll(const BufferAccess& access, std::span<const NarrowLeaf> word) {
  return std::all_of(word.begin(), word.end(), [&](const NarrowLeaf& n) {
    return std::find(access.allLeaves.begin(), access.allLeaves.end(), n.leaf) !=
           access.allLeaves.end();
  });
}

/// Whether a control barrier orders the memory of those that wait at it and of nobody else: its
/// memory scope is no wider than the execution scope, and neither is wider than the workgroup.
bool ordersWhoWaits(Analyses& analyses, InstRef barrier) {
  const auto rankAt = [&](uint32_t operand) {
    const auto scope = analyses.get<Constants>().literal(analyses.module().idAt(barrier, operand));
    return scope ? rankOf(spv::Scope(*scope)) : -1;
  };
  const int execution = rankAt(1), memory = rankAt(2);
  return memory >= 0 && memory <= execution && execution <= kWorkgroupRank;
}

/// Whether invocations may hand memory to one another inside a dispatch but by control barriers of
/// their workgroup: then two plain stores to one place need not be a race. A control barrier with a
/// memory scope wider than who waits is a fence (SPIR-V 3.52.21 OpControlBarrier), which a relaxed
/// atomic behind it publishes.
bool synchronizesByMemory(Analyses& analyses) {
  const Module& module = analyses.module();
  for (InstRef i : module.insts()) {
    const spv::Op op = module.opcode(i);
    if (op == spv::Op::OpMemoryBarrier || module.isUnknown(i)) return true;
    if (op == spv::Op::OpControlBarrier && !ordersWhoWaits(analyses, i)) return true;
    if (!has(module.effects(i), Effect::Atomic)) continue;
    const uint32_t at = atomicSemanticsWord(module.facts(i));
    if (module.wordCount(i) <= at || analyses.get<Constants>().literal(module.idAt(i, at)) != 0)
      return true;
  }
  return false;
}

class InPlace {
public:
  InPlace(Analyses& analyses, const BufferView& view, std::span<const NarrowLeaf> word)
      : analyses_(analyses), module_(analyses.module()), view_(view), word_(word) {}

  std::optional<BufferRefusal> run() {
    for (const BufferAccess& access : view_.accesses)
      if (touches(access, word_)) sites_.push_back(&access);
    const auto partial = std::find_if(sites_.begin(), sites_.end(), [&](const BufferAccess* a) {
      return a->isWrite && !coversAll(*a, word_);
    });
    if (partial == sites_.end()) return std::nullopt;
    const InstRef at = (*partial)->inst;
    if (view_.descriptorDims != 0) return refuse(at, "the buffer is an array of descriptors");
    if (synchronizesByMemory(analyses_))
      return refuse(at, "invocations may communicate through barriers or atomics");
    const Id index = indexOf(**partial);
    for (const BufferAccess* site : sites_)
      if (indexOf(*site) != index)
        return refuse(site->inst, "another invocation may access a field in the same word");
    if (!isFixed(index)) return refuse(at, "its index changes between loop iterations");
    const bool hasWitness = std::any_of(view_.accesses.begin(), view_.accesses.end(),
                                        [&](const BufferAccess& a) { return isWitness(a, index); });
    if (hasWitness) return std::nullopt;
    return refuse(at, "no store proves that each element has a single invocation");
  }

private:
  BufferRefusal refuse(InstRef inst, const std::string& why) const {
    return {"shared-word", "a store to part of a word: " + why, inst};
  }
  Id indexOf(const BufferAccess& access) const {
    return view_.pointers[access.pointer].steps[view_.descriptorDims + 1];
  }

  /// Whether an invocation computes the index once.
  bool isFixed(Id index) {
    const InstRef def = module_.def(index);
    const BlockRef block = def ? module_.blockOf(def) : BlockRef();
    return !block || !analyses_.get<Loops>().innermost(block);
  }

  bool isEntry(FunctionRef function) {
    for (const EntryPoint& entry : analyses_.get<EntryPoints>().all())
      if (entry.function == function) return true;
    return false;
  }

  /// Whether the element's index alone tells where an access goes: what chooses a part inside the
  /// element (of an array, a vector, a matrix) is the same for every invocation of the dispatch.
  bool isSamePlace(const BufferAccess& access) {
    const std::vector<Id>& steps = view_.pointers[access.pointer].steps;
    const Uniformity& uniformity = uniformityOf(analyses_, UniformScope::Dispatch);
    return std::all_of(steps.begin() + ptrdiff_t(view_.descriptorDims) + 2, steps.end(),
                       [&](Id step) { return uniformity.isUniform(step); });
  }

  /// A plain store that runs once, and whenever any access of the word does. Two invocations at one
  /// element would both run it, at one place.
  bool isWitness(const BufferAccess& access, Id index) {
    const BlockRef block = module_.blockOf(access.inst);
    if (!access.isWrite || access.isAtomic || indexOf(access) != index || !isSamePlace(access) ||
        analyses_.get<Loops>().innermost(block) || !isEntry(module_.functionOf(block)))
      return false;
    const Dominance& dominance = analyses_.get<Dominance>();
    return std::all_of(sites_.begin(), sites_.end(), [&](const BufferAccess* site) {
      const BlockRef there = module_.blockOf(site->inst);
      return dominance.dominates(block, there) || dominance.postDominates(block, there);
    });
  }

  Analyses& analyses_;
  const Module& module_;
  const BufferView& view_;
  const std::span<const NarrowLeaf> word_;
  std::vector<const BufferAccess*> sites_;
};

} // namespace

PackedWords packWords(std::vector<NarrowLeaf> leaves) {
  std::sort(leaves.begin(), leaves.end(),
            [](const NarrowLeaf& a, const NarrowLeaf& b) { return a.leaf < b.leaf; });
  PackedWords words;
  std::vector<uint32_t> used;
  for (const NarrowLeaf& leaf : leaves) {
    size_t w = 0;
    while (w < words.size() && used[w] + leaf.bits > 32) ++w;
    if (w == words.size()) words.emplace_back(), used.push_back(0);
    words[w].push_back(leaf);
    used[w] += leaf.bits;
  }
  std::erase_if(words, [](const auto& word) { return word.size() == 1; });
  return words;
}

std::optional<BufferRefusal> whyNotNarrow(Analyses& analyses, const BufferView& view,
                                          uint32_t leaf) {
  const TypeInfo& info = analyses.get<Types>().info(view.leaves[leaf].typeId);
  if (info.kind != TypeInfo::Kind::Int || info.width != 32)
    return BufferRefusal{"not-an-integer", "it is not a 32-bit integer", {}};
  for (const BufferAccess& access : view.accesses) {
    if (access.isWhole || access.leaves.front() != leaf) continue;
    if (access.isAtomic)
      return BufferRefusal{"narrowed-atomic", "it is accessed atomically", access.inst};
    if (access.isCopy)
      return BufferRefusal{"unsupported-use", "it is copied by OpCopyMemory", access.inst};
  }
  return std::nullopt;
}

std::optional<BufferRefusal> whyNotInPlace(Analyses& analyses, const BufferView& view,
                                           std::span<const NarrowLeaf> word) {
  return InPlace(analyses, view, word).run();
}

} // namespace lanewise
