#include "transpile/prepare.h"

#include "analysis/module/decorations.h"
#include "analysis/module/entry_points.h"
#include "ir/module.h"
#include "ir/rewriter.h"
#include "support/failure.h"
#include "verify/program/reflect.h"

#include <algorithm>
#include <fmt/format.h>
#include <set>

namespace lanewise::driver {

namespace {

// ---- specialization constants ----

/// The words of a constant's literal (SPIR-V 2.2.1: narrow integers are extended by their sign).
std::vector<uint32_t> literalOf(ScalarType type, uint64_t bits) {
  switch (type) {
  case ScalarType::I8:
    return {uint32_t(int32_t(int8_t(bits)))};
  case ScalarType::U8:
    return {uint32_t(uint8_t(bits))};
  case ScalarType::I16:
    return {uint32_t(int32_t(int16_t(bits)))};
  case ScalarType::U16:
  case ScalarType::F16:
    return {uint32_t(uint16_t(bits))};
  case ScalarType::I32:
  case ScalarType::U32:
  case ScalarType::F32:
    return {uint32_t(bits)};
  case ScalarType::I64:
  case ScalarType::U64:
  case ScalarType::F64:
    break;
  }
  return {uint32_t(bits), uint32_t(bits >> 32)};
}

/// Turns an OpSpecConstant into an OpConstant.
void fixConstant(const Module& module, InstRef i, const ReflectedSpecConstant& constant,
                 uint64_t bits, Rewriter& rewriter) {
  const spv::Op op = module.opcode(i);
  if (op == spv::Op::OpSpecConstantTrue || op == spv::Op::OpSpecConstantFalse) {
    rewriter.replace(i, Inst(bits ? spv::Op::OpConstantTrue : spv::Op::OpConstantFalse)
                            .id(module.resultType(i))
                            .id(module.resultId(i)));
    return;
  }
  Inst fixed(spv::Op::OpConstant);
  fixed.id(module.resultType(i)).id(module.resultId(i));
  if (bits == constant.defaultBits) {
    fixed.words(module.inst(i).subspan(3));
  } else {
    fixed.words(literalOf(constant.type, bits));
  }
  rewriter.replace(i, std::move(fixed));
}

using SpecConstants = std::map<uint32_t, ReflectedSpecConstant>;

Status checkConstantsExist(const SpecConstants& constants, const PrepareRequest& request) {
  for (const auto& [id, bits] : request.fixedConstants) {
    if (constants.count(id)) continue;
    std::vector<uint32_t> known;
    for (const auto& [specId, constant] : constants) known.push_back(specId);
    return failure(fmt::format("--spec-const={}: the module has no such specialization constant; "
                               "it has {}",
                               id,
                               known.empty() ? "none" : fmt::format("{}", fmt::join(known, ", "))));
  }
  return ok();
}

/// Fixes the constants that were asked for and folds what follows from them.
Result<Words> fixConstants(Words words, const SpecConstants& constants,
                           const PrepareRequest& request) {
  if (request.fixedConstants.empty() && !(request.fixesAll && !constants.empty())) return words;
  Result<Module> module = Module::read(std::move(words));
  if (!module) return module.error();
  const Decorations decorations(*module);
  Rewriter rewriter(*module);
  for (InstRef i : module->globals()) {
    const spv::Op op = module->opcode(i);
    if (op == spv::Op::OpDecorate &&
        spv::Decoration(module->word(i, 2)) == spv::Decoration::SpecId) {
      if (request.fixesAll || request.fixedConstants.count(module->word(i, 3))) rewriter.erase(i);
      continue;
    }
    if (op != spv::Op::OpSpecConstant && op != spv::Op::OpSpecConstantTrue &&
        op != spv::Op::OpSpecConstantFalse)
      continue;
    auto specId = decorations.operand(*module, module->resultId(i), spv::Decoration::SpecId);
    if (!specId) continue;
    auto given = request.fixedConstants.find(*specId);
    if (given == request.fixedConstants.end() && !request.fixesAll) continue;
    const ReflectedSpecConstant& constant = constants.at(*specId);
    const uint64_t bits =
        given == request.fixedConstants.end() ? constant.defaultBits : given->second;
    fixConstant(*module, i, constant, bits, rewriter);
  }
  if (Result<bool> done = rewriter.commit(); !done) return done.error();
  const std::string fold[] = {"--fold-spec-const-op-composite"};
  return runSpirvOpt(module->words(), fold, {request.env, true, true});
}

// ---- what SPIRV-Cross would get wrong ----

class Preparation {
public:
  Preparation(Module& module, const PrepareRequest& request, const ChosenEntry& entry,
              std::vector<TranspileNote>& notes)
      : module_(module), decorations_(module), request_(request), entry_(entry), notes_(notes) {}

