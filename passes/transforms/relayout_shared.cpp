#include "transforms/relayout_shared.h"

#include "analysis/module/constants.h"
#include "analysis/module/decorations.h"
#include "analysis/module/def_use.h"
#include "analysis/module/types.h"

#include <algorithm>
#include <bit>
#include <map>
#include <set>

namespace lanewise {
namespace {

/// How far back values are looked through.
constexpr uint32_t kMostSteps = 8;
constexpr uint32_t kMostAlignment = 1u << 15;

/// What a phi is taken to be a multiple of while what comes round to it is looked at.
struct Assumed {
  Id phi;
  uint32_t alignment = 1;
};

class SharedRelayout {
public:
  SharedRelayout(Analyses& analyses, Rewriter& rewriter, const SharedVariable& variable,
                 const SharedLayout& layout, IndexSplitter& splitter)
      : module_(analyses.module()), analyses_(analyses), constants_(analyses.get<Constants>()),
        rewriter_(rewriter), variable_(variable), before_(variable), after_(layout),
        splitter_(splitter), anchor_(variable.variable) {}

  void run() {
    rewriter_.setId(anchor_, 1, pointerTo(0));
    if (module_.wordCount(anchor_) > 4)
      rewriter_.setId(anchor_, 4, rewriter_.declare(anchor_, [&](Id id) {
        return Inst(spv::Op::OpConstantNull).id(newType(0)).id(id);
      }));
    for (const SharedChain& chain : variable_.chains) rewriteChain(chain);
    eraseNames();
  }

private:
  /// Instruction that declares a 32-bit constant expression of the type of the length `type`.
  Id specConstantOp(Id type, spv::Op op, Id a, uint32_t b) {
    const Id constant = rewriter_.constant(type, b, anchor_);
    return rewriter_.declare(anchor_, [&](Id id) {
      return Inst(spv::Op::OpSpecConstantOp).id(type).id(id).word(uint32_t(op)).id(a).id(constant);
    });
  }

  // ---- types ----

  bool isChanged(uint32_t node) const { return !after_.keepsType(variable_, node, before_); }

  Id newType(uint32_t node) {
    if (!isChanged(node)) return variable_.nodes[node].type;
    Id& type = types_[node];
    if (type) return type;
    if (variable_.nodes[node].kind == LayoutNode::Kind::Struct) return type = newStruct(node);
    const auto flat = after_.flat.find(node);
    const uint32_t innermost = flat == after_.flat.end() ? node : variable_.arrayChain(node).back();
    const Id element = newType(variable_.nodes[innermost].children.front());
    const Id length = flat == after_.flat.end() ? newLength(node) : flatLength(node, flat->second);
    return type = rewriter_.declare(anchor_, [&](Id id) {
      return Inst(spv::Op::OpTypeArray).id(id).id(element).id(length);
    });
  }

  Id newLength(uint32_t node) {
    const LayoutNode& old = variable_.nodes[node];
    const uint64_t extent = after_.extents[node];
    if (extent == old.extent) return old.length;
    if (constants_.literal(old.length)) return rewriter_.uint32Constant(uint32_t(extent), anchor_);
    return specConstantOp(module_.typeOf(old.length), spv::Op::OpIAdd, old.length,
                          uint32_t(extent - old.extent));
  }

