#include "transforms/relayout_buffers.h"

#include "analysis/module/constants.h"
#include "analysis/module/decorations.h"
#include "analysis/module/def_use.h"
#include "analysis/module/entry_points.h"
#include "analysis/module/types.h"
#include "transforms/buffer_types.h"
#include "transforms/shared_pointers.h"

#include <algorithm>
#include <bit>
#include <map>
#include <memory>
#include <set>

namespace lanewise {
namespace {

using Kind = TypeInfo::Kind;
using PointerKind = BufferPointer::Kind;
using Mask = spv::MemoryAccessMask;

/// The largest power of two that divides all of `numbers`.
uint64_t alignmentOf(std::initializer_list<uint64_t> numbers) {
  uint64_t all = uint64_t(1) << 31;
  for (uint64_t n : numbers) all |= n;
  return all & (~all + 1);
}

/// Where an index leads: null ids where the layout has no such step.
struct SplitIndex {
  Id tile, inTile;
};

/// The rewrite of one view, without what concerns two of them.
class ViewRelayout {
public:
  ViewRelayout(Analyses& analyses, Rewriter& rewriter, const BufferRelayout& relayout)
      : analyses_(analyses), module_(analyses.module()), rewriter_(rewriter), view_(*relayout.view),
        layout_(*relayout.layout), slots_(slotsByGroup(layout_)),
        types_(analyses, rewriter, view_, layout_),
        storage_(*analyses.get<Types>().storageOf(view_.variable)) {
    rewriter.setId(module_.def(view_.variable), 1, pointerTo(types_.whole()));
    for (size_t p = 0; p < view_.pointers.size(); ++p) byId_[idOf(p)] = p;
  }

  const BufferView& view() const { return view_; }

  /// Pointers whose base goes, and those that go.
  void rewritePointer(size_t p) {
    const BufferPointer& pointer = view_.pointers[p];
    if (pointer.kind == PointerKind::Whole) {
      rewriter_.erase(pointer.inst);
      erased_.insert(idOf(p));
      return;
    }
    const auto base = byId_.find(module_.idAt(pointer.inst, 3));
    const bool isPacked = pointer.kind == PointerKind::Leaf && isNarrow(pointer.leaf);
    // What is made from a pointer that stays may stay, but a packed field's points to its word now:
    // so must its copies, and access chains on it that take no step.
    const bool isBaseWhole =
        base != byId_.end() && view_.pointers[base->second].kind == PointerKind::Whole;
    if (!isBaseWhole && !isPacked) return;
    if (pointer.kind == PointerKind::Outside && pointer.startsAtVariable) return;
    const spv::Op op = module_.opcode(pointer.inst);
    Inst chain(op == spv::Op::OpCopyObject ? spv::Op::OpAccessChain : op);
    chain
        .id(isPacked ? pointerTo(rewriter_.uint32Type(module_.def(view_.variable)))
                     : module_.resultType(pointer.inst))
        .id(idOf(p));
    if (pointer.kind == PointerKind::Outside) {
      chain.id(view_.variable);
      for (Id step : pointer.steps) chain.id(step);
    } else {
      addSteps(chain, pointer, pointer.leaf, pointer.inst);
    }
    rewriter_.replace(pointer.inst, std::move(chain));
    const bool isDecorated = analyses_.get<Decorations>().has(idOf(p), spv::Decoration::NonUniform);
    if (pointer.isNonUniform && !isDecorated) decorateNonUniform(idOf(p));
  }

  bool isNarrow(uint32_t leaf) const { return layout_.fields[leaf].bits != 0; }
  const LayoutField& field(uint32_t leaf) const { return layout_.fields[leaf]; }
  /// The leaves that are packed into the word that holds this one.
  const LeafSlot& slotOf(uint32_t leaf) const {
    for (const LeafSlot& slot : slots_[layout_.fields[leaf].group])
      if (std::find(slot.begin(), slot.end(), leaf) != slot.end()) return slot;
    return slots_.front().front(); // every leaf is in a slot
  }

  /// A pointer to a leaf of the element that `pointer` points to or into, made before `at`.
  Id leafPointer(InstRef at, const BufferPointer& pointer, uint32_t leaf) {
    const Id id = rewriter_.newId();
    Inst chain(spv::Op::OpAccessChain);
    chain
        .id(pointerTo(isNarrow(leaf) ? rewriter_.uint32Type(module_.def(view_.variable))
                                     : view_.leaves[leaf].typeId))
        .id(id);
    addSteps(chain, pointer, leaf, at);
    rewriter_.insertBefore(at, std::move(chain));
    if (pointer.isNonUniform) decorateNonUniform(id);
    return id;
  }