  Status run() {
    if (request_.target.language == Language::SpvAsm) return ok();
    scan();
    if (language() == Language::Essl && capabilities_.count(spv::Capability::Int64))
      return failure("it cannot be expressed in ESSL, which has no 64-bit integers");
    if (Status s = checkArrayLengths(); !s) return s;
    if (Status s = checkInitializers(); !s) return s;
    tellModes();
    tellOrder();
    tellSixteenBits();
    Rewriter rewriter(module_);
    useSizesDirectly(rewriter);
    if (Status s = nameSizes(rewriter); !s) return s;
    // What is spelled out copies operands.
    if (Result<bool> done = rewriter.commit(); !done) return done.error();
    decorations_ = Decorations(module_);
    if (Status s = spellOut(rewriter); !s) return s;
    makeCoherent(rewriter);
    if (Result<bool> done = rewriter.commit(); !done) return done.error();
    return ok();
  }

  bool hasPhysicalPointers() const {
    return capabilities_.count(spv::Capability::PhysicalStorageBufferAddresses) != 0;
  }

private:
  Language language() const { return request_.target.language; }
  void note(const char* name, std::string text) { notes_.push_back({name, std::move(text)}); }

  void scan() {
    for (InstRef i : module_.insts()) {
      switch (module_.opcode(i)) {
      case spv::Op::OpCapability:
        capabilities_.insert(spv::Capability(module_.word(i, 1)));
        break;
      case spv::Op::OpMemoryModel:
        isVulkanModel_ = spv::MemoryModel(module_.word(i, 2)) == spv::MemoryModel::Vulkan;
        break;
      case spv::Op::OpExecutionMode:
        readMode(spv::ExecutionMode(module_.word(i, 2)));
        break;
      case spv::Op::OpMemoryBarrier:
        readMemoryBarrier(i);
        break;
      case spv::Op::OpControlBarrier:
        hasSubgroupBarrier_ |= constantAt(i, 1) == uint32_t(spv::Scope::Subgroup);
        break;
      default:
        readAtomic(i);
      }
    }
  }

  void readMode(spv::ExecutionMode mode) {
    switch (mode) {
    case spv::ExecutionMode::DenormPreserve:
      modes_.insert("DenormPreserve");
      break;
    case spv::ExecutionMode::DenormFlushToZero:
      modes_.insert("DenormFlushToZero");
      break;
    case spv::ExecutionMode::SignedZeroInfNanPreserve:
      modes_.insert("SignedZeroInfNanPreserve");
      break;
    case spv::ExecutionMode::RoundingModeRTE:
      modes_.insert("RoundingModeRTE");
      break;
    case spv::ExecutionMode::RoundingModeRTZ:
      modes_.insert("RoundingModeRTZ");
      break;
    default:
      break;
    }
  }

  /// A constant operand; all ones where it is none or may be specialized.
  uint32_t constantAt(InstRef i, uint32_t n) const {
    InstRef d = module_.def(module_.idAt(i, n));
    return d && module_.opcode(d) == spv::Op::OpConstant ? module_.word(d, 3) : UINT32_MAX;
  }

  void readMemoryBarrier(InstRef i) {
    hasDeviceBarrier_ |= constantAt(i, 1) != uint32_t(spv::Scope::Workgroup) &&
                         constantAt(i, 1) != uint32_t(spv::Scope::Subgroup);
  }

