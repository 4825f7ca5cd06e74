#include "analysis/ranges/value_slots.h"

#include <algorithm>

namespace lanewise {

using Kind = TypeInfo::Kind;

ValueSlots::ValueSlots(Analyses& analyses)
    : module_(analyses.module()), constants_(analyses.get<Constants>()),
      types_(analyses.get<Types>()), decorations_(analyses.get<Decorations>()), infos_(1),
      begin_(module_.idBound()), size_(module_.idBound()) {
  infos_.reserve(module_.idBound());
  slots_.reserve(module_.idBound());
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
  Slot& slot = literals_[{width, bits}];
  if (slot) return slot;
  slot = Slot(count());
  Info info;
  info.width = width;
  info.literal = bits;
  infos_.push_back(info);
  return slot;
}

void ValueSlots::add(Id id, std::span<const Slot> slots) {
  begin_[id.value] = uint32_t(slots_.size());
  size_[id.value] = uint32_t(slots.size());
  slots_.insert(slots_.end(), slots.begin(), slots.end());
}

void ValueSlots::numberGlobals() {
  for (InstRef i : module_.globals()) {
    const Id id = module_.resultId(i);
    const TypeInfo& type = types_.info(module_.resultType(i));
    const bool isVector = type.kind == Kind::Vector;
    const uint32_t width = widthOf(isVector ? type.element : module_.resultType(i));
    if (!id || width == 0) continue;
    parts_.clear();
    if (module_.opcode(i) == spv::Op::OpSpecConstantComposite) collectParts(i);
    for (uint32_t n = uint32_t(parts_.size()); n < (isVector ? type.count : 1); ++n) {
      const auto value = isVector ? constants_.component(id, n) : constants_.value(id);
      if (value && value->isLiteral) {
        parts_.push_back(literal(width, value->bits));
        continue;
      }
      parts_.push_back(Slot(count()));
      Info info{i, n, width, {}, false, false};
      info.isUndef = module_.opcode(i) == spv::Op::OpUndef;
      infos_.push_back(info);
    }
    add(id, parts_);
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
  if (width == 0) return;
  const uint32_t components = isVector ? type.count : 1;
  const bool isRelaxed = decorations_.has(id, spv::Decoration::RelaxedPrecision);
  collectParts(i);
  const bool isSame = !isRelaxed && parts_.size() == components &&
                      std::all_of(parts_.begin(), parts_.end(),
                                  [&](Slot s) { return s && info(s).width == width; });
  if (!isSame) {
    parts_.clear();
    for (uint32_t n = 0; n < components; ++n) {
      parts_.push_back(Slot(count()));
      Info info{i, n, width, {}, false, isRelaxed};
      info.isUndef = module_.opcode(i) == spv::Op::OpUndef;
      infos_.push_back(info);
    }
  }
  add(id, parts_);
}

/// Fills parts_ with what the components come from, where the instruction only hands them on.
void ValueSlots::collectParts(InstRef i) {
  parts_.clear();
  const auto append = [&](Id id) {
    const auto all = of(id);
    parts_.insert(parts_.end(), all.begin(), all.end());
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
      parts_.push_back(of(module_.idAt(i, 3), module_.word(i, 4)));
    break;
  case spv::Op::OpVectorShuffle: {
    append(module_.idAt(i, 3));
    append(module_.idAt(i, 4));
    chosen_.clear();
    for (uint32_t w = 5; w < module_.wordCount(i); ++w)
      chosen_.push_back(module_.word(i, w) < parts_.size() ? parts_[module_.word(i, w)] : Slot());
    parts_.swap(chosen_);
    break;
  }
  default:
    break;
  }
}

} // namespace lanewise
