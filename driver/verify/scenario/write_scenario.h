// A scenario as TOML: the way back from parseScenario().
#pragma once

#include "verify/scenario/scenario.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace lanewise::driver {

/// What a written scenario says beyond a Scenario: types of what that keeps as bytes, and comments.
struct ScenarioTextNotes {
  std::vector<std::string> top;                     ///< lines before everything else
  std::map<uint32_t, ScalarType> specConstantTypes; ///< by SpecId; those left out are integers
  std::map<uint32_t, std::string> specConstants;    ///< comments, by SpecId
  struct Field {
    uint64_t offset = 0;
    ScalarType type = ScalarType::U32;
  };
  std::vector<Field> pushConstantFields;         ///< ascending; bytes between them are padding
  std::map<uint64_t, std::string> pushConstants; ///< comments, by offset
  std::map<std::string, std::string> buffers;    ///< comments, by name of buffer or image
  std::map<std::string, std::map<uint64_t, std::string>> headers; ///< by buffer, then by offset
  std::string groups;                                             ///< of every dispatch
};

/// Reads back as the same scenario. Paths of shaders stand as they are: relative to where the text
/// will lie. Only what a scenario file can say: no rebindings, no fills of generated rounds, no
/// variants, no queues, no indirect dispatches (an Error names what it is).
Result<std::string> writeScenario(const Scenario& scenario, const ScenarioTextNotes& notes);

} // namespace lanewise::driver