  void readAtomic(InstRef i) {
    if (!isAtomic(module_.facts(i))) return;
    const uint32_t semantics = constantAt(i, atomicSemanticsWord(module_.facts(i)));
    constexpr uint32_t kOrder = uint32_t(spv::MemorySemanticsMask::Acquire) |
                                uint32_t(spv::MemorySemanticsMask::Release) |
                                uint32_t(spv::MemorySemanticsMask::AcquireRelease) |
                                uint32_t(spv::MemorySemanticsMask::SequentiallyConsistent);
    hasOrderedAtomic_ |= (semantics & kOrder) != 0;
  }

  /// Metal's function constants cannot be the length of an array. SPIRV-Cross makes macros of those
  /// that are one themselves, but not of those that one is computed from.
  Status checkArrayLengths() const {
    if (language() != Language::Msl) return ok();
    for (InstRef i : module_.globals()) {
      if (module_.opcode(i) != spv::Op::OpTypeArray) continue;
      const Id length = module_.idAt(i, 3);
      if (module_.opcodeOf(length) != spv::Op::OpSpecConstantOp || sizeComponent(length)) continue;
      std::set<uint32_t> ids;
      collectSpecIds(length, ids);
      if (ids.empty()) continue;
      return failure(fmt::format("MSL cannot express an array length computed from specialization "
                                 "constant {}; set it with --spec-const={}:VALUE",
                                 fmt::join(ids, " and "), *ids.begin()));
    }
    return ok();
  }

  /// SPIRV-Cross writes such a variable without them.
  Status checkInitializers() const {
    for (InstRef i : module_.globals()) {
      if (module_.opcode(i) != spv::Op::OpVariable || module_.wordCount(i) <= 4 ||
          spv::StorageClass(module_.word(i, 3)) != spv::StorageClass::Workgroup)
        continue;
      const std::string_view name = decorations_.name(module_, module_.resultId(i));
      return failure(fmt::format(
          "the text would lose the zeros that shared variable '{}' begins with; store them in the "
          "shader, or, where all that is read is written before, take them out with opt "
          "--eliminate-dead-shared-initialization",
          name.empty() ? fmt::format("%{}", module_.resultId(i).value) : std::string(name)));
    }
    return ok();
  }

  void collectSpecIds(Id constant, std::set<uint32_t>& ids) const {
    if (auto specId = decorations_.operand(module_, constant, spv::Decoration::SpecId))
      ids.insert(*specId);
    InstRef d = module_.def(constant);
    const spv::Op op = module_.opcode(d);
    if (op != spv::Op::OpSpecConstantOp && op != spv::Op::OpSpecConstantComposite) return;
    const uint32_t first = op == spv::Op::OpSpecConstantOp ? 4 : 3;
    for (uint32_t n = first; n < module_.wordCount(d); ++n)
      // Literal indices of a composite operation may look like ids: only constants count.
      if (InstRef o = module_.def(module_.idAt(d, n));
          o && o.value < d.value && isSpecConstant(module_.opcode(o)))
        collectSpecIds(module_.idAt(d, n), ids);
  }
  static bool isSpecConstant(spv::Op op) {
    return op >= spv::Op::OpSpecConstantTrue && op <= spv::Op::OpSpecConstantOp;
  }

  void tellModes() {
    if (modes_.empty()) return;
    note("float-controls",
         fmt::format("the output cannot express {}: float behaviour there is up to the compiler",
                     fmt::join(modes_, ", ")));
  }

  void tellOrder() {
    if (hasOrderedAtomic_)
      note("atomic-order",
           fmt::format(
               "acquire and release atomics become relaxed in {}; barriers next to them are kept",
               nameOf(language())));
    if (language() == Language::Hlsl && hasSubgroupBarrier_)
      note("subgroup-barrier", "HLSL has no subgroup barrier: it is dropped, which is correct only "
                               "where the lanes of a wave run in lockstep");
    // SPIRV-Cross writes barriers of these two stages only.
    const bool hasBarriers =
        entry_.isCompute() || entry_.model == spv::ExecutionModel::TessellationControl;
    if (language() == Language::Msl && hasDeviceBarrier_ && !hasBarriers)
      note("device-barrier", fmt::format("MSL has no memory barriers in {} shaders: they are "
                                         "dropped",
                                         stageName(entry_.model)));
    else if (language() == Language::Msl && hasDeviceBarrier_)
      note("device-barrier",
           "a memory barrier wider than the workgroup becomes threadgroup_barrier, which orders "
           "memory only within the threadgroup and which all its lanes must reach");
    if (language() == Language::Msl && hasCoherent())
      note("coherent", "MSL before 3.2 has no coherent buffers: one threadgroup's writes may not "
                       "be visible to another before the next dispatch");
  }

