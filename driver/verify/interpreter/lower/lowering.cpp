// Lowers what belongs to the whole module: capabilities, types, constants, global variables.
#include "verify/interpreter/lower/lowering.h"

#include "analysis/module/source_lines.h"
#include "ir/enumerant_names.h"
#include "ir/newer_enumerants.h"
#include "support/failure.h"
#include "verify/interpreter/lower/lower_program.h"
#include "verify/interpreter/run/execute.h"
#include "verify/program/reflect.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace lanewise::driver::interpreter {
namespace {

using Kind = TypeInfo::Kind;
using spv::Capability;
using spv::StorageClass;

// Capabilities that change nothing but which types and opcodes may stand there, and all of whose
// opcodes are either lowered or refused by name.
constexpr Capability kCapabilities[] = {
    Capability::Matrix,
    Capability::Shader,
    Capability::Float16,
    Capability::Float64,
    Capability::Int64,
    Capability::Int64Atomics,
    Capability::Int64ImageEXT,
    Capability::Int16,
    Capability::Int8,
    Capability::ImageGatherExtended,
    Capability::StorageImageMultisample,
    Capability::UniformBufferArrayDynamicIndexing,
    Capability::SampledImageArrayDynamicIndexing,
    Capability::StorageBufferArrayDynamicIndexing,
    Capability::StorageImageArrayDynamicIndexing,
    Capability::ImageCubeArray,
    Capability::Sampled1D,
    Capability::Image1D,
    Capability::SampledCubeArray,
    Capability::SampledBuffer,
    Capability::ImageBuffer,
    Capability::StorageImageExtendedFormats,
    Capability::ImageQuery,
    Capability::StorageImageReadWithoutFormat,
    Capability::StorageImageWriteWithoutFormat,
    Capability::GroupNonUniform,
    Capability::GroupNonUniformVote,
    Capability::GroupNonUniformArithmetic,
    Capability::GroupNonUniformBallot,
    Capability::GroupNonUniformShuffle,
    Capability::GroupNonUniformShuffleRelative,
    Capability::GroupNonUniformClustered,
    Capability::GroupNonUniformQuad,
    Capability::GroupNonUniformRotateKHR,
    Capability::SubgroupBallotKHR,
    Capability::SubgroupVoteKHR,
    Capability::StorageBuffer16BitAccess,
    Capability::UniformAndStorageBuffer16BitAccess,
    Capability::StoragePushConstant16,
    Capability::StorageBuffer8BitAccess,
    Capability::UniformAndStorageBuffer8BitAccess,
    Capability::StoragePushConstant8,
    Capability::VariablePointersStorageBuffer,
    Capability::VariablePointers,
    Capability::PhysicalStorageBufferAddresses,
    Capability::VulkanMemoryModel,
    Capability::VulkanMemoryModelDeviceScope,
    Capability::WorkgroupMemoryExplicitLayoutKHR,
    Capability::WorkgroupMemoryExplicitLayout8BitAccessKHR,
    Capability::WorkgroupMemoryExplicitLayout16BitAccessKHR,
    Capability::AtomicFloat32AddEXT,
    Capability::AtomicFloat64AddEXT,
    Capability::AtomicFloat16AddEXT,
    Capability::AtomicFloat32MinMaxEXT,
    Capability::AtomicFloat64MinMaxEXT,
    Capability::AtomicFloat16MinMaxEXT,
    Capability::ShaderNonUniform,
    Capability::RuntimeDescriptorArray,
    Capability::UniformBufferArrayNonUniformIndexing,
    Capability::SampledImageArrayNonUniformIndexing,
    Capability::StorageBufferArrayNonUniformIndexing,
    Capability::StorageImageArrayNonUniformIndexing,
    Capability::SignedZeroInfNanPreserve,
    Capability::RoundingModeRTE,
    Capability::DenormPreserve,
    Capability::DotProduct,
    Capability::DotProductInputAll,
    Capability::DotProductInput4x8Bit,
    Capability::DotProductInput4x8BitPacked,
    Capability::ExpectAssumeKHR,
    Capability::ShaderClockKHR,
    newer::Capability::CooperativeMatrixKHR,
    newer::Capability::CooperativeMatrixConversionsEXT,
    newer::Capability::BFloat16TypeKHR,
    newer::Capability::BFloat16DotProductKHR,
    newer::Capability::BFloat16CooperativeMatrixKHR,
    newer::Capability::Float8EXT,
    newer::Capability::Float8CooperativeMatrixEXT,
    newer::Capability::Float4EXT,
    newer::Capability::Float6EXT,
    newer::Capability::Float8UnsignedE8M0EXT,
    newer::Capability::BitcastExtractEXT,
    newer::Capability::ReplicatedCompositesEXT,
    newer::Capability::FMAKHR,
    newer::Capability::FloatControls2,
    newer::Capability::DotProductFloat16AccFloat32VALVE,
    newer::Capability::DotProductFloat16AccFloat16VALVE,
    newer::Capability::DotProductBFloat16AccVALVE,
    newer::Capability::DotProductFloat8AccFloat32VALVE,
};

// Floats are rounded to nearest even, denormals, infinities, NaNs and the signs of zeros are kept:
// the modes that ask for that are honoured in every width, their opposites are refused with their
// capabilities.
constexpr spv::ExecutionMode kExecutionModes[] = {
    spv::ExecutionMode::LocalSize,
    spv::ExecutionMode::LocalSizeId,
    spv::ExecutionMode::RoundingModeRTE,
    spv::ExecutionMode::DenormPreserve,
    spv::ExecutionMode::SignedZeroInfNanPreserve,
    spv::ExecutionMode::SubgroupUniformControlFlowKHR,
    newer::ExecutionMode::MaximallyReconvergesKHR,
    newer::ExecutionMode::FPFastMathDefault, // allows what is not made use of
};

// What setBuiltIns() (workgroup.cpp) gives a value.
constexpr spv::BuiltIn kBuiltIns[] = {
    spv::BuiltIn::NumWorkgroups,      spv::BuiltIn::WorkgroupSize,
    spv::BuiltIn::WorkgroupId,        spv::BuiltIn::LocalInvocationId,
    spv::BuiltIn::GlobalInvocationId, spv::BuiltIn::LocalInvocationIndex,
    spv::BuiltIn::SubgroupSize,       spv::BuiltIn::NumSubgroups,
    spv::BuiltIn::SubgroupId,         spv::BuiltIn::SubgroupLocalInvocationId,
    spv::BuiltIn::SubgroupEqMask,     spv::BuiltIn::SubgroupGeMask,
    spv::BuiltIn::SubgroupGtMask,     spv::BuiltIn::SubgroupLeMask,
    spv::BuiltIn::SubgroupLtMask,
};

std::string modeName(uint32_t mode) {
  const std::string_view name = enumerantName(NamedEnum::ExecutionMode, mode);
  return name.empty() ? fmt::format("execution mode number {}", mode)
                      : fmt::format("execution mode {}", name);
}

std::string plural(const std::set<std::string>& names) {
  return fmt::format("{}", fmt::join(names, ", "));
}

} // namespace