  Id flatLength(uint32_t top, const FlatArray& flat) {
    const LayoutNode& old = variable_.nodes[top];
    if (constants_.literal(old.length))
      return rewriter_.uint32Constant(
          uint32_t(flat.map.elements(flat.strides.front() * old.extent)), anchor_);
    const Id type = module_.typeOf(old.length);
    Id length = old.length;
    if (flat.strides.front() != 1)
      length = specConstantOp(type, spv::Op::OpIMul, length, uint32_t(flat.strides.front()));
    const IndexMap& map = flat.map;
    if (map.kind == IndexMap::Kind::Xor) {
      length = specConstantOp(type, spv::Op::OpIAdd, length, map.mask);
      return specConstantOp(type, spv::Op::OpBitwiseAnd, length, ~map.mask);
    }
    if (map.kind != IndexMap::Kind::Pad) return length;
    // No pads behind the last element: the type must not be larger than the layout that was judged.
    Id pads = specConstantOp(type, spv::Op::OpISub, length, 1);
    pads = specConstantOp(type, spv::Op::OpShiftRightLogical, pads, shiftOf(map));
    pads = specConstantOp(type, spv::Op::OpIMul, pads, map.pad);
    return rewriter_.declare(anchor_, [&](Id id) {
      return Inst(spv::Op::OpSpecConstantOp)
          .id(type)
          .id(id)
          .word(uint32_t(spv::Op::OpIAdd))
          .id(length)
          .id(pads);
    });
  }

  static uint32_t shiftOf(const IndexMap& map) { return uint32_t(std::countr_zero(map.divisor)); }

  /// Means nothing in Workgroup memory whose layout is the driver's; where it means something,
  /// nothing is changed.
  static bool isLayout(spv::Decoration d) {
    return d == spv::Decoration::Offset || d == spv::Decoration::ArrayStride ||
           d == spv::Decoration::MatrixStride || d == spv::Decoration::RowMajor ||
           d == spv::Decoration::ColMajor;
  }

  Id newStruct(uint32_t node) {
    const LayoutNode& old = variable_.nodes[node];
    std::vector<Id> members;
    for (uint32_t member : old.children) members.push_back(newType(member));
    if (const uint32_t words = after_.padWords[node]; words != 0) {
      Id pad = rewriter_.uint32Type(anchor_);
      if (words > 1) {
        const Id length = rewriter_.uint32Constant(words, anchor_);
        pad = rewriter_.declare(
            anchor_, [&](Id id) { return Inst(spv::Op::OpTypeArray).id(id).id(pad).id(length); });
      }
      members.push_back(pad);
    }
    const Id type = rewriter_.declare(anchor_, [&](Id id) {
      Inst inst(spv::Op::OpTypeStruct);
      inst.id(id);
      for (Id member : members) inst.id(member);
      return inst;
    });
    copyNames(old.type, type);
    for (const Decoration& d : analyses_.get<Decorations>().of(old.type)) {
      if (isLayout(d.decoration)) continue;
      const bool isMember = d.member != Decoration::kNoMember;
      // A decoration by a group is written as an ordinary one.
      const spv::Op op = module_.opcode(d.inst);
      const bool isOrdinary = op == spv::Op::OpDecorate || op == spv::Op::OpMemberDecorate;
      Inst inst(!isOrdinary ? op : isMember ? spv::Op::OpMemberDecorate : spv::Op::OpDecorate);
      inst.id(type);
      if (isMember) inst.word(d.member);
      inst.word(uint32_t(d.decoration));
      rewriter_.insertAfter(d.inst,
                            std::move(inst.words(module_.inst(d.inst).subspan(d.operandWord))));
    }
    return type;
  }

  void copyNames(Id from, Id to) {
    for (InstRef i : module_.globals()) {
      const spv::Op op = module_.opcode(i);
      if ((op != spv::Op::OpName && op != spv::Op::OpMemberName) || module_.idAt(i, 1) != from)
        continue;
      Inst inst(op);
      rewriter_.insertAfter(i, std::move(inst.id(to).words(module_.inst(i).subspan(2))));
    }
  }

  Id pointerTo(uint32_t node) {
    Id& pointer = pointers_[node];
    if (pointer) return pointer;
    const Id pointee = newType(node);
    return pointer = rewriter_.declare(anchor_, [&](Id id) {
      return Inst(spv::Op::OpTypePointer)
          .id(id)
          .word(uint32_t(spv::StorageClass::Workgroup))
          .id(pointee);
    });
  }