  /// The length of the tiles' array, times a tile.
  void rewriteLength(InstRef at) {
    const BufferPointer& pointer = view_.pointers[byId_.at(module_.idAt(at, 3))];
    const Id type = module_.resultType(at);
    Id lengthOf, factor;
    spv::Op op = spv::Op::OpIMul;
    if (types_.runs().empty()) {
      lengthOf = length(at, pointer, type, {view_.variable, types_.block(), view_.arrayMember});
      factor = rewriter_.constant(type, layout_.tile);
    } else {
      lengthOf = length(at, pointer, type, types_.runs().back());
      factor = rewriter_.constant(type, elementParts());
      op = spv::Op::OpUDiv;
    }
    Inst inst(op);
    rewriter_.replace(at,
                      std::move(inst.id(type).id(module_.resultId(at)).id(lengthOf).id(factor)));
  }

  /// Variables that take part in every entry point that has the view's.
  const std::vector<Id>& newVariables() const { return types_.newVariables(); }

  /// The promise of an alignment of `promised` bytes that still holds for a leaf or a part of it.
  /// What is promised of an address holds of the leaf's start up to the alignment that the leaf
  /// itself has, and so of the distance between the two.
  uint32_t alignmentAfter(uint32_t leaf, uint32_t promised) const {
    const LayoutField& field = layout_.fields[leaf];
    const uint64_t elements = layout_.tileElements(layout_.count.value_or(0));
    const uint64_t before =
        alignmentOf({layout_.arrayOffsetBefore, layout_.strideBefore, field.offsetBefore});
    const uint64_t after =
        alignmentOf({layout_.arrayOffsetAfter, layout_.tile == 0 ? 0 : layout_.tileStride(elements),
                     layout_.groupOffset(field.group, elements), layout_.groups[field.group].stride,
                     field.offsetInGroup});
    return uint32_t(std::min({uint64_t(promised), before, after}));
  }

  /// Names, decorations and debug information of pointers that are gone. OpGroupDecorate without
  /// them is collected for all views.
  void eraseNames(std::map<InstRef, std::set<Id>>& groups) {
    for (Id id : erased_)
      for (Use use : analyses_.get<DefUse>().uses(id)) {
        const spv::Op op = module_.opcode(use.user);
        const OpClass what = module_.facts(use.user).opClass;
        if (op == spv::Op::OpGroupDecorate)
          groups[use.user].insert(id);
        else if (what == OpClass::Annotation || what == OpClass::Debug || op == spv::Op::OpExtInst)
          rewriter_.erase(use.user);
      }
  }

  Id pointerTo(Id pointee) {
    Id& pointer = pointers_[pointee];
    if (pointer) return pointer;
    for (InstRef i : module_.globals())
      if (module_.opcode(i) == spv::Op::OpTypePointer && module_.idAt(i, 3) == pointee &&
          spv::StorageClass(module_.word(i, 2)) == storage_ &&
          analyses_.get<Decorations>().of(module_.resultId(i)).empty())
        return pointer = module_.resultId(i);
    return pointer = rewriter_.declare(module_.def(view_.variable), [&](Id id) {
      return Inst(spv::Op::OpTypePointer).id(id).word(uint32_t(storage_)).id(pointee);
    });
  }

private:
  Id idOf(size_t p) const {
    const InstRef inst = view_.pointers[p].inst;
    return inst ? module_.resultId(inst) : view_.variable;
  }

  void decorateNonUniform(Id id) {
    Inst inst(spv::Op::OpDecorate);
    rewriter_.insertAfter(analyses_.get<Decorations>().of(view_.block).front().inst,
                          std::move(inst.id(id).word(uint32_t(spv::Decoration::NonUniform))));
  }

