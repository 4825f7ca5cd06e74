// Instructions that no family of GLSL gives, each with its result, and the rule that every opcode
// the interpreter lowers is among what is compared.
#include "interpreted.h"
#include "interpreter_families.h"
#include "newer_programs.h"
#include "opcode_coverage.h"
#include "verify/formats/float_bits.h"

#include <cmath>
#include <set>

namespace {

using namespace lanewise;
using namespace lanewise::test;
using driver::bitsOf;
using driver::floatOf;

// Eight invocations, one subgroup. Each has `l`, its index; `x` = words[l] = 3 l + 5, also as `f`;
// `i` = 7 - x, and `g` = 2 l = floats[l]. The body leaves `r`, which goes to results[l].
struct OpcodeCase {
  const char* name;
  const char* body;
  uint32_t (*expected)(uint32_t l);
  const char* globals = "";
};

void PrintTo(const OpcodeCase& c, std::ostream* out) {
  *out << c.name;
}

constexpr const char* kTypes = R"(
OpCapability Shader
OpCapability VariablePointers
OpCapability GroupNonUniform
OpCapability GroupNonUniformArithmetic
OpCapability GroupNonUniformBallot
OpCapability GroupNonUniformShuffle
OpCapability GroupNonUniformShuffleRelative
OpCapability GroupNonUniformRotateKHR
OpCapability SubgroupBallotKHR
OpCapability SubgroupVoteKHR
OpCapability AtomicFloat32AddEXT
OpCapability AtomicFloat32MinMaxEXT
OpCapability DotProductKHR
OpCapability DotProductInputAllKHR
OpCapability DotProductInput4x8BitPackedKHR
OpCapability ExpectAssumeKHR
OpExtension "SPV_KHR_subgroup_rotate"
OpExtension "SPV_KHR_shader_ballot"
OpExtension "SPV_KHR_subgroup_vote"
OpExtension "SPV_EXT_shader_atomic_float_add"
OpExtension "SPV_EXT_shader_atomic_float_min_max"
OpExtension "SPV_KHR_integer_dot_product"
OpExtension "SPV_KHR_expect_assume"
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main" %index %results %words %floats %shared
OpExecutionMode %main LocalSize 8 1 1
%file = OpString "case.spvasm"
OpDecorate %index BuiltIn LocalInvocationIndex
OpDecorate %uints ArrayStride 4
OpDecorate %reals ArrayStride 4
OpDecorate %toWord ArrayStride 4
OpDecorate %wordBlock Block
OpDecorate %realBlock Block
OpMemberDecorate %wordBlock 0 Offset 0
OpMemberDecorate %realBlock 0 Offset 0
OpDecorate %results DescriptorSet 0
OpDecorate %results Binding 0
OpDecorate %words DescriptorSet 0
OpDecorate %words Binding 1
OpDecorate %floats DescriptorSet 0
OpDecorate %floats Binding 2
%void = OpTypeVoid
%function = OpTypeFunction %void
%bool = OpTypeBool
%uint = OpTypeInt 32 0
%int = OpTypeInt 32 1
%float = OpTypeFloat 32
%v2uint = OpTypeVector %uint 2
%v2int = OpTypeVector %int 2
%v4uint = OpTypeVector %uint 4
%v2float = OpTypeVector %float 2
%mat2 = OpTypeMatrix %v2float 2
%n0 = OpConstant %uint 0
%n1 = OpConstant %uint 1
%n2 = OpConstant %uint 2
%n3 = OpConstant %uint 3
%n4 = OpConstant %uint 4
%n8 = OpConstant %uint 8
%n72 = OpConstant %uint 72
%n264 = OpConstant %uint 264
%i4 = OpConstant %int 4
%i7 = OpConstant %int 7
%f2 = OpConstant %float 2
%f3 = OpConstant %float 3
%yes = OpConstantTrue %bool
%no = OpConstantFalse %bool
%nan = OpConstant %float 0x1.8p+128
%uints = OpTypeRuntimeArray %uint
%reals = OpTypeRuntimeArray %float
%eight = OpTypeArray %uint %n8
%wordBlock = OpTypeStruct %uints
%realBlock = OpTypeStruct %reals
%toWords = OpTypePointer StorageBuffer %wordBlock
%toReals = OpTypePointer StorageBuffer %realBlock
%toWord = OpTypePointer StorageBuffer %uint
%toReal = OpTypePointer StorageBuffer %float
%toShared = OpTypePointer Workgroup %eight
%toSharedWord = OpTypePointer Workgroup %uint
%toOwn = OpTypePointer Function %uint
%toIndex = OpTypePointer Input %uint
%results = OpVariable %toWords StorageBuffer
%words = OpVariable %toWords StorageBuffer
%floats = OpVariable %toReals StorageBuffer
%shared = OpVariable %toShared Workgroup
%index = OpVariable %toIndex Input
)";

