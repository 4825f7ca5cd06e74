#include "verify/inputs/value_hints.h"

#include "analysis/module/analyses.h"
#include "analysis/module/constants.h"
#include "analysis/module/decorations.h"
#include "analysis/module/def_use.h"
#include "analysis/module/types.h"
#include "ir/module.h"
#include "verify/formats/float_bits.h"

#include <algorithm>
#include <optional>

namespace lanewise::driver {
namespace {

using spv::Op;

template <class T>
void sortUnique(std::vector<T>& values) {
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
}

bool isComparison(Op op) {
  return (op >= Op::OpIEqual && op <= Op::OpSLessThanEqual) || op == Op::OpBitwiseAnd;
}

// Whose constants say where an address lies, how many there are or what is called, not what values
// are.
bool namesNoValues(Op op) {
  switch (op) {
  case Op::OpAccessChain:
  case Op::OpInBoundsAccessChain:
  case Op::OpPtrAccessChain:
  case Op::OpInBoundsPtrAccessChain:
  case Op::OpVariable:
  case Op::OpLoad:
  case Op::OpFunctionCall:
  case Op::OpControlBarrier:
  case Op::OpMemoryBarrier:
    return true;
  default:
    return false;
  }
}

class HintReader {
public:
  explicit HintReader(const Module& module) : module_(module), analyses_(module, assumptions_) {}

  ValueHints read() {
    for (InstRef i : module_.insts())
      if (module_.blockOf(i))
        readInst(i);
      else if (module_.opcode(i) == Op::OpSpecConstantOp)
        readSpecialized(i);
      else if (module_.opcode(i) == Op::OpVariable)
        readPosition(i);
    sortUnique(hints_.integers);
    sortUnique(hints_.floats);
    sortUnique(hints_.compared);
    sortUnique(hints_.specialized);
    return std::move(hints_);
  }

private:
  void readInst(InstRef i) {
    const Op op = module_.opcode(i);
    if (isAtomic(module_.facts(i))) readAtomic(i);
    hints_.hasSubgroupScopes |= ordersSubgroupsAlone(i);
    if (op == Op::OpArrayLength || op == Op::OpImageQuerySize) hints_.asksLengths = true;
    if (op == Op::OpSwitch) return readSwitch(i);
    if (namesNoValues(op)) return;
    module_.forEachIdOperand(i, [&](uint32_t, Id id) { addConstant(id); });
    if (isComparison(op)) {
      readComparison(module_.idAt(i, 3), module_.idAt(i, 4));
      readComparison(module_.idAt(i, 4), module_.idAt(i, 3));
    }
  }

  void readPosition(InstRef variable) {
    const std::optional<spv::BuiltIn> builtIn =
        analyses_.get<Decorations>().builtIn(module_, module_.resultId(variable));
    if (builtIn != spv::BuiltIn::GlobalInvocationId && builtIn != spv::BuiltIn::WorkgroupId) return;
    for (const Use& use : analyses_.get<DefUse>().uses(module_.resultId(variable))) {
      const Op op = module_.opcode(use.user);
      if (op == Op::OpLoad) {
        readPositionValue(module_.resultId(use.user));
      } else if (op == Op::OpAccessChain || op == Op::OpInBoundsAccessChain) {
        const std::optional<ConstantValue> component =
            analyses_.get<Constants>().value(module_.idAt(use.user, 4));
        component ? asksFor(uint32_t(component->bits)) : asksForAll();
      } else if (module_.blockOf(use.user)) {
        asksForAll();
      }
    }
  }

  void readPositionValue(Id vector) {
    for (const Use& use : analyses_.get<DefUse>().uses(vector)) {
      const bool isShuffled = module_.opcode(use.user) == Op::OpVectorShuffle &&
                              module_.idAt(use.user, 3) == module_.idAt(use.user, 4);
      if (module_.opcode(use.user) == Op::OpCompositeExtract)
        asksFor(module_.word(use.user, 4));
      else if (isShuffled)
        for (uint32_t component : module_.inst(use.user).subspan(5)) asksFor(component % 3);
      else
        asksForAll();
    }
  }

  void asksFor(uint32_t component) {
    if (component < hints_.asksPosition.size()) hints_.asksPosition[component] = true;
  }
  void asksForAll() { hints_.asksPosition.fill(true); }