ModuleLowering::ModuleLowering(std::vector<uint32_t> words, const ProgramOptions& options)
    : options_(options), words_(std::move(words)), program_(new Program()) {}

Result<std::shared_ptr<const Program>> ModuleLowering::run() {
  if (Status status = readModule(); !status) return status.error();
  if (Status status = checkCapabilities(); !status) return status.error();
  if (Status status = findEntry(); !status) return status.error();
  checkExecutionModes();
  checkCooperativeTypes();
  if (!refused_.empty())
    return failure(fmt::format("the interpreter does not support {}", plural(refused_)));
  lowerVariables();
  lowerFunctions();
  if (!refused_.empty())
    return failure(fmt::format("the interpreter does not support {}", plural(refused_)));
  finish();
  return std::shared_ptr<const Program>(program_);
}

Status ModuleLowering::readModule() {
  // The size of a workgroup is reflected, so that both devices agree on it.
  Result<Reflection> reflection = reflect(words_, options_.entry, options_.specConstants);
  if (!reflection) return reflection.error();
  options_.entry = reflection->entry;
  program_->workgroupSize = reflection->workgroupSize;
  Result<Module> module = Module::read(std::move(words_));
  if (!module) return module.error();
  program_->module_ = std::make_unique<Module>(std::move(*module));
  program_->assumptions_.specConstants = options_.specConstants;
  program_->analyses_ = std::make_unique<Analyses>(*program_->module_, program_->assumptions_);
  module_ = program_->module_.get();
  Analyses& analyses = *program_->analyses_;
  types_ = &analyses.get<Types>();
  constants_ = &analyses.get<Constants>();
  decorations_ = &analyses.get<Decorations>();
  cfg_ = &analyses.get<Cfg>();
  dominance_ = &analyses.get<Dominance>();
  program_->lines_ = &analyses.get<SourceLines>();
  for (InstRef i : module_->globals())
    if (module_->opcode(i) == spv::Op::OpMemoryModel)
      program_->isVulkanModel = spv::MemoryModel(module_->word(i, 2)) == spv::MemoryModel::Vulkan;
  cells_.resize(module_->idBound());
  typeCells_.resize(module_->idBound());
  pointerOf_.resize(module_->idBound());
  siteOfInst_.resize(module_->instCount() + 1);
  program_->sites.resize(1);
  return ok();
}

