#include "targets/target_profiles.h"

#include "support/failure.h"
#include "support/files.h"
#include "support/suggest.h"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <functional>
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

/// A key of the file and where its value goes.
struct Key {
  std::string_view table, name;
  double least, most;
  std::function<void(TargetProfile&, double)> store;
};

template <class T>
std::function<void(TargetProfile&, double)> into(T TargetProfile::*member) {
  return [member](TargetProfile& p, double value) { p.*member = T(value); };
}

const std::vector<Key>& keys() {
  using P = TargetProfile;
  constexpr double kMaxBytes = 1 << 24;
  static const std::vector<Key> all{
      {"subgroup", "size", 1, 128, into(&P::subgroupSize)},
      {"subgroup", "per-core", 0, 4096, into(&P::maxSubgroupsPerCore)},
      {"workgroup", "max-invocations", 1, 1 << 20, into(&P::maxWorkgroupInvocations)},
      {"shared-memory", "banks", 1, 1024, into(&P::banks)},
      {"shared-memory", "bank-bytes", 1, 64, into(&P::bankBytes)},
      {"shared-memory", "lanes-per-phase-32", 1, 128, into(&P::lanesPerPhase32)},
      {"shared-memory", "lanes-per-phase-64", 1, 128, into(&P::lanesPerPhase64)},
      {"shared-memory", "lanes-per-phase-128", 1, 128, into(&P::lanesPerPhase128)},
      {"shared-memory", "max-bytes", 0, kMaxBytes, into(&P::maxSharedMemory)},
      {"shared-memory", "bytes-per-core", 0, kMaxBytes, into(&P::sharedMemoryPerCore)},
      {"shared-memory", "vec3-stride", 12, 16, into(&P::vec3Stride)},
      {"global-memory", "sector-bytes", 1, 4096, into(&P::sectorBytes)},
      {"global-memory", "max-buffer-bytes", 1, UINT32_MAX, into(&P::maxStorageBuffer)},
      {"registers", "per-lane", 1, 4096, into(&P::registersPerLane)},
      {"cost", "multiply", 0, 1e6, into(&P::multiplyCost)},
      {"cost", "convert", 0, 1e6, into(&P::convertCost)},
      {"cost", "divide", 0, 1e6, into(&P::divideCost)},
      {"cost", "integer-divide", 0, 1e6, into(&P::integerDivideCost)},
      {"cost", "special", 0, 1e6, into(&P::specialCost)},
      {"cost", "load", 0, 1e6, into(&P::loadCost)},
      {"cost", "double-factor", 0, 1e6, into(&P::doubleFactor)},
      {"cost", "branch", 0, 1e6, into(&P::branchCost)},
      {"cost", "predicated-arm", 0, 1e6, into(&P::predicatedArm)},
      {"cost", "barrier", 0, 1e6, into(&P::barrierCost)},
      {"cost", "shared-access", 0, 1e6, into(&P::sharedAccessCost)},
      {"cost", "arithmetic", 0, 1e6, into(&P::arithmeticCost)},
  };
  return all;
}

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
    for (auto member :
         {profile_.lanesPerPhase32, profile_.lanesPerPhase64, profile_.lanesPerPhase128})
      if (member > profile_.subgroupSize)
        return Error{fmt::format("{}: a phase cannot have more lanes ({}) than a subgroup ({})",
                                 file_, member, profile_.subgroupSize),
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
    for (const Key& k : keys())
      if (tables.back() != k.table) tables.emplace_back(k.table);
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
    for (const Key& k : keys()) {
      known.push_back(fmt::format("{}.{}", k.table, k.name));
      if (known.back() != full) continue;
      std::optional<double> number = value.value<double>();
      // Costs may have fractions; everything else counts things.
      bool isWhole = value.is_integer();
      if (!number || value.is_boolean() || (table != "cost" && !isWhole) || *number < k.least ||
          *number > k.most)
        return errorAt(value.source(),
                       fmt::format("'{}' must be {} number from {} to {}", full,
                                   table == "cost" ? "a" : "a whole", k.least, k.most));
      k.store(profile_, *number);
      return ok();
    }
    return unknown(value, full, known);
  }

  Error unknown(const toml::node& value, std::string_view name,
                const std::vector<std::string>& known) const {
    std::string near = nearest(name, known);
    return errorAt(value.source(),
                   fmt::format("unknown key '{}'{}", name,
                               near.empty() ? "" : fmt::format("; did you mean '{}'?", near)));
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
  if (!target.ends_with(".toml")) {
    std::string near = nearest(target, builtInTargets());
    return Error{fmt::format("unknown target '{}'; {}", target,
                             near.empty() ? fmt::format("known: {}, device, and FILE.toml",
                                                        fmt::join(builtInTargets(), ", "))
                                          : fmt::format("did you mean '{}'?", near)),
                 {},
                 0,
                 {}};
  }
  Result<std::string> text = readFile(target);
  if (!text) return failure(fmt::format("{}: {}", target, text.error().message));
  Result<TargetProfile> profile = parseTarget(*text, target);
  if (profile && profile->name == TargetProfile().name)
    profile->name = std::filesystem::path(target).stem().string();
  return profile;
}

} // namespace lanewise::driver
