// A test module with its analyses, made from assembly text.
#pragma once

#include "analysis/module/analyses.h"
#include "assemble.h"
#include "ir/module.h"
#include "lanewise/assumptions.h"

#include <memory>
#include <string>
#include <string_view>

namespace lanewise::test {

/// Holds the module at one address, as Analyses asks.
class Subject {
public:
  explicit Subject(std::string_view text, Assumptions assumptions = {},
                   spv_target_env env = SPV_ENV_UNIVERSAL_1_5)
      : assumptions_(std::move(assumptions)), module_(read(text, env)),
        analyses_(*module_, assumptions_) {}

  const Module& module() const { return *module_; }
  Module& module() { return *module_; }
  Analyses& analyses() { return analyses_; }
  /// The block with this label.
  BlockRef block(uint32_t label) const { return module_->blockOfLabel(Id(label)); }
  InstRef def(uint32_t id) const { return module_->def(Id(id)); }

private:
  static std::unique_ptr<Module> read(std::string_view text, spv_target_env env) {
    Result<Module> module = Module::read(assemble(text, env));
    if (!module) {
      ADD_FAILURE() << "test module is refused: " << module.error().message;
      // A module without anything, so that the test can go on to its end.
      module = Module::read({0x07230203, 0x00010500, 0, 1, 0});
    }
    return std::make_unique<Module>(std::move(*module));
  }

  Assumptions assumptions_;
  std::unique_ptr<Module> module_;
  Analyses analyses_;
};

/// What a test of control flow needs before its functions: Kernel, so that flow need not be
/// structured. %1 void, %2 fn(), %3 bool, %4 true, %5 u32, %6 and %7 the constants 0 and 1. Blocks
/// from 100.
inline std::string flowModule(std::string_view functions) {
  return "OpCapability Kernel\nOpCapability Addresses\nOpCapability Linkage\n"
         "OpMemoryModel Physical32 OpenCL\n"
         "%1 = OpTypeVoid\n%2 = OpTypeFunction %1\n%3 = OpTypeBool\n%4 = OpConstantTrue %3\n"
         "%5 = OpTypeInt 32 0\n%6 = OpConstant %5 0\n%7 = OpConstant %5 1\n" +
         std::string(functions);
}

/// The same for structured shaders, with an entry point %90.
inline std::string shaderModule(std::string_view globals, std::string_view body) {
  return "OpCapability Shader\nOpMemoryModel Logical GLSL450\n"
         "OpEntryPoint GLCompute %90 \"main\"\nOpExecutionMode %90 LocalSize 8 4 1\n"
         "%1 = OpTypeVoid\n%2 = OpTypeFunction %1\n%3 = OpTypeBool\n%4 = OpConstantTrue %3\n"
         "%5 = OpTypeInt 32 0\n%6 = OpConstant %5 0\n%7 = OpConstant %5 1\n" +
         std::string(globals) + "%90 = OpFunction %1 None %2\n" + std::string(body) +
         "OpFunctionEnd\n";
}

} // namespace lanewise::test