constexpr const char* kStart = R"(
%main = OpFunction %void None %function
%entry = OpLabel
%own = OpVariable %toOwn Function
%l = OpLoad %uint %index
%word = OpAccessChain %toWord %words %n0 %l
%x = OpLoad %uint %word
%ix = OpBitcast %int %x
%i = OpISub %int %i7 %ix
%f = OpConvertUToF %float %x
%real = OpAccessChain %toReal %floats %n0 %l
%g = OpLoad %float %real
)";

constexpr const char* kEnd = R"(
%to = OpAccessChain %toWord %results %n0 %l
OpStore %to %r
OpReturn
OpFunctionEnd
)";

uint32_t xOf(uint32_t l) {
  return 3 * l + 5;
}
int32_t iOf(uint32_t l) {
  return 7 - int32_t(xOf(l));
}
float fOf(uint32_t l) {
  return float(xOf(l));
}
float gOf(uint32_t l) {
  return 2 * float(l);
}
uint32_t bitsAs(float value) {
  return uint32_t(bitsOf(value));
}

// An expression of one instruction `c` that gives a Boolean.
#define LANEWISE_CONDITION(text) text "\n%r = OpSelect %uint %c %n1 %n0"

constexpr OpcodeCase kCases[] = {
    // Atomics, and what the location holds after them.
    {"OpAtomicIIncrement",
     "%a = OpAtomicIIncrement %uint %word %n1 %n0\n%b = OpLoad %uint %word\n"
     "%r = OpIMul %uint %a %b",
     [](uint32_t l) { return xOf(l) * (xOf(l) + 1); }},
    {"OpAtomicIDecrement",
     "%a = OpAtomicIDecrement %uint %word %n1 %n0\n%b = OpLoad %uint %word\n"
     "%r = OpIMul %uint %a %b",
     [](uint32_t l) { return xOf(l) * (xOf(l) - 1); }},
    {"OpAtomicISub",
     "%a = OpAtomicISub %uint %word %n1 %n0 %l\n%b = OpLoad %uint %word\n%r = OpIMul %uint %a %b",
     [](uint32_t l) { return xOf(l) * (xOf(l) - l); }},
    {"OpAtomicSMax",
     "%m = OpBitcast %uint %i\n%a = OpAtomicSMax %uint %word %n1 %n0 %m\n%r = OpLoad %uint %word",
     [](uint32_t l) { return uint32_t(std::max(int32_t(xOf(l)), iOf(l))); }},
    {"OpAtomicLoad", "%r = OpAtomicLoad %uint %word %n1 %n0", [](uint32_t l) { return xOf(l); }},
    {"OpAtomicStore", "OpAtomicStore %word %n1 %n0 %l\n%r = OpLoad %uint %word",
     [](uint32_t l) { return l; }},
    {"OpAtomicFAddEXT",
     "%a = OpAtomicFAddEXT %float %real %n1 %n0 %f\n%b = OpLoad %float %real\n"
     "%d = OpFSub %float %b %a\n%s = OpFMul %float %d %b\n%r = OpBitcast %uint %s",
     [](uint32_t l) { return bitsAs(fOf(l) * (gOf(l) + fOf(l))); }},
    {"OpAtomicFMinEXT",
     "%a = OpAtomicFMinEXT %float %real %n1 %n0 %f3\n%b = OpLoad %float %real\n"
     "%r = OpBitcast %uint %b",
     [](uint32_t l) { return bitsAs(std::min(gOf(l), 3.0f)); }},
    {"OpAtomicFMaxEXT",
     "%a = OpAtomicFMaxEXT %float %real %n1 %n0 %f3\n%b = OpLoad %float %real\n"
     "%r = OpBitcast %uint %b",
     [](uint32_t l) { return bitsAs(std::max(gOf(l), 3.0f)); }},
    // Pointers.
    {"OpInBoundsAccessChain",
     "%p = OpInBoundsAccessChain %toWord %words %n0 %n3\n%r = OpLoad %uint %p",
     [](uint32_t) { return xOf(3); }},
    {"OpPtrAccessChain",
     "%p = OpAccessChain %toWord %words %n0 %n2\n%q = OpPtrAccessChain %toWord %p %l\n"
     "%r = OpLoad %uint %q",
     [](uint32_t l) { return l + 2 < 8 ? xOf(l + 2) : 0; }},
    {"OpInBoundsPtrAccessChain",
     "%q = OpInBoundsPtrAccessChain %toWord %word %n2\n%r = OpLoad %uint %q",
     [](uint32_t l) { return l + 2 < 8 ? xOf(l + 2) : 0; }},
    {"OpPtrEqual",
     LANEWISE_CONDITION("%p = OpAccessChain %toWord %words %n0 %n3\n"
                        "%c = OpPtrEqual %bool %p %word"),
     [](uint32_t l) { return uint32_t(l == 3); }},
    {"OpPtrNotEqual",
     LANEWISE_CONDITION("%p = OpAccessChain %toWord %words %n0 %n3\n"
                        "%c = OpPtrNotEqual %bool %p %word"),
     [](uint32_t l) { return uint32_t(l != 3); }},
    {"OpPtrDiff",
     "%p = OpAccessChain %toWord %words %n0 %n3\n%d = OpPtrDiff %int %word %p\n"
     "%r = OpBitcast %uint %d",
     [](uint32_t l) { return l - 3; }},
    {"OpCopyMemory", "OpCopyMemory %own %word\n%r = OpLoad %uint %own",
     [](uint32_t l) { return xOf(l); }},
    {"OpCopyObject",
     "%p = OpCopyObject %toWord %word\n%v = OpLoad %uint %p\n"
     "%r = OpCopyObject %uint %v",
     [](uint32_t l) { return xOf(l); }},
    // Values.
    {"OpCompositeInsert",
     "%v = OpCompositeConstruct %v4uint %n1 %n2 %n3 %n4\n"
     "%w = OpCompositeInsert %v4uint %x %v 2\n%a = OpCompositeExtract %uint %w 2\n"
     "%b = OpCompositeExtract %uint %w 3\n%r = OpIMul %uint %a %b",
     [](uint32_t l) { return 4 * xOf(l); }},
    {"OpVectorExtractDynamic",
     "%v = OpCompositeConstruct %v4uint %n1 %x %n3 %n4\n%k = OpBitwiseAnd %uint %l %n3\n"
     "%r = OpVectorExtractDynamic %uint %v %k",
     [](uint32_t l) { return (l & 3) == 1 ? xOf(l) : (l & 3) + 1; }},
    {"OpVectorInsertDynamic",
     "%v = OpCompositeConstruct %v4uint %n1 %n2 %n3 %n4\n%k = OpBitwiseAnd %uint %l %n3\n"
     "%w = OpVectorInsertDynamic %v4uint %v %x %k\n%r = OpCompositeExtract %uint %w 1",
     [](uint32_t l) { return (l & 3) == 1 ? xOf(l) : 2; }},
    {"OpExpectKHR", "%r = OpExpectKHR %uint %x %n3", [](uint32_t l) { return xOf(l); }},
    {"OpAssumeTrueKHR", "OpAssumeTrueKHR %yes\n%r = OpCopyObject %uint %x",
     [](uint32_t l) { return xOf(l); }},
    {"OpUndef",
     "%u = OpUndef %uint\n%c = OpUGreaterThan %bool %x %n2\n%r = OpSelect %uint %c %x %u",
     [](uint32_t l) { return xOf(l); }},
    {"OpNop", "OpLine %file 3 1\nOpNop\nOpNoLine\n%r = OpCopyObject %uint %x",
     [](uint32_t l) { return xOf(l); }},
    {"OpSMod", "%m = OpSMod %int %i %i4\n%r = OpBitcast %uint %m",
     [](uint32_t l) { return uint32_t((iOf(l) % 4 + 4) % 4); }},
    {"OpSRem", "%m = OpSRem %int %i %i4\n%r = OpBitcast %uint %m",
     [](uint32_t l) { return uint32_t(iOf(l) % 4); }},
    {"OpSGreaterThan", LANEWISE_CONDITION("%c = OpSGreaterThan %bool %i %i4"),
     [](uint32_t l) { return uint32_t(iOf(l) > 4); }},
    {"OpSGreaterThanEqual",
     LANEWISE_CONDITION("%k = OpISub %int %i4 %i7\n%c = OpSGreaterThanEqual %bool %i %k"),
     [](uint32_t l) { return uint32_t(iOf(l) >= -3); }},
    {"OpSLessThanEqual",
     LANEWISE_CONDITION("%k = OpISub %int %i4 %i7\n%c = OpSLessThanEqual %bool %i %k"),
     [](uint32_t l) { return uint32_t(iOf(l) <= -3); }},
    {"OpULessThanEqual", LANEWISE_CONDITION("%c = OpULessThanEqual %bool %x %n8"),
     [](uint32_t l) { return uint32_t(xOf(l) <= 8); }},
    {"OpLogicalEqual",
     LANEWISE_CONDITION("%a = OpULessThan %bool %l %n3\n%b = OpUGreaterThan %bool %x %n8\n"
                        "%c = OpLogicalEqual %bool %a %b"),
     [](uint32_t l) { return uint32_t((l < 3) == (xOf(l) > 8)); }},
    {"OpLogicalNotEqual",
     LANEWISE_CONDITION("%a = OpULessThan %bool %l %n3\n%b = OpUGreaterThan %bool %x %n8\n"
                        "%c = OpLogicalNotEqual %bool %a %b"),
     [](uint32_t l) { return uint32_t((l < 3) != (xOf(l) > 8)); }},
    {"OpLogicalOr",
     LANEWISE_CONDITION("%a = OpULessThan %bool %l %n1\n%b = OpUGreaterThan %bool %x %n8\n"
                        "%c = OpLogicalOr %bool %a %b"),
     [](uint32_t l) { return uint32_t(l < 1 || xOf(l) > 8); }},
    {"OpLogicalNot",
     LANEWISE_CONDITION("%a = OpULessThan %bool %l %n3\n%c = OpLogicalNot %bool %a"),
     [](uint32_t l) { return uint32_t(l >= 3); }},
    // Dot products of bytes 1, 2, 3 and of x as bytes; 264 = (8, 1), 72 = (72, 0).
    {"OpUDot", "%r = OpUDotKHR %uint %x %n264 PackedVectorFormat4x8BitKHR",
     [](uint32_t l) { return 8 * xOf(l); }},
    {"OpSDot",
     "%a = OpBitcast %uint %i\n%d = OpSDotKHR %int %a %n264 PackedVectorFormat4x8BitKHR\n"
     "%r = OpBitcast %uint %d",
     [](uint32_t l) { return uint32_t(8 * iOf(l) + (iOf(l) < 0 ? -1 : 0)); }},
    {"OpSUDot",
     "%a = OpBitcast %uint %i\n%d = OpSUDotKHR %int %a %n264 PackedVectorFormat4x8BitKHR\n"
     "%r = OpBitcast %uint %d",
     [](uint32_t l) { return uint32_t(8 * iOf(l) + (iOf(l) < 0 ? -1 : 0)); }},
    {"OpUDotAccSat",
     "%big = OpNot %uint %n8\n%r = OpUDotAccSatKHR %uint %x %n264 %big PackedVectorFormat4x8BitKHR",
     [](uint32_t) { return ~0u; }},
    {"OpSDotAccSat",
     "%v = OpCompositeConstruct %v2int %i %ix\n%w = OpCompositeConstruct %v2int %i4 %i7\n"
     "%d = OpSDotAccSatKHR %int %v %w %i4\n%r = OpBitcast %uint %d",
     [](uint32_t l) { return uint32_t(4 * iOf(l) + 7 * int32_t(xOf(l)) + 4); }},
    {"OpSUDotAccSat",
     "%v = OpCompositeConstruct %v2int %i %ix\n%w = OpCompositeConstruct %v2uint %n3 %n4\n"
     "%d = OpSUDotAccSatKHR %int %v %w %i4\n%r = OpBitcast %uint %d",
     [](uint32_t l) { return uint32_t(3 * iOf(l) + 4 * int32_t(xOf(l)) + 4); }},
    // Floats; every third operand is a NaN where that matters.
    {"OpFMod", "%h = OpFNegate %float %f\n%m = OpFMod %float %h %f3\n%r = OpBitcast %uint %m",
     [](uint32_t l) { return bitsAs(-fOf(l) - 3 * std::floor(-fOf(l) / 3)); }},
    {"OpFRem", "%h = OpFNegate %float %f\n%m = OpFRem %float %h %f3\n%r = OpBitcast %uint %m",
     [](uint32_t l) { return bitsAs(std::fmod(-fOf(l), 3.0f)); }},
    {"OpFOrdGreaterThan", LANEWISE_CONDITION("%c = OpFOrdGreaterThan %bool %g %f3"),
     [](uint32_t l) { return uint32_t(gOf(l) > 3); }},
    {"OpFOrdLessThanEqual", LANEWISE_CONDITION("%c = OpFOrdLessThanEqual %bool %g %f2"),
     [](uint32_t l) { return uint32_t(gOf(l) <= 2); }},
    {"OpFOrdNotEqual",
     LANEWISE_CONDITION("%k = OpULessThan %bool %l %n3\n%h = OpSelect %float %k %g %nan\n"
                        "%c = OpFOrdNotEqual %bool %h %f2"),
     [](uint32_t l) { return uint32_t(l < 3 && gOf(l) != 2); }},
    {"OpFUnordEqual",
     LANEWISE_CONDITION("%k = OpULessThan %bool %l %n3\n%h = OpSelect %float %k %g %nan\n"
                        "%c = OpFUnordEqual %bool %h %f2"),
     [](uint32_t l) { return uint32_t(l >= 3 || gOf(l) == 2); }},
    {"OpFUnordLessThan",
     LANEWISE_CONDITION("%k = OpULessThan %bool %l %n3\n%h = OpSelect %float %k %g %nan\n"
                        "%c = OpFUnordLessThan %bool %h %f2"),
     [](uint32_t l) { return uint32_t(l >= 3 || gOf(l) < 2); }},
    {"OpFUnordLessThanEqual",
     LANEWISE_CONDITION("%k = OpULessThan %bool %l %n3\n%h = OpSelect %float %k %g %nan\n"
                        "%c = OpFUnordLessThanEqual %bool %h %f2"),
     [](uint32_t l) { return uint32_t(l >= 3 || gOf(l) <= 2); }},
    {"OpFUnordGreaterThan",
     LANEWISE_CONDITION("%k = OpULessThan %bool %l %n3\n%h = OpSelect %float %k %g %nan\n"
                        "%c = OpFUnordGreaterThan %bool %h %f2"),
     [](uint32_t l) { return uint32_t(l >= 3 || gOf(l) > 2); }},
    {"OpFUnordGreaterThanEqual",
     LANEWISE_CONDITION("%k = OpULessThan %bool %l %n3\n%h = OpSelect %float %k %g %nan\n"
                        "%c = OpFUnordGreaterThanEqual %bool %h %f2"),
     [](uint32_t l) { return uint32_t(l >= 3 || gOf(l) >= 2); }},
    {"OpOrdered",
     LANEWISE_CONDITION("%k = OpULessThan %bool %l %n3\n%h = OpSelect %float %k %g %nan\n"
                        "%c = OpOrdered %bool %f %h"),
     [](uint32_t l) { return uint32_t(l < 3); }},
    {"OpUnordered",
     LANEWISE_CONDITION("%k = OpULessThan %bool %l %n3\n%h = OpSelect %float %k %g %nan\n"
                        "%c = OpUnordered %bool %f %h"),
     [](uint32_t l) { return uint32_t(l >= 3); }},
    {"OpQuantizeToF16",
     "%h = OpFDiv %float %f %f3\n%q = OpQuantizeToF16 %float %h\n%r = OpBitcast %uint %q",
     [](uint32_t l) {
       return uint32_t(
           driver::convertFloat(16, driver::convertFloat(32, bitsOf(fOf(l) / 3), 16), 32));
     }},
    {"OpVectorTimesScalar",
     "%v = OpCompositeConstruct %v2float %f %g\n%w = OpVectorTimesScalar %v2float %v %f3\n"
     "%d = OpDot %float %w %v\n%r = OpBitcast %uint %d",
     [](uint32_t l) { return bitsAs(3 * fOf(l) * fOf(l) + 3 * gOf(l) * gOf(l)); }},
    {"OpMatrixTimesScalar",
     "%v = OpCompositeConstruct %v2float %f %g\n%m = OpCompositeConstruct %mat2 %v %v\n"
     "%n = OpMatrixTimesScalar %mat2 %m %f2\n%e = OpCompositeExtract %float %n 1 0\n"
     "%r = OpBitcast %uint %e",
     [](uint32_t l) { return bitsAs(2 * fOf(l)); }},
    {"OpOuterProduct",
     "%v = OpCompositeConstruct %v2float %f %g\n%m = OpOuterProduct %mat2 %v %v\n"
     "%e = OpCompositeExtract %float %m 1 0\n%r = OpBitcast %uint %e",
     [](uint32_t l) { return bitsAs(fOf(l) * gOf(l)); }},
    // Control flow. The two phis swap their values in each iteration.
    {"OpPhi",
     "OpBranch %head\n%head = OpLabel\n%k = OpPhi %uint %n0 %entry %next %again\n"
     "%a = OpPhi %uint %x %entry %b %again\n%b = OpPhi %uint %n1 %entry %a %again\n"
     "%go = OpULessThan %bool %k %l\nOpLoopMerge %done %again None\n"
     "OpBranchConditional %go %again %done\n%again = OpLabel\n%next = OpIAdd %uint %k %n1\n"
     "OpBranch %head\n%done = OpLabel\n%t = OpIMul %uint %a %n3\n%r = OpIAdd %uint %t %b",
     [](uint32_t l) { return l % 2 ? 3 + xOf(l) : 3 * xOf(l) + 1; }},
    {"OpUnreachable",
     "OpSelectionMerge %done None\nOpSwitch %l %done 77 %never\n%never = OpLabel\nOpUnreachable\n"
     "%done = OpLabel\n%r = OpCopyObject %uint %x",
     [](uint32_t l) { return xOf(l); }},
    // Together.
    {"OpMemoryBarrier",
     "%p = OpAccessChain %toSharedWord %shared %l\nOpStore %p %x\nOpMemoryBarrier %n2 %n264\n"
     "OpControlBarrier %n2 %n2 %n0\nOpMemoryBarrier %n2 %n264\n%k = OpBitwiseXor %uint %l %n1\n"
     "%q = OpAccessChain %toSharedWord %shared %k\n%r = OpLoad %uint %q",
     [](uint32_t l) { return xOf(l ^ 1); }},
    {"OpGroupNonUniformBallotBitExtract",
     LANEWISE_CONDITION("%k = OpUGreaterThan %bool %l %n3\n"
                        "%m = OpGroupNonUniformBallot %v4uint %n3 %k\n"
                        "%j = OpBitwiseXor %uint %l %n4\n"
                        "%c = OpGroupNonUniformBallotBitExtract %bool %n3 %m %j"),
     [](uint32_t l) { return uint32_t((l ^ 4) > 3); }},
    {"OpGroupNonUniformBallotFindLSB",
     "%k = OpUGreaterThan %bool %l %n2\n%m = OpGroupNonUniformBallot %v4uint %n3 %k\n"
     "%r = OpGroupNonUniformBallotFindLSB %uint %n3 %m",
     [](uint32_t) { return 3u; }},
    {"OpGroupNonUniformBallotFindMSB",
     "%k = OpULessThan %bool %l %n4\n%m = OpGroupNonUniformBallot %v4uint %n3 %k\n"
     "%r = OpGroupNonUniformBallotFindMSB %uint %n3 %m",
     [](uint32_t) { return 3u; }},
    {"OpGroupNonUniformLogicalXor",
     LANEWISE_CONDITION("%k = OpULessThan %bool %l %n3\n"
                        "%c = OpGroupNonUniformLogicalXor %bool %n3 InclusiveScan %k"),
     [](uint32_t l) { return uint32_t(l != 1); }},
    {"OpGroupNonUniformRotateKHR", "%r = OpGroupNonUniformRotateKHR %uint %n3 %x %n3",
     [](uint32_t l) { return xOf((l + 3) % 8); }},
    {"OpGroupNonUniformShuffleDown",
     "%s = OpGroupNonUniformShuffleDown %uint %n3 %x %n1\n%k = OpULessThan %bool %l %n4\n"
     "%r = OpSelect %uint %k %s %n0",
     [](uint32_t l) { return l < 4 ? xOf(l + 1) : 0; }},
    {"OpSubgroupBallotKHR",
     "%k = OpUGreaterThan %bool %l %n2\n%m = OpSubgroupBallotKHR %v4uint %k\n"
     "%r = OpCompositeExtract %uint %m 0",
     [](uint32_t) { return 0xF8u; }},
    {"OpSubgroupFirstInvocationKHR", "%r = OpSubgroupFirstInvocationKHR %uint %x",
     [](uint32_t) { return xOf(0); }},
    {"OpSubgroupReadInvocationKHR", "%r = OpSubgroupReadInvocationKHR %uint %x %n4",
     [](uint32_t) { return xOf(4); }},
    {"OpSubgroupAllKHR",
     LANEWISE_CONDITION("%k = OpUGreaterThan %bool %x %n4\n%c = OpSubgroupAllKHR %bool %k"),
     [](uint32_t) { return 1u; }},
    {"OpSubgroupAnyKHR",
     LANEWISE_CONDITION("%k = OpUGreaterThan %bool %x %n72\n%c = OpSubgroupAnyKHR %bool %k"),
     [](uint32_t) { return 0u; }},
    {"OpSubgroupAllEqualKHR",
     LANEWISE_CONDITION("%k = OpUGreaterThan %bool %l %n3\n%c = OpSubgroupAllEqualKHR %bool %k"),
     [](uint32_t) { return 0u; }},
};

