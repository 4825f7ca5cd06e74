#include "recorded/tuning_file.h"

#include "recorded/host_flags.h"
#include "recorded/toml_text.h"
#include "support/files.h"
#include "support/sha256.h"
#include "verify/scenario/scenario_toml.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <set>
#include <tuple>

namespace lanewise::driver {
namespace {

class TuningReader : ScenarioToml {
public:
  explicit TuningReader(const std::string& path) : ScenarioToml(path) {}

  Result<TunedChoices> run(std::string_view text) {
    const toml::table root = parse(text);
    if (error_) return std::move(*error_);
    checkKeys(root, "at the top level", {"choice"});
    forEachTable(root, "choice", "choice", [&](const toml::table& t) { readChoice(t); });
    if (error_) return std::move(*error_);
    return std::move(choices_);
  }

private:
  void readChoice(const toml::table& t) {
    checkKeys(t, "of a choice",
              {"module", "file", "shader", "shape", "device", "driver", "predicted", "host",
               "passes", "skip", "target", "constants", "freeze", "parameters", "groups", "ratio",
               "interval", "output", "required_subgroup_size"});
    TunedChoice c;
    c.module = hash(t, "module");
    c.output = hash(t, "output");
    c.device = requiredString(t, "device", "a choice");
    c.target = requiredString(t, "target", "a choice");
    const auto take = [&](const char* key, std::string& to) {
      if (const toml::node* node = t.get(key)) to = string(*node, key);
    };
    take("file", c.file);
    take("shader", c.shader);
    take("shape", c.shape);
    take("driver", c.driver);
    c.isPredicted = truth(t, "predicted");
    c.freezes = truth(t, "freeze");
    c.passes = strings(t, "passes");
    c.isForHost = truth(t, "host") || std::ranges::any_of(c.passes, mustHostFollow);
    c.skip = strings(t, "skip");
    readNumbers(t, c);
    if (!error_) choices_.push_back(std::move(c));
  }

  void readNumbers(const toml::table& t, TunedChoice& c) {
    forEachEntry(t, "constants", [&](const toml::key& id, const toml::node& value) {
      uint32_t specId = 0;
      const std::string_view digits = id.str();
      const auto [end, wrong] =
          std::from_chars(digits.data(), digits.data() + digits.size(), specId);
      if (wrong != std::errc() || end != digits.data() + digits.size())
        return fail(id.source(), fmt::format("constant `{}`: constants are named by their SpecId, "
                                             "such as `constants = {{ 0 = 64 }}`",
                                             digits));
      c.constants[specId] = uint64_t(integer(value, digits, INT64_MIN, INT64_MAX));
    });
    forEachEntry(t, "parameters", [&](const toml::key& name, const toml::node& value) {
      c.parameters[std::string(name.str())] = integer(value, name.str(), INT64_MIN, INT64_MAX);
    });
    if (const toml::node* node = t.get("groups")) readGroups(*node, c);
    if (const toml::node* node = t.get("required_subgroup_size"))
      c.subgroupSize = subgroupSize(*node, "required_subgroup_size", kMinSubgroupSize);
    if (const toml::node* node = t.get("ratio")) c.ratio = nonNegative(*node, "ratio");
    c.low = c.high = c.ratio;
    const toml::node* node = t.get("interval");
    const toml::array* interval = node ? node->as_array() : nullptr;
    if (node && (!interval || interval->size() != 2))
      return fail(*node, "`interval` must be a list of two numbers");
    if (!interval) return;
    c.low = nonNegative((*interval)[0], "interval");
    c.high = nonNegative((*interval)[1], "interval");
  }

  void readGroups(const toml::node& node, TunedChoice& c) {
    const toml::array* list = node.as_array();
    for (size_t n = 0; list && n < list->size(); ++n) {
      const toml::array* counts = (*list)[n].as_array();
      std::array<uint32_t, 3> groups{};
      if (!counts || counts->size() != groups.size()) list = nullptr;
      for (size_t i = 0; list && i < groups.size(); ++i)
        groups[i] = uint32_t(integer((*counts)[i], "groups", 0, UINT32_MAX));
      c.groups.push_back(groups);
    }
    if (!list) fail(node, "`groups` must be a list of lists of three integers");
  }