  // ---- chains ----

  /// The nodes from the variable's type down to `node`.
  std::vector<uint32_t> pathTo(uint32_t node) const {
    std::vector<uint32_t> path;
    for (uint32_t n = node; n != LayoutNode::kNone; n = variable_.nodes[n].parent)
      path.push_back(n);
    std::reverse(path.begin(), path.end());
    return path;
  }

  void rewriteChain(const SharedChain& chain) {
    const std::vector<uint32_t> path = pathTo(chain.node);
    const bool isCopy = module_.opcode(chain.inst) == spv::Op::OpCopyObject;
    Inst inst(isCopy ? spv::Op::OpAccessChain : module_.opcode(chain.inst));
    inst.id(module_.resultType(chain.inst)).id(module_.resultId(chain.inst)).id(variable_.id);
    bool isFlat = false;
    size_t step = 0; // path[step] is where the steps so far have led
    while (step < chain.steps.size()) {
      const auto flat = step < path.size() ? after_.flat.find(path[step]) : after_.flat.end();
      if (flat == after_.flat.end()) {
        inst.id(chain.steps[step++]);
        continue;
      }
      const size_t rank = flat->second.strides.size();
      // A pointer to a row of what has no rows any more: its chains start at the variable now.
      if (step + rank > chain.steps.size()) return erase(chain.inst);
      inst.id(flatIndex(chain, step, flat->second));
      step += rank;
      isFlat = true;
    }
    const bool isInside = variable_.nodes[chain.node].kind == LayoutNode::Kind::Element;
    if (isFlat) {
      if (!isInside && isChanged(chain.node)) inst.set(1, pointerTo(chain.node).value);
      rewriter_.replace(chain.inst, std::move(inst));
    } else if (!isInside && isChanged(chain.node)) {
      rewriter_.setId(chain.inst, 1, pointerTo(chain.node));
    }
  }

  /// An index into the flat array, in rows that are longer by the gap behind them.
  Id indexOfRows(InstRef chain, const IndexRows& index, const IndexMap& map) {
    const auto withGaps = [&](int32_t elements) {
      return uint32_t(elements) + uint32_t(elements / int32_t(map.divisor)) * map.pad;
    };
    Id sum;
    const auto add = [&](Id value, uint32_t coefficient) {
      Id term = asUint32(chain, value);
      if (coefficient != 1) term = compute(chain, spv::Op::OpIMul, term, coefficient);
      sum = sum ? compute(chain, spv::Op::OpIAdd, sum, term) : term;
    };
    for (const IndexTerm& term : index.rows) add(term.value, withGaps(term.coefficient));
    for (const IndexTerm& term : index.places) add(term.value, uint32_t(term.coefficient));
    const uint32_t constant = withGaps(index.rowConstant) + uint32_t(index.placeConstant);
    if (!sum) return rewriter_.uint32Constant(constant, anchor_);
    return constant == 0 ? sum : compute(chain, spv::Op::OpIAdd, sum, constant);
  }