std::string textOf(const OpcodeCase& c) {
  return std::string(kTypes) + c.globals + kStart + c.body + kEnd;
}

class InterpreterOpcodes : public testing::TestWithParam<OpcodeCase> {};

TEST_P(InterpreterOpcodes, GiveWhatTheSpecificationSays) {
  std::vector<uint32_t> words = assemble(textOf(GetParam()), SPV_ENV_UNIVERSAL_1_6);
  for (interp::MachineOptions options : allOrders()) {
    options.subgroupSize = 8;
    Interpreted it;
    it.options = options;
    it.buffers = {std::vector<uint32_t>(8), std::vector<uint32_t>(16), std::vector<uint32_t>(8)};
    for (uint32_t l = 0; l < 8; ++l) {
      it.buffers[1][l] = xOf(l);
      it.buffers[2][l] = bitsAs(gOf(l));
    }
    ASSERT_TRUE(it.run(words));
    EXPECT_EQ(it.findings(), "");
    for (uint32_t l = 0; l < 8; ++l)
      EXPECT_EQ(it.buffers[0][l], GetParam().expected(l)) << "invocation " << l;
  }
}

INSTANTIATE_TEST_SUITE_P(Cases, InterpreterOpcodes, testing::ValuesIn(kCases),
                         [](const auto& info) { return std::string(info.param.name); });

