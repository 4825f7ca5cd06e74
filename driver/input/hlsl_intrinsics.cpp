#include "input/hlsl_intrinsics.h"

#include "analysis/module/source_lines.h"
#include "ir/integer_semantics.h"
#include "ir/module.h"
#include "ir/opcode_facts.h"
#include "ir/rewriter.h"

#include <algorithm>
#include <cctype>
#include <fmt/format.h>
#include <map>
#include <spirv/unified1/GLSL.std.450.h>
#include <utility>

namespace lanewise::driver {

namespace {

constexpr uint32_t kOperationWord = 4; ///< of OpGroupNonUniformIAdd and its kin
constexpr uint32_t kValueWord = 4;     ///< of OpGroupNonUniformAllEqual
constexpr uint32_t kAmountWord = 4;    ///< of a shift

/// Whether `text` has the word before an opening parenthesis, be it in a comment.
bool calls(std::string_view text, std::string_view word) {
  const auto isPartOfName = [](char c) { return std::isalnum(uint8_t(c)) != 0 || c == '_'; };
  for (size_t at = text.find(word); at != text.npos; at = text.find(word, at + 1)) {
    if (at > 0 && isPartOfName(text[at - 1])) continue;
    const size_t next = text.find_first_not_of(" \t", at + word.size());
    if (next != text.npos && text[next] == '(') return true;
  }
  return false;
}

/// The intrinsic that an InclusiveScan was, empty for any other instruction.
std::string_view scanOf(const Module& module, InstRef i) {
  std::string_view name;
  switch (module.opcode(i)) {
  case spv::Op::OpGroupNonUniformIAdd:
  case spv::Op::OpGroupNonUniformFAdd:
    name = "WavePrefixSum";
    break;
  case spv::Op::OpGroupNonUniformIMul:
  case spv::Op::OpGroupNonUniformFMul:
    name = "WavePrefixProduct";
    break;
  default:
    return {};
  }
  bool isInclusive =
      spv::GroupOperation(module.word(i, kOperationWord)) == spv::GroupOperation::InclusiveScan;
  return isInclusive ? name : std::string_view();
}

bool comparesWholeVectors(const Module& module, InstRef i) {
  return module.opcode(i) == spv::Op::OpGroupNonUniformAllEqual &&
         module.opcodeOf(module.typeOf(module.idAt(i, kValueWord))) == spv::Op::OpTypeVector;
}

/// The amount of a shift without the bits that HLSL does not look at.
class ShiftMasks {
public:
  ShiftMasks(const Module& module, Rewriter& rewriter) : module_(module), rewriter_(rewriter) {}

  void mask(InstRef shift) {
    const Id amount = module_.idAt(shift, kAmountWord), type = module_.typeOf(amount);
    const uint32_t most = widthOf(module_.resultType(shift)) - 1;
    if (isAtMost(amount, most)) return;
    const Id masked = rewriter_.newId();
    rewriter_.insertBefore(
        shift, Inst(spv::Op::OpBitwiseAnd).id(type).id(masked).id(amount).id(constant(type, most)));
    rewriter_.setId(shift, kAmountWord, masked);
  }

private:
  bool isVector(Id type) const { return module_.opcodeOf(type) == spv::Op::OpTypeVector; }
  Id scalarOf(Id type) const { return isVector(type) ? module_.idAt(module_.def(type), 2) : type; }
  uint32_t widthOf(Id type) const { return module_.word(module_.def(scalarOf(type)), 2); }

  bool isAtMost(Id amount, uint32_t most) const {
    const InstRef def = module_.def(amount);
    if (module_.opcode(def) == spv::Op::OpConstant) {
      const auto words = module_.inst(def).subspan(3);
      return words[0] <= most &&
             std::ranges::all_of(words.subspan(1), [](uint32_t w) { return w == 0; });
    }
    if (module_.opcode(def) != spv::Op::OpConstantComposite) return false;
    return std::ranges::all_of(module_.inst(def).subspan(3),
                               [&](uint32_t part) { return isAtMost(Id(part), most); });
  }