  bool hasCoherent() const {
    for (InstRef i : module_.globals()) {
      const spv::Op op = module_.opcode(i);
      if (op == spv::Op::OpDecorate &&
          spv::Decoration(module_.word(i, 2)) == spv::Decoration::Coherent)
        return true;
      if (op == spv::Op::OpMemberDecorate &&
          spv::Decoration(module_.word(i, 3)) == spv::Decoration::Coherent)
        return true;
    }
    return false;
  }

  void tellSixteenBits() {
    const bool hasNarrow = capabilities_.count(spv::Capability::Float16) ||
                           capabilities_.count(spv::Capability::Int16);
    if (language() != Language::Hlsl || !hasNarrow) return;
    if (request_.target.shaderModel < 62)
      note(
          "min-precision",
          "16-bit types become min16 types, which may be wider; --shader-model=6.2 has exact ones");
    else
      note("enable-16bit-types", "compile the output with dxc -enable-16bit-types");
  }

  // ---- rewrites ----

  /// The component of the WorkgroupSize constant that `id` takes out, null if it does not.
  Id sizeComponent(Id id) const {
    InstRef d = module_.def(id);
    if (!d || module_.opcode(d) != spv::Op::OpSpecConstantOp || module_.wordCount(d) != 6 ||
        spv::Op(module_.word(d, 3)) != spv::Op::OpCompositeExtract)
      return {};
    InstRef size = module_.def(module_.idAt(d, 4));
    if (!size || module_.opcode(size) != spv::Op::OpSpecConstantComposite ||
        decorations_.builtIn(module_, module_.resultId(size)) != spv::BuiltIn::WorkgroupSize)
      return {};
    const uint32_t index = module_.word(d, 5);
    return 3 + index < module_.wordCount(size) ? module_.idAt(size, 3 + index) : Id();
  }

  /// gl_WorkGroupSize.x in a constant is the constant that it is made of: languages know that one
  /// where the other is not constant enough to be the length of an array. Only in MSL: in GLSL the
  /// constant has no name but gl_WorkGroupSize.x.
  void useSizesDirectly(Rewriter& rewriter) {
    if (language() != Language::Msl) return;
    for (InstRef i : module_.insts())
      module_.forEachIdOperand(i, [&](uint32_t n, Id id) {
        const spv::Op op = module_.opcode(i);
        if (op == spv::Op::OpName || op == spv::Op::OpDecorate) return;
        if (Id component = sizeComponent(id)) rewriter.setId(i, n, component);
      });
  }

  /// The reverse for GLSL and ESSL: there the layout declares the constants that are dimensions of
  /// the workgroup, and SPIRV-Cross uses them elsewhere by names that nothing declares. So others
  /// take them out of gl_WorkGroupSize.
  Status nameSizes(Rewriter& rewriter) {
    if (!request_.target.isGlslOrEssl()) return ok();
    InstRef size;
    for (InstRef i : module_.globals())
      if (module_.opcode(i) == spv::Op::OpSpecConstantComposite &&
          decorations_.builtIn(module_, module_.resultId(i)) == spv::BuiltIn::WorkgroupSize)
        size = i;
    if (!size) return ok();
    struct Dimension {
      uint32_t n = 0;
      Id taken; ///< out of the size; null until asked for
    };
    std::map<Id, Dimension> dimensions;
    for (uint32_t n = 3; n < module_.wordCount(size); ++n)
      if (const Id constant = module_.idAt(size, n);
          decorations_.has(constant, spv::Decoration::SpecId))
        dimensions.try_emplace(constant, Dimension{n - 3, {}});
    InstRef early;
    for (InstRef i : module_.insts()) {
      const OpClass opClass = module_.facts(i).opClass;
      const bool isUse =
          module_.blockOf(i) || opClass == OpClass::Type || opClass == OpClass::Constant;
      if (!isUse || i == size) continue;
      module_.forEachIdOperand(i, [&](uint32_t n, Id id) {
        const auto found = dimensions.find(id);
        if (found == dimensions.end()) return;
        if (i < size) early = i;
        Dimension& dimension = found->second;
        if (!dimension.taken) {
          dimension.taken = rewriter.newId();
          rewriter.insertAfter(size, Inst(spv::Op::OpSpecConstantOp)
                                         .id(module_.typeOf(id))
                                         .id(dimension.taken)
                                         .word(uint32_t(spv::Op::OpCompositeExtract))
                                         .id(module_.resultId(size))
                                         .word(dimension.n));
        }
        rewriter.setId(i, n, dimension.taken);
      });
    }
    if (!early) return ok();
    return failure(
        fmt::format("%{} uses a specialization constant of the workgroup's size in front "
                    "of gl_WorkGroupSize, the only name of it in {}; set the constant "
                    "with --spec-const=ID:VALUE",
                    module_.resultId(early).value, nameOf(language())));
  }