  /// The index into the flat array for the steps from `first` on, computed in 32 bits before the
  /// chain.
  Id flatIndex(const SharedChain& chain, size_t first, const FlatArray& flat) {
    const IndexMap& map = flat.map;
    if (map.kind == IndexMap::Kind::Pad) {
      std::vector<IndexTerm> steps;
      for (size_t n = 0; n < flat.strides.size(); ++n)
        steps.push_back({chain.steps[first + n], int32_t(flat.strides[n])});
      if (const auto rows = splitter_.split(steps, map.divisor, module_.blockOf(chain.inst)))
        return indexOfRows(chain.inst, *rows, map);
    }
    uint32_t constant = 0;
    // Of the sum without the constant, as far as it is a divisor of the map's.
    uint32_t alignment = map.kind == IndexMap::Kind::Pad ? map.divisor : 1;
    Id sum;
    for (size_t n = 0; n < flat.strides.size(); ++n) {
      const auto stride = uint32_t(flat.strides[n]);
      const auto [index, added] = withoutConstant(chain.steps[first + n]);
      constant += added * stride;
      if (!index) continue;
      const uint32_t ofStride = std::min(kMostAlignment, stride & (0 - stride));
      alignment = std::min(alignment, alignmentOf(index, kMostSteps) * ofStride);
      Id term = asUint32(chain.inst, index);
      if (flat.strides[n] != 1)
        term = compute(chain.inst, spv::Op::OpIMul, term, uint32_t(flat.strides[n]));
      sum = sum ? compute(chain.inst, spv::Op::OpIAdd, sum, term) : term;
    }
    if (!sum) return rewriter_.uint32Constant(uint32_t(map(constant)), anchor_);
    // No pad stands between elements of one aligned group, so what is added within it stays a
    // constant behind the map: accesses of neighbours share the map, and their compilers still see
    // that they are neighbours.
    const uint32_t within = constant % alignment;
    if (constant != within) sum = compute(chain.inst, spv::Op::OpIAdd, sum, constant - within);
    if (map.kind == IndexMap::Kind::Pad) {
      Id pads = compute(chain.inst, spv::Op::OpShiftRightLogical, sum, shiftOf(map));
      if (map.pad != 1) pads = compute(chain.inst, spv::Op::OpIMul, pads, map.pad);
      sum = compute(chain.inst, spv::Op::OpIAdd, sum, pads);
    } else if (map.kind == IndexMap::Kind::Xor) {
      Id row = compute(chain.inst, spv::Op::OpShiftRightLogical, sum, map.shift);
      row = compute(chain.inst, spv::Op::OpBitwiseAnd, row, map.mask);
      sum = compute(chain.inst, spv::Op::OpBitwiseXor, sum, row);
    }
    return within == 0 ? sum : compute(chain.inst, spv::Op::OpIAdd, sum, within);
  }

  /// The index as a sum of a value, null for none, and a constant, modulo 2^32.
  std::pair<Id, uint32_t> withoutConstant(Id index) const {
    uint32_t constant = 0;
    for (uint32_t steps = 0; steps < kMostSteps; ++steps) {
      if (const auto value = literal(index)) return {Id(), constant + *value};
      const InstRef def = module_.def(index);
      if (module_.opcode(def) != spv::Op::OpIAdd ||
          analyses_.get<Types>().info(module_.typeOf(index)).width != 32)
        break;
      const Id a = module_.idAt(def, 3), b = module_.idAt(def, 4);
      const auto first = literal(a), second = literal(b);
      if (!first && !second) break;
      constant += first ? *first : *second;
      index = first ? b : a;
    }
    return {index, constant};
  }

  /// A power of two, at most kMostAlignment, that divides the value whatever it is.
  uint32_t alignmentOf(Id value, uint32_t steps, Assumed assumed = {}) const {
    if (assumed.phi == value && value) return assumed.alignment;
    if (const auto number = literal(value))
      return *number == 0 ? kMostAlignment : std::min(kMostAlignment, *number & (0 - *number));
    const InstRef def = module_.def(value);
    if (steps == 0 || analyses_.get<Types>().info(module_.typeOf(value)).width != 32) return 1;
    auto operand = [&](uint32_t n) {
      return alignmentOf(module_.idAt(def, n), steps - 1, assumed);
    };
    switch (module_.opcode(def)) {
    case spv::Op::OpBitcast:
    case spv::Op::OpCopyObject:
      return operand(3);
    case spv::Op::OpIAdd:
    case spv::Op::OpISub:
    case spv::Op::OpBitwiseOr:
    case spv::Op::OpBitwiseXor:
      return std::min(operand(3), operand(4));
    case spv::Op::OpIMul:
      return std::min(kMostAlignment, operand(3) * operand(4));
    case spv::Op::OpBitwiseAnd:
      return std::max(operand(3), operand(4));
    case spv::Op::OpShiftLeftLogical: {
      const auto by = literal(module_.idAt(def, 4));
      return by && *by < 16 ? std::min(kMostAlignment, operand(3) << *by) : 1;
    }
    case spv::Op::OpPhi: { // a counter: its start, and what a round makes of it
      if (assumed.phi) return 1;
      uint32_t known = kMostAlignment;
      for (uint32_t before = 0; known != before;) {
        before = known;
        for (uint32_t n = 3; n < module_.wordCount(def); n += 2)
          known = std::min(known, alignmentOf(module_.idAt(def, n), steps - 1, {value, before}));
      }
      return known;
    }
    default:
      return 1;
    }
  }

