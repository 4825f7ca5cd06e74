// What `lanewise tune` writes: which passes are fastest for a module on a device (docs/tune.md).
#pragma once

#include "lanewise/result.h"
#include "lanewise/target_profile.h"

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace lanewise::driver {

/// One [[choice]]: what is fastest for a module on a device, at one size of its work. A scenario
/// may use a module as several shaders, with other constants.
struct TunedChoice {
  std::string module; ///< SHA-256 of the SPIR-V, without lines where it was compiled from source
  std::string file;   ///< for people: where it is
  std::string shader; ///< the scenario's name of it
  std::string shape;  ///< --size of the scenario; "" for its own parameters
  std::string device, driver;
  bool isPredicted = false; ///< by a compiler alone, not measured
  /// The host must follow: `freezes`, `parameters` and `groups` say how. Applied only where that is
  /// asked for.
  bool isForHost = false;

  std::vector<std::string> passes; ///< flags of opt, in order; none: the module stays as it is
  std::vector<std::string> skip;   ///< PASS:GLOB, as --skip takes them
  std::string target;              ///< the built-in profile that the passes counted with
  /// SpecId -> bits that the passes counted with; of one for the host those that it must use.
  std::map<uint32_t, uint64_t> constants;
  bool freezes = false; ///< the constants are fixed in the module
  /// Of the scenario, with their values: those that were chosen.
  std::map<std::string, int64_t> parameters;
  std::vector<std::array<uint32_t, 3>> groups; ///< of the module's dispatches, in order
  uint32_t subgroupSize = 0;                   ///< that the pipeline requires; 0: none

  /// Time / time of the original, and the bounds of its 95% interval; of a prediction all the same.
  double ratio = 1, low = 1, high = 1;
  std::string output; ///< SHA-256 of the module that was measured

  /// Whether both are about the same, so that the later one stands for it.
  bool hasKeyOf(const TunedChoice& other) const;
};

using TunedChoices = std::vector<TunedChoice>;

/// The error is one line with the place in the file. Unknown keys are errors.
Result<TunedChoices> readTuning(const std::string& path);
/// The same for text; `path` names it in errors.
Result<TunedChoices> parseTuning(std::string_view text, const std::string& path);
/// The whole file, in an order that does not depend on that of the choices.
std::string asToml(TunedChoices choices);
/// `added` go before those of the same key.
void merge(TunedChoices& choices, const TunedChoices& added);

/// The choice of a command line: --tuning and what picks from the file.
struct TuningChoice {
  std::string path;   ///< "" when not given
  std::string device; ///< part of its name; "" for any
  std::string shape;  ///< "" for any
  std::string shader; ///< "" for any
  bool isHostAsked = false;
  std::shared_ptr<const TunedChoices> choices;
  std::map<std::string, TargetProfile> targets; ///< by name, those of `choices`
  bool isGiven() const { return choices != nullptr; }
  /// What it was read from: the file itself, and those of targets.
  std::vector<std::string> files() const;
};

/// What the file has for a module.
struct TunedMatch {
  const TunedChoice* choice = nullptr; ///< null: nothing is to be applied
  std::string why;                     ///< one sentence: where it comes from, or why there is none
};

/// The devices of the file that have a choice for the module of these words, of those that `tuning`
/// picks; in alphabetical order.
std::vector<std::string> devicesFor(const TuningChoice& tuning, std::span<const uint32_t> words);

/// For names of files: "NVIDIA H200" is "nvidia-h200".
std::string fileNameOfDevice(std::string_view device);

/// The choice for the module of these words. With several devices that were not told apart, one
/// that they all agree on counts; else there is none. A device of just that name goes before one
/// that has it in its name, and a measured one before a predicted one.
TunedMatch findTuned(const TuningChoice& tuning, std::span<const uint32_t> words);

} // namespace lanewise::driver