  /// A scalar or vector of numbers, as GLSL's functions that pack and unpack see it.
  struct Shape {
    uint32_t width = 0, count = 1; ///< bits of a component, components
    bool isUnsigned = false, isFloat = false;
    auto operator<=>(const Shape&) const = default;
  };
  Shape shapeOf(Id type) const {
    Shape shape;
    InstRef d = module_.def(type);
    if (module_.opcode(d) == spv::Op::OpTypeVector) {
      shape.count = module_.word(d, 3);
      d = module_.def(module_.idAt(d, 2));
    }
    if (module_.opcode(d) == spv::Op::OpTypeInt || module_.opcode(d) == spv::Op::OpTypeFloat)
      shape.width = module_.word(d, 2);
    shape.isUnsigned = module_.opcode(d) == spv::Op::OpTypeInt && module_.word(d, 3) == 0;
    shape.isFloat = module_.opcode(d) == spv::Op::OpTypeFloat;
    return shape;
  }

  /// The type of integers of that shape, null where the module lacks their capability.
  Id integerType(const Shape& shape, Rewriter& rewriter) {
    for (InstRef i : module_.globals())
      if (module_.facts(i).opClass == OpClass::Type && shapeOf(module_.resultId(i)) == shape)
        return module_.resultId(i);
    if (auto made = integerTypes_.find(shape); made != integerTypes_.end()) return made->second;
    if ((shape.width == 64 && !capabilities_.count(spv::Capability::Int64)) ||
        (shape.width == 16 && !capabilities_.count(spv::Capability::Int16)) ||
        (shape.width == 8 && !capabilities_.count(spv::Capability::Int8)))
      return {};
    const Id component =
        shape.count > 1 ? integerType({shape.width, 1, shape.isUnsigned}, rewriter) : Id();
    const Id type = rewriter.declare({}, [&](Id id) {
      return component ? Inst(spv::Op::OpTypeVector).id(id).id(component).word(shape.count)
                       : Inst(spv::Op::OpTypeInt).id(id).word(shape.width).word(!shape.isUnsigned);
    });
    return integerTypes_[shape] = type;
  }

  /// GLSL reads the bits of a scalar as a vector, and the other way round, by functions of unsigned
  /// integers; SPIRV-Cross writes a bit cast of any others, or between two vectors, as the value
  /// itself. So these go by way of an unsigned scalar.
  Status castInSteps(InstRef i, Rewriter& rewriter) {
    Id value = module_.idAt(i, 3);
    const Shape from = shapeOf(module_.typeOf(value)), to = shapeOf(module_.resultType(i));
    if (from.width == 0 || to.width == 0 || from.count == to.count) return ok();
    Shape last = from;
    const uint32_t bits = from.width * from.count;
    for (const Shape& step : {Shape{from.width, from.count, true}, Shape{bits, 1, true},
                              Shape{to.width, to.count, true}}) {
      if (step == last || step == to) continue;
      const Id type = integerType(step, rewriter);
      if (!type)
        return failure(fmt::format("{} has no bit cast between {} and {} components of a value of "
                                   "{} bits without {}-bit integers",
                                   nameOf(language()), from.count, to.count, bits, step.width));
      const Id cast = rewriter.newId();
      rewriter.insertBefore(i, Inst(spv::Op::OpBitcast).id(type).id(cast).id(value));
      value = cast;
      last = step;
    }
    rewriter.setId(i, 3, value);
    return ok();
  }

