// Runs canonical passes over modules of tests.
#pragma once

#include "analysis/module/analyses.h"
#include "pass.h"

#include <cstdint>
#include <gtest/gtest.h>
#include <string_view>
#include <vector>

namespace lanewise::test {

/// The module behind the passes, which are named by their flags without dashes.
inline std::vector<uint32_t> runPasses(const std::vector<uint32_t>& words,
                                       const std::vector<std::string_view>& passes,
                                       bool isRobust = false, Remarks* allRemarks = nullptr,
                                       std::string_view mode = {}) {
  Result<Module> module = Module::read(words);
  if (!module) {
    ADD_FAILURE() << module.error().message;
    return {};
  }
  const Assumptions assumptions;
  Analyses analyses(*module, assumptions);
  const TargetProfile target;
  Remarks remarks;
  for (std::string_view flag : passes) {
    PassContext context{.module = *module,
                        .analyses = analyses,
                        .target = target,
                        .assumptions = assumptions,
                        .mode = mode,
                        .isRobust = isRobust,
                        .maySite = [](std::string_view) { return true; },
                        .remarks = remarks};
    const PassResult done = runPass(*findPass(flag), context);
    if (!done) ADD_FAILURE() << flag << ": " << done.error().str();
  }
  if (allRemarks) *allRemarks = std::move(remarks);
  return {module->words().begin(), module->words().end()};
}

} // namespace lanewise::test