  /// The low 32 bits of a number that is no specialization constant.
  std::optional<uint32_t> literal(Id id) const { return lowBitsOf(constants_, id); }

  /// Indices are signed, those of unsigned types too (OpAccessChain), but none that is negative is
  /// in range.
  Id asUint32(InstRef at, Id index) {
    const TypeInfo& type = analyses_.get<Types>().info(module_.typeOf(index));
    if (type.width == 32 && !type.isSigned) return index;
    const spv::Op op = type.width == 32  ? spv::Op::OpBitcast
                       : type.width < 32 ? spv::Op::OpSConvert
                                         : spv::Op::OpUConvert;
    const Id result = rewriter_.newId();
    rewriter_.insertBefore(at, std::move(Inst(op).id(uint32Type()).id(result).id(index)));
    return result;
  }

  Id compute(InstRef at, spv::Op op, Id a, uint32_t b) {
    return compute(at, op, a, rewriter_.uint32Constant(b, anchor_));
  }
  Id compute(InstRef at, spv::Op op, Id a, Id b) {
    const Id result = rewriter_.newId();
    rewriter_.insertBefore(at, std::move(Inst(op).id(uint32Type()).id(result).id(a).id(b)));
    return result;
  }
  Id uint32Type() { return rewriter_.uint32Type(anchor_); }

  void erase(InstRef chain) {
    rewriter_.erase(chain);
    erased_.insert(module_.resultId(chain));
  }

  /// Names, decorations and debug instructions of chains that are gone.
  void eraseNames() {
    std::map<InstRef, Inst> groups; // OpGroupDecorate without them
    for (Id id : erased_)
      for (Use use : analyses_.get<DefUse>().uses(id)) {
        const spv::Op op = module_.opcode(use.user);
        if (isAccessChain(op) || op == spv::Op::OpCopyObject) continue; // a chain of its own
        if (op != spv::Op::OpGroupDecorate) {
          rewriter_.erase(use.user);
          continue;
        }
        if (groups.count(use.user) != 0) continue;
        Inst inst(op);
        inst.id(module_.idAt(use.user, 1));
        for (uint32_t word = 2; word < module_.wordCount(use.user); ++word)
          if (erased_.count(module_.idAt(use.user, word)) == 0)
            inst.id(module_.idAt(use.user, word));
        groups.emplace(use.user, std::move(inst));
      }
    for (auto& [at, inst] : groups) rewriter_.replace(at, std::move(inst));
  }

  const Module& module_;
  Analyses& analyses_;
  const Constants& constants_;
  Rewriter& rewriter_;
  const SharedVariable& variable_;
  const SharedLayout before_;
  const SharedLayout& after_;
  IndexSplitter& splitter_;
  const InstRef anchor_;
  std::map<uint32_t, Id> types_, pointers_; ///< by node
  std::set<Id> erased_;
};

} // namespace

void relayoutShared(Analyses& analyses, Rewriter& rewriter, const SharedVariable& variable,
                    const SharedLayout& layout, IndexSplitter& splitter) {
  SharedRelayout(analyses, rewriter, variable, layout, splitter).run();
}

} // namespace lanewise