// A component beyond the vector: what is read there, and a vector that something is put into there.
TEST(InterpreterFindings, ComponentsBeyondTheVector) {
  auto findings = [](const std::string& index, const std::string& instruction) {
    OpcodeCase c{"", "", nullptr};
    std::string body = "%v = OpCompositeConstruct %v4uint %n1 %n2 %n3 %n4\n%k = OpBitwiseAnd %uint "
                       "%l " +
                       index + "\n" + instruction;
    c.body = body.c_str();
    Interpreted it;
    it.buffers = {std::vector<uint32_t>(8), std::vector<uint32_t>(8), std::vector<uint32_t>(8)};
    EXPECT_TRUE(it.run(assemble(textOf(c), SPV_ENV_UNIVERSAL_1_6)));
    std::string kinds;
    for (const interp::Finding& f : it.result.findings)
      kinds += std::string(interp::nameOf(f.kind)) + " ";
    return kinds;
  };
  for (std::string instruction :
       {"%r = OpVectorExtractDynamic %uint %v %k",
        "%w = OpVectorInsertDynamic %v4uint %v %n1 %k\n%r = OpCompositeExtract %uint %w 0"}) {
    EXPECT_EQ(findings("%n3", instruction), "");
    EXPECT_EQ(findings("%n4", instruction), "undefined-value ");
  }
}

