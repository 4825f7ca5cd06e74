#include "transpile/prepare.h"

#include "analysis/module/decorations.h"
#include "analysis/module/entry_points.h"
#include "ir/module.h"
#include "ir/rewriter.h"
#include "support/failure.h"
#include "transpile/limits.h"
#include "transpile/spell_out.h"
#include "transpile/value_variables.h"
#include "transpile/workgroup_size.h"
#include "verify/program/reflect.h"

#include <fmt/format.h>

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

// ---- the Vulkan memory model ----

/// A storage buffer or a storage image.
bool isShared(const Module& module, const Decorations& decorations, InstRef variable) {
  const auto storage = spv::StorageClass(module.word(variable, 3));
  if (storage == spv::StorageClass::StorageBuffer) return true;
  if (storage != spv::StorageClass::UniformConstant && storage != spv::StorageClass::Uniform)
    return false;
  const Id type = typeOfDescriptor(module, module.resultId(variable));
  if (module.opcodeOf(type) == spv::Op::OpTypeImage) return module.word(module.def(type), 7) == 2;
  return decorations.has(type, spv::Decoration::BufferBlock);
}

/// Whether any access makes itself available or visible: that says so in its memory or image
/// operands, or orders storage by semantics that do.
bool publishes(const Module& module) {
  constexpr uint32_t kAvailability = uint32_t(spv::MemoryAccessMask::MakePointerAvailable) |
                                     uint32_t(spv::MemoryAccessMask::MakePointerVisible) |
                                     uint32_t(spv::MemoryAccessMask::NonPrivatePointer);
  constexpr uint32_t kTexels = uint32_t(spv::ImageOperandsMask::MakeTexelAvailable) |
                               uint32_t(spv::ImageOperandsMask::MakeTexelVisible) |
                               uint32_t(spv::ImageOperandsMask::NonPrivateTexel);
  for (InstRef i : module.insts()) {
    uint32_t at = memoryOperandsWord(module.opcode(i)), mask = kAvailability;
    switch (module.opcode(i)) {
    case spv::Op::OpImageRead:
      at = 5, mask = kTexels;
      break;
    case spv::Op::OpImageWrite:
      at = 4, mask = kTexels;
      break;
    default:
      break;
    }
    if (at != 0 && module.wordCount(i) > at && (module.word(i, at) & mask)) return true;
  }
  return false;
}

/// In the Vulkan memory model each access says whether others shall see it; the languages know
/// only variables that all see (SPIR-V 3.32, Coherent). Saying it of all is always right.
void makeCoherent(const Module& module, Rewriter& rewriter, std::vector<TranspileNote>& notes) {
  if (!module.declares(spv::Capability::VulkanMemoryModel) || !publishes(module)) return;
  const Decorations decorations(module);
  InstRef anchor;
  std::vector<Id> shared;
  for (InstRef i : module.globals()) {
    const spv::Op op = module.opcode(i);
    // Decorations stand in front of all types.
    const bool isType = op >= spv::Op::OpTypeVoid && op <= spv::Op::OpTypeForwardPointer;
    if (isType && !anchor) anchor = i;
    if (op == spv::Op::OpVariable && isShared(module, decorations, i) &&
        !decorations.has(module.resultId(i), spv::Decoration::Coherent))
      shared.push_back(module.resultId(i));
  }
  if (!anchor) return;
  for (Id variable : shared)
    rewriter.insertBefore(
        anchor, Inst(spv::Op::OpDecorate).id(variable).word(uint32_t(spv::Decoration::Coherent)));
  notes.push_back({"coherent-all",
                   "single accesses that are made available or visible become whole coherent "
                   "buffers and images"});
}

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

/// Refuses or tells what `target` cannot express, and rewrites what SPIRV-Cross would get wrong.
Status fitLanguage(Module& module, const TargetLanguage& target, PreparedModule& out) {
  if (Status s = checkLimits(module, target, out.entry, out.notes); !s) return s;
  out.hasPhysicalPointers = module.declares(spv::Capability::PhysicalStorageBufferAddresses);
  Rewriter rewriter(module);
  if (Status s = nameWorkgroupSize(module, target, rewriter); !s) return s;
  // What is spelled out copies operands.
  if (Result<bool> done = rewriter.commit(); !done) return done.error();
  if (Status s = spellOut(module, target, rewriter); !s) return s;
  storeLoopExits(module, rewriter);
  makeCoherent(module, rewriter, out.notes);
  if (Result<bool> done = rewriter.commit(); !done) return done.error();
  storePhiLoads(module, rewriter);
  if (target.language == Language::Hlsl) storeComposites(module, rewriter);
  if (Result<bool> done = rewriter.commit(); !done) return done.error();
  return ok();
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
  if (request.target.language != Language::SpvAsm)
    if (Status s = fitLanguage(*module, request.target, out); !s) return s.error();
  out.words.assign(module->words().begin(), module->words().end());
  return out;
}

} // namespace lanewise::driver