  /// OpArrayLength of a run or of the tiles, made before `at` for the descriptor of `pointer`.
  Id length(InstRef at, const BufferPointer& pointer, Id type, const BufferTypes::Run& run) {
    Id base = run.variable;
    if (view_.descriptorDims != 0) {
      base = rewriter_.newId();
      Inst chain(spv::Op::OpAccessChain);
      chain.id(pointerTo(run.block)).id(base).id(run.variable);
      for (size_t n = 0; n < view_.descriptorDims; ++n) chain.id(pointer.steps[n]);
      rewriter_.insertBefore(at, std::move(chain));
      if (pointer.isNonUniform) decorateNonUniform(base);
    }
    const Id result = rewriter_.newId();
    Inst inst(spv::Op::OpArrayLength);
    rewriter_.insertBefore(at, std::move(inst.id(type).id(result).id(base).word(run.member)));
    return result;
  }

  /// How many elements of the last run, which has the smallest ones, are as long as one of each.
  uint32_t elementParts() const {
    uint32_t sum = 0;
    for (const LayoutGroup& group : layout_.groups) sum += group.stride;
    return sum / layout_.groups.back().stride;
  }

  /// The base and steps to a leaf, and from it on those that `pointer` takes inside.
  void addSteps(Inst& chain, const BufferPointer& pointer, uint32_t leaf, InstRef at) {
    const LayoutField& field = layout_.fields[leaf];
    if (types_.runs().empty())
      addTileSteps(chain, pointer, field, at);
    else
      addRunSteps(chain, pointer, field, at);
    const std::vector<LeafSlot>& slots = slots_[field.group];
    if (slots.size() > 1) {
      uint32_t place = 0;
      while (layout_.fields[slots[place].front()].offsetInGroup != field.offsetInGroup) ++place;
      chain.id(rewriter_.uint32Constant(place));
    }
    if (pointer.kind == PointerKind::Whole) return;
    for (size_t n = pointer.leafSteps; n < pointer.steps.size(); ++n) chain.id(pointer.steps[n]);
  }

  void addTileSteps(Inst& chain, const BufferPointer& pointer, const LayoutField& field,
                    InstRef at) {
    const size_t prefix = view_.descriptorDims + 1;
    chain.id(view_.variable);
    for (size_t n = 0; n < prefix; ++n) chain.id(pointer.steps[n]);
    const SplitIndex index = split(at, pointer.steps[prefix]);
    if (index.tile) chain.id(index.tile);
    chain.id(rewriter_.uint32Constant(field.group)).id(index.inTile);
  }

  /// The index into a run's view: the run starts behind those of the groups before it, which have
  /// as many elements. Where a run starts is a whole number of its own elements (soaLayout()).
  void addRunSteps(Inst& chain, const BufferPointer& pointer, const LayoutField& field,
                   InstRef at) {
    const BufferTypes::Run& run = types_.runs()[field.group];
    chain.id(run.variable);
    for (size_t n = 0; n < view_.descriptorDims; ++n) chain.id(pointer.steps[n]);
    chain.id(rewriter_.uint32Constant(run.member));
    uint32_t before = 0;
    for (uint32_t g = 0; g < field.group; ++g) before += layout_.groups[g].stride;
    const Id index = pointer.steps[view_.descriptorDims + 1];
    if (before == 0) {
      chain.id(index);
      return;
    }
    const uint32_t factor = before / layout_.groups[field.group].stride;
    Id start = elementCount(at, pointer);
    if (factor != 1) start = compute(at, spv::Op::OpIMul, start, factor);
    const Id whole = asUint32(at, index);
    const Id sum = rewriter_.newId();
    Inst inst(spv::Op::OpIAdd);
    rewriter_.insertBefore(at,
                           std::move(inst.id(rewriter_.uint32Type()).id(sum).id(start).id(whole)));
    chain.id(sum);
  }

  /// The number of elements as a 32-bit value at `at`: of the buffer that is bound, by which the
  /// host lays out the runs. A length by specialization constants may be another, and differ from
  /// shader to shader.
  Id elementCount(InstRef at, const BufferPointer& pointer) {
    std::vector<Id> key(pointer.steps.begin(),
                        pointer.steps.begin() + ptrdiff_t(view_.descriptorDims));
    const auto [known, isNew] = counts_.try_emplace({module_.blockOf(at), key});
    if (!isNew) return known->second;
    const Id parts = length(at, pointer, rewriter_.uint32Type(), types_.runs().back());
    return known->second = compute(at, spv::Op::OpUDiv, parts, elementParts());
  }

