// Test modules are written as SPIR-V assembly: these helpers turn them into words and back, and ask
// the validator, through SPIRV-Tools' public API.
#pragma once

#include <cstdint>
#include <gtest/gtest.h>
#include <span>
#include <spirv-tools/libspirv.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace lanewise::test {

/// The words of an assembly text; numeric ids (%12) keep their number. A text that does not
/// assemble fails the test and gives an empty vector.
inline std::vector<uint32_t> assemble(std::string_view text,
                                      spv_target_env env = SPV_ENV_UNIVERSAL_1_5) {
  spvtools::SpirvTools tools(env);
  std::string log;
  tools.SetMessageConsumer(
      [&log](spv_message_level_t, const char*, const spv_position_t& at, const char* message) {
        log += "line " + std::to_string(at.line + 1) + ": " + message + "\n";
      });
  std::vector<uint32_t> words;
  if (!tools.Assemble(text.data(), text.size(), &words,
                      SPV_TEXT_TO_BINARY_OPTION_PRESERVE_NUMERIC_IDS)) {
    ADD_FAILURE() << "test module does not assemble: " << log;
    words.clear();
  }
  return words;
}

/// Whether the validator accepts the module; the failure message is the validator's.
///   EXPECT_TRUE(validate(words));
inline ::testing::AssertionResult validate(std::span<const uint32_t> words,
                                           spv_target_env env = SPV_ENV_UNIVERSAL_1_5) {
  spvtools::SpirvTools tools(env);
  std::string log;
  tools.SetMessageConsumer([&log](spv_message_level_t, const char*, const spv_position_t&,
                                  const char* message) { log += std::string(message) + "\n"; });
  if (tools.Validate(words.data(), words.size())) return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure() << "invalid module: " << log;
}

/// The assembly text of a module, with numeric ids and without header comments.
inline std::string disassemble(std::span<const uint32_t> words,
                               spv_target_env env = SPV_ENV_UNIVERSAL_1_5) {
  spvtools::SpirvTools tools(env);
  std::string text;
  if (!tools.Disassemble(std::vector<uint32_t>(words.begin(), words.end()), &text,
                         SPV_BINARY_TO_TEXT_OPTION_NO_HEADER))
    ADD_FAILURE() << "module does not disassemble";
  return text;
}

} // namespace lanewise::test