Status ModuleLowering::checkCapabilities() {
  std::set<std::string> unknown;
  for (InstRef i : module_->globals())
    if (module_->opcode(i) == spv::Op::OpCapability) {
      uint32_t capability = module_->word(i, 1);
      capabilities_.insert(capability);
      if (std::find(std::begin(kCapabilities), std::end(kCapabilities), Capability(capability)) ==
          std::end(kCapabilities))
        unknown.insert("capability " + capabilityName(capability));
    }
  if (!unknown.empty())
    return failure(fmt::format("the interpreter does not support {}", plural(unknown)));
  return ok();
}

Status ModuleLowering::findEntry() {
  for (const EntryPoint& entry : program_->analyses_->get<EntryPoints>().all())
    if (entry.model == spv::ExecutionModel::GLCompute && entry.function &&
        entry.name(*module_) == options_.entry)
      entry_ = &entry;
  if (!entry_) return failure(fmt::format("no compute entry point `{}`", options_.entry));
  return ok();
}

void ModuleLowering::checkExecutionModes() {
  for (InstRef i : module_->globals()) {
    spv::Op op = module_->opcode(i);
    bool isMode = op == spv::Op::OpExecutionMode || op == spv::Op::OpExecutionModeId;
    if (!isMode || module_->idAt(i, 1) != module_->idAt(entry_->inst, 2)) continue;
    spv::ExecutionMode mode = spv::ExecutionMode(module_->word(i, 2));
    if (std::find(std::begin(kExecutionModes), std::end(kExecutionModes), mode) ==
        std::end(kExecutionModes))
      refuse(modeName(uint32_t(mode)));
  }
}

// ----- types -----

