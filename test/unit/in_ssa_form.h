// GLSL as the passes like to read it: local variables in SSA form.
#pragma once

#include "interpreted.h"

#include <spirv-tools/optimizer.hpp>
#include <string>
#include <vector>

namespace lanewise::test {

/// Compiled for vulkan1.2; with `inlines`, what functions there are is part of main.
inline std::vector<uint32_t> inSsaForm(const std::string& glsl, bool inlines) {
  spvtools::Optimizer optimizer(SPV_ENV_VULKAN_1_2);
  if (inlines)
    optimizer.RegisterPass(spvtools::CreateInlineExhaustivePass())
        .RegisterPass(spvtools::CreateEliminateDeadFunctionsPass());
  optimizer.RegisterPass(spvtools::CreateSSARewritePass());
  const std::vector<uint32_t> words = compileGlsl(glsl);
  std::vector<uint32_t> result;
  if (!optimizer.Run(words.data(), words.size(), &result))
    ADD_FAILURE() << "no SSA form of\n" << glsl;
  return result;
}

} // namespace lanewise::test