  bool ordersSubgroupsAlone(InstRef i) {
    const OpcodeFacts& facts = module_.facts(i);
    if (isAtomic(facts)) return isSubgroup(module_.idAt(i, atomicScopeWord(facts)));
    const Op op = module_.opcode(i);
    if (op == Op::OpMemoryBarrier) return isSubgroup(module_.idAt(i, 1));
    return op == Op::OpControlBarrier &&
           (isSubgroup(module_.idAt(i, 1)) || isSubgroup(module_.idAt(i, 2)));
  }

  bool isSubgroup(Id scope) {
    const std::optional<ConstantValue> value = analyses_.get<Constants>().value(scope);
    return value && value->bits == uint64_t(spv::Scope::Subgroup);
  }

  void addConstant(Id id) {
    if (std::optional<ConstantValue> value = analyses_.get<Constants>().value(id)) {
      if (value->width > 1) hints_.integers.push_back(asInteger(*value));
      return;
    }
    const InstRef def = module_.def(id);
    if (!def) return;
    if (module_.opcode(def) == Op::OpConstantComposite) {
      module_.forEachIdOperand(def, [&](uint32_t word, Id part) {
        if (word > 2) addConstant(part);
      });
    } else if (module_.opcode(def) == Op::OpConstant) {
      const Id type = module_.resultType(def);
      if (module_.opcodeOf(type) != Op::OpTypeFloat) return;
      const uint32_t width = module_.word(module_.def(type), 2);
      if (module_.wordCount(module_.def(type)) > 3 || width > 64) return; // another encoding
      uint64_t bits = module_.word(def, 3);
      if (width == 64) bits |= uint64_t(module_.word(def, 4)) << 32;
      hints_.floats.push_back(decodeFloat(width, bits));
    }
  }

  static int64_t asInteger(const ConstantValue& value) {
    return value.isSigned ? value.asSigned() : int64_t(value.bits);
  }

  void readComparison(Id value, Id constant) {
    std::optional<ConstantValue> known = analyses_.get<Constants>().value(constant);
    if (!known || known->width <= 1) return;
    addCompared(value, asInteger(*known));
  }

  // What is computed from specialization constants, from the word of the operation on.
  void readSpecialized(InstRef i) {
    module_.forEachIdOperand(i, [&](uint32_t word, Id id) {
      const InstRef def = module_.def(id);
      const std::optional<ConstantValue> value = analyses_.get<Constants>().value(id);
      if (word < 4 || !value || value->width <= 1 || module_.opcode(def) != Op::OpConstant) return;
      hints_.specialized.push_back(asInteger(*value));
    });
  }

  void readSwitch(InstRef i) {
    const Id selector = module_.idAt(i, 1);
    const Id type = module_.typeOf(selector);
    const uint32_t words = module_.numberWords(type);
    if (words == 0) return;
    const bool isSigned = module_.word(module_.def(type), 3) != 0;
    for (uint32_t at = 3; at + words < module_.wordCount(i); at += words + 1) {
      uint64_t bits = module_.word(i, at);
      if (words == 2) bits |= uint64_t(module_.word(i, at + 1)) << 32;
      addCompared(selector, words == 1 && isSigned ? int64_t(int32_t(bits)) : int64_t(bits));
    }
  }

  void addCompared(Id value, int64_t constant) {
    hints_.compared.push_back(constant);
    if (std::optional<ParameterPlace> place = placeOf(value))
      hints_.parameters.insert({*place, constant});
  }

  // The parameter that a value is read from, perhaps masked, shifted or converted on the way.
  std::optional<ParameterPlace> placeOf(Id value) {
    constexpr int kDeep = 8;
    for (int depth = 0; depth < kDeep; ++depth) {
      const InstRef def = module_.def(value);
      if (!def) return std::nullopt;
      switch (module_.opcode(def)) {
      case Op::OpCopyObject:
      case Op::OpBitcast:
      case Op::OpUConvert:
      case Op::OpSConvert:
      case Op::OpBitwiseAnd:
      case Op::OpShiftRightLogical:
      case Op::OpShiftRightArithmetic:
      case Op::OpUMod:
      case Op::OpSRem:
      case Op::OpIAdd:
      case Op::OpISub:
        value = module_.idAt(def, 3);
        continue;
      case Op::OpLoad:
        return placeOfPointer(module_.idAt(def, 3));
      default:
        return std::nullopt;
      }
    }
    return std::nullopt;
  }

