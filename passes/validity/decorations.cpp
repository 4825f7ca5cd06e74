// What decorations may stand on, and which exclude one another (SPIR-V 3.20, 2.16.2).

#include "ir/grammar_names.h"
#include "ir/newer_enumerants.h"
#include "text/format_text.h"
#include "validity/block_layout.h"
#include "validity/decoration_index.h"
#include "validity/module_rules.h"

namespace lanewise::validity {

namespace {

using spv::Decoration;
using spv::Op;
using Entry = DecorationIndex::Entry;

bool isOnlyForMembers(Decoration d) {
  return d == Decoration::RowMajor || d == Decoration::ColMajor || d == Decoration::MatrixStride;
}

bool isNeverForMembers(Decoration d) {
  switch (d) {
  case Decoration::SpecId:
  case Decoration::Block:
  case Decoration::BufferBlock:
  case Decoration::ArrayStride:
  case Decoration::GLSLShared:
  case Decoration::GLSLPacked:
  case Decoration::CPacked:
  case Decoration::Aliased:
  case Decoration::Constant:
  case Decoration::Uniform:
  case Decoration::UniformId:
  case Decoration::SaturatedConversion:
  case Decoration::Index:
  case Decoration::Binding:
  case Decoration::DescriptorSet:
  case Decoration::FuncParamAttr:
  case Decoration::FPRoundingMode:
  case Decoration::FPFastMathMode:
  case Decoration::LinkageAttributes:
  case Decoration::NoContraction:
  case Decoration::InputAttachmentIndex:
  case Decoration::Alignment:
  case Decoration::MaxByteOffset:
  case Decoration::AlignmentId:
  case Decoration::MaxByteOffsetId:
  case Decoration::NoSignedWrap:
  case Decoration::NoUnsignedWrap:
  case Decoration::NonUniform:
  case Decoration::RestrictPointer:
  case Decoration::AliasedPointer:
    return true;
  default:
    return false;
  }
}

/// What a decoration of a whole id may stand on.
enum class Target : uint8_t {
  Anything,
  SpecConstant,
  Struct,
  ArrayOrPointer,
  BuiltIn,
  NoType,
  MemoryObject, ///< variables, parameters and what else declares memory
  Variable
};

Target targetOf(Decoration d) {
  switch (d) {
  case Decoration::SpecId:
    return Target::SpecConstant;
  case Decoration::Block:
  case Decoration::BufferBlock:
  case Decoration::GLSLShared:
  case Decoration::GLSLPacked:
  case Decoration::CPacked:
    return Target::Struct;
  case Decoration::ArrayStride:
    return Target::ArrayOrPointer;
  case Decoration::BuiltIn:
    return Target::BuiltIn;
  case Decoration::RelaxedPrecision:
    return Target::NoType;
  case Decoration::NoPerspective:
  case Decoration::Flat:
  case Decoration::Patch:
  case Decoration::Centroid:
  case Decoration::Sample:
  case Decoration::Restrict:
  case Decoration::Aliased:
  case Decoration::Volatile:
  case Decoration::Coherent:
  case Decoration::NonWritable:
  case Decoration::NonReadable:
  case Decoration::XfbBuffer:
  case Decoration::XfbStride:
  case Decoration::Component:
  case Decoration::Stream:
  case Decoration::RestrictPointer:
  case Decoration::AliasedPointer:
    return Target::MemoryObject;
  case Decoration::Constant:
  case Decoration::Location:
  case Decoration::Index:
  case Decoration::Binding:
  case Decoration::DescriptorSet:
  case Decoration::InputAttachmentIndex:
    return Target::Variable;
  default:
    return Target::Anything;
  }
}

bool fitsTarget(const Subject& s, Target target, const Entry& e, Op op) {
  switch (target) {
  case Target::SpecConstant:
    return op == Op::OpSpecConstantTrue || op == Op::OpSpecConstantFalse ||
           op == Op::OpSpecConstant || factsOf(op).name.starts_with("OpSpecConstantData");
  case Target::Struct:
    return op == Op::OpTypeStruct;
  case Target::ArrayOrPointer:
    return op == Op::OpTypeArray || op == Op::OpTypeRuntimeArray || op == Op::OpTypePointer ||
           op == newer::Op::OpTypeUntypedPointerKHR;
  case Target::BuiltIn:
    if (s.isShader && spv::BuiltIn(e.value) == spv::BuiltIn::WorkgroupSize)
      return factsOf(op).opClass == OpClass::Constant;
    return isVariable(op);
  case Target::NoType:
    return factsOf(op).opClass != OpClass::Type;
  case Target::MemoryObject:
    // Opcodes of extensions declare memory as well: who knows which.
    return isVariable(op) || op == Op::OpFunctionParameter || uint32_t(op) >= 4096;
  case Target::Variable:
    return isVariable(op);
  case Target::Anything:
    break;
  }
  return true;
}

std::string nameOf(Decoration d) {
  return std::string(enumerantName(factsOf(Op::OpDecorate).operands[1].enumIndex, uint32_t(d)));
}

bool checkWhole(Subject& s, const Entry& e) {
  const InstRef d = s.module.def(e.target);
  if (!d) return true;
  const Op op = s.module.opcode(d);
  if (op == Op::OpDecorationGroup || s.module.facts(d).opClass == OpClass::Unknown) return true;
  if (isOnlyForMembers(e.decoration))
    return s.fail(e.at, formatText("{} is for members of structures", nameOf(e.decoration)),
                  e.target);
  return fitsTarget(s, targetOf(e.decoration), e, op) ||
         s.fail(e.at,
                formatText("{} cannot decorate %{} ({})", nameOf(e.decoration), e.target.value,
                           factsOf(op).name),
                e.target);
}

bool checkMember(Subject& s, const Entry& e) {
  const InstRef d = s.module.def(e.target);
  if (!d || s.module.facts(d).opClass == OpClass::Unknown) return true;
  if (s.module.opcode(d) != Op::OpTypeStruct)
    return s.fail(e.at,
                  formatText("decorates a member of %{}, which is no structure", e.target.value),
                  e.target);
  const uint32_t members = s.module.wordCount(d) - 2;
  if (e.member >= members)
    return s.fail(e.at,
                  formatText("decorates member {} of structure %{}, which has {}", e.member,
                             e.target.value, members),
                  e.target);
  return !isNeverForMembers(e.decoration) ||
         s.fail(e.at, formatText("{} is not for members of structures", nameOf(e.decoration)),
                e.target);
}

/// Where a second one would contradict the first. Others are said twice by compilers, and mean the
/// same.
bool mayRepeat(Decoration d) {
  switch (d) {
  case Decoration::ArrayStride:
  case Decoration::MatrixStride:
  case Decoration::Offset:
  case Decoration::RowMajor:
  case Decoration::ColMajor:
    return false;
  default:
    return true;
  }
}

/// Entries are in order, so that what repeats stands together.
bool checkRepetition(Subject& s, const Entry& e, const Entry& next) {
  if (e.ofGroup || next.ofGroup || e.target != next.target || e.member != next.member ||
      e.decoration != next.decoration || mayRepeat(e.decoration) || e.at == next.at)
    return true;
  return s.fail(
      next.at,
      formatText("decorates %{} with {} a second time", e.target.value, nameOf(e.decoration)),
      e.target);
}

bool checkExclusion(Subject& s, const DecorationIndex& index, const Entry& e) {
  constexpr Decoration kPairs[][2] = {
      {Decoration::Block, Decoration::BufferBlock},
      {Decoration::Restrict, Decoration::Aliased},
      {Decoration::RestrictPointer, Decoration::AliasedPointer},
      {Decoration::RowMajor, Decoration::ColMajor},
  };
  for (const auto& [one, other] : kPairs)
    if (e.decoration == one && !e.ofGroup && index.has(e.target, other, e.member))
      return s.fail(e.at,
                    formatText("decorates %{} with both {} and {}", e.target.value, nameOf(one),
                               nameOf(other)),
                    e.target);
  return true;
}

/// Either no member of a structure is built in, or all are.
bool checkBuiltInMembers(Subject& s, const DecorationIndex& index) {
  const Module& m = s.module;
  const std::span<const Entry> entries = index.entries();
  for (size_t n = 0; n < entries.size();) {
    const Id target = entries[n].target;
    uint32_t builtIns = 0, last = DecorationIndex::kWhole;
    for (; n < entries.size() && entries[n].target == target; ++n)
      if (entries[n].member != last && entries[n].decoration == Decoration::BuiltIn)
        last = entries[n].member, ++builtIns;
    const InstRef d = m.def(target);
    if (builtIns != 0 && d && m.opcode(d) == Op::OpTypeStruct && builtIns != m.wordCount(d) - 2)
      return s.fail(d, formatText("has {} built-in members of {}; all must be or none", builtIns,
                                  m.wordCount(d) - 2));
  }
  return true;
}

/// A structure of built-ins in the interface is a block.
bool checkBuiltInBlocks(Subject& s, const DecorationIndex& index) {
  const Module& m = s.module;
  for (InstRef i : m.globals()) {
    if (m.opcode(i) != Op::OpVariable || !s.isShader) continue;
    const auto storage = spv::StorageClass(m.word(i, 3));
    if (storage != spv::StorageClass::Input && storage != spv::StorageClass::Output) continue;
    const Id type = s.pointeeOf(m.idAt(i, 1));
    if (s.shapeOfType(type).kind == Kind::Struct && index.has(type, Decoration::BuiltIn, 0) &&
        !index.has(type, Decoration::Block))
      return s.fail(i,
                    formatText("holds structure %{} of built-ins, which is no Block", type.value));
  }
  return true;
}

/// An array of blocks is an array of descriptors: it has no stride.
bool checkBlockArrays(Subject& s, const DecorationIndex& index) {
  for (const Entry& e : index.entries()) {
    if (e.decoration != Decoration::ArrayStride || !s.isShader) continue;
    const Shape& shape = s.shapeOfType(e.target);
    if (shape.kind != Kind::Array && shape.kind != Kind::RuntimeArray) continue;
    const Id element = s.elementOf(e.target);
    if (index.has(element, Decoration::Block) || index.has(element, Decoration::BufferBlock))
      return s.fail(e.at, formatText("gives a stride to %{}, an array of blocks", e.target.value),
                    e.target);
  }
  return true;
}

} // namespace

bool checkDecorations(Subject& s) {
  const DecorationIndex index(s.module);
  const std::span<const Entry> entries = index.entries();
  for (size_t n = 0; n < entries.size(); ++n) {
    const Entry& e = entries[n];
    if (!(e.member == DecorationIndex::kWhole ? checkWhole(s, e) : checkMember(s, e))) return false;
    if (!checkExclusion(s, index, e)) return false;
    if (n + 1 < entries.size() && !checkRepetition(s, e, entries[n + 1])) return false;
  }
  return checkBlockArrays(s, index) && checkBuiltInMembers(s, index) &&
         (!index.isComplete() || checkBuiltInBlocks(s, index)) &&
         (!index.isComplete() || !s.isShader || checkBlockLayout(s, index));
}

} // namespace lanewise::validity