  Id constant(Id type, uint32_t value) {
    if (!isVector(type)) return rewriter_.constant(type, value);
    const Id scalar = rewriter_.constant(scalarOf(type), value);
    Id& vector = vectors_[{type, value}];
    if (!vector)
      vector = rewriter_.declare({}, [&](Id id) {
        Inst made = Inst(spv::Op::OpConstantComposite).id(type).id(id);
        for (uint32_t n = 0; n < module_.word(module_.def(type), 3); ++n) made.id(scalar);
        return made;
      });
    return vector;
  }

  const Module& module_;
  Rewriter& rewriter_;
  std::map<std::pair<Id, uint32_t>, Id> vectors_;
};

/// Calls that glslang writes with operands of a type that the instruction does not take.
class OperandTypes {
public:
  OperandTypes(const Module& module, Rewriter& rewriter) : module_(module), rewriter_(rewriter) {}

  void mend(InstRef i) {
    const spv::Op op = module_.opcode(i);
    if (isExtInst(op) && module_.extInstSet(module_.idAt(i, 3)) == ExtInstSet::GlslStd450) {
      const uint32_t instruction = module_.word(i, 4);
      if (instruction == GLSLstd450Fma && !isFloat(module_.resultType(i))) mendFma(i);
      const bool isMatrix = module_.opcodeOf(module_.resultType(i)) == spv::Op::OpTypeMatrix;
      if (instruction == GLSLstd450Ldexp && !isMatrix &&
          isFloat(module_.typeOf(module_.idAt(i, 6))))
        mendLdexp(i);
    } else if (isAtomic(module_.facts(i)) && module_.facts(i).hasResult) {
      mendAtomic(i);
    }
  }

private:
  bool isFloat(Id type) const {
    const InstRef def = module_.def(type);
    if (module_.opcode(def) == spv::Op::OpTypeVector ||
        module_.opcode(def) == spv::Op::OpTypeMatrix)
      return isFloat(module_.idAt(def, 2));
    return module_.opcode(def) == spv::Op::OpTypeFloat;
  }

  void mendFma(InstRef i) {
    const Id type = module_.resultType(i), product = rewriter_.newId();
    rewriter_.insertBefore(
        i,
        Inst(spv::Op::OpIMul).id(type).id(product).id(module_.idAt(i, 5)).id(module_.idAt(i, 6)));
    rewriter_.replace(
        i,
        Inst(spv::Op::OpIAdd).id(type).id(module_.resultId(i)).id(product).id(module_.idAt(i, 7)));
  }

  void mendLdexp(InstRef i) {
    const Id type = module_.resultType(i), power = rewriter_.newId();
    rewriter_.insertBefore(i, Inst(spv::Op::OpExtInst)
                                  .id(type)
                                  .id(power)
                                  .id(module_.idAt(i, 3))
                                  .word(GLSLstd450Exp2)
                                  .id(module_.idAt(i, 6)));
    rewriter_.replace(
        i, Inst(spv::Op::OpFMul).id(type).id(module_.resultId(i)).id(module_.idAt(i, 5)).id(power));
  }

  /// The result's type goes by the value that is given, or by the memory.
  void mendAtomic(InstRef i) {
    const Id result = module_.resultType(i);
    const Id memory = module_.idAt(module_.def(module_.typeOf(module_.idAt(i, 3))), 3);
    if (isFloat(memory) || isFloat(result)) return;
    const bool comparesToo = module_.opcode(i) == spv::Op::OpAtomicCompareExchange;
    const uint32_t behindSemantics = comparesToo ? 7 : 6;
    for (uint32_t word = behindSemantics; word < module_.wordCount(i); ++word) {
      const Id value = module_.idAt(i, word);
      if (module_.typeOf(value) == memory || isFloat(module_.typeOf(value))) continue;
      const Id same = rewriter_.newId();
      rewriter_.insertBefore(i, Inst(spv::Op::OpBitcast).id(memory).id(same).id(value));
      rewriter_.setId(i, word, same);
    }
    if (result == memory) return;
    const Id before = rewriter_.newId();
    rewriter_.insertAfter(i,
                          Inst(spv::Op::OpBitcast).id(result).id(module_.resultId(i)).id(before));
    rewriter_.setId(i, 1, memory);
    rewriter_.setId(i, 2, before);
  }