  Status spellOut(Rewriter& rewriter) {
    for (InstRef i : module_.insts())
      if (Status s = spellOut(i, rewriter); !s) return s;
    return ok();
  }

  /// What SPIRV-Cross writes by an operator or a function that does something else, or that only
  /// another language has: x == y is false of NaN, and x != y true; and what an integer operation
  /// does depends on the type in the text, not on the instruction.
  Status spellOut(InstRef i, Rewriter& rewriter) {
    const spv::Op op = module_.opcode(i);
    const auto refuse = [](const char* what) {
      return failure(fmt::format("it cannot be expressed in HLSL, which has no {}", what));
    };
    const bool isHlsl = language() == Language::Hlsl;
    switch (op) {
    case spv::Op::OpBitcast:
      return request_.target.isGlslOrEssl() ? castInSteps(i, rewriter) : ok();
    case spv::Op::OpFUnordEqual:
    case spv::Op::OpFOrdNotEqual:
      compareOrdered(i, rewriter);
      return ok();
    case spv::Op::OpSRem:
      if (divideSigned(i, rewriter)) return ok();
      return failure(
          fmt::format("{} has no signed remainder of these unsigned integers", nameOf(language())));
    case spv::Op::OpAtomicSMin:
    case spv::Op::OpAtomicSMax:
    case spv::Op::OpAtomicUMin:
    case spv::Op::OpAtomicUMax: {
      const bool isSigned = op == spv::Op::OpAtomicSMin || op == spv::Op::OpAtomicSMax;
      if (shapeOf(module_.resultType(i)).isUnsigned != isSigned) return ok();
      return failure(fmt::format("{} has no {} minimum or maximum of {} integers in memory",
                                 nameOf(language()), isSigned ? "signed" : "unsigned",
                                 isSigned ? "unsigned" : "signed"));
    }
    case spv::Op::OpIAddCarry:
    case spv::Op::OpISubBorrow:
      return isHlsl ? refuse("sum or difference with its carry") : ok();
    case spv::Op::OpUMulExtended:
    case spv::Op::OpSMulExtended:
      return isHlsl ? refuse("product of twice the width") : ok();
    case spv::Op::OpQuantizeToF16:
      return isHlsl ? refuse("rounding to 16-bit floats") : ok();
    case spv::Op::OpGroupNonUniformAllEqual:
      if (isHlsl) compareByComponent(i, rewriter);
      return ok();
    default:
      return ok();
    }
  }

  /// Less or greater, or neither: no NaN is either.
  void compareOrdered(InstRef i, Rewriter& rewriter) {
    const Id type = module_.resultType(i), a = module_.idAt(i, 3), b = module_.idAt(i, 4);
    const Id less = rewriter.newId(), greater = rewriter.newId();
    rewriter.insertBefore(i, Inst(spv::Op::OpFOrdLessThan).id(type).id(less).id(a).id(b));
    rewriter.insertBefore(i, Inst(spv::Op::OpFOrdGreaterThan).id(type).id(greater).id(a).id(b));
    const bool isNegated = module_.opcode(i) == spv::Op::OpFUnordEqual;
    const Id either = isNegated ? rewriter.newId() : module_.resultId(i);
    Inst apart = Inst(spv::Op::OpLogicalOr).id(type).id(either).id(less).id(greater);
    if (!isNegated) return rewriter.replace(i, std::move(apart));
    rewriter.insertBefore(i, std::move(apart));
    rewriter.replace(i, Inst(spv::Op::OpLogicalNot).id(type).id(module_.resultId(i)).id(either));
  }

