#include "layer/settings.h"

#include "layer/protocol.h"

#include <algorithm>
#include <cstdlib>
#include <string_view>

namespace lanewise::layer {

namespace {

/// Nothing in a process that runs with more rights than who started it.
std::string variable(const char* name) {
  const char* value = ::secure_getenv(name);
  return value ? value : "";
}

Settings read() {
  Settings read;
  read.data = variable(kDataVariable);
  read.times = variable(kTimeVariable) == "1";
  read.optimizer = variable(kOptimizerVariable);
  read.waits = variable(kWaitVariable) == "1";
  read.cache = variable(kCacheVariable);
  read.identity = variable(kIdentityVariable);
  read.leftOut = variable(kLeaveOutVariable);
  return read;
}

} // namespace

bool Settings::leavesOut(std::string_view hash) const {
  for (std::string_view rest = leftOut; !rest.empty();) {
    const std::string_view digits = rest.substr(0, rest.find(','));
    if (!digits.empty() && hash.starts_with(digits)) return true;
    rest.remove_prefix(std::min(digits.size() + 1, rest.size()));
  }
  return false;
}

const Settings& settings() {
  static const Settings* const read = new Settings(layer::read()); // outlives exit handlers
  return *read;
}

} // namespace lanewise::layer