  SplitIndex split(InstRef at, Id index) {
    if (layout_.tile == 0) return {{}, index};
    if (const auto literal = analyses_.get<Constants>().literal(index))
      return {rewriter_.uint32Constant(uint32_t(*literal / layout_.tile)),
              rewriter_.uint32Constant(uint32_t(*literal % layout_.tile))};
    // Sites come in module order, so what was computed earlier in the block stands before this one.
    const auto [known, isNew] = split_.try_emplace({module_.blockOf(at), index});
    if (!isNew) return known->second;
    const Id whole = asUint32(at, index);
    SplitIndex both;
    if (std::has_single_bit(layout_.tile)) {
      both.tile = compute(at, spv::Op::OpShiftRightLogical, whole,
                          uint32_t(std::countr_zero(layout_.tile)));
      both.inTile = compute(at, spv::Op::OpBitwiseAnd, whole, layout_.tile - 1);
    } else {
      both.tile = compute(at, spv::Op::OpUDiv, whole, layout_.tile);
      both.inTile = compute(at, spv::Op::OpUMod, whole, layout_.tile);
    }
    return known->second = both;
  }

  /// Indices are signed, those of unsigned types too (OpAccessChain), but none that is negative is
  /// in range, and no array has more elements than 32 bits can count: a buffer is bound with at
  /// most maxStorageBufferRange bytes, which Vulkan counts in 32 bits. What lifts that,
  /// Shader64BitIndexingEXT, is refused.
  Id asUint32(InstRef at, Id index) {
    const TypeInfo& type = analyses_.get<Types>().info(module_.typeOf(index));
    if (type.width == 32 && !type.isSigned) return index;
    const spv::Op op = type.width == 32  ? spv::Op::OpBitcast
                       : type.width < 32 ? spv::Op::OpSConvert
                                         : spv::Op::OpUConvert;
    const Id uint32 = rewriter_.uint32Type(), result = rewriter_.newId();
    rewriter_.insertBefore(at, std::move(Inst(op).id(uint32).id(result).id(index)));
    return result;
  }

  Id compute(InstRef at, spv::Op op, Id a, uint32_t b) {
    const Id result = rewriter_.newId(), constant = rewriter_.uint32Constant(b);
    Inst inst(op);
    rewriter_.insertBefore(
        at, std::move(inst.id(rewriter_.uint32Type()).id(result).id(a).id(constant)));
    return result;
  }

  Analyses& analyses_;
  const Module& module_;
  Rewriter& rewriter_;
  const BufferView& view_;
  const BufferLayout& layout_;
  const std::vector<std::vector<LeafSlot>> slots_;
  std::map<Id, Id> pointers_; ///< by pointee
  BufferTypes types_;
  const spv::StorageClass storage_;
  std::map<Id, size_t> byId_; ///< into BufferView::pointers
  std::map<std::pair<BlockRef, Id>, SplitIndex> split_;
  std::map<std::pair<BlockRef, std::vector<Id>>, Id> counts_; ///< by block and descriptor
  std::set<Id> erased_;
};

/// One side of a load, store or copy of a struct.
struct Side {
  ViewRelayout* relayout = nullptr;
  const BufferAccess* access = nullptr;
};

/// Memory operands of the loads or stores that one instruction becomes.
struct Operands {
  uint32_t mask = 0;
  Id scope;
};

class BufferRelayouts {
public:
  BufferRelayouts(Analyses& analyses, Rewriter& rewriter, std::span<const BufferRelayout> relayouts)
      : analyses_(analyses), module_(analyses.module()), rewriter_(rewriter) {
    for (const BufferRelayout& r : relayouts)
      views_.push_back(std::make_unique<ViewRelayout>(analyses, rewriter, r));
  }

  void run() {
    collectSites();
    for (const auto& [inst, site] : sites_) {
      if (site.pointer) site.pointer->rewritePointer(site.pointerIndex);
      if (site.length) site.length->rewriteLength(inst);
      if (site.read.access || site.written.access) rewriteWhole(inst, site);
    }
    for (const auto& [place, value] : alignments_)
      rewriter_.setWord(place.first, place.second, value);
    eraseNames();
    addToInterfaces();
  }

private:
  /// What happens at one instruction.
  struct Site {
    ViewRelayout* pointer = nullptr;
    size_t pointerIndex = 0;
    ViewRelayout* length = nullptr;
    Side read, written;
  };

