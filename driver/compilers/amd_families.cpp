#include "compilers/amd_families.h"

#include <algorithm>

namespace lanewise::driver {

namespace {

struct Generation {
  std::string_view name;
  uint32_t sharedPerSimd;
};

#define GENERATION(id, title, shared) constexpr Generation k##id{title, shared};
#define FAMILY(id, driverId, group, isFirst)
#include "compilers/amd_families.def"
#undef GENERATION
#undef FAMILY

std::vector<std::string_view> split(std::string_view names) {
  std::vector<std::string_view> all;
  for (size_t comma; (comma = names.find(',')) != std::string_view::npos;
       names.remove_prefix(comma + 1))
    all.push_back(names.substr(0, comma));
  all.push_back(names);
  return all;
}

std::vector<AmdFamily> makeFamilies() {
  std::vector<AmdFamily> all;
#define GENERATION(id, title, shared)
#define FAMILY(id, driverId, group, isFirst)                                                       \
  all.push_back({#id, split(driverId), k##group.name, k##group.sharedPerSimd, isFirst});
#include "compilers/amd_families.def"
#undef GENERATION
#undef FAMILY
  return all;
}

} // namespace

std::span<const AmdFamily> amdFamilies() {
  static const std::vector<AmdFamily> families = makeFamilies();
  return families;
}

const AmdFamily* findAmdFamily(std::string_view name) {
  for (const AmdFamily& family : amdFamilies())
    if (family.name == name ||
        std::count(family.driverNames.begin(), family.driverNames.end(), name) != 0)
      return &family;
  return nullptr;
}

} // namespace lanewise::driver
