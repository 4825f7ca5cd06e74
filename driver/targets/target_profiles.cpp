#include "targets/target_profiles.h"

#include "support/failure.h"
#include "support/files.h"
#include "support/suggest.h"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <iterator>
#include <sstream>
#include <toml++/toml.h>

namespace lanewise::driver {

namespace {

struct BuiltIn {
  std::string_view name, text;
};

// Made from driver/targets/*.toml by driver/CMakeLists.txt, in alphabetical order.
constexpr BuiltIn kBuiltIn[] = {
#include "target_profiles.inc"
};

class TargetReader {
public:
  explicit TargetReader(const std::string& file) : file_(file) {}

  Result<TargetProfile> read(std::string_view text) {
    toml::parse_result root = toml::parse(text, file_);
    if (!root) return errorAt(root.error().source(), std::string(root.error().description()));
    for (auto&& [key, value] : root.table()) {
      Status s = readTopLevel(key.str(), value);
      if (!s) return s.error();
    }
    for (const TargetFigure& f : targetFigures())
      if (f.isLanesOfPhase() && f.get(profile_) > profile_.subgroupSize)
        return Error{fmt::format("{}: a phase cannot have more lanes ({}) than a subgroup ({})",
                                 file_, f.get(profile_), profile_.subgroupSize),
                     {},
                     0,
                     {}};
    return profile_;
  }

private:
  Error errorAt(const toml::source_region& where, const std::string& message) const {
    return failure(fmt::format("{}:{}: {}", file_, where.begin.line, message));
  }

  Status readTopLevel(std::string_view name, const toml::node& value) {
    if (name == "name") {
      auto text = value.value<std::string>();
      if (!text || text->empty()) return errorAt(value.source(), "'name' must be a string");
      profile_.name = *text;
      return ok();
    }
    std::vector<std::string> tables{"name"};
    for (const TargetFigure& f : targetFigures())
      if (tables.back() != f.table) tables.emplace_back(f.table);
    if (std::find(tables.begin() + 1, tables.end(), name) == tables.end())
      return unknown(value, name, tables);
    const toml::table* table = value.as_table();
    if (!table) return errorAt(value.source(), fmt::format("'{}' must be a table", name));
    for (auto&& [key, inner] : *table) {
      Status s = readKey(name, key.str(), inner);
      if (!s) return s.error();
    }
    return ok();
  }

  Status readKey(std::string_view table, std::string_view name, const toml::node& value) {
    std::string full = fmt::format("{}.{}", table, name);
    if (full == "shared-memory.broadcast") {
      auto flag = value.value_exact<bool>();
      if (!flag) return errorAt(value.source(), fmt::format("'{}' must be true or false", full));
      profile_.broadcast = *flag;
      return ok();
    }
    std::vector<std::string> known{"shared-memory.broadcast"};
    for (const TargetFigure& f : targetFigures()) {
      known.push_back(fmt::format("{}.{}", f.table, f.key));
      if (known.back() != full) continue;
      std::optional<double> number = value.value<double>();
      // Costs may have fractions; everything else counts things.
      bool isWhole = value.is_integer();
      if (!number || value.is_boolean() || (table != "cost" && !isWhole) || *number < f.least ||
          *number > f.most)
        return errorAt(value.source(),
                       fmt::format("'{}' must be {} number from {} to {}", full,
                                   table == "cost" ? "a" : "a whole", f.least, f.most));
      f.set(profile_, *number);
      return ok();
    }
    return unknown(value, full, known);
  }

  Error unknown(const toml::node& value, std::string_view name,
                const std::vector<std::string>& known) const {
    return errorAt(value.source(),
                   fmt::format("unknown key '{}'{}", name, didYouMean(name, known)));
  }

  std::string file_;
  TargetProfile profile_;
};

} // namespace

std::vector<std::string> builtInTargets() {
  std::vector<std::string> names;
  for (const BuiltIn& b : kBuiltIn) names.emplace_back(b.name);
  return names;
}

Result<TargetProfile> parseTarget(std::string_view text, const std::string& name) {
  return TargetReader(name).read(text);
}

Result<TargetProfile> loadTarget(const std::string& target) {
  for (const BuiltIn& b : kBuiltIn)
    if (b.name == target) return parseTarget(b.text, target);
  if (!target.ends_with(".toml"))
    return failure(fmt::format("unknown target '{}'{}", target,
                               didYouMean(target, builtInTargets(),
                                          fmt::format("known: {}, device, and FILE.toml",
                                                      fmt::join(builtInTargets(), ", ")))));
  Result<std::string> text = readFile(target);
  if (!text) return failure(fmt::format("{}: {}", target, text.error().message));
  keepFile(target);
  Result<TargetProfile> profile = parseTarget(*text, target);
  if (profile && profile->name == TargetProfile().name)
    profile->name = std::filesystem::path(target).stem().string();
  return profile;
}

} // namespace lanewise::driver
