// [tunable] and `constraints` of a scenario: which parameters `lanewise tune` may change, and what
// must hold of them (docs/tune.md). Only scenario.cpp includes this.
#pragma once

#include "verify/scenario/queue_keys.h"

namespace lanewise::driver {

class TunablesToml : protected QueueKeys {
protected:
  using QueueKeys::QueueKeys;

  // The parameters have the values of the file and of its size.
  std::vector<Tunable> readTunables(const toml::table& root) {
    std::vector<Tunable> tunables;
    std::vector<std::string> known;
    for (const auto& [name, value] : parameters_) known.push_back(name);
    forEachEntry(root, "tunable", [&](const toml::key& name, const toml::node& node) {
      Tunable tunable{std::string(name.str()), {}};
      const auto parameter = parameters_.find(tunable.name);
      if (parameter == parameters_.end())
        return failUnknown(name.source(), "parameter", tunable.name, known);
      if (const toml::array* list = node.as_array())
        for (const toml::node& value : *list) addValue(value, tunable);
      else
        addRange(node, tunable);
      if (!error_ && std::ranges::find(tunable.values, parameter->second) == tunable.values.end())
        fail(node, fmt::format("`{}` is {} in [parameters] or in the size that was chosen, which "
                               "is none of the values to try; add it",
                               tunable.name, parameter->second));
      tunables.push_back(std::move(tunable));
    });
    return tunables;
  }

  // The first of `constraints` that the parameters do not meet; "" where they meet all.
  std::string findUnmet(const toml::table& root, bool mustBeMet) {
    const toml::node* node = root.get("constraints");
    if (!node || error_) return {};
    const toml::array* list = node->as_array();
    if (!list) {
      fail(*node, "`constraints` must be a list of comparisons such as \"n % wg == 0\"");
      return {};
    }
    std::string unmet;
    for (const toml::node& entry : *list) {
      const std::string text = string(entry, "constraints");
      if (error_) return {};
      const Result<bool> holds = evaluateCondition(text, parameters_);
      if (!holds) fail(entry, fmt::format("`constraints`: {}", holds.error().message));
      if (holds && !*holds && unmet.empty()) unmet = text;
      if (holds && !*holds && mustBeMet)
        fail(entry, fmt::format("`{}` does not hold for the values in [parameters]", text));
    }
    return unmet;
  }

private:
  static constexpr size_t kMostValues = 1024; // of one parameter

  void addValue(const toml::node& node, Tunable& to) {
    const int64_t value = integer(node, to.name, std::numeric_limits<int64_t>::min(),
                                  std::numeric_limits<int64_t>::max());
    if (std::ranges::find(to.values, value) == to.values.end()) to.values.push_back(value);
    if (to.values.size() > kMostValues)
      fail(node, fmt::format("`{}` has more than {} values", to.name, kMostValues));
  }

  // { from = 32, to = 512, step = 32 }, or `times = 2`.
  void addRange(const toml::node& node, Tunable& to) {
    const toml::table* range = node.as_table();
    if (!range) {
      fail(node, fmt::format("`{}` must be a list of integers, or a range such as {{ from = 32, to "
                             "= 512, times = 2 }}",
                             to.name));
      return;
    }
    checkKeys(*range, "of a range", {"from", "to", "step", "times"});
    const bool multiplies = range->get("times") != nullptr;
    if (multiplies == (range->get("step") != nullptr))
      return fail(node, "a range has either `step` or `times`");
    const int64_t most = std::numeric_limits<int32_t>::max();
    const auto of = [&](const char* key, int64_t low) {
      const toml::node* value = required(*range, key, "a range");
      return value ? integer(*value, key, low, most) : low;
    };
    const int64_t first = of("from", multiplies ? 1 : -most), last = of("to", first);
    const int64_t by = multiplies ? of("times", 2) : of("step", 1);
    for (int64_t value = first; !error_ && value <= last;
         value = multiplies ? value * by : value + by) {
      to.values.push_back(value);
      if (to.values.size() > kMostValues)
        fail(node, fmt::format("`{}` has more than {} values", to.name, kMostValues));
    }
  }
};

} // namespace lanewise::driver