  std::string hash(const toml::table& t, const char* key) {
    const std::string text = requiredString(t, key, "a choice");
    if (!error_ && (!isBeginningOfHex(text) || text.size() != kHexDigits))
      fail(*t.get(key),
           fmt::format("`{}` must be the {} digits of a SHA-256 in lower case", key, kHexDigits));
    return text;
  }

  bool truth(const toml::table& t, const char* key) {
    const toml::node* node = t.get(key);
    if (!node) return false;
    if (!node->is_boolean()) fail(*node, fmt::format("`{}` must be true or false", key));
    return node->value_exact<bool>().value_or(false);
  }

  std::vector<std::string> strings(const toml::table& t, const char* key) {
    std::vector<std::string> all;
    const toml::node* node = t.get(key);
    if (!node) return all;
    const toml::array* list = node->as_array();
    if (!list) fail(*node, fmt::format("`{}` must be a list of strings", key));
    for (size_t n = 0; list && n < list->size(); ++n) all.push_back(string((*list)[n], key));
    return all;
  }

  TunedChoices choices_;
};

std::string listText(const std::vector<std::string>& texts) {
  std::string text;
  for (const std::string& one : texts) text += (text.empty() ? "" : ", ") + tomlText(one);
  return "[" + text + "]";
}

std::string tomlOf(const TunedChoice& c) {
  std::string text = "\n[[choice]]\n";
  const auto add = [&](const char* key, const std::string& value) {
    if (!value.empty()) text += fmt::format("{} = {}\n", key, tomlText(value));
  };
  add("module", c.module);
  add("file", c.file);
  add("shader", c.shader);
  add("shape", c.shape);
  add("device", c.device);
  add("driver", c.driver);
  if (c.isPredicted) text += "predicted = true\n";
  if (c.isForHost) text += "host = true\n";
  text += fmt::format("passes = {}\n", listText(c.passes));
  if (!c.skip.empty()) text += fmt::format("skip = {}\n", listText(c.skip));
  add("target", c.target);
  std::string constants, parameters, groups;
  for (const auto& [id, bits] : c.constants)
    constants += fmt::format("{}{} = {}", constants.empty() ? "" : ", ", id, int64_t(bits));
  for (const auto& [name, value] : c.parameters)
    parameters += fmt::format("{}{} = {}", parameters.empty() ? "" : ", ", name, value);
  for (const auto& group : c.groups)
    groups += fmt::format("{}[{}]", groups.empty() ? "" : ", ", fmt::join(group, ", "));
  if (!constants.empty()) text += fmt::format("constants = {{ {} }}\n", constants);
  if (c.freezes) text += "freeze = true\n";
  if (!parameters.empty()) text += fmt::format("parameters = {{ {} }}\n", parameters);
  if (!groups.empty()) text += fmt::format("groups = [{}]\n", groups);
  if (c.subgroupSize != 0) text += fmt::format("required_subgroup_size = {}\n", c.subgroupSize);
  text += fmt::format("ratio = {:.4f}\ninterval = [{:.4f}, {:.4f}]\n", c.ratio, c.low, c.high);
  add("output", c.output);
  return text;
}

auto keyOf(const TunedChoice& c) {
  return std::tie(c.module, c.shader, c.shape, c.device, c.driver, c.isPredicted, c.isForHost);
}

bool isSamePlan(const TunedChoice& a, const TunedChoice& b) {
  return std::tie(a.passes, a.skip, a.constants, a.freezes, a.parameters, a.subgroupSize) ==
         std::tie(b.passes, b.skip, b.constants, b.freezes, b.parameters, b.subgroupSize);
}

bool holds(std::string_view text, std::string_view part) {
  const auto same = [](char a, char b) {
    return std::tolower(uint8_t(a)) == std::tolower(uint8_t(b));
  };
  return std::search(text.begin(), text.end(), part.begin(), part.end(), same) != text.end();
}

// Whether the choice is one of those that the command line leaves.
bool isLeftBy(const TuningChoice& tuning, const TunedChoice& c) {
  return holds(c.device, tuning.device) && (tuning.shape.empty() || c.shape == tuning.shape) &&
         (tuning.shader.empty() || c.shader == tuning.shader);
}

} // namespace

bool TunedChoice::hasKeyOf(const TunedChoice& other) const {
  return keyOf(*this) == keyOf(other);
}

Result<TunedChoices> parseTuning(std::string_view text, const std::string& path) {
  return TuningReader(path).run(text);
}

Result<TunedChoices> readTuning(const std::string& path) {
  Result<std::string> text = readFile(path);
  if (!text) return failure(fmt::format("{}: {}", path, text.error().message));
  return parseTuning(*text, path);
}

std::string asToml(TunedChoices choices) {
  std::ranges::sort(choices, [](const auto& a, const auto& b) { return keyOf(a) < keyOf(b); });
  std::string text = "# Written by lanewise tune; opt and batch take it with --tuning.\n";
  for (const TunedChoice& choice : choices) text += tomlOf(choice);
  return text;
}

void merge(TunedChoices& choices, const TunedChoices& added) {
  for (const TunedChoice& one : added) {
    std::erase_if(choices, [&](const TunedChoice& c) { return c.hasKeyOf(one); });
    choices.push_back(one);
  }
}

std::vector<std::string> TuningChoice::files() const {
  std::vector<std::string> files;
  if (isGiven()) files.push_back(path);
  for (const auto& [name, target] : targets)
    if (name.ends_with(".toml")) files.push_back(name);
  return files;
}

std::vector<std::string> devicesFor(const TuningChoice& tuning, std::span<const uint32_t> words) {
  const std::string module = hexOf(sha256(bytesOf(words)));
  std::set<std::string> devices;
  for (const TunedChoice& c : *tuning.choices)
    if (c.module == module && isLeftBy(tuning, c)) devices.insert(c.device);
  return {devices.begin(), devices.end()};
}

std::string fileNameOfDevice(std::string_view device) {
  std::string name;
  for (const char c : device)
    if (std::isalnum(uint8_t(c)))
      name += char(std::tolower(uint8_t(c)));
    else if (!name.empty() && name.back() != '-')
      name += '-';
  while (name.ends_with('-')) name.pop_back();
  return name.empty() ? "device" : name;
}

TunedMatch findTuned(const TuningChoice& tuning, std::span<const uint32_t> words) {
  const std::string module = hexOf(sha256(bytesOf(words)));
  std::vector<const TunedChoice*> found;
  bool isKnown = false, needsHost = false;
  for (const TunedChoice& c : *tuning.choices) {
    if (c.module != module) continue;
    isKnown = true;
    if (!isLeftBy(tuning, c)) continue;
    needsHost |= c.isForHost;
    if (c.isForHost == tuning.isHostAsked) found.push_back(&c);
  }
  const auto isOfOther = [&](const auto* c) { return c->device != tuning.device; };
  if (!std::ranges::all_of(found, isOfOther)) std::erase_if(found, isOfOther);
  if (std::ranges::any_of(found, [](const auto* c) { return !c->isPredicted; }))
    std::erase_if(found, [](const auto* c) { return c->isPredicted; });
  if (found.empty())
    return {nullptr, !isKnown    ? fmt::format("{} has no choice for this module", tuning.path)
                     : needsHost ? fmt::format("{} has only a choice that the host must follow; "
                                               "--tuning-host applies it",
                                               tuning.path)
                                 : fmt::format("{} has this module, but not for such a device, "
                                               "shape, shader or host",
                                               tuning.path)};
  const TunedChoice& first = *found.front();
  for (const TunedChoice* other : found)
    if (!isSamePlan(first, *other))
      return {
          nullptr,
          fmt::format("{} has several choices for this module, of which '{}', shape '{}', shader "
                      "'{}', and '{}', shape '{}', shader '{}', differ; --tuning-device, "
                      "--tuning-shape and --tuning-shader pick one",
                      tuning.path, first.device, first.shape, first.shader, other->device,
                      other->shape, other->shader)};
  return {&first, fmt::format("{} on {}: {:.3f} of the original's time ({:.3f} - {:.3f})",
                              first.isPredicted ? "predicted" : "measured", first.device,
                              first.ratio, first.low, first.high)};
}

} // namespace lanewise::driver