  void collectSites() {
    for (const auto& relayout : views_) {
      const BufferView& view = relayout->view();
      for (size_t p = 1; p < view.pointers.size(); ++p) {
        Site& site = sites_[view.pointers[p].inst];
        site.pointer = relayout.get();
        site.pointerIndex = p;
      }
      for (InstRef length : view.lengths) sites_[length].length = relayout.get();
      for (const BufferAccess& access : view.accesses) {
        if (!access.isWhole && !relayout->isNarrow(access.leaves.front())) {
          lowerAlignment(*relayout, access);
          continue;
        }
        Side& side = access.isWrite ? sites_[access.inst].written : sites_[access.inst].read;
        side = {relayout.get(), &access};
      }
    }
  }

  // ---- memory operands ----

  /// An Aligned that was promised of the old address.
  void lowerAlignment(const ViewRelayout& relayout, const BufferAccess& access) {
    const spv::Op op = module_.opcode(access.inst);
    if (access.isAtomic) return;
    for (uint32_t word = op == spv::Op::OpLoad ? 4 : 3; word < module_.wordCount(access.inst);) {
      const uint32_t at = word;
      const auto operands = readMemoryOperands(module_, access.inst, word);
      if (!operands) return;
      if ((operands->mask & uint32_t(Mask::Aligned)) == 0) continue;
      const uint32_t promised = module_.word(access.inst, at + 1);
      const uint32_t now = relayout.alignmentAfter(access.leaves.front(), promised);
      if (now == promised) continue;
      const auto [known, isNew] = alignments_.try_emplace({access.inst, at + 1}, now);
      known->second = std::min(known->second, now);
    }
  }

  /// What the loads (or stores) of the leaves say. A promised alignment held for the first leaf
  /// only.
  Operands operandsOf(InstRef inst, bool isWrite) const {
    const spv::Op op = module_.opcode(inst);
    uint32_t word = op == spv::Op::OpLoad ? 4 : 3;
    auto first = readMemoryOperands(module_, inst, word);
    // OpCopyMemory: the first set is the target's, the second, if there is one, the source's.
    if (op == spv::Op::OpCopyMemory && !isWrite && word < module_.wordCount(inst))
      first = readMemoryOperands(module_, inst, word);
    Operands operands;
    if (!first) return operands;
    const Mask drop = isWrite ? Mask::MakePointerVisible : Mask::MakePointerAvailable;
    operands.mask = first->mask & ~uint32_t(Mask::Aligned) & ~uint32_t(drop);
    operands.scope = isWrite ? first->available : first->visible;
    return operands;
  }

  static void addOperands(Inst& inst, const Operands& operands) {
    if (operands.mask == 0) return;
    inst.word(operands.mask);
    if (operands.scope) inst.id(operands.scope);
  }

  Id load(InstRef at, Id type, Id pointer, const Operands& operands) {
    const Id value = rewriter_.newId();
    Inst inst(spv::Op::OpLoad);
    addOperands(inst.id(type).id(value).id(pointer), operands);
    rewriter_.insertBefore(at, std::move(inst));
    return value;
  }
  void store(InstRef at, Id pointer, Id value, const Operands& operands) {
    Inst inst(spv::Op::OpStore);
    addOperands(inst.id(pointer).id(value), operands);
    rewriter_.insertBefore(at, std::move(inst));
  }

  // ---- structs ----

  using Values = std::map<std::vector<uint32_t>, Id>; ///< by members below the struct

  static std::vector<uint32_t> below(const ElementLeaf& leaf, const BufferPointer& pointer) {
    return {leaf.members.begin() + ptrdiff_t(pointer.members.size()), leaf.members.end()};
  }

  Values loadLeaves(InstRef at, const Side& side) {
    const BufferView& view = side.relayout->view();
    const BufferPointer& pointer = view.pointers[side.access->pointer];
    const Operands operands = operandsOf(at, false);
    Values values;
    std::map<uint32_t, Id> words; // by the first leaf in them
    for (uint32_t n : side.access->allLeaves) {
      const ElementLeaf& leaf = view.leaves[n];
      Id& value = values[below(leaf, pointer)];
      if (!side.relayout->isNarrow(n)) {
        value = load(at, leaf.typeId, side.relayout->leafPointer(at, pointer, n), operands);
        continue;
      }
      Id& word = words[side.relayout->slotOf(n).front()];
      if (!word) word = load(at, uint32(), side.relayout->leafPointer(at, pointer, n), operands);
      value = rewriter_.newId();
      rewriter_.insertBefore(at,
                             extractBits(at, side.relayout->field(n), leaf.typeId, value, word));
    }
    return values;
  }