  /// OpSRem in signed types. False where there is none.
  bool divideSigned(InstRef i, Rewriter& rewriter) {
    Shape shape = shapeOf(module_.resultType(i));
    const bool isUnsigned = shape.isUnsigned;
    if (!isUnsigned && !shapeOf(module_.typeOf(module_.idAt(i, 3))).isUnsigned &&
        !shapeOf(module_.typeOf(module_.idAt(i, 4))).isUnsigned)
      return true;
    shape.isUnsigned = false;
    const Id type = integerType(shape, rewriter);
    if (!type) return false;
    const auto cast = [&](Id to, Id result, Id value) {
      return Inst(spv::Op::OpBitcast).id(to).id(result).id(value);
    };
    Inst remainder(spv::Op::OpSRem);
    const Id result = isUnsigned ? rewriter.newId() : module_.resultId(i);
    remainder.id(type).id(result);
    for (uint32_t n : {3u, 4u}) {
      Id operand = module_.idAt(i, n);
      if (shapeOf(module_.typeOf(operand)).isUnsigned) {
        const Id made = rewriter.newId();
        rewriter.insertBefore(i, cast(type, made, operand));
        operand = made;
      }
      remainder.id(operand);
    }
    if (!isUnsigned) {
      rewriter.replace(i, std::move(remainder));
      return true;
    }
    rewriter.insertBefore(i, std::move(remainder));
    rewriter.replace(i, cast(module_.resultType(i), module_.resultId(i), result));
    return true;
  }

  /// HLSL's WaveActiveAllEqual of a vector has an answer for each component, SPIR-V's instruction
  /// one for all of them.
  void compareByComponent(InstRef i, Rewriter& rewriter) {
    const Id value = module_.idAt(i, 4), boolType = module_.resultType(i);
    InstRef type = module_.def(module_.typeOf(value));
    if (module_.opcode(type) != spv::Op::OpTypeVector) return;
    Id all; // of the components so far
    for (uint32_t n = 0, count = module_.word(type, 3); n < count; ++n) {
      const Id component = rewriter.newId(), equal = rewriter.newId();
      rewriter.insertBefore(i, Inst(spv::Op::OpCompositeExtract)
                                   .id(module_.idAt(type, 2))
                                   .id(component)
                                   .id(value)
                                   .word(n));
      rewriter.insertBefore(
          i, Inst(module_.opcode(i)).id(boolType).id(equal).id(module_.idAt(i, 3)).id(component));
      const Id both = n + 1 == count ? module_.resultId(i) : rewriter.newId();
      Inst conjunction = Inst(spv::Op::OpLogicalAnd).id(boolType).id(both).id(all).id(equal);
      if (n + 1 == count)
        rewriter.replace(i, std::move(conjunction));
      else if (n > 0)
        rewriter.insertBefore(i, std::move(conjunction));
      all = n > 0 ? both : equal;
    }
  }

  /// In the Vulkan memory model each access says whether others shall see it; the languages know
  /// only variables that all see (SPIR-V 3.32, Coherent). Saying it of all is always right.
  void makeCoherent(Rewriter& rewriter) {
    if (!isVulkanModel_ || !publishes()) return;
    InstRef anchor;
    std::vector<Id> shared;
    for (InstRef i : module_.globals()) {
      const spv::Op op = module_.opcode(i);
      // Decorations stand in front of all types.
      const bool isType = op >= spv::Op::OpTypeVoid && op <= spv::Op::OpTypeForwardPointer;
      if (isType && !anchor) anchor = i;
      if (op == spv::Op::OpVariable && isShared(i) &&
          !decorations_.has(module_.resultId(i), spv::Decoration::Coherent))
        shared.push_back(module_.resultId(i));
    }
    if (!anchor) return;
    for (Id variable : shared)
      rewriter.insertBefore(
          anchor, Inst(spv::Op::OpDecorate).id(variable).word(uint32_t(spv::Decoration::Coherent)));
    note("coherent-all", "single accesses that are made available or visible become whole coherent "
                         "buffers and images");
  }

  /// A storage buffer or a storage image.
  bool isShared(InstRef variable) const {
    const auto storage = spv::StorageClass(module_.word(variable, 3));
    if (storage == spv::StorageClass::StorageBuffer) return true;
    if (storage != spv::StorageClass::UniformConstant && storage != spv::StorageClass::Uniform)
      return false;
    InstRef pointer = module_.def(module_.resultType(variable));
    Id type = pointer ? module_.idAt(pointer, 3) : Id();
    while (module_.opcodeOf(type) == spv::Op::OpTypeArray ||
           module_.opcodeOf(type) == spv::Op::OpTypeRuntimeArray)
      type = module_.idAt(module_.def(type), 2);
    if (module_.opcodeOf(type) == spv::Op::OpTypeImage)
      return module_.word(module_.def(type), 7) == 2;
    return decorations_.has(type, spv::Decoration::BufferBlock);
  }

