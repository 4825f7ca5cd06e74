#include "transforms/buffer_types.h"

#include "analysis/module/decorations.h"
#include "analysis/module/types.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>

namespace lanewise {

std::vector<std::vector<LeafSlot>> slotsByGroup(const BufferLayout& layout) {
  std::vector<std::map<uint32_t, LeafSlot>> byOffset(layout.groups.size());
  for (uint32_t n = 0; n < layout.fields.size(); ++n)
    byOffset[layout.fields[n].group][layout.fields[n].offsetInGroup].push_back(n);
  std::vector<std::vector<LeafSlot>> slots(layout.groups.size());
  for (size_t g = 0; g < slots.size(); ++g)
    for (auto& [offset, slot] : byOffset[g]) slots[g].push_back(std::move(slot));
  return slots;
}

BufferTypes::BufferTypes(Analyses& analyses, Rewriter& rewriter, const BufferView& view,
                         const BufferLayout& layout)
    : analyses_(analyses), module_(analyses.module()), rewriter_(rewriter), view_(view),
      layout_(layout), anchor_(module_.def(view.variable)), slots_(slotsByGroup(layout)),
      elements_(layout.tileElements(layout.count.value_or(0))) {
  annotations_ = analyses.get<Decorations>().of(view.block).front().inst; // Block or BufferBlock
  if (layout.tile == 0 && !view.count)
    declareRuns();
  else
    declareTiled();
}

void BufferTypes::declareTiled() {
  std::vector<Id> groups, runs;
  for (uint32_t g = 0; g < slots_.size(); ++g) {
    groups.push_back(declareGroup(slots_[g]));
    runs.push_back(declareArray(groups.back(), elements_, layout_.groups[g].stride));
  }
  const Id tile = declareStruct(runs);
  const std::vector<uint64_t> offsets = layout_.groupOffsets(elements_);
  for (uint32_t g = 0; g < slots_.size(); ++g) {
    decorateMember(tile, g, spv::Decoration::Offset, uint32_t(offsets[g]));
    if (slots_[g].size() == 1) copyLeafDecorations(slots_[g].front(), tile, g);
  }
  declareBlock(layout_.tile == 0 ? tile : declareTiles(tile));
  whole_ = declareDescriptors(block_);
  nameAll(tile, groups);
}

Id BufferTypes::declareStruct(const std::vector<Id>& members) {
  return rewriter_.declare(anchor_, [&](Id id) {
    Inst inst(spv::Op::OpTypeStruct);
    inst.id(id);
    for (Id member : members) inst.id(member);
    return inst;
  });
}

Id BufferTypes::typeOf(const LeafSlot& slot) {
  if (layout_.fields[slot.front()].bits != 0) return rewriter_.uint32Type(anchor_);
  return view_.leaves[slot.front()].typeId;
}

/// A group of one leaf is that leaf; its decorations stand at the tile's member.
Id BufferTypes::declareGroup(const std::vector<LeafSlot>& slots) {
  if (slots.size() == 1) return typeOf(slots.front());
  std::vector<Id> members;
  for (const LeafSlot& slot : slots) members.push_back(typeOf(slot));
  const Id type = declareStruct(members);
  for (uint32_t m = 0; m < slots.size(); ++m) {
    decorateMember(type, m, spv::Decoration::Offset,
                   layout_.fields[slots[m].front()].offsetInGroup);
    copyLeafDecorations(slots[m], type, m);
  }
  return type;
}

Id BufferTypes::declareArray(Id element, uint64_t length, uint64_t stride) {
  const Id constant = rewriter_.uint32Constant(uint32_t(length), anchor_);
  const Id type = rewriter_.declare(
      anchor_, [&](Id id) { return Inst(spv::Op::OpTypeArray).id(id).id(element).id(constant); });
  decorate(type, spv::Decoration::ArrayStride, uint32_t(stride));
  return type;
}

Id BufferTypes::declareTiles(Id tile) {
  const uint64_t stride = layout_.tileStride(elements_);
  if (view_.count)
    return declareArray(tile, (*view_.count + layout_.tile - 1) / layout_.tile, stride);
  Id type;
  if (!view_.length) {
    type = rewriter_.declare(
        anchor_, [&](Id id) { return Inst(spv::Op::OpTypeRuntimeArray).id(id).id(tile); });
  } else {
    // (length - 1) / tile + 1: a length is at least 1, and its type may be signed.
    const Id integer = module_.typeOf(view_.length);
    auto compute = [&](spv::Op op, Id a, uint32_t b) {
      const Id constant = rewriter_.constant(integer, b, anchor_);
      return rewriter_.declare(anchor_, [&](Id id) {
        return Inst(spv::Op::OpSpecConstantOp)
            .id(integer)
            .id(id)
            .word(uint32_t(op))
            .id(a)
            .id(constant);
      });
    };
    const Id last = compute(spv::Op::OpISub, view_.length, 1);
    const Id length = compute(spv::Op::OpIAdd, compute(spv::Op::OpUDiv, last, layout_.tile), 1);
    type = rewriter_.declare(
        anchor_, [&](Id id) { return Inst(spv::Op::OpTypeArray).id(id).id(tile).id(length); });
  }
  decorate(type, spv::Decoration::ArrayStride, uint32_t(stride));
  return type;
}

void BufferTypes::declareBlock(Id array) {
  const Types& types = analyses_.get<Types>();
  std::vector<Id> members;
  for (uint32_t m = 0; m < types.info(view_.block).count; ++m)
    members.push_back(m == view_.arrayMember ? array : types.member(view_.block, m));
  block_ = declareStruct(members);
  for (const Decoration& d : analyses_.get<Decorations>().of(view_.block)) {
    const bool isArrayOffset =
        d.member == view_.arrayMember && d.decoration == spv::Decoration::Offset;
    if (!isArrayOffset) copyDecoration(d, block_, d.member);
  }
  decorateMember(block_, view_.arrayMember, spv::Decoration::Offset, layout_.arrayOffsetAfter);
}

/// Groups of one type share a view: where a run starts is part of the index.
void BufferTypes::declareRuns() {
  std::map<std::pair<Id, uint32_t>, Run> known; // by type and stride
  for (uint32_t g = 0; g < slots_.size(); ++g) {
    const Id group = declareGroup(slots_[g]);
    const uint32_t stride = layout_.groups[g].stride;
    // What is said of a leaf (a matrix's stride) stands at the array, so only plain ones share it.
    const bool isLeaf = slots_[g].size() == 1;
    const bool isShared = isLeaf && isPlain(slots_[g].front());
    if (const auto found = known.find({group, stride}); isShared && found != known.end()) {
      runs_.push_back(found->second);
      continue;
    }
    const Id array = rewriter_.declare(
        anchor_, [&](Id id) { return Inst(spv::Op::OpTypeRuntimeArray).id(id).id(group); });
    decorate(array, spv::Decoration::ArrayStride, stride);
    runs_.push_back(declareRun(array));
    if (isShared) known.emplace(std::pair(group, stride), runs_.back());
    if (!isLeaf) continue;
    std::set<spv::Decoration> done;
    for (const Decoration& d :
         analyses_.get<Decorations>().ofMember(view_.block, view_.arrayMember))
      done.insert(d.decoration);
    copyLeafDecorations(slots_[g].front(), runs_.back().block, runs_.back().member, done);
  }
}

bool BufferTypes::isPlain(const LeafSlot& slot) const {
  const Types& types = analyses_.get<Types>();
  for (uint32_t leaf : slot) {
    const TypeInfo::Kind kind = types.info(view_.leaves[leaf].typeId).kind;
    if (kind != TypeInfo::Kind::Int && kind != TypeInfo::Kind::Float &&
        kind != TypeInfo::Kind::Vector)
      return false;
    Id owner = view_.elementType;
    for (uint32_t m : view_.leaves[leaf].members) {
      for (const Decoration& d : analyses_.get<Decorations>().ofMember(owner, m))
        if (d.decoration != spv::Decoration::Offset) return false;
      owner = types.member(owner, m);
    }
  }
  return true;
}

/// The first run takes the array's place behind the header; each other has a block of its own.
BufferTypes::Run BufferTypes::declareRun(Id array) {
  if (runs_.empty()) {
    declareBlock(array);
    whole_ = declareDescriptors(block_);
    nameAll({}, {});
    return {view_.variable, block_, view_.arrayMember};
  }
  Run run;
  run.block = declareStruct({array});
  for (const Decoration& d : analyses_.get<Decorations>().of(view_.block)) {
    if (d.member == Decoration::kNoMember) copyDecoration(d, run.block, d.member);
    if (d.member == view_.arrayMember && d.decoration != spv::Decoration::Offset)
      copyDecoration(d, run.block, 0);
  }
  decorateMember(run.block, 0, spv::Decoration::Offset, layout_.arrayOffsetAfter);
  const Id whole = declareDescriptors(run.block);
  const auto storage = uint32_t(*analyses_.get<Types>().storageOf(view_.variable));
  const Id pointer = rewriter_.declare(
      anchor_, [&](Id id) { return Inst(spv::Op::OpTypePointer).id(id).word(storage).id(whole); });
  run.variable = rewriter_.declare(
      anchor_, [&](Id id) { return Inst(spv::Op::OpVariable).id(pointer).id(id).word(storage); });
  for (const Decoration& d : analyses_.get<Decorations>().of(view_.variable))
    copyDecoration(d, run.variable, d.member);
  newVariables_.push_back(run.variable);
  return run;
}

Id BufferTypes::declareDescriptors(Id block) {
  std::vector<Id> arrays; // outermost first
  Id type = analyses_.get<Types>().pointee(view_.variable);
  for (uint32_t n = 0; n < view_.descriptorDims;
       ++n, type = analyses_.get<Types>().info(type).element)
    arrays.push_back(type);
  Id whole = block;
  for (auto array = arrays.rbegin(); array != arrays.rend(); ++array) {
    Inst inst(module_.inst(module_.def(*array)));
    whole = rewriter_.declare(anchor_,
                              [&](Id id) { return inst.set(1, id.value).set(2, whole.value); });
    for (const Decoration& d : analyses_.get<Decorations>().of(*array))
      copyDecoration(d, whole, d.member);
  }
  return whole;
}

/// Everything that is said of a leaf where it is a member now, and of the structs around it.
void BufferTypes::copyLeafDecorations(const LeafSlot& slot, Id type, uint32_t member,
                                      std::set<spv::Decoration> done) {
  const Types& types = analyses_.get<Types>();
  done.insert(spv::Decoration::Offset);
  for (uint32_t leaf : slot) {
    Id owner = view_.elementType;
    for (uint32_t m : view_.leaves[leaf].members) {
      for (const Decoration& d : analyses_.get<Decorations>().ofMember(owner, m))
        if (done.insert(d.decoration).second) copyDecoration(d, type, member);
      owner = types.member(owner, m);
    }
  }
}

void BufferTypes::copyDecoration(const Decoration& d, Id type, uint32_t member) {
  const bool isMember = member != Decoration::kNoMember;
  // A decoration by a group is written as an ordinary one.
  const spv::Op op = module_.opcode(d.inst);
  const bool isString = op == spv::Op::OpDecorateString || op == spv::Op::OpMemberDecorateString;
  Inst inst(op == spv::Op::OpDecorateId ? op
            : isMember ? (isString ? spv::Op::OpMemberDecorateString : spv::Op::OpMemberDecorate)
                       : (isString ? spv::Op::OpDecorateString : spv::Op::OpDecorate));
  inst.id(type);
  if (isMember) inst.word(member);
  inst.word(uint32_t(d.decoration)).words(module_.inst(d.inst).subspan(d.operandWord));
  rewriter_.insertAfter(annotations_, std::move(inst));
}

void BufferTypes::decorate(Id type, spv::Decoration decoration, uint32_t value) {
  Inst inst(spv::Op::OpDecorate);
  rewriter_.insertAfter(annotations_,
                        std::move(inst.id(type).word(uint32_t(decoration)).word(value)));
}

void BufferTypes::decorateMember(Id type, uint32_t member, spv::Decoration decoration,
                                 uint32_t value) {
  Inst inst(spv::Op::OpMemberDecorate);
  rewriter_.insertAfter(
      annotations_, std::move(inst.id(type).word(member).word(uint32_t(decoration)).word(value)));
}

/// The block keeps its names; the new structs are called after the element.
void BufferTypes::nameAll(Id tile, const std::vector<Id>& groups) {
  InstRef last;
  for (InstRef i : module_.globals()) {
    const spv::Op op = module_.opcode(i);
    if (op != spv::Op::OpName && op != spv::Op::OpMemberName) continue;
    last = i;
    if (module_.idAt(i, 1) != view_.block) continue;
    Inst inst(op);
    rewriter_.insertAfter(i, std::move(inst.id(block_).words(module_.inst(i).subspan(2))));
  }
  if (!last || !tile || view_.structName.empty()) return;
  auto name = [&](Id type, const std::string& text) {
    Inst inst(spv::Op::OpName);
    rewriter_.insertAfter(last, std::move(inst.id(type).string(text)));
  };
  auto nameMember = [&](Id type, size_t member, const std::string& text) {
    Inst inst(spv::Op::OpMemberName);
    rewriter_.insertAfter(last, std::move(inst.id(type).word(uint32_t(member)).string(text)));
  };
  name(tile, view_.structName + "_tile");
  for (size_t g = 0; g < groups.size(); ++g) {
    const bool isLeaf = slots_[g].size() == 1;
    nameMember(tile, g,
               isLeaf ? view_.leaves[slots_[g].front().front()].path : "group" + std::to_string(g));
    if (isLeaf) continue;
    name(groups[g], view_.structName + "_group" + std::to_string(g));
    for (size_t m = 0; m < slots_[g].size(); ++m)
      nameMember(groups[g], m, view_.leaves[slots_[g][m].front()].path);
  }
}

} // namespace lanewise