  void storeLeaves(InstRef at, const Side& side, const Values& values) {
    const BufferView& view = side.relayout->view();
    const BufferPointer& pointer = view.pointers[side.access->pointer];
    const Operands operands = operandsOf(at, true);
    const std::vector<uint32_t>& leaves = side.access->allLeaves;
    auto valueOf = [&](uint32_t n) { return values.at(below(view.leaves[n], pointer)); };
    for (uint32_t n : leaves) {
      if (!side.relayout->isNarrow(n)) {
        store(at, side.relayout->leafPointer(at, pointer, n), valueOf(n), operands);
        continue;
      }
      LeafSlot stored; // what the access has of the word
      const LeafSlot& slot = side.relayout->slotOf(n);
      for (uint32_t other : slot)
        if (std::find(leaves.begin(), leaves.end(), other) != leaves.end()) stored.push_back(other);
      if (stored.front() != n) continue; // the word was written with its first leaf
      const Id place = side.relayout->leafPointer(at, pointer, n);
      Id word = stored.size() == slot.size() ? rewriter_.uint32Constant(0)
                                             : load(at, uint32(), place, rereadOperands(operands));
      for (uint32_t other : stored)
        word = insertBits(at, side.relayout->field(other), word, valueOf(other));
      store(at, place, word, operands);
    }
  }

  // ---- packed fields ----

  Id uint32() { return rewriter_.uint32Type(); }

  /// A word that is read to be written back needs nothing that others made visible.
  static Operands rereadOperands(const Operands& operands) {
    constexpr uint32_t kKeep =
        uint32_t(Mask::Volatile) | uint32_t(Mask::Nontemporal) | uint32_t(Mask::NonPrivatePointer);
    return {operands.mask & kKeep, {}};
  }

  Id bitcast(InstRef at, Id type, Id value) {
    const Id result = rewriter_.newId();
    Inst inst(spv::Op::OpBitcast);
    rewriter_.insertBefore(at, std::move(inst.id(type).id(result).id(value)));
    return result;
  }

  /// The instruction that takes a field of type `type` out of its word.
  Inst extractBits(InstRef at, const LayoutField& field, Id type, Id result, Id word) {
    Inst inst(field.isSigned ? spv::Op::OpBitFieldSExtract : spv::Op::OpBitFieldUExtract);
    inst.id(type).id(result).id(field.isSigned ? bitcast(at, type, word) : word);
    inst.id(rewriter_.uint32Constant(field.firstBit)).id(rewriter_.uint32Constant(field.bits));
    return inst;
  }

  Id insertBits(InstRef at, const LayoutField& field, Id word, Id value) {
    const Id bits = field.isSigned ? bitcast(at, uint32(), value) : value;
    const Id result = rewriter_.newId();
    Inst inst(spv::Op::OpBitFieldInsert);
    inst.id(uint32()).id(result).id(word).id(bits);
    inst.id(rewriter_.uint32Constant(field.firstBit)).id(rewriter_.uint32Constant(field.bits));
    rewriter_.insertBefore(at, std::move(inst));
    return result;
  }

  /// A load or store of one packed field: its pointer leads to the word now.
  void rewritePacked(InstRef at, const Side& side) {
    const LayoutField& field = side.relayout->field(side.access->leaves.front());
    if (module_.opcode(at) == spv::Op::OpLoad) {
      const Id word = load(at, uint32(), module_.idAt(at, 3), operandsOf(at, false));
      rewriter_.replace(at,
                        extractBits(at, field, module_.resultType(at), module_.resultId(at), word));
      return;
    }
    const Id place = module_.idAt(at, 1);
    const Operands operands = operandsOf(at, true);
    const Id word = load(at, uint32(), place, rereadOperands(operands));
    store(at, place, insertBits(at, field, word, module_.idAt(at, 2)), operands);
    rewriter_.erase(at);
  }

  /// All leaves that a side has, taken from a struct value.
  Values extractLeaves(InstRef at, const Side& side, Id whole) {
    const BufferView& view = side.relayout->view();
    const BufferPointer& pointer = view.pointers[side.access->pointer];
    Values values;
    for (uint32_t n : side.access->allLeaves) {
      const Id value = rewriter_.newId();
      const std::vector<uint32_t> members = below(view.leaves[n], pointer);
      Inst inst(spv::Op::OpCompositeExtract);
      rewriter_.insertBefore(
          at, std::move(inst.id(view.leaves[n].typeId).id(value).id(whole).words(members)));
      values[members] = value;
    }
    return values;
  }

