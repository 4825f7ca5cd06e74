// For the tests of passes/transforms: a module with Workgroup variables to be used as one likes.
#pragma once

#include "analysis/module/def_use.h"
#include "analysis/module/types.h"
#include "subject.h"
#include "transforms/shared_memory_uses.h"

#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace lanewise::test {

/// What goes into the module beside the declarations that every test may use:
/// - variables %tile and %other (float [4][4]), %records ({uint, float[4], float[4], v2uint}[2]),
///   %large (float [65]), %most (float [64]), %sized (float [%n]) in Workgroup memory;
/// - %dst, the same type as %tile, in Private memory; %i and %j, a uint and an int, at the head of
///   main.
struct Kernel {
  std::string functions = {}; ///< behind main
  std::string main = {};      ///< body of the entry point, without its end
  std::string head = {};      ///< capabilities and extensions
  std::string names = {};     ///< debug names and decorations
  std::string globals = {};
  std::string preamble = {}; ///< entry points and imports
  spv_target_env env = SPV_ENV_UNIVERSAL_1_5;
  std::string_view memoryModel = "Logical GLSL450";
  bool usesDebugInfo = false;

  std::string text() const {
    // The interface lists every global variable from SPIR-V 1.4 on.
    const bool listsAll = env == SPV_ENV_UNIVERSAL_1_4 || env == SPV_ENV_UNIVERSAL_1_5 ||
                          env == SPV_ENV_UNIVERSAL_1_6;
    const bool isOld = env == SPV_ENV_UNIVERSAL_1_0;
    return "OpCapability Shader\nOpCapability VariablePointers\n" + head +
           (isOld ? "OpExtension \"SPV_KHR_variable_pointers\"\n"
                    "OpExtension \"SPV_KHR_storage_buffer_storage_class\"\n"
                  : "") +
           imports() + "OpMemoryModel " + std::string(memoryModel) +
           "\nOpEntryPoint GLCompute %main \"main\"" +
           (listsAll ? " %tile %other %records %large %most %sized %dst %pi %pj\n" : "\n") +
           preamble + R"(
        OpExecutionMode %main LocalSize 32 1 1
  %file = OpString "a.comp"
          OpName %tile "tile"
        OpName %other "other"
        OpName %records "records"
        OpName %large "large"
        OpName %most "most"
        OpName %sized "sized"
)" + names +
           R"(
   %void = OpTypeVoid
     %fn = OpTypeFunction %void
   %bool = OpTypeBool
   %uint = OpTypeInt 32 0
    %int = OpTypeInt 32 1
  %float = OpTypeFloat 32
 %v2uint = OpTypeVector %uint 2
   %true = OpConstantTrue %bool
     %u0 = OpConstant %uint 0
     %u1 = OpConstant %uint 1
     %u2 = OpConstant %uint 2
     %u3 = OpConstant %uint 3
     %u4 = OpConstant %uint 4
    %u64 = OpConstant %uint 64
    %u65 = OpConstant %uint 65
     %i1 = OpConstant %int 1
     %f1 = OpConstant %float 1
      %n = OpSpecConstant %uint 16
    %row = OpTypeArray %float %u4
  %array = OpTypeArray %row %u4
    %rec = OpTypeStruct %uint %row %row %v2uint
   %recs = OpTypeArray %rec %u2
 %array65 = OpTypeArray %float %u65
 %array64 = OpTypeArray %float %u64
 %array_n = OpTypeArray %float %n
%p_array = OpTypePointer Workgroup %array
  %p_row = OpTypePointer Workgroup %row
%p_float = OpTypePointer Workgroup %float
  %p_rec = OpTypePointer Workgroup %rec
 %p_recs = OpTypePointer Workgroup %recs
 %p_uint = OpTypePointer Workgroup %uint
   %p_65 = OpTypePointer Workgroup %array65
   %p_64 = OpTypePointer Workgroup %array64
    %p_n = OpTypePointer Workgroup %array_n
%pp_array = OpTypePointer Private %array
%pp_uint = OpTypePointer Private %uint
 %pp_int = OpTypePointer Private %int
   %tile = OpVariable %p_array Workgroup
  %other = OpVariable %p_array Workgroup
%records = OpVariable %p_recs Workgroup
  %large = OpVariable %p_65 Workgroup
   %most = OpVariable %p_64 Workgroup
  %sized = OpVariable %p_n Workgroup
    %dst = OpVariable %pp_array Private
     %pi = OpVariable %pp_uint Private %u1
     %pj = OpVariable %pp_int Private %i1
)" + globals +
           R"(
   %main = OpFunction %void None %fn
  %entry = OpLabel
      %i = OpLoad %uint %pi
      %j = OpLoad %int %pj
)" + main + "OpReturn\nOpFunctionEnd\n" +
           functions;
  }

  std::string imports() const {
    return usesDebugInfo ? "OpExtension \"SPV_KHR_non_semantic_info\"\n"
                           "%debug = OpExtInstImport \"NonSemantic.Shader.DebugInfo.100\"\n"
                         : "";
  }
};

/// The id with this OpName, null if there is none.
inline Id idNamed(const Module& module, std::string_view name) {
  for (InstRef i : module.globals())
    if (module.opcode(i) == spv::Op::OpName && module.stringAt(i, 2) == name)
      return module.idAt(i, 1);
  return {};
}