  // Of an access chain of constant indices into a block.
  std::optional<ParameterPlace> placeOfPointer(Id pointer) {
    const InstRef chain = module_.def(pointer);
    if (!chain || !isAccessChain(module_.opcode(chain))) return std::nullopt;
    const Id base = module_.idAt(chain, 3);
    std::optional<ParameterPlace> place = blockAt(base);
    if (!place) return std::nullopt;
    const Types& types = analyses_.get<Types>();
    Id type = types.info(module_.typeOf(base)).element;
    for (uint32_t at = 4; at < module_.wordCount(chain); ++at) {
      const TypeInfo& info = types.info(type);
      std::optional<ConstantValue> index =
          analyses_.get<Constants>().value(module_.idAt(chain, at));
      if (!index) return std::nullopt;
      if (info.kind == TypeInfo::Kind::Struct && index->bits < info.count) {
        place->offset += types.offset(type, uint32_t(index->bits)).value_or(0);
        type = types.member(type, uint32_t(index->bits));
      } else if (info.kind == TypeInfo::Kind::Array || info.kind == TypeInfo::Kind::RuntimeArray) {
        place->offset += index->bits * types.arrayStride(type).value_or(0);
        type = info.element;
      } else if (info.kind == TypeInfo::Kind::Vector) {
        place->offset += index->bits * types.info(info.element).width / 8;
        type = info.element;
      } else {
        return std::nullopt;
      }
    }
    return place;
  }

  std::optional<ParameterPlace> blockAt(Id variable) {
    const InstRef def = module_.def(variable);
    if (!def || module_.opcode(def) != Op::OpVariable) return std::nullopt;
    ParameterPlace place;
    place.isPushConstant =
        spv::StorageClass(module_.word(def, 3)) == spv::StorageClass::PushConstant;
    if (place.isPushConstant) return place;
    const Decorations& decorations = analyses_.get<Decorations>();
    auto set = decorations.operand(module_, variable, spv::Decoration::DescriptorSet);
    auto binding = decorations.operand(module_, variable, spv::Decoration::Binding);
    if (!set || !binding) return std::nullopt;
    place.set = *set, place.binding = *binding;
    return place;
  }

  // Where a pointer into a resource comes from, whatever its indices.
  void readAtomic(InstRef i) {
    const uint32_t at = module_.facts(i).hasResultType ? 3 : 1;
    Id pointer = module_.idAt(i, at);
    constexpr int kDeep = 8;
    for (int depth = 0; depth < kDeep; ++depth) {
      if (std::optional<ParameterPlace> place = blockAt(pointer)) {
        if (!place->isPushConstant) hints_.atomicTargets.insert({place->set, place->binding});
        return;
      }
      const InstRef def = module_.def(pointer);
      if (!def || !module_.facts(def).hasResultType || module_.wordCount(def) < 4) return;
      pointer = module_.idAt(def, 3);
    }
  }

  const Module& module_;
  const Assumptions assumptions_;
  Analyses analyses_;
  ValueHints hints_;
};

} // namespace

void ValueHints::merge(const ValueHints& other) {
  auto append = [](auto& to, const auto& from) {
    to.insert(to.end(), from.begin(), from.end());
    sortUnique(to);
  };
  append(integers, other.integers);
  append(floats, other.floats);
  append(compared, other.compared);
  append(specialized, other.specialized);
  parameters.insert(other.parameters.begin(), other.parameters.end());
  atomicTargets.insert(other.atomicTargets.begin(), other.atomicTargets.end());
  asksLengths |= other.asksLengths;
  for (size_t d = 0; d < asksPosition.size(); ++d) asksPosition[d] |= other.asksPosition[d];
  hasSubgroupScopes |= other.hasSubgroupScopes;
}

ValueHints valueHintsOf(std::span<const uint32_t> words) {
  Result<Module> module = Module::read({words.begin(), words.end()});
  return module ? HintReader(*module).read() : ValueHints{};
}

} // namespace lanewise::driver