// An address of a buffer, taken from one and turned round.
TEST(InterpreterAddresses, PointersAsNumbers) {
  std::vector<uint32_t> words = assemble(R"(
OpCapability Shader
OpCapability Int64
OpCapability PhysicalStorageBufferAddresses
OpExtension "SPV_KHR_physical_storage_buffer"
OpMemoryModel PhysicalStorageBuffer64 GLSL450
OpEntryPoint GLCompute %main "main"
OpExecutionMode %main LocalSize 1 1 1
OpDecorate %block Block
OpMemberDecorate %block 0 Offset 0
OpMemberDecorate %block 1 Offset 8
OpDecorate %buffer DescriptorSet 0
OpDecorate %buffer Binding 0
%void = OpTypeVoid
%function = OpTypeFunction %void
%uint = OpTypeInt 32 0
%long = OpTypeInt 64 0
%block = OpTypeStruct %long %uint
%toBlock = OpTypePointer StorageBuffer %block
%toLong = OpTypePointer StorageBuffer %long
%toUint = OpTypePointer StorageBuffer %uint
%address = OpTypePointer PhysicalStorageBuffer %uint
%buffer = OpVariable %toBlock StorageBuffer
%n0 = OpConstant %uint 0
%n1 = OpConstant %uint 1
%four = OpConstant %long 4
%main = OpFunction %void None %function
%entry = OpLabel
%p = OpAccessChain %toLong %buffer %n0
%number = OpLoad %long %p
%first = OpConvertUToPtr %address %number
%back = OpConvertPtrToU %long %first
%sum = OpIAdd %long %back %four
%second = OpConvertUToPtr %address %sum
%v = OpLoad %uint %second Aligned 4
%to = OpAccessChain %toUint %buffer %n1
OpStore %to %v
OpReturn
OpFunctionEnd
)");
  Interpreted it;
  uint64_t address = interp::deviceAddress(1);
  it.buffers = {{uint32_t(address), uint32_t(address >> 32), 0, 0}, {11, 22, 33}};
  ASSERT_TRUE(it.run(words));
  EXPECT_EQ(it.findings(), "");
  EXPECT_EQ(it.buffers[0][2], 22u);
}

// ----- what is covered -----

TEST(InterpreterCoverage, EveryLoweredOpcodeIsCompared) {
  std::set<std::string> compared{"OpConvertPtrToU", "OpConvertUToPtr"}; // PointersAsNumbers
  for (const Family& family : kFamilies) compared.merge(opcodesOf(compileGlsl(family.text())));
  for (const OpcodeCase& c : kCases)
    compared.merge(opcodesOf(assemble(textOf(c), SPV_ENV_UNIVERSAL_1_6)));
  for (const NewerCase& c : kNewerCases)
    compared.merge(opcodesOf(assembleNewer(newerProgram(c.globals, c.body))));
  compared.merge(opcodesOf(assembleNewer(matrixProduct())));
  std::string missing;
  for (const char* file : {"lower_function.cpp", "lower_value.cpp", "lower_memory.cpp",
                           "lower_group.cpp", "lower_cooperative.cpp"})
    for (const std::string& name : loweredBy(file))
      if (!compared.count(name)) missing += name + " ";
  EXPECT_EQ(missing, "") << "add a case or a family";
}

} // namespace
