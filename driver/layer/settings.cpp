#include "layer/settings.h"

#include "layer/protocol.h"

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
  return read;
}

} // namespace

const Settings& settings() {
  static const Settings* const read = new Settings(layer::read()); // outlives exit handlers
  return *read;
}

} // namespace lanewise::layer
