// A shader run by the interpreter while a profile is counted.
#pragma once

#include "interpreted.h"
#include "verify/interpreter/lower/lower_program.h"
#include "verify/profile/profile_observer.h"

#include <map>
#include <vector>

namespace lanewise::test {

/// Every dispatch adds to `counts`. Lines are those of the GLSL.
struct Profiled {
  std::shared_ptr<const interp::Program> program;
  TargetProfile target;
  std::map<uint32_t, driver::SiteCounts> counts;
  interp::MachineOptions options;           ///< but its subgroup size and observer
  interp::Observer* alsoObserves = nullptr; ///< sees the same events

  Profiled(std::vector<uint32_t> words, TargetProfile on) : target(std::move(on)) {
    Result<std::shared_ptr<const interp::Program>> lowered =
        interp::lowerProgram(std::move(words), {"", {}, target.sharedRules()});
    if (!lowered)
      ADD_FAILURE() << lowered.error().message;
    else
      program = std::move(*lowered);
  }

  /// Binding n of set 0 is buffer n.
  void dispatch(std::vector<std::vector<uint8_t>> buffers, std::array<uint32_t, 3> groups,
                std::vector<uint32_t> pushConstants = {}) {
    std::vector<interp::BufferMemory> memory;
    std::vector<interp::BufferBinding> bindings;
    for (uint32_t b = 0; b < buffers.size(); ++b) {
      memory.push_back({buffers[b], "buffer", {}});
      bindings.push_back({0, b, 0, b});
    }
    driver::ProfileObserver observer(*program, target, std::vector<bool>(buffers.size(), true),
                                     counts);
    Both both{observer, alsoObserves};
    options.subgroupSize = target.subgroupSize;
    options.observer = &both;
    auto push = reinterpret_cast<const uint8_t*>(pushConstants.data());
    auto done = interp::dispatch(
        {program.get(), groups, bindings, {push, pushConstants.size() * 4}}, memory, options);
    ASSERT_TRUE(done) << done.error().message;
    EXPECT_TRUE(done->ended);
    EXPECT_EQ(observer.workgroups(), uint64_t(groups[0]) * groups[1] * groups[2]);
  }

private:
  struct Both final : interp::Observer {
    Both(interp::Observer& a, interp::Observer* b) : first(a), second(b) {}
    void access(const interp::AccessEvent& event) override {
      first.access(event);
      if (second) second->access(event);
    }
    void branch(const interp::BranchEvent& event) override {
      first.branch(event);
      if (second) second->branch(event);
    }
    void barrier(uint32_t workgroup, uint32_t site, uint32_t arrivals, uint32_t lanes) override {
      first.barrier(workgroup, site, arrivals, lanes);
    }
    void endWorkgroup(uint32_t workgroup) override { first.endWorkgroup(workgroup); }
    interp::Observer& first;
    interp::Observer* second;
  };
};

} // namespace lanewise::test
