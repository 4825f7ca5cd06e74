// Small compute shaders for the tests of affine forms and uniformity, and a text for a form.
#pragma once

#include "analysis/module/analyses.h"
#include "analysis/values/affine.h"
#include "assemble.h"
#include "ir/module.h"
#include "lanewise/assumptions.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <memory>
#include <optional>
#include <string>

namespace lanewise::test {

/// A compute shader with the usual types and inputs. `globals` stands before main, `body` inside
/// it, up to but without the last OpReturn; `decorations` before the types. Values to ask for have
/// numeric ids.
inline std::string computeShader(const std::string& body, const std::string& globals = "",
                                 const std::string& decorations = "",
                                 const std::string& after = "") {
  return R"(
               OpCapability Shader
               OpCapability Int16
               OpCapability Int8
               OpCapability Int64
               OpCapability GroupNonUniform
       %glsl = OpExtInstImport "GLSL.std.450"
               OpMemoryModel Logical GLSL450
               OpEntryPoint GLCompute %main "main" %lid %wid %gid %index %groups %sgsize %sglane %sgid
               OpExecutionMode %main LocalSize 32 8 1
               OpDecorate %lid BuiltIn LocalInvocationId
               OpDecorate %wid BuiltIn WorkgroupId
               OpDecorate %gid BuiltIn GlobalInvocationId
               OpDecorate %index BuiltIn LocalInvocationIndex
               OpDecorate %groups BuiltIn NumWorkgroups
               OpDecorate %sgsize BuiltIn SubgroupSize
               OpDecorate %sglane BuiltIn SubgroupLocalInvocationId
               OpDecorate %sgid BuiltIn SubgroupId
               OpMemberDecorate %Push 0 Offset 0
               OpMemberDecorate %Push 1 Offset 4
               OpDecorate %Push Block
               OpDecorate %numbers ArrayStride 4
               OpMemberDecorate %Buffer 0 Offset 0
               OpDecorate %Buffer Block
               OpMemberDecorate %ReadOnly 0 Offset 0
               OpMemberDecorate %ReadOnly 0 NonWritable
               OpDecorate %ReadOnly Block
)" + decorations +
         R"(
       %void = OpTypeVoid
         %fn = OpTypeFunction %void
       %bool = OpTypeBool
       %uint = OpTypeInt 32 0
        %int = OpTypeInt 32 1
     %ushort = OpTypeInt 16 0
      %short = OpTypeInt 16 1
      %ulong = OpTypeInt 64 0
      %float = OpTypeFloat 32
     %v2uint = OpTypeVector %uint 2
     %v3uint = OpTypeVector %uint 3
     %v3bool = OpTypeVector %bool 3
      %true = OpConstantTrue %bool
         %u0 = OpConstant %uint 0
         %u1 = OpConstant %uint 1
         %u2 = OpConstant %uint 2
         %u3 = OpConstant %uint 3
         %u4 = OpConstant %uint 4
         %u5 = OpConstant %uint 5
         %u8 = OpConstant %uint 8
        %u16 = OpConstant %uint 16
        %u31 = OpConstant %uint 31
        %u32 = OpConstant %uint 32
        %u33 = OpConstant %uint 33
        %u64 = OpConstant %uint 64
       %u128 = OpConstant %uint 128
      %uhigh = OpConstant %uint 0xFFFFFFE0
       %uall = OpConstant %uint 0xFFFFFFFF
         %i0 = OpConstant %int 0
         %i1 = OpConstant %int 1
        %im1 = OpConstant %int -1
         %i2 = OpConstant %int 2
         %i8 = OpConstant %int 8
        %i31 = OpConstant %int 31
        %i32 = OpConstant %int 32
    %p_vec   = OpTypePointer Input %v3uint
    %p_in    = OpTypePointer Input %uint
        %lid = OpVariable %p_vec Input
        %wid = OpVariable %p_vec Input
        %gid = OpVariable %p_vec Input
     %groups = OpVariable %p_vec Input
      %index = OpVariable %p_in Input
     %sgsize = OpVariable %p_in Input
     %sglane = OpVariable %p_in Input
       %sgid = OpVariable %p_in Input
       %Push = OpTypeStruct %uint %uint
     %p_Push = OpTypePointer PushConstant %Push
     %p_push = OpTypePointer PushConstant %uint
       %push = OpVariable %p_Push PushConstant
    %numbers = OpTypeRuntimeArray %uint
     %Buffer = OpTypeStruct %numbers
   %ReadOnly = OpTypeStruct %numbers
   %p_Buffer = OpTypePointer StorageBuffer %Buffer
 %p_ReadOnly = OpTypePointer StorageBuffer %ReadOnly
   %p_number = OpTypePointer StorageBuffer %uint
     %buffer = OpVariable %p_Buffer StorageBuffer
   %readonly = OpVariable %p_ReadOnly StorageBuffer
  %p_private = OpTypePointer Private %uint
    %p_local = OpTypePointer Function %uint
     %p_wg   = OpTypePointer Workgroup %uint
     %shared = OpVariable %p_wg Workgroup
)" + globals +
         R"(
       %main = OpFunction %void None %fn
      %entry = OpLabel
)" + body +
         R"(
               OpReturn
               OpFunctionEnd
)" + after;
}