  /// Whether any access makes itself available or visible: that says so in its memory or image
  /// operands, or orders storage by semantics that do.
  bool publishes() const {
    constexpr uint32_t kAvailability = uint32_t(spv::MemoryAccessMask::MakePointerAvailable) |
                                       uint32_t(spv::MemoryAccessMask::MakePointerVisible) |
                                       uint32_t(spv::MemoryAccessMask::NonPrivatePointer);
    constexpr uint32_t kTexels = uint32_t(spv::ImageOperandsMask::MakeTexelAvailable) |
                                 uint32_t(spv::ImageOperandsMask::MakeTexelVisible) |
                                 uint32_t(spv::ImageOperandsMask::NonPrivateTexel);
    for (InstRef i : module_.insts()) {
      uint32_t at = memoryOperandsWord(module_.opcode(i)), mask = kAvailability;
      switch (module_.opcode(i)) {
      case spv::Op::OpImageRead:
        at = 5, mask = kTexels;
        break;
      case spv::Op::OpImageWrite:
        at = 4, mask = kTexels;
        break;
      default:
        break;
      }
      if (at != 0 && module_.wordCount(i) > at && (module_.word(i, at) & mask)) return true;
    }
    return false;
  }

  Module& module_;
  Decorations decorations_;
  const PrepareRequest& request_;
  const ChosenEntry& entry_;
  std::vector<TranspileNote>& notes_;
  std::set<spv::Capability> capabilities_;
  std::set<std::string> modes_;
  std::map<Shape, Id> integerTypes_; ///< that were made
  bool isVulkanModel_ = false;
  bool hasSubgroupBarrier_ = false, hasDeviceBarrier_ = false, hasOrderedAtomic_ = false;
};

/// MSL does not say how large a workgroup is.
void noteThreadgroupSize(const Words& words, PreparedModule& out) {
  Result<Reflection> sized = reflect(words, out.entry.name, out.fixedConstants);
  if (!sized) return;
  const auto& size = sized->workgroupSize;
  std::string constants;
  for (uint32_t d = 0; d < 3; ++d)
    if (auto id = sized->workgroupSpecIds[d]; id && !out.fixedConstants.count(*id))
      constants += fmt::format("{}{} by specialization constant {}",
                               constants.empty() ? ", " : " and ", "xyz"[d], *id);
  out.notes.push_back(
      {"threadgroup-size", fmt::format("the host must dispatch threadgroups of {}x{}x{}{}", size[0],
                                       size[1], size[2], constants)});
}

} // namespace

Result<PreparedModule> prepareModule(const Words& words, const PrepareRequest& request) {
  Result<Module> given = Module::read(words);
  if (!given) return given.error();
  PreparedModule out;
  Result<ChosenEntry> entry = chooseEntry(*given, request.entry, request.stage);
  if (!entry) return entry.error();
  out.entry = std::move(*entry);
  if (!out.entry.others.empty()) out.notes.push_back({"entry-point", out.entry.others});
  if (Status s = checkStage(out.entry.model, request.target); !s) return s.error();
  Result<SpecConstants> constants = reflectSpecConstants(words);
  if (!constants) return constants.error();
  if (Status s = checkConstantsExist(*constants, request); !s) return s.error();
  out.fixedConstants = request.fixedConstants;
  if (request.fixesAll)
    for (const auto& [id, constant] : *constants)
      out.fixedConstants.try_emplace(id, constant.defaultBits);
  if (request.target.language == Language::Msl && out.entry.isCompute())
    noteThreadgroupSize(words, out);
  Result<Words> fixed = fixConstants(words, *constants, request);
  if (!fixed) return fixed.error();
  Result<Module> module = Module::read(std::move(*fixed));
  if (!module) return module.error();
  Preparation preparation(*module, request, out.entry, out.notes);
  if (Status s = preparation.run(); !s) return s.error();
  out.hasPhysicalPointers = preparation.hasPhysicalPointers();
  out.words.assign(module->words().begin(), module->words().end());
  return out;
}

} // namespace lanewise::driver