uint32_t ModuleLowering::cellsOf(Id type) {
  uint32_t& cells = typeCells_[type.value];
  if (cells != 0) return cells;
  const TypeInfo& t = info(type);
  uint64_t count = 1;
  switch (t.kind) {
  case Kind::Vector:
  case Kind::Matrix:
    count = uint64_t(t.count) * cellsOf(t.element);
    break;
  case Kind::Array:
    count = types_->arrayLength(type).value_or(1) * cellsOf(t.element);
    break;
  case Kind::Struct:
    count = 0;
    for (uint32_t m = 0; m < t.count; ++m) count += cellsOf(types_->member(type, m));
    break;
  default: // of a sampled image the image and the sampler
    if (const CooperativeMatrix* m = cooperative(type)) count = m->cells;
    if (module_->opcodeOf(type) == spv::Op::OpTypeSampledImage) count = 2;
    break;
  }
  constexpr uint64_t kMaxCells = 1 << 16;
  if (count > kMaxCells && t.kind != Kind::Struct) {
    // In memory such a type is fine; as a value it would fill the cells of every lane.
    cells = kMaxCells + 1;
    return cells;
  }
  cells = uint32_t(std::min(count, kMaxCells + 1));
  return cells;
}

uint32_t ModuleLowering::widthOf(Id type) const {
  const TypeInfo* t = &info(type);
  for (;;) {
    if (const CooperativeMatrix* m = cooperative(type))
      type = m->component;
    else if (t->kind == Kind::Vector || t->kind == Kind::Matrix || t->kind == Kind::Array)
      type = t->element;
    else
      break;
    t = &info(type);
  }
  if (t->kind == Kind::Bool) return 1;
  if (t->kind == Kind::Pointer) return 64;
  return t->width == 0 ? 64 : t->width;
}

bool ModuleLowering::isFloat(Id type) const {
  const TypeInfo* t = &info(type);
  while (t->kind == Kind::Vector || t->kind == Kind::Matrix) t = &info(t->element);
  return t->kind == Kind::Float;
}

uint32_t ModuleLowering::componentsOf(Id type) const {
  if (const CooperativeMatrix* m = cooperative(type)) return m->cells;
  return info(type).kind == Kind::Vector ? info(type).count : 1;
}

// ----- values -----

uint32_t ModuleLowering::cell(Id id) {
  uint32_t& at = cells_[id.value];
  if (at != 0) return at;
  InstRef def = module_->def(id);
  if (!def) return at = allocate(1);
  uint32_t cells = cellsOf(typeOf(id));
  if (cells > (1 << 16)) {
    refuse(fmt::format("values of more than 65536 scalars ({})", nameOf(def)));
    cells = 1;
  }
  at = allocate(cells);
  OpClass opClass = module_->facts(def).opClass;
  if (opClass == OpClass::Constant && !module_->blockOf(def)) lowerConstant(def);
  return cells_[id.value];
}

uint32_t ModuleLowering::constantCell(uint64_t value) {
  auto [at, isNew] = numbers_.try_emplace(value, 0);
  if (isNew) {
    at->second = allocate(1);
    constantValues_.emplace_back(at->second, value);
  }
  return at->second;
}

uint32_t ModuleLowering::siteOf(InstRef i, Id variable) {
  uint32_t& site = siteOfInst_[i.value];
  if (site == 0) {
    site = uint32_t(program_->sites.size());
    program_->sites.push_back({i, variable});
  }
  if (variable) program_->sites[site].variable = variable;
  return site;
}

Instr& ModuleLowering::emit(Op op, InstRef at) {
  Instr inst;
  inst.op = op;
  inst.site = siteOf(at);
  out_->push_back(inst);
  return out_->back();
}

void ModuleLowering::move(uint32_t to, uint32_t from, uint32_t cells, InstRef at) {
  Instr& inst = emit(Op::Move, at);
  inst.d = to;
  inst.a = from;
  inst.n = cells;
}

std::string ModuleLowering::nameOf(InstRef i) const {
  return std::string(module_->facts(i).name);
}

// ----- constants -----

// Numbers are known here; what is put together from them or computed is left to the prologue, which
// the interpreter itself runs once.
void ModuleLowering::lowerConstant(InstRef i) {
  std::vector<Instr>* outer = std::exchange(out_, &prologue_);
  computeConstant(i, cells_[module_->resultId(i).value]);
  out_ = outer;
}

