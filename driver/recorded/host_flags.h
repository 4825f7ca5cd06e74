// Flags of `opt` that change what the host must do: nothing for a program that runs as it is.
#pragma once

#include "lanewise/lanewise.h"

#include <algorithm>
#include <string_view>

namespace lanewise::driver {

/// Whether the host must follow what the flag does: other buffer layouts.
inline bool mustHostFollow(std::string_view flag) {
  if (!flag.starts_with("--")) return false;
  const std::string_view name = flag.substr(2, flag.find('=') - 2);
  return name == "narrow-fields" ||
         std::ranges::any_of(listPasses(), [&](const PassDescription& pass) {
           return pass.changesInterface && pass.name == name;
         });
}

} // namespace lanewise::driver
