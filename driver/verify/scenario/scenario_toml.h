// What readers of scenarios and of recorded pipelines share: errors with their place, and values of
// every kind. Only these two include this, because toml++ takes its time to compile.
#pragma once

#include "lanewise/target_profile.h"
#include "support/failure.h"
#include "support/suggest.h"
#include "verify/scenario/expression.h"
#include "verify/scenario/scenario.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <filesystem>
#include <fmt/format.h>
#include <initializer_list>
#include <limits>
#include <optional>
#include <string>
#include <toml++/toml.h>
#include <vector>

namespace lanewise::driver {

inline std::string_view typeName(const toml::node& node) {
  switch (node.type()) {
  case toml::node_type::table:
    return "a table";
  case toml::node_type::array:
    return "an array";
  case toml::node_type::string:
    return "a string";
  case toml::node_type::integer:
    return "an integer";
  case toml::node_type::floating_point:
    return "a float";
  case toml::node_type::boolean:
    return "a boolean";
  default:
    return "a date or time";
  }
}

// The first error wins; after it every function returns a default at once, so that the code of a
// reader reads straight on.
class ScenarioToml {
protected:
  ScenarioToml(const std::string& path)
      : path_(path), folder_(std::filesystem::path(path).parent_path()) {}

  // ----- errors -----

  void fail(const toml::source_region& at, std::string what) {
    if (error_) return;
    error_ = failure(fmt::format("{}:{}:{}: {}", path_, at.begin.line, at.begin.column, what));
  }
  void fail(const toml::node& at, std::string what) { fail(at.source(), std::move(what)); }

  void failUnknown(const toml::source_region& at, std::string_view kind, std::string_view word,
                   const std::vector<std::string>& known) {
    std::string near = nearest(word, known);
    fail(at, near.empty()
                 ? fmt::format("{} `{}` is unknown; it is one of {}", kind, word,
                               known.empty() ? "none" : fmt::format("{}", fmt::join(known, ", ")))
                 : fmt::format("{} `{}` is unknown; did you mean `{}`?", kind, word, near));
  }

  // The file; empty where it is not TOML.
  toml::table parse(std::string_view text) {
    toml::parse_result parsed = toml::parse(text, path_);
    if (parsed) return std::move(parsed).table();
    fail(parsed.error().source(), fmt::format("not valid TOML: {}", parsed.error().description()));
    return {};
  }

  void checkKeys(const toml::table& table, std::string_view where,
                 std::initializer_list<const char*> allowed) {
    std::vector<std::string> known(allowed.begin(), allowed.end());
    for (auto&& [key, value] : table)
      if (std::find(known.begin(), known.end(), key.str()) == known.end())
        failUnknown(key.source(), fmt::format("key {}", where), key.str(), known);
  }

  // ----- values -----

  const toml::node* required(const toml::table& table, const char* key, std::string_view where) {
    const toml::node* node = table.get(key);
    if (!node) fail(table, fmt::format("key `{}` is missing in {}", key, where));
    return node;
  }

  std::string string(const toml::node& node, std::string_view key) {
    if (auto value = node.value_exact<std::string>()) return *value;
    fail(node, fmt::format("`{}` must be a string, not {}", key, typeName(node)));
    return {};
  }

  std::string requiredString(const toml::table& table, const char* key, std::string_view where) {
    const toml::node* node = required(table, key, where);
    std::string value = node ? string(*node, key) : std::string();
    if (node && value.empty()) fail(*node, fmt::format("`{}` must not be empty", key));
    return value;
  }

  // Integers may be given as an expression in a string.
  /// A required subgroup size: a power of two (Vulkan:
  /// VkPipelineShaderStageRequiredSubgroupSize...).
  uint32_t subgroupSize(const toml::node& node, std::string_view key, uint32_t low) {
    const int64_t size = integer(node, key, low, kMaxSubgroupSize);
    if (!std::has_single_bit(uint64_t(size)))
      fail(node, fmt::format("`{}` is {}; it must be a power of two", key, size));
    return uint32_t(size);
  }

