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

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>

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

/// Turns an OpSpecConstant into an OpConstant, with its default where no bits are given.
void fixConstant(const Module& module, InstRef i, const ReflectedSpecConstant& constant,
                 std::optional<uint64_t> bits, Rewriter& rewriter) {
  const spv::Op op = module.opcode(i);
  if (op == spv::Op::OpSpecConstantTrue || op == spv::Op::OpSpecConstantFalse) {
    const bool isTrue = bits ? *bits != 0 : op == spv::Op::OpSpecConstantTrue;
    rewriter.replace(i, Inst(isTrue ? spv::Op::OpConstantTrue : spv::Op::OpConstantFalse)
                            .id(module.resultType(i))
                            .id(module.resultId(i)));
    return;
  }
  Inst fixed(spv::Op::OpConstant);
  fixed.id(module.resultType(i)).id(module.resultId(i));
  if (!bits) {
    fixed.words(module.inst(i).subspan(3));
  } else {
    fixed.words(literalOf(constant.type, *bits));
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

/// Ids for which several constants stand, with different defaults: glslang gives the workgroup's
/// size a constant of its own.
std::set<uint32_t> idsOfSeveralDefaults(const Module& module) {
  const Decorations decorations(module);
  std::map<uint32_t, std::vector<uint32_t>> defaults;
  std::set<uint32_t> several;
  for (InstRef i : module.globals()) {
    const spv::Op op = module.opcode(i);
    if (op != spv::Op::OpSpecConstant && op != spv::Op::OpSpecConstantTrue &&
        op != spv::Op::OpSpecConstantFalse)
      continue;
    const auto specId = decorations.operand(module, module.resultId(i), spv::Decoration::SpecId);
    if (!specId) continue;
    std::vector<uint32_t> literal{uint32_t(op)};
    const auto words = module.inst(i).subspan(3);
    literal.insert(literal.end(), words.begin(), words.end());
    if (defaults.try_emplace(*specId, literal).first->second != literal) several.insert(*specId);
  }
  return several;
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
    fixConstant(*module, i, constants.at(*specId),
                given == request.fixedConstants.end() ? std::nullopt : std::optional(given->second),
                rewriter);
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

/// Of a variable or of any member of its block.
bool hasAnywhere(const Module& module, const Decorations& decorations, Id variable,
                 spv::Decoration d) {
  if (decorations.has(variable, d)) return true;
  const Id block = typeOfDescriptor(module, variable);
  if (module.opcodeOf(block) != spv::Op::OpTypeStruct) return false;
  for (uint32_t n = 0; n + 2 < module.wordCount(module.def(block)); ++n)
    if (decorations.hasMember(block, n, d)) return true;
  return false;
}

/// In the Vulkan memory model each access says whether others shall see it; the languages know
/// only variables that all see (SPIR-V 3.32, Coherent), and SPIRV-Cross writes it of no member and
/// in the place of Volatile. Saying it of all is always right.
void makeCoherent(const Module& module, Rewriter& rewriter, PreparedModule& out) {
  const bool isOfAccesses =
      module.declares(spv::Capability::VulkanMemoryModel) && publishes(module);
  const Decorations decorations(module);
  InstRef anchor;
  std::vector<Id> shared;
  for (InstRef i : module.globals()) {
    const spv::Op op = module.opcode(i);
    // Decorations stand in front of all types.
    const bool isType = op >= spv::Op::OpTypeVoid && op <= spv::Op::OpTypeForwardPointer;
    if (isType && !anchor) anchor = i;
    if (op != spv::Op::OpVariable || !isShared(module, decorations, i)) continue;
    const Id variable = module.resultId(i);
    const bool isVolatile = hasAnywhere(module, decorations, variable, spv::Decoration::Volatile);
    out.hasVolatile |= isVolatile;
    if (decorations.has(variable, spv::Decoration::Coherent)) continue;
    if (isOfAccesses || isVolatile ||
        hasAnywhere(module, decorations, variable, spv::Decoration::Coherent))
      shared.push_back(variable);
  }
  if (!anchor) return;
  for (Id variable : shared)
    rewriter.insertBefore(
        anchor, Inst(spv::Op::OpDecorate).id(variable).word(uint32_t(spv::Decoration::Coherent)));
  if (isOfAccesses)
    out.notes.push_back({"coherent-all",
                         "single accesses that are made available or visible become whole coherent "
                         "buffers and images"});
}

// ---- debug printing ----

/// As it stands between quotation marks in C's descendants: SPIRV-Cross copies a module's strings.
std::string escaped(std::string_view text) {
  constexpr std::string_view kCharacters = "\\\"\n\t\r", kLetters = "\\\"ntr";
  std::string out;
  for (char c : text) {
    const size_t n = kCharacters.find(c);
    if (n != std::string_view::npos) out += '\\';
    out += n == std::string_view::npos ? c : kLetters[n];
  }
  return out;
}

/// GLSL for Vulkan and HLSL print what the module prints; the others have nothing to print with.
void fitPrinting(const Module& module, const TargetLanguage& target, Rewriter& rewriter,
                 PreparedModule& out) {
  const bool prints = target.isForVulkan() || target.language == Language::Hlsl;
  std::set<Id> sets, formats;
  for (InstRef i : module.insts()) {
    if (module.opcode(i) == spv::Op::OpExtInstImport &&
        module.stringAt(i, 2) == "NonSemantic.DebugPrintf")
      sets.insert(module.resultId(i));
    if (module.opcode(i) != spv::Op::OpExtInst || !sets.contains(module.idAt(i, 3))) continue;
    formats.insert(module.idAt(i, 5));
    if (!prints) rewriter.erase(i);
  }
  if (formats.empty()) return;
  if (!prints) {
    out.notes.push_back(
        {"debug-printf", fmt::format("debugPrintfEXT is left out: {} has none", target.str())});
    return;
  }
  for (Id format : formats)
    rewriter.replace(
        module.def(format),
        Inst(spv::Op::OpString).id(format).string(escaped(module.stringAt(module.def(format), 2))));
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

spv::StorageClass storageOf(const Module& module, Id pointer) {
  const InstRef type = module.def(module.typeOf(pointer));
  return module.opcode(type) == spv::Op::OpTypePointer ? spv::StorageClass(module.word(type, 2))
                                                       : spv::StorageClass::Max;
}

/// Whether SPIRV-Cross would write loads where their values are used, though something in between
/// has changed what is there: those through physical pointers; in MSL those of images, and of
/// Workgroup and Private variables in front of atomics and calls.
bool movesLoads(const Module& module, const TargetLanguage& target) {
  if (module.declares(spv::Capability::PhysicalStorageBufferAddresses)) return true;
  if (target.language != Language::Msl) return false;
  bool readsImages = false, changesImages = false, calls = false, callsChange = false;
  for (InstRef i : module.insts()) {
    const spv::Op op = module.opcode(i);
    const uint32_t pointer = pointerWord(module.facts(i));
    const bool isAtomicOp = isAtomic(module.facts(i));
    readsImages |= op == spv::Op::OpImageRead;
    changesImages |= op == spv::Op::OpImageWrite || op == spv::Op::OpImageTexelPointer ||
                     op == spv::Op::OpControlBarrier || op == spv::Op::OpMemoryBarrier;
    calls |= op == spv::Op::OpFunctionCall;
    const bool isChange = isAtomicOp || op == spv::Op::OpStore;
    if (!isChange || pointer == 0) continue;
    const spv::StorageClass storage = storageOf(module, module.idAt(i, pointer));
    if (isAtomicOp && storage == spv::StorageClass::Workgroup) return true;
    callsChange |= storage == spv::StorageClass::Workgroup || storage == spv::StorageClass::Private;
  }
  return (readsImages && (changesImages || calls)) || (calls && callsChange);
}

/// What is read of whole Private and Workgroup variables becomes values of their own: SPIRV-Cross
/// writes the variables' names, temporary values or not.
void copyLoads(const Module& module, Rewriter& rewriter) {
  for (InstRef i : module.insts()) {
    if (module.opcode(i) != spv::Op::OpLoad) continue;
    const InstRef variable = module.def(module.idAt(i, 3));
    if (module.opcode(variable) != spv::Op::OpVariable) continue;
    const auto storage = spv::StorageClass(module.word(variable, 3));
    if (storage != spv::StorageClass::Private && storage != spv::StorageClass::Workgroup) continue;
    const Id loaded = rewriter.newId();
    Inst load(spv::Op::OpLoad);
    load.id(module.resultType(i)).id(loaded).words(module.inst(i).subspan(3));
    rewriter.insertBefore(i, std::move(load));
    rewriter.replace(
        i, Inst(spv::Op::OpCopyObject).id(module.resultType(i)).id(module.resultId(i)).id(loaded));
  }
}

/// Refuses or tells what `target` cannot express, and rewrites what SPIRV-Cross would get wrong.
Status fitLanguage(Module& module, const TargetLanguage& target, PreparedModule& out) {
  if (Status s = checkLimits(module, target, out.entry, out.notes); !s) return s;
  out.movesLoads = movesLoads(module, target);
  Rewriter rewriter(module);
  if (Status s = nameWorkgroupSize(module, target, rewriter); !s) return s;
  if (!target.isForVulkan()) writeOutModulo(module, target, rewriter);
  // What is spelled out copies operands.
  if (Result<bool> done = rewriter.commit(); !done) return done.error();
  if (Status s = spellOut(module, target, rewriter); !s) return s;
  storeLoopExits(module, rewriter);
  makeCoherent(module, rewriter, out);
  fitPrinting(module, target, rewriter, out);
  if (Result<bool> done = rewriter.commit(); !done) return done.error();
  if (target.language == Language::Msl && out.movesLoads) copyLoads(module, rewriter);
  if (Result<bool> done = rewriter.commit(); !done) return done.error();
  storePhiLoads(module, rewriter);
  if (target.language == Language::Hlsl) storeComposites(module, rewriter);
  if (Result<bool> done = rewriter.commit(); !done) return done.error();
  return ok();
}

/// Whether a function has a parameter that GLSL and HLSL pass by copy, and that others may change
/// or read meanwhile: Workgroup memory, or what is decorated Aliased (SPIR-V 2.18.2).
bool hasSharedParameters(const Module& module) {
  const Decorations decorations(module);
  for (InstRef i : module.insts()) {
    if (module.opcode(i) != spv::Op::OpFunctionParameter) continue;
    const InstRef type = module.def(module.resultType(i));
    if (module.opcode(type) != spv::Op::OpTypePointer) continue;
    const auto storage = spv::StorageClass(module.word(type, 2));
    const bool isOwn =
        storage == spv::StorageClass::Function || storage == spv::StorageClass::Private;
    if (storage == spv::StorageClass::Workgroup ||
        (isOwn && decorations.has(module.resultId(i), spv::Decoration::Aliased)))
      return true;
  }
  return false;
}

/// spirv-opt's inliner drops what a parameter is decorated with, so that what each access means
/// would be lost.
bool haveParametersOwnAccess(const Module& module) {
  const Decorations decorations(module);
  const auto insts = module.insts();
  return std::any_of(insts.begin(), insts.end(), [&](InstRef i) {
    return module.opcode(i) == spv::Op::OpFunctionParameter &&
           (decorations.has(module.resultId(i), spv::Decoration::Volatile) ||
            decorations.has(module.resultId(i), spv::Decoration::Coherent));
  });
}

/// Functions with such parameters are inlined, with all others.
Result<Words> inlineSharing(Words words, const TargetLanguage& target, spv_target_env env) {
  if (!target.isGlslOrEssl() && target.language != Language::Hlsl) return words;
  const std::vector<std::string> steps[] = {{},
                                            {"--inline-entry-points-exhaustive"},
                                            {"--merge-return", "--inline-entry-points-exhaustive"}};
  for (std::vector<std::string> flags : steps) {
    if (!flags.empty()) {
      flags.push_back("--eliminate-dead-functions");
      Result<Words> inlined = runSpirvOpt(words, flags, {env, true, true});
      if (!inlined) return inlined;
      words = std::move(*inlined);
    }
    const Result<Module> module = Module::read(words);
    if (!module) return module.error();
    if (!hasSharedParameters(*module)) return words;
    if (haveParametersOwnAccess(*module))
      return failure(fmt::format("it cannot be expressed in {}: a function takes a Volatile or "
                                 "Coherent pointer, and one to memory that others see; "
                                 "call it with values, or inline it",
                                 target.str()));
  }
  return failure(
      fmt::format("a function takes a pointer to memory that others see, which {} passes "
                  "by copy, and the function cannot be inlined",
                  nameOf(target.language)));
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
  const std::set<uint32_t> several = idsOfSeveralDefaults(*given);
  for (uint32_t id : several)
    if (!request.fixedConstants.count(id) && request.target.language != Language::SpvAsm)
      return failure(fmt::format("it cannot be expressed in {0}: specialization constant {1} has "
                                 "several defaults (the workgroup's size may be one of them); "
                                 "give its value with --spec-const={1}:VALUE",
                                 request.target.str(), id));
  out.fixedConstants = request.fixedConstants;
  if (request.fixesAll)
    for (const auto& [id, constant] : *constants)
      if (!several.contains(id)) out.fixedConstants.try_emplace(id, constant.defaultBits);
  if (request.target.language == Language::Msl && out.entry.isCompute())
    noteThreadgroupSize(words, out);
  Result<Words> fixed = fixConstants(words, *constants, request);
  if (!fixed) return fixed.error();
  fixed = inlineSharing(std::move(*fixed), request.target, request.env);
  if (!fixed) return fixed.error();
  Result<Module> module = Module::read(std::move(*fixed));
  if (!module) return module.error();
  if (request.target.language != Language::SpvAsm)
    if (Status s = fitLanguage(*module, request.target, out); !s) return s.error();
  out.words.assign(module->words().begin(), module->words().end());
  return out;
}

} // namespace lanewise::driver