/// Loads of the inputs, for the start of a body: %l with components %x %y %z, %w with %wx, %g with
/// %gx and %gy, %t (the index), %p and %q (push constants).
inline const std::string kInputs = R"(
          %l = OpLoad %v3uint %lid
          %x = OpCompositeExtract %uint %l 0
          %y = OpCompositeExtract %uint %l 1
          %z = OpCompositeExtract %uint %l 2
          %w = OpLoad %v3uint %wid
         %wx = OpCompositeExtract %uint %w 0
          %g = OpLoad %v3uint %gid
         %gx = OpCompositeExtract %uint %g 0
         %gy = OpCompositeExtract %uint %g 1
          %t = OpLoad %uint %index
         %pp = OpAccessChain %p_push %push %u0
          %p = OpLoad %uint %pp
         %qp = OpAccessChain %p_push %push %u1
          %q = OpLoad %uint %qp
)";

/// A module with its analyses. The module keeps its address.
struct Shader {
  using Size = std::optional<std::array<uint32_t, 3>>;

  explicit Shader(const std::string& text, Size size = std::array<uint32_t, 3>{32, 8, 1},
                  Assumptions given = {})
      : assumptions(std::move(given)) {
    auto read = Module::read(assemble(text));
    if (!read) {
      ADD_FAILURE() << read.error().message;
      return;
    }
    module = std::make_unique<Module>(std::move(*read));
    analyses = std::make_unique<Analyses>(*module, assumptions);
    affine = std::make_unique<Affine>(*analyses, size);
  }

  const AffineExpr& of(uint32_t id) { return affine->of(Id(id)); }
  bool isUniform(uint32_t id) { return affine->isWorkgroupUniform(of(id)); }
  bool isEvaluable(uint32_t id) { return affine->isEvaluable(of(id)); }
  /// For these values together, in the block of the last.
  UniformStates states(std::initializer_list<uint32_t> ids) {
    std::vector<const AffineExpr*> all;
    for (uint32_t id : ids) all.push_back(&of(id));
    return affine->uniformStates(all, module->blockOf(module->def(Id(*(ids.end() - 1)))));
  }
  std::optional<uint32_t> at(uint32_t id, std::array<uint32_t, 3> lane, uint32_t seed = 0) {
    LaneContext context;
    context.localId = lane;
    context.seed = seed;
    return affine->evaluate(of(id), context);
  }
  std::string form(uint32_t id) { return show(of(id)); }

  /// "5 + 32*y + UDiv(x, 3)": the constant, then the terms by name. Coefficients are signed.
  std::string show(const AffineExpr& e) {
    std::vector<std::string> parts;
    for (auto [t, c] : e.terms) {
      std::string name = nameOf(affine->term(t));
      parts.push_back(c == 1 ? name : std::to_string(int32_t(c)) + "*" + name);
    }
    std::sort(parts.begin(), parts.end());
    std::string text = e.constant != 0 || parts.empty() ? std::to_string(int32_t(e.constant)) : "";
    for (const std::string& part : parts) text += (text.empty() ? "" : " + ") + part;
    return text;
  }

  std::string nameOf(const AffineTerm& t) {
    switch (t.kind) {
    case AffineTerm::Kind::LocalId:
      return std::string(1, "xyz"[t.component]);
    case AffineTerm::Kind::WorkgroupId:
      return std::string("w") + "xyz"[t.component];
    case AffineTerm::Kind::Induction:
      return "loop";
    case AffineTerm::Kind::UniformOpaque:
      return "uniform";
    case AffineTerm::Kind::VaryingOpaque:
      return "varying";
    case AffineTerm::Kind::SubgroupLane:
      return "lane";
    case AffineTerm::Kind::SubgroupIndex:
      return "subgroup";
    case AffineTerm::Kind::Derived:
      break;
    }
    std::string text(factsOf(t.op).name.substr(2));
    if (t.op == spv::Op::OpExtInst) text = "Ext" + std::to_string(t.extInst);
    std::vector<std::string> args;
    for (uint32_t a : t.args) args.push_back(show(affine->argument(a)));
    // The order of operands that may be exchanged depends on what was asked for first.
    bool isCommutative = t.op == spv::Op::OpIMul || t.op == spv::Op::OpBitwiseAnd ||
                         t.op == spv::Op::OpBitwiseOr || t.op == spv::Op::OpBitwiseXor ||
                         t.op == spv::Op::OpIEqual;
    if (isCommutative) std::sort(args.begin(), args.end());
    text += "(";
    for (size_t n = 0; n < args.size(); ++n) text += (n == 0 ? "" : ", ") + args[n];
    return text + ")";
  }

  Assumptions assumptions;
  std::unique_ptr<Module> module;
  std::unique_ptr<Analyses> analyses;
  std::unique_ptr<Affine> affine;
};

} // namespace lanewise::test
