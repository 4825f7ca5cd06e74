// Modules that run one after the other over the same buffers: as they are asked for, and as they
// run once they are fitted to a scenario (bind_program).
#pragma once

#include "lanewise/buffer_layout.h"
#include "verify/program/reflect.h"
#include "verify/scenario/scenario.h"

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace lanewise::driver {

using Words = std::vector<uint32_t>;

/// A shader of the scenario in its two forms. When both are the same module it takes part
/// unchanged.
struct ShaderPair {
  std::string name; ///< the scenario's name for it, or the entry point without a scenario
  Words original, transformed;
};

/// A whole program: a module for each of the scenario's shaders that its dispatches name.
struct ProgramVariant {
  std::string name;                     ///< its row in the report
  std::map<std::string, Words> modules; ///< by the scenario's name of the shader
  /// Empty: the scenario's dispatches. A rival may have dispatches of its own.
  std::vector<ScenarioDispatch> dispatches;
  bool compare = true; ///< false: only timed, such as a copy of the same bytes
  /// How its modules see buffers that the scenario lays out otherwise; empty: as the scenario does.
  /// Inputs are packed and outputs unpacked, so that what is compared is what the host sees.
  LayoutManifest layouts = {};
  /// Above 0: the host waits for the device after so many dispatches, and what is timed is the
  /// host's time. 0: all is recorded at once.
  uint32_t submitEvery = 0;
  /// The commands of a scenario with queues, all on one queue in an order that it allows.
  bool isOnOneQueue = false;
};

struct ProgramShader {
  std::string name; ///< the scenario's
  Words words;
  std::map<uint32_t, uint64_t> specConstants;
  Reflection reflection;
  std::string madeOf = {};   ///< as of ScenarioShader
  uint32_t subgroupSize = 0; ///< that its pipeline requires; 0: what the driver chooses
};

struct ProgramDispatch {
  uint32_t shader = 0;                     ///< index into Program::shaders
  std::array<uint32_t, 3> groups{1, 1, 1}; ///< {0, 0, 0} where `indirect` says
  struct Binding {
    uint32_t set = 0, binding = 0, buffer = 0;
    uint32_t element = 0; ///< of an array of descriptors
    bool operator==(const Binding&) const = default;
  };
  std::vector<Binding> bindings;      ///< one for each descriptor of the shader's bindings
  std::vector<uint8_t> pushConstants; ///< as many bytes as the shader declares
  struct Indirect {
    uint32_t buffer = 0;
    uint64_t offset = 0; ///< bytes
    bool operator==(const Indirect&) const = default;
  };
  std::optional<Indirect> indirect = {};
  bool operator==(const ProgramDispatch&) const = default;
};

/// A checked program: whoever makes one has seen that bindings and constants fit the shaders.
struct Program {
  std::string name;
  std::vector<ProgramShader> shaders;
  std::vector<ProgramDispatch> dispatches;
  uint32_t repeat = 1;
  uint32_t submitEvery = 0;              ///< ProgramVariant::submitEvery
  std::vector<SequenceCopy> copies = {}; ///< of the sequence, in order
  std::optional<QueuePlan> queues = {};  ///< the same on queues, as Scenario::queues
};

} // namespace lanewise::driver