void ModuleLowering::computeConstant(InstRef i, uint32_t to) {
  Id id = module_->resultId(i);
  uint32_t count = cellsOf(typeOf(id));
  const spv::Op op = module_->opcode(i);
  if (op == newer::Op::OpConstantCompositeReplicateEXT ||
      op == newer::Op::OpSpecConstantCompositeReplicateEXT || // and a matrix has one constituent
      (op == spv::Op::OpConstantComposite && cooperative(typeOf(id))))
    return replicate(to, module_->idAt(i, 3), typeOf(id), i);
  switch (op) {
  case spv::Op::OpConstantTrue:
  case spv::Op::OpConstantFalse:
  case spv::Op::OpSpecConstantTrue:
  case spv::Op::OpSpecConstantFalse:
    if (auto value = constants_->value(id)) constantValues_.emplace_back(to, value->bits);
    return;
  case spv::Op::OpConstant:
  case spv::Op::OpSpecConstant: {
    uint64_t bits = module_->word(i, 3);
    if (module_->wordCount(i) > 4) bits |= uint64_t(module_->word(i, 4)) << 32;
    if (module_->opcode(i) == spv::Op::OpSpecConstant)
      if (auto word = decorations_->operand(*module_, id, spv::Decoration::SpecId))
        if (auto given = options_.specConstants.find(*word); given != options_.specConstants.end())
          bits = given->second;
    uint32_t width = widthOf(typeOf(id));
    constantValues_.emplace_back(to, width >= 64 ? bits : bits & ((uint64_t(1) << width) - 1));
    return;
  }
  case spv::Op::OpConstantNull:
    return; // cells start from 0
  case spv::Op::OpUndef:
    for (uint32_t n = 0; n < count; ++n) constantMarks_.emplace_back(to + n, siteOf(i));
    return;
  case spv::Op::OpConstantComposite:
  case spv::Op::OpSpecConstantComposite:
    for (uint32_t w = 3; w < module_->wordCount(i); ++w) {
      Id part = module_->idAt(i, w);
      uint32_t cells = cellsOf(typeOf(part));
      move(to, cell(part), cells, i);
      to += cells;
    }
    return;
  case spv::Op::OpSpecConstantOp:
    if (!lowerValueOp(i, spv::Op(module_->word(i, 3)), 4))
      refuse(fmt::format("OpSpecConstantOp {}", factsOf(spv::Op(module_->word(i, 3))).name));
    return;
  default:
    refuse(nameOf(i));
  }
}

// ----- variables -----

void ModuleLowering::lowerVariables() {
  for (Id id : entry_->variables) {
    InstRef i = module_->def(id);
    if (module_->opcode(i) == spv::Op::OpVariable)
      lowerVariable(i);
    else
      refuse(nameOf(i));
  }
}

void ModuleLowering::lowerVariable(InstRef i) {
  Id id = module_->resultId(i), pointee = types_->pointee(id);
  StorageClass storage = StorageClass(module_->word(i, 3));
  Pointer p;
  p.pointee = pointee;
  p.storage = storage;
  p.variable = id;
  switch (storage) {
  case StorageClass::Input: {
    auto builtIn = decorations_->builtIn(*module_, id);
    if (!builtIn) return refuse("input variables that are not built-ins");
    if (std::find(std::begin(kBuiltIns), std::end(kBuiltIns), *builtIn) == std::end(kBuiltIns))
      return refuse(fmt::format("built-in number {}", uint32_t(*builtIn)));
    p.isStatic = true;
    uint32_t cells = cellsOf(pointee);
    p.offset = allocate(cells);
    program_->builtIns.push_back({*builtIn, uint32_t(p.offset), cells});
    break;
  }
  case StorageClass::Private:
    if (cellsOf(pointee) > (1 << 16)) return refuse("Private variables of more than 65536 scalars");
    p.isStatic = true;
    p.offset = allocate(cellsOf(pointee));
    privateInits_.emplace_back(id.value, module_->wordCount(i) > 4 ? module_->word(i, 4) : 0);
    break;
  case StorageClass::UniformConstant:
    return lowerOpaqueVariable(i, pointee);
  case StorageClass::StorageBuffer:
  case StorageClass::Uniform:
  case StorageClass::PushConstant:
  case StorageClass::Workgroup:
    return lowerInterfaceVariable(i, pointee, storage);
  default:
    return refuse(fmt::format("variables of storage class {}", uint32_t(storage)));
  }
  definePointer(id, p);
}

