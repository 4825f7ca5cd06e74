#include "transpile/limits.h"

#include "analysis/module/decorations.h"
#include "analysis/module/entry_points.h"
#include "support/failure.h"

#include <fmt/format.h>
#include <optional>
#include <set>

namespace lanewise::driver {

namespace {

class Limits {
public:
  Limits(const Module& module, const TargetLanguage& target, const ChosenEntry& entry,
         std::vector<TranspileNote>& notes)
      : module_(module), decorations_(module), target_(target), entry_(entry), notes_(notes) {}

  Status check() {
    scan();
    if (language() == Language::Essl && module_.declares(spv::Capability::Int64))
      return failure("it cannot be expressed in ESSL, which has no 64-bit integers");
    if (Status s = checkInitializers(); !s) return s;
    if (Status s = checkImages(); !s) return s;
    if (Status s = checkConstantBuffers(); !s) return s;
    if (Status s = checkArrays(); !s) return s;
    tellModes();
    tellOrder();
    tellSixteenBits();
    return ok();
  }

private:
  Language language() const { return target_.language; }
  void note(const char* name, std::string text) { notes_.push_back({name, std::move(text)}); }

  void scan() {
    for (InstRef i : module_.insts()) {
      switch (module_.opcode(i)) {
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

  /// SPIRV-Cross writes such a variable without them.
  Status checkInitializers() const {
    for (InstRef i : module_.globals()) {
      if (module_.opcode(i) != spv::Op::OpVariable || module_.wordCount(i) <= 4 ||
          spv::StorageClass(module_.word(i, 3)) != spv::StorageClass::Workgroup)
        continue;
      return failure(fmt::format(
          "the text would lose the zeros that shared variable '{}' begins with; store them in the "
          "shader, or, where all that is read is written before, take them out with opt "
          "--eliminate-dead-shared-initialization",
          nameOfVariable(module_.resultId(i))));
    }
    return ok();
  }

  std::string nameOfVariable(Id variable) const {
    const std::string_view name = decorations_.name(module_, variable);
    return name.empty() ? fmt::format("%{}", variable.value) : std::string(name);
  }

  /// The variable of an image that was loaded, or of a pointer to it.
  Id imageOf(Id id) const {
    for (;;) {
      InstRef d = module_.def(id);
      switch (module_.opcode(d)) {
      case spv::Op::OpLoad:
      case spv::Op::OpCopyObject:
      case spv::Op::OpAccessChain:
      case spv::Op::OpInBoundsAccessChain:
        id = module_.idAt(d, 3);
        break;
      default:
        return id;
      }
    }
  }

  /// Of a storage image; nothing for other variables.
  std::optional<spv::ImageFormat> formatOf(Id variable) const {
    InstRef d = module_.def(typeOfDescriptor(module_, variable));
    const bool isStorage = module_.opcode(d) == spv::Op::OpTypeImage && module_.word(d, 7) == 2 &&
                           spv::Dim(module_.word(d, 3)) != spv::Dim::SubpassData;
    if (!isStorage) return {};
    return spv::ImageFormat(module_.word(d, 8));
  }

  /// The formats of ESSL (GLSL ES 3.20, section 4.4.7), and those that need not be declared as
  /// either read or written (section 4.9).
  static bool isEsFormat(spv::ImageFormat format, bool isReadAndWritten) {
    using Format = spv::ImageFormat;
    switch (format) {
    case Format::R32f:
    case Format::R32i:
    case Format::R32ui:
      return true;
    case Format::Rgba32f:
    case Format::Rgba16f:
    case Format::Rgba8:
    case Format::Rgba8Snorm:
    case Format::Rgba32i:
    case Format::Rgba16i:
    case Format::Rgba8i:
    case Format::Rgba32ui:
    case Format::Rgba16ui:
    case Format::Rgba8ui:
      return !isReadAndWritten;
    default:
      return false;
    }
  }

  Status checkImages() const {
    if (language() != Language::Essl) return ok();
    std::set<Id> read, written;
    for (InstRef i : module_.insts()) {
      const spv::Op op = module_.opcode(i);
      if (op == spv::Op::OpImageRead) read.insert(imageOf(module_.idAt(i, 3)));
      if (op == spv::Op::OpImageWrite) written.insert(imageOf(module_.idAt(i, 1)));
      if (op != spv::Op::OpFunctionCall) continue;
      for (uint32_t n = 4; n < module_.wordCount(i); ++n) { // there it may be either
        read.insert(imageOf(module_.idAt(i, n)));
        written.insert(imageOf(module_.idAt(i, n)));
      }
    }
    for (const std::set<Id>* used : {&read, &written})
      for (Id image : *used) {
        const auto format = formatOf(image);
        const bool isBoth = read.count(image) && written.count(image);
        if (!format || isEsFormat(*format, isBoth)) continue;
        return failure(fmt::format(
            "ESSL has no image of the format of '{}'{}", nameOfVariable(image),
            isEsFormat(*format, false) ? " that is read and written: r32f, r32i and r32ui have"
                                       : ""));
      }
    return ok();
  }

  /// Each column or row of a matrix has a register of a constant buffer, 16 bytes or the next 32.
  Status checkConstantBuffers() const {
    if (language() != Language::Hlsl) return ok();
    for (InstRef i : module_.globals()) {
      if (module_.opcode(i) != spv::Op::OpVariable) continue;
      const auto storage = spv::StorageClass(module_.word(i, 3));
      const Id block = typeOfDescriptor(module_, module_.resultId(i));
      const bool isConstant = storage == spv::StorageClass::PushConstant ||
                              (storage == spv::StorageClass::Uniform &&
                               decorations_.has(block, spv::Decoration::Block));
      if (!isConstant) continue;
      if (const uint32_t stride = otherMatrixStride(block))
        return failure(fmt::format("'{}' has a matrix of stride {}, and HLSL's constant buffers "
                                   "have 16 bytes for each column",
                                   nameOfVariable(module_.resultId(i)), stride));
    }
    return ok();
  }

  /// SPIRV-Cross takes the stride of an array of arrays in MSL from that of the outer one alone,
  /// by its number of elements.
  Status checkArrays() const {
    if (language() != Language::Msl) return ok();
    for (InstRef i : module_.globals()) {
      if (module_.opcode(i) != spv::Op::OpTypeArray || constantAt(i, 3) != 1) continue;
      const Id inner = module_.idAt(i, 2), array = module_.resultId(i);
      const auto outer = decorations_.operand(module_, array, spv::Decoration::ArrayStride);
      const auto stride = decorations_.operand(module_, inner, spv::Decoration::ArrayStride);
      if (outer && stride && module_.opcodeOf(inner) == spv::Op::OpTypeArray)
        return failure(
            fmt::format("SPIRV-Cross does not write arrays of one array with a stride, of "
                        "{} bytes here, in MSL",
                        *stride));
    }
    return ok();
  }

  /// Of a matrix in a type that has no place for it in registers; 0: there is none.
  uint32_t otherMatrixStride(Id type) const {
    const InstRef d = module_.def(type);
    const spv::Op op = module_.opcode(d);
    if (op == spv::Op::OpTypeArray || op == spv::Op::OpTypeRuntimeArray)
      return otherMatrixStride(module_.idAt(d, 2));
    if (op != spv::Op::OpTypeStruct) return 0;
    for (uint32_t n = 0; n + 2 < module_.wordCount(d); ++n) {
      const auto stride = decorations_.operand(module_, type, spv::Decoration::MatrixStride, n);
      if (stride && *stride != 16 && *stride != 32) return *stride;
      if (const uint32_t inner = otherMatrixStride(module_.idAt(d, n + 2))) return inner;
    }
    return 0;
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
    const bool hasNarrow =
        module_.declares(spv::Capability::Float16) || module_.declares(spv::Capability::Int16);
    if (language() != Language::Hlsl || !hasNarrow) return;
    if (target_.shaderModel < 62)
      note(
          "min-precision",
          "16-bit types become min16 types, which may be wider; --shader-model=6.2 has exact ones");
    else
      note("enable-16bit-types", "compile the output with dxc -enable-16bit-types");
  }

  const Module& module_;
  Decorations decorations_;
  const TargetLanguage& target_;
  const ChosenEntry& entry_;
  std::vector<TranspileNote>& notes_;
  std::set<std::string> modes_;
  bool hasSubgroupBarrier_ = false, hasDeviceBarrier_ = false, hasOrderedAtomic_ = false;
};

} // namespace

Id typeOfDescriptor(const Module& module, Id variable) {
  Id type = module.typeOf(variable);
  if (module.opcodeOf(type) == spv::Op::OpTypePointer) type = module.idAt(module.def(type), 3);
  while (module.opcodeOf(type) == spv::Op::OpTypeArray ||
         module.opcodeOf(type) == spv::Op::OpTypeRuntimeArray)
    type = module.idAt(module.def(type), 2);
  return type;
}

Status checkLimits(const Module& module, const TargetLanguage& target, const ChosenEntry& entry,
                   std::vector<TranspileNote>& notes) {
  return Limits(module, target, entry, notes).check();
}

} // namespace lanewise::driver
