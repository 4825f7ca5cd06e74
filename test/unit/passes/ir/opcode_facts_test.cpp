// HasResultAndType() of the installed SPIRV-Headers is an independent witness for the generated
// table, as far as it goes.
#define SPV_ENABLE_UTILITY_CODE
#include "ir/enumerant_names.h"
#include "ir/newer_enumerants.h"
#include "ir/opcode_facts.h"

#include <gtest/gtest.h>

namespace lanewise {
namespace {

template <class Visit>
void forEachKnownOpcode(Visit&& visit) {
  for (uint32_t n = 0; n <= 0xFFFF; ++n) {
    const OpcodeFacts& f = factsOf(spv::Op(n));
    if (f.opClass != OpClass::Unknown) visit(n, f);
  }
}

TEST(OpcodeFacts, AgreeWithHeadersOnResults) {
  uint32_t seen = 0;
  forEachKnownOpcode([&](uint32_t n, const OpcodeFacts& f) {
    bool hasResult = false, hasResultType = false;
    spv::HasResultAndType(spv::Op(n), &hasResult, &hasResultType);
    EXPECT_EQ(uint32_t(f.opcode), n) << f.name;
    if (!hasResult && !hasResultType) return; // also what it answers for what it does not know
    // Corrected in the grammar since.
    for (const char* name : {"OpWritePipeBlocking", "OpReadPipeBlocking", "OpAsmTargetINTEL",
                             "OpCompositeConstructContinuedINTEL"})
      if (f.name.starts_with(name)) return;
    ++seen;
    EXPECT_EQ(f.hasResult, hasResult) << f.name;
    EXPECT_EQ(f.hasResultType, hasResultType) << f.name;
  });
  EXPECT_GT(seen, 500u);
}

TEST(OpcodeFacts, AreConsistentInThemselves) {
  forEachKnownOpcode([](uint32_t, const OpcodeFacts& f) {
    EXPECT_EQ(f.name.substr(0, 2), "Op");
    EXPECT_GE(f.minWords, 1u + f.hasResult + f.hasResultType) << f.name;
    EXPECT_LE(f.minWords, f.maxWords) << f.name;
    if (f.speculatable) {
      EXPECT_EQ(f.effects, Effect::None) << f.name;
      EXPECT_TRUE(f.hasResult) << f.name;
    }
    if (f.opClass == OpClass::Terminator) {
      EXPECT_TRUE(has(f.effects, Effect::Control)) << f.name;
    }
    if (f.onlyIds) {
      for (const OperandFacts& o : f.operands.subspan(f.hasResult + f.hasResultType)) {
        EXPECT_TRUE(o.kind == OperandKind::Id || o.kind == OperandKind::PairIdId) << f.name;
      }
    }
  });
}

TEST(OpcodeFacts, UnknownOpcodeHasEveryEffect) {
  for (uint32_t n : {399u, 3000u, 0xFFFFu, 0x10000u, 0xFFFFFFFFu}) {
    const OpcodeFacts& f = factsOf(spv::Op(n));
    EXPECT_EQ(f.opClass, OpClass::Unknown) << n;
    EXPECT_FALSE(f.speculatable);
    EXPECT_FALSE(f.hasResult);
    EXPECT_FALSE(f.onlyIds); // its words are visited one by one, literals among them
    for (Effect e : {Effect::ReadsMemory, Effect::WritesMemory, Effect::Atomic, Effect::Barrier,
                     Effect::Subgroup, Effect::Control, Effect::MayTrapOrUndef})
      EXPECT_TRUE(has(f.effects, e));
  }
}

TEST(OpcodeFacts, ClassesFollowTheLogicalLayout) {
  auto classOf = [](spv::Op op) { return factsOf(op).opClass; };
  EXPECT_EQ(classOf(spv::Op::OpCapability), OpClass::Preamble);
  EXPECT_EQ(classOf(spv::Op::OpModuleProcessed), OpClass::Debug);
  EXPECT_EQ(classOf(spv::Op::OpNoLine), OpClass::Line);
  EXPECT_EQ(classOf(spv::Op::OpDecorateString), OpClass::Annotation);
  EXPECT_EQ(classOf(spv::Op::OpMemberDecorate), OpClass::Annotation);
  EXPECT_EQ(classOf(spv::Op::OpTypeForwardPointer), OpClass::Type);
  EXPECT_EQ(classOf(spv::Op::OpSpecConstantOp), OpClass::Constant);
  EXPECT_EQ(classOf(spv::Op::OpUndef), OpClass::Constant);
  EXPECT_EQ(classOf(spv::Op::OpVariable), OpClass::Variable);
  EXPECT_EQ(classOf(spv::Op::OpFunctionEnd), OpClass::Function);
  EXPECT_EQ(classOf(spv::Op::OpLabel), OpClass::Label);
  EXPECT_EQ(classOf(spv::Op::OpLoopMerge), OpClass::Merge);
  EXPECT_EQ(classOf(spv::Op::OpEmitMeshTasksEXT), OpClass::Terminator);
  EXPECT_EQ(classOf(spv::Op::OpIgnoreIntersectionKHR), OpClass::Terminator);
  EXPECT_EQ(classOf(spv::Op::OpTerminateInvocation), OpClass::Terminator);
  // Named like them, but not among them.
  EXPECT_EQ(classOf(spv::Op::OpFunctionCall), OpClass::Value);
  EXPECT_EQ(classOf(spv::Op::OpDemoteToHelperInvocationEXT), OpClass::Value);
  EXPECT_EQ(classOf(spv::Op::OpIgnoreIntersectionNV), OpClass::Value);
}

TEST(OpcodeFacts, SpeculatableMeansDefinedForAllValues) {
  for (spv::Op op : {spv::Op::OpIAdd, spv::Op::OpFMul, spv::Op::OpSelect, spv::Op::OpBitcast,
                     spv::Op::OpULessThan, spv::Op::OpShiftLeftLogical, spv::Op::OpFDiv,
                     spv::Op::OpCompositeExtract})
    EXPECT_TRUE(factsOf(op).speculatable) << factsOf(op).name;
  for (spv::Op op :
       {spv::Op::OpUDiv, spv::Op::OpSDiv, spv::Op::OpUMod, spv::Op::OpSRem, spv::Op::OpSMod,
        spv::Op::OpConvertFToU, spv::Op::OpConvertFToS, spv::Op::OpVectorExtractDynamic,
        spv::Op::OpVectorInsertDynamic, spv::Op::OpLoad, spv::Op::OpAccessChain, spv::Op::OpDPdx,
        spv::Op::OpGroupNonUniformIAdd, spv::Op::OpFunctionCall, spv::Op::OpExtInst, spv::Op::OpPhi,
        spv::Op::OpImageFetch, spv::Op::OpSampledImage})
    EXPECT_FALSE(factsOf(op).speculatable) << factsOf(op).name;
}

TEST(OpcodeFacts, MemoryEffects) {
  auto effects = [](spv::Op op) { return factsOf(op).effects; };
  EXPECT_EQ(effects(spv::Op::OpLoad), Effect::ReadsMemory);
  EXPECT_EQ(effects(spv::Op::OpStore), Effect::WritesMemory);
  EXPECT_EQ(effects(spv::Op::OpCopyMemory), Effect::ReadsMemory | Effect::WritesMemory);
  EXPECT_EQ(effects(spv::Op::OpAtomicLoad), Effect::Atomic | Effect::ReadsMemory);
  EXPECT_EQ(effects(spv::Op::OpAtomicStore), Effect::Atomic | Effect::WritesMemory);
  EXPECT_EQ(effects(spv::Op::OpAtomicIAdd),
            Effect::Atomic | Effect::ReadsMemory | Effect::WritesMemory);
  EXPECT_EQ(effects(spv::Op::OpControlBarrier), Effect::Barrier);
  EXPECT_EQ(effects(spv::Op::OpImageSampleImplicitLod), Effect::ReadsMemory | Effect::Subgroup);
  EXPECT_EQ(effects(spv::Op::OpArrayLength), Effect::None);
  EXPECT_TRUE(has(effects(spv::Op::OpFunctionCall), Effect::WritesMemory));
  EXPECT_TRUE(has(effects(spv::Op::OpTraceRayKHR), Effect::WritesMemory)); // not listed: everything
}

/// The enumeration of an opcode's first operand of a kind.
uint8_t enumOf(spv::Op op, OperandKind kind) {
  for (const OperandFacts& o : factsOf(op).operands)
    if (o.kind == kind) return o.enumIndex;
  ADD_FAILURE();
  return 0;
}

TEST(OpcodeFacts, EnumerantsBringOperands) {
  uint8_t decoration = enumOf(spv::Op::OpDecorate, OperandKind::ValueEnum);
  EnumerantOperands builtIn = enumerantOperands(decoration, uint32_t(spv::Decoration::BuiltIn));
  ASSERT_TRUE(builtIn.known);
  ASSERT_EQ(builtIn.operands.size(), 1u);
  EXPECT_EQ(builtIn.operands[0].kind, OperandKind::ValueEnum);
  EnumerantOperands linkage =
      enumerantOperands(decoration, uint32_t(spv::Decoration::LinkageAttributes));
  ASSERT_EQ(linkage.operands.size(), 2u);
  EXPECT_EQ(linkage.operands[0].kind, OperandKind::String);
  EXPECT_EQ(enumerantOperands(decoration, uint32_t(spv::Decoration::UniformId)).operands[0].kind,
            OperandKind::Id);
  EXPECT_TRUE(enumerantOperands(decoration, uint32_t(spv::Decoration::UserSemantic))
                  .known); // far up the list
  EXPECT_TRUE(enumerantOperands(decoration, uint32_t(spv::Decoration::Block)).operands.empty());
  EXPECT_FALSE(enumerantOperands(decoration, 0x7FFFFFF0).known);

  uint8_t access = enumOf(spv::Op::OpLoad, OperandKind::BitEnum);
  EXPECT_EQ(enumerantOperands(access, uint32_t(spv::MemoryAccessMask::Aligned)).operands[0].kind,
            OperandKind::Literal);
  EXPECT_EQ(enumerantOperands(access, uint32_t(spv::MemoryAccessMask::MakePointerVisible))
                .operands[0]
                .kind,
            OperandKind::Id);
  EXPECT_FALSE(enumerantOperands(access, 0x40000000).known);
}

TEST(OpcodeFacts, ExtendedInstructions) {
  EXPECT_EQ(extInstSetFromName("GLSL.std.450"), ExtInstSet::GlslStd450);
  EXPECT_EQ(extInstSetFromName("OpenCL.std"), ExtInstSet::OpenClStd);
  EXPECT_EQ(extInstSetFromName("NonSemantic.DebugPrintf"), ExtInstSet::NonSemanticOther);
  EXPECT_EQ(extInstSetFromName("SPV_AMD_shader_ballot"), ExtInstSet::AmdShaderBallot);
  EXPECT_EQ(extInstSetFromName("GLSL.std.4500"), ExtInstSet::Unknown);
  EXPECT_EQ(extInstSetFromName(""), ExtInstSet::Unknown);

  const ExtInstFacts& fma = extInstFacts(ExtInstSet::GlslStd450, 50);
  EXPECT_EQ(fma.name, "Fma");
  EXPECT_TRUE(fma.speculatable);
  EXPECT_EQ(fma.operands.size(), 3u);
  EXPECT_EQ(extInstFacts(ExtInstSet::GlslStd450, 35).effects, Effect::WritesMemory); // Modf
  EXPECT_FALSE(extInstFacts(ExtInstSet::GlslStd450, 76).speculatable); // InterpolateAtCentroid
  EXPECT_FALSE(extInstFacts(ExtInstSet::GlslStd450, 0).known);
  EXPECT_FALSE(extInstFacts(ExtInstSet::GlslStd450, 0xFFFFFFFF).known);
  EXPECT_TRUE(extInstFacts(ExtInstSet::NonSemanticOther, 12345).known);
  EXPECT_FALSE(extInstFacts(ExtInstSet::Unknown, 1).known);
  EXPECT_TRUE(has(extInstFacts(ExtInstSet::Unknown, 1).effects, Effect::WritesMemory));

  const ExtInstFacts& vloadn = extInstFacts(ExtInstSet::OpenClStd, 171);
  ASSERT_EQ(vloadn.name, "vloadn");
  EXPECT_EQ(vloadn.effects, Effect::ReadsMemory);
  EXPECT_EQ(vloadn.operands.back().kind, OperandKind::Literal);
}

// Effect::Atomic of what may do anything is no reason to look for an atomic's operands.
TEST(OpcodeFacts, AtomicsAreTheAtomicInstructions) {
  forEachKnownOpcode([](uint32_t, const OpcodeFacts& f) {
    EXPECT_EQ(isAtomic(f), f.name.starts_with("OpAtomic")) << f.name;
  });
  EXPECT_FALSE(isAtomic(factsOf(spv::Op(0xFFFF))));
  EXPECT_FALSE(isAtomic(factsOf(spv::Op::OpFunctionCall)));
}

TEST(OpcodeFacts, WordsOfPointersScopesAndMemoryOperands) {
  EXPECT_EQ(pointerWord(factsOf(spv::Op::OpLoad)), 3u);
  EXPECT_EQ(pointerWord(factsOf(spv::Op::OpStore)), 1u);
  EXPECT_EQ(pointerWord(factsOf(spv::Op::OpAtomicIAdd)), 3u);
  EXPECT_EQ(pointerWord(factsOf(spv::Op::OpAtomicStore)), 1u);
  EXPECT_EQ(pointerWord(factsOf(spv::Op::OpAtomicFlagClear)), 1u);
  EXPECT_EQ(pointerWord(factsOf(spv::Op::OpCopyMemory)), 0u);
  EXPECT_EQ(atomicSemanticsWord(factsOf(spv::Op::OpAtomicCompareExchange)), 5u);
  EXPECT_EQ(atomicSemanticsWord(factsOf(spv::Op::OpAtomicStore)), 3u);
  EXPECT_EQ(memoryOperandsWord(spv::Op::OpLoad), 4u);
  EXPECT_EQ(memoryOperandsWord(spv::Op::OpCopyMemory), 3u);
  EXPECT_EQ(memoryOperandsWord(spv::Op::OpImageRead), 0u);
}

TEST(OpcodeFacts, FunctionsOfTheirOperands) {
  for (spv::Op op : {spv::Op::OpIAdd, spv::Op::OpSDiv, spv::Op::OpAccessChain,
                     spv::Op::OpArrayLength, spv::Op::OpPtrEqual, spv::Op::OpImageQuerySize})
    EXPECT_TRUE(isFunctionOfOperands(factsOf(op))) << factsOf(op).name;
  for (spv::Op op :
       {spv::Op::OpPhi, spv::Op::OpUndef, spv::Op::OpLoad, spv::Op::OpDPdx, spv::Op::OpFunctionCall,
        spv::Op::OpImageQueryLod, spv::Op::OpNop, spv::Op::OpVariable, spv::Op(0xFFFF)})
    EXPECT_FALSE(isFunctionOfOperands(factsOf(op))) << factsOf(op).name;
}

TEST(OpcodeFacts, NamesOfEnumerants) {
  EXPECT_EQ(enumerantName(NamedEnum::Capability, uint32_t(spv::Capability::Shader)), "Shader");
  EXPECT_EQ(enumerantName(NamedEnum::BuiltIn, uint32_t(spv::BuiltIn::Position)), "Position");
  EXPECT_EQ(enumerantName(NamedEnum::ExecutionMode, uint32_t(spv::ExecutionMode::LocalSizeId)),
            "LocalSizeId");
  // Of several names the core one.
  EXPECT_EQ(enumerantName(NamedEnum::Capability,
                          uint32_t(spv::Capability::PhysicalStorageBufferAddressesEXT)),
            "PhysicalStorageBufferAddresses");
  EXPECT_EQ(enumerantName(NamedEnum::BuiltIn, 0xFFFFFFFF), "");
}

// What nobody has read may do anything, whatever its name says.
TEST(OpcodeFacts, UnreadOpcodesMayDoAnything) {
  for (spv::Op op :
       {newer::Op::OpCooperativeMatrixPerElementOpEXT, newer::Op::OpCooperativeMatrixReduceEXT,
        newer::Op::OpCooperativeVectorOuterProductAccumulateNV, newer::Op::OpArithmeticFenceEXT,
        newer::Op::OpHitObjectTraceRayEXT}) {
    const OpcodeFacts& f = factsOf(op);
    EXPECT_EQ(f.effects, kEveryEffect) << f.name;
    EXPECT_FALSE(f.speculatable) << f.name;
    EXPECT_FALSE(isFunctionOfOperands(f)) << f.name;
    EXPECT_FALSE(isAtomic(f)) << f.name;
    EXPECT_TRUE(has(f.effects, Effect::Barrier) && has(f.effects, Effect::Subgroup)) << f.name;
  }
  EXPECT_EQ(factsOf(spv::Op(9999)).effects, kEveryEffect);
  EXPECT_NE(factsOf(spv::Op::OpControlBarrier).effects, kEveryEffect);
  EXPECT_TRUE(isExtInst(newer::Op::OpExtInstWithForwardRefsKHR));
}

TEST(OpcodeFacts, NewerOpcodesThatAreRead) {
  EXPECT_EQ(factsOf(newer::Op::OpTensorReadARM).effects, Effect::ReadsMemory);
  EXPECT_EQ(factsOf(newer::Op::OpTensorWriteARM).effects, Effect::WritesMemory);
  EXPECT_EQ(factsOf(newer::Op::OpCooperativeVectorLoadNV).effects, Effect::ReadsMemory);
  EXPECT_EQ(factsOf(newer::Op::OpCooperativeMatrixLoadTensorNV).effects,
            Effect::ReadsMemory | Effect::Subgroup);
  EXPECT_EQ(factsOf(newer::Op::OpTensorLayoutSliceNV).effects, Effect::MayTrapOrUndef);
  EXPECT_EQ(factsOf(newer::Op::OpCooperativeMatrixLoadKHR).effects,
            Effect::ReadsMemory | Effect::Subgroup);
  EXPECT_EQ(factsOf(newer::Op::OpCooperativeMatrixStoreKHR).effects,
            Effect::WritesMemory | Effect::Subgroup);
  EXPECT_EQ(factsOf(newer::Op::OpCooperativeMatrixMulAddKHR).effects, Effect::Subgroup);
  EXPECT_EQ(factsOf(newer::Op::OpUntypedAccessChainKHR).effects, Effect::MayTrapOrUndef);
  EXPECT_EQ(factsOf(newer::Op::OpUntypedVariableKHR).opClass, OpClass::Variable);
  EXPECT_EQ(factsOf(newer::Op::OpConstantCompositeReplicateEXT).opClass, OpClass::Constant);
  for (spv::Op op : {newer::Op::OpCompositeConstructReplicateEXT, newer::Op::OpSDot,
                     newer::Op::OpSUDotAccSat, newer::Op::OpExpectKHR, newer::Op::OpFmaKHR})
    EXPECT_TRUE(factsOf(op).speculatable) << factsOf(op).name;
  // Undefined where it does not hold: never to be executed where it was not.
  EXPECT_EQ(factsOf(newer::Op::OpAssumeTrueKHR).effects, Effect::MayTrapOrUndef);
  EXPECT_TRUE(has(factsOf(newer::Op::OpGroupNonUniformQuadAllKHR).effects, Effect::Subgroup));
}

} // namespace
} // namespace lanewise
