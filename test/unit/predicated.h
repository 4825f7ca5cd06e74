// A small shader with a branch, before and after --branch-to-predication=always.
#pragma once

#include "analysis/module/analyses.h"
#include "assemble.h"
#include "interpreted.h"
#include "pass.h"

#include <gtest/gtest.h>
#include <string>
#include <string_view>
#include <vector>

namespace lanewise::test {

/// The parts of a test shader. `x` is what the invocation's word of the input holds, `c` whether it
/// is odd, `to` the invocation's word of the output; `g` its index.
struct BranchShader {
  std::string capabilities{}, annotations{}, types{}, body{};
  std::string model = "GLSL450", addressing = "Logical";
  std::string functions{}; ///< behind main

  std::string text() const {
    const bool isVulkan = model == "Vulkan";
    return "OpCapability Shader\n" +
           std::string(isVulkan ? "OpCapability VulkanMemoryModel\n" : "") + capabilities +
           (isVulkan ? "OpExtension \"SPV_KHR_vulkan_memory_model\"\n" : "") + "OpMemoryModel " +
           addressing + " " + model + R"(
OpEntryPoint GLCompute %main "main" %id
OpExecutionMode %main LocalSize 32 1 1
)" + annotations +
           R"(OpDecorate %id BuiltIn GlobalInvocationId
OpDecorate %array ArrayStride 4
OpDecorate %block Block
OpMemberDecorate %block 0 Offset 0
OpDecorate %in DescriptorSet 0
OpDecorate %in Binding 0
OpDecorate %out DescriptorSet 0
OpDecorate %out Binding 1
%void = OpTypeVoid
%voidfn = OpTypeFunction %void
%uint = OpTypeInt 32 0
%bool = OpTypeBool
%uint3 = OpTypeVector %uint 3
%uint_0 = OpConstant %uint 0
%uint_1 = OpConstant %uint 1
%uint_3 = OpConstant %uint 3
%uint_7 = OpConstant %uint 7
%array = OpTypeRuntimeArray %uint
%block = OpTypeStruct %array
%ptr_block = OpTypePointer StorageBuffer %block
%ptr_cell = OpTypePointer StorageBuffer %uint
%in = OpVariable %ptr_block StorageBuffer
%out = OpVariable %ptr_block StorageBuffer
%ptr_uint3 = OpTypePointer Input %uint3
%ptr_uint = OpTypePointer Input %uint
%id = OpVariable %ptr_uint3 Input
)" + types +
           R"(%main = OpFunction %void None %voidfn
%entry = OpLabel
%p_x = OpAccessChain %ptr_uint %id %uint_0
%g = OpLoad %uint %p_x
%from = OpAccessChain %ptr_cell %in %uint_0 %g
%to = OpAccessChain %ptr_cell %out %uint_0 %g
%x = OpLoad %uint %from
%bit = OpBitwiseAnd %uint %x %uint_1
%c = OpINotEqual %bool %bit %uint_0
)" + body + "OpFunctionEnd\n" +
           functions;
  }
};

constexpr spv_target_env kEnv = SPV_ENV_VULKAN_1_1;

struct BranchWords {
  std::vector<uint32_t> words;
};

/// A module before and after the pass.
class Predicated {
public:
  explicit Predicated(const BranchShader& shader)
      : Predicated(BranchWords{assemble(shader.text(), kEnv)}) {}
  explicit Predicated(BranchWords binary, const Assumptions& assumptions = {},
                      std::string_view skipped = "")
      : before(std::move(binary.words)) {
    Result<Module> module = Module::read(before);
    if (!module) {
      ADD_FAILURE() << module.error().message;
      return;
    }
    Analyses analyses(*module, assumptions);
    const TargetProfile target;
    PassContext context{.module = *module,
                        .analyses = analyses,
                        .target = target,
                        .assumptions = assumptions,
                        .mode = "always",
                        .maySite =
                            [&](std::string_view site) {
                              asked.emplace_back(site);
                              return site != skipped;
                            },
                        .remarks = remarks};
    const PassResult done = runPass(*findPass("branch-to-predication"), context);
    if (!done) ADD_FAILURE() << done.error().str();
    after.assign(module->words().begin(), module->words().end());
    if (!module->hasUnknown()) text = disassemble(after, kEnv);
  }

