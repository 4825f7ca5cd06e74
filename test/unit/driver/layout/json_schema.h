// As much of JSON Schema as docs/*.schema.json use. A keyword that it does not know is a failure.
#pragma once

#include <nlohmann/json.hpp>
#include <regex>
#include <string>

namespace lanewise {

class JsonSchema {
public:
  explicit JsonSchema(nlohmann::json schema) : root_(std::move(schema)) {}
  /// Why `value` does not follow the schema; empty where it does.
  std::string check(const nlohmann::json& value) const { return check(root_, value, ""); }

private:
  using Json = nlohmann::json;

  static bool isOfType(const Json& value, const std::string& type) {
    if (type == "integer") return value.is_number_integer();
    return type == (value.is_number() ? "number" : value.type_name());
  }

  std::string check(const Json& schema, const Json& value, const std::string& at) const {
    for (const auto& [key, rule] : schema.items()) {
      std::string why = checkRule(schema, key, rule, value, at);
      if (!why.empty()) return why;
    }
    return "";
  }

  std::string checkRule(const Json& schema, const std::string& key, const Json& rule,
                        const Json& value, const std::string& at) const {
    auto unless = [&](bool holds) { return holds ? "" : at + ": " + key + " " + rule.dump(); };
    if (key == "$schema" || key == "title" || key == "description" || key == "$defs") return "";
    if (key == "$ref")
      return check(root_.at(Json::json_pointer(rule.get<std::string>().substr(1))), value, at);
    if (key == "type") {
      if (rule.is_string()) return unless(isOfType(value, rule));
      return unless(std::any_of(rule.begin(), rule.end(),
                                [&](const Json& type) { return isOfType(value, type); }));
    }
    if (key == "const") return unless(value == rule);
    if (key == "enum") return unless(std::find(rule.begin(), rule.end(), value) != rule.end());
    if (key == "oneOf")
      return unless(std::count_if(rule.begin(), rule.end(), [&](const Json& one) {
                      return check(one, value, at).empty();
                    }) == 1);
    if (key == "minimum") return unless(!value.is_number() || value >= rule);
    if (key == "maximum") return unless(!value.is_number() || value <= rule);
    if (key == "minLength")
      return unless(!value.is_string() || value.get<std::string>().size() >= rule);
    if (key == "pattern")
      return unless(!value.is_string() || std::regex_search(value.get<std::string>(),
                                                            std::regex(rule.get<std::string>())));
    if (key == "minItems") return unless(!value.is_array() || value.size() >= rule);
    if (key == "items") return checkItems(rule, value, at);
    if (key == "required")
      return unless(!value.is_object() ||
                    std::all_of(rule.begin(), rule.end(), [&](const Json& name) {
                      return value.contains(name.get<std::string>());
                    }));
    if (key == "properties") return checkProperties(rule, value, at);
    if (key == "additionalProperties") {
      if (!value.is_object()) return "";
      for (const auto& [name, unused] : value.items())
        if (!schema.at("properties").contains(name)) return at + ": unknown " + name;
      return "";
    }
    return "the schema has the unknown keyword " + key;
  }

  std::string checkItems(const Json& rule, const Json& value, const std::string& at) const {
    if (!value.is_array()) return "";
    for (size_t i = 0; i < value.size(); ++i) {
      std::string why = check(rule, value[i], at + "/" + std::to_string(i));
      if (!why.empty()) return why;
    }
    return "";
  }

  std::string checkProperties(const Json& rule, const Json& value, const std::string& at) const {
    if (!value.is_object()) return "";
    for (const auto& [name, inner] : rule.items()) {
      if (!value.contains(name)) continue;
      std::string why = check(inner, value[name], at + "/" + name);
      if (!why.empty()) return why;
    }
    return "";
  }

  Json root_;
};

} // namespace lanewise