inline size_t countOps(const Module& module, spv::Op op) {
  size_t count = 0;
  for (InstRef i : module.insts()) count += module.opcode(i) == op;
  return count;
}

/// Whether every use of a variable is what normalizeSharedUses() promises, judged by the words
/// alone.
inline ::testing::AssertionResult isNormal(Analyses& analyses, Id variable) {
  const Module& module = analyses.module();
  for (InstRef i : module.insts()) {
    bool names = false, isBase = false;
    module.forEachIdOperand(i, [&](uint32_t word, Id id) {
      names |= id == variable;
      isBase |= id == variable && word == 3;
    });
    const OpClass opClass = module.facts(i).opClass;
    if (!names || opClass == OpClass::Preamble || opClass == OpClass::Debug ||
        opClass == OpClass::Annotation)
      continue;
    const spv::Op op = module.opcode(i);
    if (op == spv::Op::OpExtInst && !module.blockOf(i)) continue; // debug information
    const bool isChain = op == spv::Op::OpAccessChain || op == spv::Op::OpInBoundsAccessChain;
    const Id pointee = analyses.get<Types>().pointee(module.resultId(i));
    const spv::Op kind = module.opcodeOf(pointee);
    if (!isChain || !isBase || kind == spv::Op::OpTypeArray || kind == spv::Op::OpTypeStruct)
      return ::testing::AssertionFailure()
             << module.facts(i).name << " at word " << module.wordOffset(i) << " uses it";
  }
  return ::testing::AssertionSuccess();
}

/// A kernel after normalizeSharedUses(), which was checked as far as can be without knowing what it
/// is about: valid before and after; normal, or refused; the answer true exactly if it changed.
class NormalizedKernel {
public:
  explicit NormalizedKernel(const Kernel& kernel,
                            const std::vector<std::string>& variables = {"tile", "other",
                                                                         "records"},
                            const SharedUsesOptions& options = {})
      : subject_(kernel.text(), {}, kernel.env),
        before_(subject_.module().words().begin(), subject_.module().words().end()) {
    EXPECT_TRUE(validate(before_, kernel.env)) << kernel.text();
    std::set<Id> ids;
    for (const std::string& name : variables) ids.insert(idNamed(module(), name));
    const Result<bool> result =
        normalizeSharedUses(subject_.module(), subject_.analyses(), ids, refusals_, options);
    if (!result) {
      ADD_FAILURE() << result.error().str();
      return;
    }
    changed_ = *result;
    EXPECT_EQ(changed_, !std::equal(before_.begin(), before_.end(), module().words().begin(),
                                    module().words().end()));
    EXPECT_EQ(subject_.analyses().firstStale(), "");
    EXPECT_TRUE(validate(module().words(), kernel.env)) << text();
    for (Id id : ids) EXPECT_TRUE(isRefused(id) || isNormal(subject_.analyses(), id)) << text();
  }

  const Module& module() { return subject_.module(); }
  Analyses& analyses() { return subject_.analyses(); }
  bool changed() const { return changed_; }
  const std::vector<UseRefusal>& refusals() const { return refusals_; }
  const std::vector<uint32_t>& before() const { return before_; }
  bool isRefused(Id variable) const {
    for (const UseRefusal& refusal : refusals_)
      if (refusal.variable == variable) return true;
    return false;
  }
  /// "tile: pointer-stored, ..." in the order given.
  std::string refusalText() {
    std::string text;
    for (const UseRefusal& refusal : refusals_) {
      if (!text.empty()) text += ", ";
      text += std::string(analyses().get<Decorations>().name(module(), refusal.variable)) + ": " +
              std::string(refusal.name);
    }
    return text;
  }
  std::string text() { return disassemble(module().words()); }
  size_t count(spv::Op op) { return countOps(module(), op); }

private:
  Subject subject_;
  std::vector<uint32_t> before_;
  std::vector<UseRefusal> refusals_;
  bool changed_ = false;
};

inline size_t count(std::string_view text, std::string_view part) {
  size_t n = 0;
  for (size_t at = text.find(part); at != std::string_view::npos; at = text.find(part, at + 1)) ++n;
  return n;
}

/// Expects that a module stays as it is, for this reason.
inline void expectRefused(const Kernel& kernel, std::string_view refusals,
                          const std::vector<std::string>& variables = {"tile"},
                          const SharedUsesOptions& options = {}) {
  NormalizedKernel k(kernel, variables, options);
  EXPECT_EQ(k.refusalText(), refusals);
  EXPECT_FALSE(k.changed());
}

/// Functions that take a row, %put, or an array, %fill, and store to it.
inline const std::string kRowFunctions = R"(
    %put = OpFunction %void None %fn_row
      %p = OpFunctionParameter %p_row
     %pe = OpLabel
     %px = OpAccessChain %p_float %p %u2
           OpStore %px %f1
           OpReturn
           OpFunctionEnd
   %fill = OpFunction %void None %fn_array
      %a = OpFunctionParameter %p_array
     %ae = OpLabel
     %ar = OpAccessChain %p_row %a %u3
     %ac = OpFunctionCall %void %put %ar
     %ax = OpAccessChain %p_float %a %u1 %u1
           OpStore %ax %f1
           OpReturn
           OpFunctionEnd
)";
inline const std::string kRowTypes = "%fn_row = OpTypeFunction %void %p_row\n"
                                     "%fn_array = OpTypeFunction %void %p_array\n"
                                     "%fn_i = OpTypeFunction %void %int\n";

} // namespace lanewise::test