  /// What happened, or why it did not: names of the remarks, in module order.
  std::string verdicts() const {
    std::string all;
    for (const Remark& r : remarks) all += (all.empty() ? "" : " ") + r.name;
    return all;
  }
  size_t count(std::string_view what) const {
    size_t n = 0;
    for (size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) ++n;
    return n;
  }
  bool isUnchanged() const { return before == after; }

  std::vector<uint32_t> before, after;
  std::string text; ///< after
  Remarks remarks;
  std::vector<std::string> asked; ///< sites that may be skipped
};

/// The output is valid.
inline ::testing::AssertionResult isValid(const Predicated& p) {
  if (auto valid = validate(p.before, kEnv); !valid) return valid << "(the input)";
  return validate(p.after, kEnv) << p.text;
}

/// Both give the same, without findings.
inline void expectEqualResults(const Predicated& p) {
  std::vector<uint32_t> input;
  for (uint32_t n = 0; n < 32; ++n) input.push_back(n * 2654435761u >> 7);
  Interpreted first, second;
  first.buffers = second.buffers = {input, std::vector<uint32_t>(32, 5)};
  ASSERT_TRUE(first.run(p.before));
  ASSERT_TRUE(second.run(p.after));
  EXPECT_EQ(first.findings(), "");
  EXPECT_EQ(second.findings(), "");
  EXPECT_EQ(first.buffers, second.buffers) << p.text;
  EXPECT_NE(first.buffers[1], std::vector<uint32_t>(32, 5));
}

/// A loop of seven iterations; `inside` goes to %continue.
inline std::string loop(const std::string& inside) {
  return R"(OpBranch %header
%header = OpLabel
%i = OpPhi %uint %uint_0 %entry %next %continue
%s = OpPhi %uint %x %entry %t %continue
OpLoopMerge %exit %continue None
OpBranch %test
%test = OpLabel
%more = OpULessThan %bool %i %uint_7
OpBranchConditional %more %body %exit
%body = OpLabel
)" + inside +
         R"(%next = OpIAdd %uint %i %uint_1
OpBranch %header
%exit = OpLabel
OpStore %to %s
OpReturn
)";
}

/// if (c) `yes` else `no`, of which y and n go to the output.
inline std::string diamond(const std::string& yes, const std::string& no) {
  return "OpSelectionMerge %merge None\nOpBranchConditional %c %true %false\n%true = OpLabel\n" +
         yes + "OpBranch %merge\n%false = OpLabel\n" + no +
         "OpBranch %merge\n%merge = OpLabel\n%r = OpPhi %uint %y %true %n %false\n"
         "OpStore %to %r\nOpReturn\n";
}

/// if (c) `yes`, of which y goes to the output.
inline std::string triangle(const std::string& yes) {
  return "OpSelectionMerge %merge None\nOpBranchConditional %c %true %merge\n%true = OpLabel\n" +
         yes +
         "OpBranch %merge\n%merge = OpLabel\n%r = OpPhi %uint %y %true %x %entry\n"
         "OpStore %to %r\nOpReturn\n";
}

/// A load from %to in an arm, with these memory operands; before it one with others.
inline std::string twoLoads(const std::string& first, const std::string& second) {
  return "%o = OpLoad %uint %to " + first + "\n" +
         triangle("%y = OpLoad %uint %to " + second + "\n");
}

/// What becomes of a branch whose arm ends in the instruction `y`; `before` stands before the
/// branch.
inline std::string verdictOf(const std::string& y, const std::string& before = "",
                             const std::string& types = "", const std::string& capabilities = "",
                             const std::string& annotations = "") {
  return Predicated({.capabilities = capabilities,
                     .annotations = annotations,
                     .types = types,
                     .body = before + triangle(y + "\n")})
      .verdicts();
}

} // namespace lanewise::test
