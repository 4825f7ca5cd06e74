#include "pipeline/unsound_steps.h"

#include "analysis/module/analyses.h"
#include "analysis/module/buffer_variables.h"
#include "analysis/module/decorations.h"
#include "analysis/module/types.h"
#include "lanewise/assumptions.h"

#include <algorithm>

namespace lanewise::driver {

namespace {

/// Memory operands of a read that is no other's equal.
constexpr uint32_t kOwnValueBits = uint32_t(spv::MemoryAccessMask::Volatile) |
                                   uint32_t(spv::MemoryAccessMask::NonPrivatePointer) |
                                   uint32_t(spv::MemoryAccessMask::MakePointerVisible);

/// What is read twice and may have changed, although spirv-opt takes it for read-only.
class ChangingReads {
public:
  explicit ChangingReads(const Module& module) : module_(module), analyses_(module, none_) {}

  /// The inliner drops what a parameter is decorated with, and the variable may not be.
  bool areOfParameters() {
    const Decorations& decorations = analyses_.get<Decorations>();
    return std::any_of(module_.insts().begin(), module_.insts().end(), [&](InstRef i) {
      if (module_.opcode(i) != spv::Op::OpFunctionParameter) return false;
      const Id parameter = module_.resultId(i);
      return decorations.has(parameter, spv::Decoration::Aliased) ||
             decorations.has(parameter, spv::Decoration::Volatile) ||
             decorations.has(parameter, spv::Decoration::Coherent);
    });
  }

  bool areThere() {
    for (InstRef i : module_.globals())
      if (module_.facts(i).opClass == OpClass::Variable && isChanging(module_.resultId(i)))
        return true;
    return std::any_of(module_.insts().begin(), module_.insts().end(),
                       [&](InstRef i) { return isChangingLoad(i); });
  }

private:
  /// Uniform stands for storage buffers as well: spirv-opt reduces their loads.
  static bool isReadOnly(spv::StorageClass storage) {
    return storage == spv::StorageClass::Input || storage == spv::StorageClass::Uniform ||
           storage == spv::StorageClass::UniformConstant ||
           storage == spv::StorageClass::PushConstant;
  }

  bool isChanging(Id variable) {
    const auto storage = analyses_.get<Types>().storageOf(variable);
    if (!storage) return false;
    const Decorations& decorations = analyses_.get<Decorations>();
    const bool isNonWritable = decorations.has(variable, spv::Decoration::NonWritable);
    hasNonWritable_ = hasNonWritable_ || isNonWritable;
    if (!isNonWritable && (!isReadOnly(*storage) || isStorageBuffer(analyses_, variable)))
      return false;
    return decorations.has(variable, spv::Decoration::Aliased) ||
           decorations.has(variable, spv::Decoration::Volatile) ||
           decorations.has(variable, spv::Decoration::Coherent) ||
           isBufferDecorated(analyses_, variable, spv::Decoration::Volatile, false) ||
           isBufferDecorated(analyses_, variable, spv::Decoration::Coherent, false);
  }

  bool isChangingLoad(InstRef i) {
    const uint32_t word = memoryOperandsWord(spv::Op::OpLoad);
    if (module_.opcode(i) != spv::Op::OpLoad || module_.wordCount(i) <= word ||
        (module_.word(i, word) & kOwnValueBits) == 0)
      return false;
    const auto storage = analyses_.get<Types>().storageOf(module_.idAt(i, 3));
    if (!storage || isReadOnly(*storage)) return true;
    return storage == spv::StorageClass::StorageBuffer && hasNonWritable_;
  }

  const Module& module_;
  const Assumptions none_;
  Analyses analyses_;
  bool hasNonWritable_ = false;
};

bool mergesReads(const PipelineStep& step) {
  return step.keepInterface && !step.pass &&
         (step.name() == "redundancy-elimination" || step.name() == "reduce-load-size");
}

bool inlines(const PipelineStep& step) {
  return step.keepInterface && !step.pass && step.name() == "inline-entry-points-exhaustive";
}

} // namespace

std::optional<SoundSteps> leaveOutUnsoundSteps(const Module& module,
                                               std::span<const PipelineStep> steps) {
  if (std::none_of(steps.begin(), steps.end(), mergesReads)) return {};
  ChangingReads reads(module);
  const bool areOfParameters = reads.areOfParameters();
  if (!areOfParameters && !reads.areThere()) return {};
  SoundSteps sound{{steps.begin(), steps.end()}, {}};
  std::erase_if(sound.steps, mergesReads);
  if (areOfParameters) std::erase_if(sound.steps, inlines);
  sound.note.kind = Remark::Kind::Note;
  sound.note.pass = "spirv-opt";
  sound.note.name = "unsound-step";
  sound.note.message = std::string(areOfParameters ? "--inline-entry-points-exhaustive, " : "") +
                       "--redundancy-elimination and --reduce-load-size were left out of -O: they "
                       "merge reads that the module marks as changing (volatile, non-private, "
                       "aliased)" +
                       (areOfParameters ? ", or drop the mark of a parameter" : "");
  return sound;
}

} // namespace lanewise::driver
