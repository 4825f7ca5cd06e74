#include "analysis/ranges/value_slots.h"

#include <algorithm>

namespace lanewise {

using Kind = TypeInfo::Kind;

namespace {

size_t hashOf(uint32_t width, uint64_t bits) {
  const uint64_t hash = (bits ^ uint64_t(width) << 56) * 0x9E3779B97F4A7C15u;
  return size_t(hash ^ hash >> 32);
}

} // namespace

ValueSlots::ValueSlots(Analyses& analyses)
    : module_(analyses.module()), constants_(analyses.get<Constants>()),
      types_(analyses.get<Types>()), decorations_(analyses.get<Decorations>()), infos_(1),
      size_(module_.idBound()), first_(module_.idBound()) {
  infos_.reserve(module_.idBound());
  numberGlobals();
  const Cfg& cfg = analyses.get<Cfg>();
  for (uint32_t f = 1; f <= module_.functionCount(); ++f) {
    for (InstRef i : module_.functionInsts(FunctionRef(f)))
      if (module_.opcode(i) == spv::Op::OpFunctionParameter) number(i);
    for (BlockRef block : cfg.reversePostOrder(FunctionRef(f))) numberBlock(block);
  }
}

/// Bits of an integer or Boolean, 0 for anything else.
uint32_t ValueSlots::widthOf(Id type) const {
  const TypeInfo& info = types_.info(type);
  if (info.kind == Kind::Bool) return 1;
  return info.kind == Kind::Int && info.width <= 64 ? info.width : 0;
}

Slot ValueSlots::literal(uint32_t width, uint64_t bits) {
  const size_t hash = hashOf(width, bits);
  const uint32_t known = literalSlots_.find(hash, [&](uint32_t slot) {
    return infos_[slot].width == width && literals_[infos_[slot].source] == bits;
  });
  if (known != IndexTable::kNone) return Slot(known);
  const Slot slot(count());
  Packed info;
  info.source = uint32_t(literals_.size());
  info.width = width;
  info.isLiteral = true;
  infos_.push_back(info);
  literals_.push_back(bits);
  literalSlots_.insert(hash, slot.value, [&](uint32_t other) { return hashOfLiteral(other); });
  return slot;
}

size_t ValueSlots::hashOfLiteral(uint32_t slot) const {
  return hashOf(infos_[slot].width, literals_[infos_[slot].source]);
}

void ValueSlots::add(Id id, std::span<const Slot> slots) {
  if (slots.size() > kMostComponents) return;
  size_[id.value] = uint16_t(slots.size());
  first_[id.value] = slots.size() == 1 ? slots[0] : Slot(uint32_t(parts_.size()));
  if (slots.size() > 1) parts_.insert(parts_.end(), slots.begin(), slots.end());
}

/// A value of its own at the end of here_.
void ValueSlots::appendNew(InstRef i, uint32_t component, uint32_t width, bool isRelaxed) {
  here_.push_back(Slot(count()));
  Packed info;
  info.source = i.value;
  info.component = component;
  info.width = width;
  info.isUndef = module_.opcode(i) == spv::Op::OpUndef;
  info.isRelaxed = isRelaxed;
  infos_.push_back(info);
}

void ValueSlots::numberGlobals() {
  for (InstRef i : module_.globals()) {
    const Id id = module_.resultId(i);
    const TypeInfo& type = types_.info(module_.resultType(i));
    const bool isVector = type.kind == Kind::Vector;
    const uint32_t width = widthOf(isVector ? type.element : module_.resultType(i));
    if (!id || width == 0 || (isVector && type.count > kMostComponents)) continue;
    here_.clear();
    if (module_.opcode(i) == spv::Op::OpSpecConstantComposite) collectParts(i);
    for (uint32_t n = uint32_t(here_.size()); n < (isVector ? type.count : 1); ++n) {
      const auto value = isVector ? constants_.component(id, n) : constants_.value(id);
      if (value && value->isLiteral) {
        here_.push_back(literal(width, value->bits));
        continue;
      }
      appendNew(i, n, width, false);
    }
    add(id, here_);
  }
}

void ValueSlots::numberBlock(BlockRef block) {
  for (InstRef i : module_.blockInsts(block)) number(i);
}

void ValueSlots::number(InstRef i) {
  const Id id = module_.resultId(i);
  if (!id) return;
  const Id typeId = module_.resultType(i);
  const TypeInfo& type = types_.info(typeId);
  const bool isVector = type.kind == Kind::Vector;
  const uint32_t width = widthOf(isVector ? type.element : typeId);
  if (width == 0 || (isVector && type.count > kMostComponents)) return;
  const uint32_t components = isVector ? type.count : 1;
  const bool isRelaxed = decorations_.has(id, spv::Decoration::RelaxedPrecision);
  collectParts(i);
  const bool isSame =
      !isRelaxed && here_.size() == components &&
      std::all_of(here_.begin(), here_.end(), [&](Slot s) { return s && info(s).width == width; });
  if (!isSame) {
    here_.clear();
    for (uint32_t n = 0; n < components; ++n) appendNew(i, n, width, isRelaxed);
  }
  add(id, here_);
}

/// Fills here_ with what the components come from, where the instruction only hands them on.
void ValueSlots::collectParts(InstRef i) {
  here_.clear();
  const auto append = [&](Id id) {
    const auto all = of(id);
    here_.insert(here_.end(), all.begin(), all.end());
  };
  switch (module_.opcode(i)) {
  case spv::Op::OpCopyObject:
  case spv::Op::OpBitcast:
    append(module_.idAt(i, 3));
    break;
  case spv::Op::OpCompositeConstruct:
  case spv::Op::OpSpecConstantComposite:
    for (uint32_t w = 3; w < module_.wordCount(i); ++w) append(module_.idAt(i, w));
    break;
  case spv::Op::OpCompositeExtract:
    if (module_.wordCount(i) == 5 &&
        types_.info(module_.typeOf(module_.idAt(i, 3))).kind == Kind::Vector)
      here_.push_back(of(module_.idAt(i, 3), module_.word(i, 4)));
    break;
  case spv::Op::OpVectorShuffle: {
    append(module_.idAt(i, 3));
    append(module_.idAt(i, 4));
    chosen_.clear();
    for (uint32_t w = 5; w < module_.wordCount(i); ++w)
      chosen_.push_back(module_.word(i, w) < here_.size() ? here_[module_.word(i, w)] : Slot());
    here_.swap(chosen_);
    break;
  }
  default:
    break;
  }
}

} // namespace lanewise
