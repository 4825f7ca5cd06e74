// The bytes that each command of a plan touches, as the interpreter sees it run.
#pragma once

#include "verify/interpreter/interpreter_runner.h"
#include "verify/program/program.h"
#include "verify/queues/accesses.h"
#include "verify/scenario/scenario.h"

#include <cstdint>
#include <map>
#include <vector>

namespace lanewise::driver {

/// Watches one run of a program and keeps, for each dispatch, the bytes of buffers that it reads
/// and writes.
class FootprintObserver final : public RunObserver {
public:
  /// The buffers' bytes, by number.
  explicit FootprintObserver(std::vector<uint64_t> bytes);

  void atDispatch(uint32_t index) override;
  void beginDispatch(uint32_t shader, const interpreter::Program& code,
                     const std::array<uint32_t, 3>& groups) override;
  void access(const interpreter::AccessEvent& event) override;

  /// By dispatch of the sequence, once the run has ended.
  std::map<uint32_t, CommandAccesses> take();

private:
  void endDispatch();

  std::vector<uint64_t> bytes_;
  std::vector<std::vector<uint8_t>> seen_; ///< by buffer and byte: a set of what was done to it
  const interpreter::Program* code_ = nullptr;
  uint32_t dispatch_ = 0;
  bool isOpen_ = false;
  std::map<uint32_t, CommandAccesses> done_;
};

/// What may be touched by what the shader declares: whole buffers and images.
CommandAccesses declaredAccesses(const Program& program, uint32_t dispatch,
                                 const std::vector<ScenarioBuffer>& buffers);

/// Of all commands of the program's plan. Images are taken whole, and so are all resources of
/// dispatches that `seen` does not know.
AccessTable accessesOf(const Program& program, const std::vector<ScenarioBuffer>& buffers,
                       const std::map<uint32_t, CommandAccesses>& seen);

} // namespace lanewise::driver
