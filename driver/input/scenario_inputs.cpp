#include "input/scenario_inputs.h"

#include "support/failure.h"
#include "support/files.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <filesystem>
#include <fmt/format.h>
#include <set>

namespace lanewise::driver {

namespace fs = std::filesystem;

Status parseLoadOptions(const std::string& kind, const std::vector<std::string>& defines,
                        LoadOptions& options) {
  if (!kind.empty()) {
    options.kind = parseInputKind(kind);
    if (!options.kind)
      return failure(fmt::format("-x {}: unknown kind; it is spv, spvasm, glsl or hlsl", kind));
  }
  for (const std::string& define : defines) {
    size_t equals = define.find('=');
    if (equals == 0 || define.empty())
      return failure(fmt::format("-D {}: a macro needs a name", define));
    options.defines.emplace_back(define.substr(0, equals),
                                 equals == std::string::npos ? "1" : define.substr(equals + 1));
  }
  return ok();
}

Result<std::pair<uint32_t, uint64_t>> parseSpecConstant(const std::string& text) {
  Error bad =
      failure(fmt::format("--spec-const={} must be ID:VALUE, such as 0:64, 1:0x10, 2:-3, 3:1.5 or "
                          "4:true",
                          text));
  size_t colon = text.find(':');
  if (colon == std::string::npos) return bad;
  uint32_t id = 0;
  auto [idEnd, idError] = std::from_chars(text.data(), text.data() + colon, id);
  if (idError != std::errc() || idEnd != text.data() + colon) return bad;

  std::string value = text.substr(colon + 1);
  if (value == "true" || value == "false") return std::pair(id, uint64_t(value == "true"));
  bool isNegative = value.starts_with('-');
  std::string digits = value.substr(isNegative);
  bool isHex = digits.starts_with("0x") || digits.starts_with("0X");
  if (isHex) digits.erase(0, 2);
  if (digits.empty()) return bad;
  uint64_t magnitude = 0;
  const char* end = digits.data() + digits.size();
  auto [next, error] = std::from_chars(digits.data(), end, magnitude, isHex ? 16 : 10);
  bool isWhole = next == end;
  if (isWhole && error != std::errc()) return bad; // more than 64 bits
  if (isWhole) {
    if (isNegative && magnitude > uint64_t(INT64_MAX) + 1) return bad;
    return std::pair(id, isNegative ? uint64_t(0) - magnitude : magnitude);
  }
  if (isHex) return bad;
  if (digits.ends_with('f')) digits.pop_back();
  float number = 0;
  end = digits.data() + digits.size();
  auto [floatEnd, floatError] = std::from_chars(digits.data(), end, number);
  if (floatError != std::errc() || floatEnd != end || digits.find_first_of("0123456789") != 0)
    return bad;
  return std::pair(id, uint64_t(std::bit_cast<uint32_t>(isNegative ? -number : number)));
}

Result<std::array<uint32_t, 3>> parseWorkgroupSize(const std::string& text) {
  std::array<uint32_t, 3> size{1, 1, 1};
  Error bad =
      failure(fmt::format("--workgroup-size={} must be X,Y,Z with whole numbers from 1 to {}", text,
                          kMaxWorkgroupSize));
  const char* at = text.data();
  const char* end = at + text.size();
  for (size_t i = 0; i < 3; ++i) {
    auto [next, error] = std::from_chars(at, end, size[i]);
    if (error != std::errc() || size[i] < 1 || size[i] > kMaxWorkgroupSize) return bad;
    at = next;
    if (i < 2 && at != end) {
      if (*at++ != ',') return bad;
    } else if (i < 2) {
      return bad;
    }
  }
  if (at != end) return bad;
  return size;
}

Result<Assumptions> parseAssumptions(const std::vector<std::string>& specConstants,
                                     const std::string& workgroupSize) {
  Assumptions assumptions;
  for (const std::string& text : specConstants) {
    Result<std::pair<uint32_t, uint64_t>> constant = parseSpecConstant(text);
    if (!constant) return constant.error();
    assumptions.specConstants[constant->first] = constant->second;
  }
  if (workgroupSize.empty()) return assumptions;
  Result<std::array<uint32_t, 3>> size = parseWorkgroupSize(workgroupSize);
  if (!size) return size.error();
  assumptions.workgroupSize = *size;
  return assumptions;
}

Result<Words> loadShader(const std::string& path, LoadOptions options,
                         const ScenarioShader* described, Lines lines) {
  if (described) {
    // Macros of the command line go before the scenario's.
    for (const auto& [name, value] : described->defines)
      if (std::none_of(options.defines.begin(), options.defines.end(),
                       [&](const auto& given) { return given.first == name; }))
        options.defines.emplace_back(name, value);
    if (described->entry != "main") options.entry = described->entry;
  }
  LoadError error;
  std::optional<LoadedModule> module = loadModule(path, options, error);
  if (!module) return failure(error.lines.empty() ? path + ": cannot be loaded" : error.lines[0]);
  if (module->isSource() && lines == Lines::Strip) return stripLines(module->words);
  return std::move(module->words);
}

Result<const ScenarioShader*> shaderFor(const Scenario& scenario, const std::string& name,
                                        const std::string& input) {
  std::vector<std::string> names;
  for (const ScenarioShader& shader : scenario.shaders) names.push_back(shader.name);
  if (!name.empty()) {
    if (const ScenarioShader* named = scenario.findShader(name)) return named;
    return failure(fmt::format("{}: there is no shader `{}`; its shaders are {}", scenario.path,
                               name, fmt::join(names, ", ")));
  }
  std::vector<const ScenarioShader*> found;
  auto collect = [&](auto&& isWanted) {
    if (found.empty())
      for (const ScenarioShader& shader : scenario.shaders)
        if (isWanted(shader)) found.push_back(&shader);
  };
  std::set<std::string> used;
  for (const ScenarioDispatch& dispatch : scenario.dispatches) used.insert(dispatch.shader);
  collect([&](const ScenarioShader& s) { return isSameFile(s.path, input); });
  collect(
      [&](const ScenarioShader& s) { return fs::path(s.path).stem() == fs::path(input).stem(); });
  collect([&](const ScenarioShader& s) { return used.count(s.name) != 0; });
  if (found.size() == 1) return found[0];
  return failure(fmt::format("{}: which shader {} stands for is not clear; give --shader=NAME, one "
                             "of {}",
                             scenario.path, input, fmt::join(names, ", ")));
}

} // namespace lanewise::driver