  /// The instruction that makes a struct of its leaves.
  Inst construct(InstRef at, Id type, Id result, const Values& values,
                 std::vector<uint32_t> members = {}) {
    Inst inst(spv::Op::OpCompositeConstruct);
    inst.id(type).id(result);
    const TypeInfo info = analyses_.get<Types>().info(type);
    members.push_back(0);
    for (members.back() = 0; members.back() < info.count; ++members.back()) {
      const Id memberType = analyses_.get<Types>().member(type, members.back());
      if (analyses_.get<Types>().info(memberType).kind != Kind::Struct) {
        inst.id(values.at(members));
        continue;
      }
      const Id part = rewriter_.newId();
      rewriter_.insertBefore(at, construct(at, memberType, part, values, members));
      inst.id(part);
    }
    return inst;
  }

  void rewriteWhole(InstRef at, const Site& site) {
    const Side& side = site.read.access ? site.read : site.written;
    if (!side.access->isWhole) return rewritePacked(at, side);
    if (module_.opcode(at) == spv::Op::OpLoad) {
      const Values values = loadLeaves(at, site.read);
      rewriter_.replace(at, construct(at, module_.resultType(at), module_.resultId(at), values));
      return;
    }
    if (module_.opcode(at) == spv::Op::OpStore) {
      storeLeaves(at, site.written, extractLeaves(at, site.written, module_.idAt(at, 2)));
      rewriter_.erase(at);
      return;
    }
    rewriteCopy(at, site);
  }

  void rewriteCopy(InstRef at, const Site& site) {
    const Id to = module_.idAt(at, 1), from = module_.idAt(at, 2);
    const Id type = analyses_.get<Types>().pointee(to);
    if (site.read.access && site.written.access) {
      storeLeaves(at, site.written, loadLeaves(at, site.read));
    } else if (site.read.access) {
      const Id value = rewriter_.newId();
      const Values values = loadLeaves(at, site.read);
      rewriter_.insertBefore(at, construct(at, type, value, values));
      store(at, to, value, operandsOf(at, true));
    } else {
      const Id value = load(at, type, from, operandsOf(at, false));
      storeLeaves(at, site.written, extractLeaves(at, site.written, value));
    }
    rewriter_.erase(at);
  }

  void eraseNames() {
    std::map<InstRef, std::set<Id>> groups;
    for (const auto& view : views_) view->eraseNames(groups);
    for (const auto& [at, gone] : groups) {
      Inst inst(spv::Op::OpGroupDecorate);
      inst.id(module_.idAt(at, 1));
      for (uint32_t word = 2; word < module_.wordCount(at); ++word)
        if (gone.count(module_.idAt(at, word)) == 0) inst.id(module_.idAt(at, word));
      rewriter_.replace(at, std::move(inst));
    }
  }

  /// From SPIR-V 1.4 on entry points list their buffers (3.42.4 OpEntryPoint).
  void addToInterfaces() {
    for (InstRef i : module_.globals()) {
      if (module_.opcode(i) != spv::Op::OpEntryPoint) continue;
      Inst inst(module_.inst(i));
      bool isChanged = false;
      for (const auto& view : views_) {
        const bool isListed =
            std::ranges::count(interfaceOf(module_, i), view->view().variable) > 0;
        if (!isListed || view->newVariables().empty() || module_.version() < 0x00010400) continue;
        for (Id variable : view->newVariables()) inst.id(variable);
        isChanged = true;
      }
      if (isChanged) rewriter_.replace(i, std::move(inst));
    }
  }

  Analyses& analyses_;
  const Module& module_;
  Rewriter& rewriter_;
  std::vector<std::unique_ptr<ViewRelayout>> views_;
  std::map<InstRef, Site> sites_; ///< in module order
  std::map<std::pair<InstRef, uint32_t>, uint32_t> alignments_;
};

} // namespace

void relayoutBuffers(Analyses& analyses, Rewriter& rewriter,
                     std::span<const BufferRelayout> relayouts) {
  BufferRelayouts(analyses, rewriter, relayouts).run();
}

} // namespace lanewise
