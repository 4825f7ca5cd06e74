// A shader run by the interpreter over buffers of 32-bit words, with what it found.
#pragma once

#include "assemble.h"
#include "input/front_end.h"
#include "verify/interpreter/lower/lower_program.h"
#include "verify/interpreter/run/machine.h"

#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <vector>

namespace lanewise::test {

namespace interp = driver::interpreter;

/// GLSL to words, with lines.
inline std::vector<uint32_t> compileGlsl(const std::string& text,
                                         const std::string& environment = "vulkan1.2") {
  driver::LoadOptions options;
  options.env = environment == "vulkan1.0"   ? SPV_ENV_VULKAN_1_0
                : environment == "vulkan1.1" ? SPV_ENV_VULKAN_1_1
                : environment == "vulkan1.3" ? SPV_ENV_VULKAN_1_3
                                             : SPV_ENV_VULKAN_1_2;
  Result<driver::Compiled> compiled =
      driver::compileSource({"test.comp", text, "comp", false}, options);
  if (!compiled || !compiled->errors.empty()) {
    ADD_FAILURE() << "test shader does not compile: "
                  << (compiled ? compiled->errors[0] : compiled.error().message);
    return {};
  }
  return compiled->words;
}

/// One dispatch: binding n of set 0 is buffer n.
struct Interpreted {
  std::vector<std::vector<uint32_t>> buffers;
  std::array<uint32_t, 3> groups{1, 1, 1};
  std::vector<uint32_t> pushConstants;
  interp::MachineOptions options;
  std::vector<bool> startsUnwritten; ///< by buffer
  std::shared_ptr<const interp::Program> program;
  interp::DispatchResult result;

  /// False after a failure.
  bool run(std::vector<uint32_t> words) {
    interp::ProgramOptions how;
    how.subgroupSize = options.subgroupSize;
    Result<std::shared_ptr<const interp::Program>> lowered =
        interp::lowerProgram(std::move(words), how);
    if (!lowered) {
      ADD_FAILURE() << lowered.error().message;
      return false;
    }
    program = *lowered;
    std::vector<interp::BufferMemory> memory;
    std::vector<interp::BufferBinding> bindings;
    std::vector<std::vector<uint8_t>> written(buffers.size());
    for (uint32_t b = 0; b < buffers.size(); ++b) {
      size_t bytes = buffers[b].size() * 4;
      if (b < startsUnwritten.size() && startsUnwritten[b]) written[b].resize(bytes);
      memory.push_back({{reinterpret_cast<uint8_t*>(buffers[b].data()), bytes},
                        "buffer " + std::to_string(b),
                        written[b]});
      bindings.push_back({0, b, 0, b});
    }
    interp::Dispatch what;
    what.program = program.get();
    what.groups = groups;
    what.bindings = bindings;
    what.pushConstants = {reinterpret_cast<const uint8_t*>(pushConstants.data()),
                          pushConstants.size() * 4};
    Result<interp::DispatchResult> done = interp::dispatch(what, memory, options);
    if (!done) {
      ADD_FAILURE() << done.error().message;
      return false;
    }
    result = std::move(*done);
    return true;
  }

  /// Findings as lines, for messages and comparisons.
  std::string findings() const {
    std::string text;
    for (const interp::Finding& f : result.findings) text += interp::describe(*program, f) + "\n";
    return text;
  }
  bool has(interp::FindingKind kind, uint32_t line = 0) const {
    for (const interp::Finding& f : result.findings)
      if (f.kind == kind && (line == 0 || program->location(f.at.site).line == line ||
                             (f.other.site != 0 && program->location(f.other.site).line == line)))
        return true;
    return false;
  }
};

/// All orders in which lanes can be run, with small and large subgroups.
inline std::vector<interp::MachineOptions> allOrders() {
  std::vector<interp::MachineOptions> all;
  for (interp::LaneOrder order :
       {interp::LaneOrder::Forward, interp::LaneOrder::Reverse, interp::LaneOrder::Interleaved,
        interp::LaneOrder::Random, interp::LaneOrder::Alternating})
    for (uint32_t subgroup : {4u, 32u, 128u}) {
      interp::MachineOptions options;
      options.order = order;
      options.subgroupSize = subgroup;
      all.push_back(options);
    }
  return all;
}

} // namespace lanewise::test