// `type` is the variable's, and of an array of descriptors that of one afterwards.
VariableInfo ModuleLowering::variableOf(InstRef i, Id& type, StorageClass storage) {
  Id id = module_->resultId(i);
  VariableInfo v;
  v.id = id;
  v.storage = storage;
  v.cell = cells_[id.value] = allocate(1);
  v.set = decorations_->operand(*module_, id, spv::Decoration::DescriptorSet).value_or(0);
  v.binding = decorations_->operand(*module_, id, spv::Decoration::Binding).value_or(0);
  v.name = std::string(decorations_->name(*module_, id));
  const TypeInfo& t = info(type);
  bool isDescriptor = storage == StorageClass::Uniform || storage == StorageClass::StorageBuffer ||
                      storage == StorageClass::UniformConstant;
  if (isDescriptor && (t.kind == Kind::Array || t.kind == Kind::RuntimeArray)) {
    v.isDescriptorArray = true;
    v.descriptors = uint32_t(types_->arrayLength(type).value_or(0)); // 0: as many as are bound
    type = t.element;
  }
  return v;
}

void ModuleLowering::addVariable(VariableInfo v, Id pointee) {
  Pointer p;
  p.cell = v.cell;
  p.pointee = pointee;
  p.storage = v.storage;
  p.variable = v.id;
  definePointer(v.id, p);
  program_->variables.push_back(std::move(v));
}

void ModuleLowering::lowerInterfaceVariable(InstRef i, Id pointee, StorageClass storage) {
  Id block = pointee;
  VariableInfo v = variableOf(i, block, storage);
  if (storage == StorageClass::Workgroup) {
    v.bytes = sizeInMemory(pointee, {}, isNatural(storage));
    if (v.bytes == 0) refuse("Workgroup variables without a size");
    v.isZeroed = module_->wordCount(i) > 4;
  }
  v.isUniform =
      storage == StorageClass::PushConstant ||
      (storage == StorageClass::Uniform && !decorations_->has(block, spv::Decoration::BufferBlock));
  if (v.name.empty()) v.name = std::string(decorations_->name(*module_, block));
  addVariable(std::move(v), pointee);
}

// ----- the end -----

void ModuleLowering::findWrittenVariables() {
  for (VariableInfo& v : program_->variables)
    v.isWritten = !v.isUniform && (writesAnywhere_ || written_.count(v.id) != 0);
}

void ModuleLowering::finish() {
  findWrittenVariables();
  decideTracking();
  const auto isBeyondBarriers = [](Tracking tracking) { return tracking != Tracking::Barriers; };
  if (std::ranges::any_of(program_->tracking, isBeyondBarriers))
    program_->tickets = std::make_unique<Tickets>(program_->analyses());
  program_->cellCount = nextCell_;
  program_->initialCells.assign(nextCell_, 0);
  program_->initialMarks.assign(nextCell_, 0);
  for (auto [at, value] : constantValues_) program_->initialCells[at] = value;
  for (auto [at, site] : constantMarks_) program_->initialMarks[at] = site;
  evaluate(*program_, prologue_, program_->initialCells, program_->initialMarks);
  for (const VariableInfo& v : program_->variables)
    if (v.storage == StorageClass::Workgroup) program_->workgroupBytes += v.bytes;
}

// ----- what a program says of itself -----

Result<std::shared_ptr<const Program>> lowerProgram(std::vector<uint32_t> words,
                                                    const ProgramOptions& options) {
  return ModuleLowering(std::move(words), options).run();
}

} // namespace lanewise::driver::interpreter