  int64_t integer(const toml::node& node, std::string_view key, int64_t low, int64_t high) {
    int64_t value = 0;
    if (auto exact = node.value_exact<int64_t>()) {
      value = *exact;
    } else if (auto text = node.value_exact<std::string>()) {
      Result<int64_t> evaluated = evaluateExpression(*text, parameters_);
      if (!evaluated) {
        fail(node, fmt::format("`{}`: {}", key, evaluated.error().message));
        return low;
      }
      value = *evaluated;
    } else {
      fail(node, fmt::format("`{}` must be an integer or an expression such as \"width*height\", "
                             "not {}",
                             key, typeName(node)));
      return low;
    }
    if (value < low || value > high) {
      fail(node, fmt::format("`{}` is {}; it must be between {} and {}", key, value, low, high));
      return low;
    }
    return value;
  }

  double number(const toml::node& node, std::string_view key) {
    if (auto real = node.value_exact<double>()) return *real;
    constexpr int64_t kMostExact = int64_t(1) << 53; // beyond, doubles leave integers out
    if (node.is_integer() || node.is_string())
      return double(integer(node, key, -kMostExact, kMostExact));
    fail(node, fmt::format("`{}` must be a number, not {}", key, typeName(node)));
    return 0;
  }

  double nonNegative(const toml::node& node, std::string_view key) {
    double value = number(node, key);
    if (!(value >= 0) || std::isinf(value))
      fail(node, fmt::format("`{}` must be a finite number of at least 0", key));
    return value;
  }

  // "f32", "u32x4": appends the scalars.
  void appendType(const toml::node& node, std::string_view key, std::vector<ScalarType>& to) {
    std::string text = string(node, key);
    if (error_) return;
    std::string_view scalar = text;
    uint32_t components = 1;
    size_t x = text.find('x');
    if (x != std::string::npos) {
      scalar = scalar.substr(0, x);
      std::string_view digits = std::string_view(text).substr(x + 1);
      components = digits.size() == 1 && digits[0] >= '2' && digits[0] <= '4'
                       ? uint32_t(digits[0] - '0')
                       : 0;
    }
    std::optional<ScalarType> type;
    for (uint32_t t = 0; t <= uint32_t(ScalarType::F64); ++t)
      if (nameOf(ScalarType(t)) == scalar) type = ScalarType(t);
    if (!type || components == 0) {
      fail(node, fmt::format("`{}`: type `{}` is unknown; a type is one of i8, u8, i16, u16, f16, "
                             "i32, u32, f32, i64, u64, f64, or a vector of 2 to 4 such as f32x4",
                             key, text));
      return;
    }
    to.insert(to.end(), components, *type);
  }

  std::vector<ScalarType> elementType(const toml::node& node, std::string_view key) {
    std::vector<ScalarType> scalars;
    if (const toml::array* list = node.as_array()) {
      for (const toml::node& member : *list) appendType(member, key, scalars);
      if (list->empty()) fail(node, fmt::format("`{}` must not be an empty list", key));
    } else {
      appendType(node, key, scalars);
    }
    return scalars;
  }

  std::string existingFile(const toml::node& node, std::string_view key) {
    std::string name = string(node, key);
    if (error_) return {};
    std::filesystem::path file = folder_ / name;
    std::error_code ignored;
    if (!std::filesystem::is_regular_file(file, ignored))
      fail(node, fmt::format("`{}`: file `{}` does not exist (relative to the scenario's folder)",
                             key, name));
    return file.string();
  }

  // [[name]] tables; a [name] or `name = 1` is an error.
  template <class Visit>
  void forEachTable(const toml::table& in, const char* key, std::string_view title, Visit&& visit) {
    const toml::node* node = in.get(key);
    if (!node || error_) return;
    const toml::array* list = node->as_array();
    if (!list) {
      fail(*node, fmt::format("`{}` must be written as [[{}]]", key, title));
      return;
    }
    for (const toml::node& entry : *list) {
      const toml::table* table = entry.as_table();
      if (!table) fail(entry, fmt::format("`{}` must be written as [[{}]]", key, title));
      if (error_) return;
      visit(*table);
    }
  }

  // `[name]` or `name = { ... }`.
  template <class Visit>
  void forEachEntry(const toml::table& in, const char* key, Visit&& visit) {
    const toml::node* node = in.get(key);
    if (!node || error_) return;
    const toml::table* table = node->as_table();
    if (!table) {
      fail(*node, fmt::format("`{}` must be a table, not {}", key, typeName(*node)));
      return;
    }
    for (auto&& [name, value] : *table) {
      visit(name, value);
      if (error_) return;
    }
  }

  std::string path_;
  std::filesystem::path folder_;
  Parameters parameters_;
  std::optional<Error> error_;
};

} // namespace lanewise::driver