  const Module& module_;
  Rewriter& rewriter_;
};

/// Once for a line: a call in a function that was inlined or unrolled is one mistake.
void addOnce(std::vector<std::string>& lines, std::string line) {
  if (std::find(lines.begin(), lines.end(), line) == lines.end()) lines.push_back(std::move(line));
}

} // namespace

std::string intrinsicMacros(std::string_view text) {
  std::string macros;
  for (uint32_t n : {2u, 3u, 4u})
    if (calls(text, fmt::format("Store{}", n)))
      macros +=
          fmt::format("static uint{0} lanewiseStored{0};\n"
                      "#define Store{0}(address, value) "
                      "Store{0}((lanewiseStored{0} = (value), (address)), lanewiseStored{0})\n",
                      n);
  if (calls(text, "InterlockedCompareStore"))
    macros += "static uint lanewiseExchanged;\n"
              "#define InterlockedCompareStore(place, compared, value) "
              "InterlockedCompareExchange(place, compared, value, lanewiseExchanged)\n";
  return macros;
}

Status mendIntrinsics(Compiled& compiled) {
  Result<Module> module = Module::read(compiled.words);
  if (!module) return module.error();
  SourceLines lines(*module);
  Rewriter rewriter(*module);
  ShiftMasks shifts(*module, rewriter);
  OperandTypes operands(*module, rewriter);
  for (InstRef i : module->insts()) {
    const auto place = [&] {
      const SourceLocation at = lines.at(*module, i);
      return fmt::format("{}:{}", at.file, at.line);
    };
    if (std::string_view name = scanOf(*module, i); !name.empty()) {
      rewriter.setWord(i, kOperationWord, uint32_t(spv::GroupOperation::ExclusiveScan));
      addOnce(compiled.warnings,
              fmt::format("{}: warning: glslang {} compiles '{}' to an inclusive scan; the output "
                          "has the exclusive one that HLSL means, as DXC writes it",
                          place(), glslangVersion(), name));
    } else if (comparesWholeVectors(*module, i)) {
      addOnce(compiled.errors,
              fmt::format("{}: error: glslang {} compiles 'WaveActiveAllEqual' of a vector to one "
                          "answer for all components, where HLSL has one for each; compare the "
                          "components one by one, or compile with DXC and hand over its .spv",
                          place(), glslangVersion()));
    } else if (module->opcode(i) == spv::Op::OpFMod || module->opcode(i) == spv::Op::OpSMod) {
      const bool isFloat = module->opcode(i) == spv::Op::OpFMod;
      rewriter.replace(i, Inst(isFloat ? spv::Op::OpFRem : spv::Op::OpSRem)
                              .id(module->resultType(i))
                              .id(module->resultId(i))
                              .id(module->idAt(i, 3))
                              .id(module->idAt(i, 4)));
      addOnce(compiled.warnings,
              fmt::format("{}: warning: glslang {} gives {} the divisor's sign; the output has the "
                          "dividend's, as HLSL means and DXC writes it",
                          place(), glslangVersion(),
                          isFloat ? "'fmod' and '%'" : "'%' of integers"));
    } else if (isShift(module->opcode(i))) {
      shifts.mask(i);
    } else {
      operands.mend(i);
    }
  }
  Result<bool> changed = rewriter.commit();
  if (!changed) return changed.error();
  if (*changed) compiled.words.assign(module->words().begin(), module->words().end());
  return ok();
}

bool hasLateBufferBlocks(const Words& words) {
  constexpr uint32_t kLast = 0x00010300;
  if (words.size() < Module::kHeaderWords || words[1] <= kLast) return false;
  const Result<Module> module = Module::read(words);
  if (!module) return false;
  const InstRange globals = module->globals();
  return std::any_of(globals.begin(), globals.end(), [&](InstRef i) {
    return module->opcode(i) == spv::Op::OpDecorate &&
           spv::Decoration(module->word(i, 2)) == spv::Decoration::BufferBlock;
  });
}

} // namespace lanewise::driver
