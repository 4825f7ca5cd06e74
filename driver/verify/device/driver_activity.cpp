#include "verify/device/driver_activity.h"

#include <algorithm>
#include <cstring>
#include <fmt/format.h>
#include <iterator>

namespace lanewise::driver {

namespace {

/// What the driver does, by kind; `{}` is the name. "the driver crashed while ...", "the driver did
/// not finish ...".
constexpr const char* kPhrases[] = {
    "starting",         "listing its devices",   "opening {}",
    "creating buffers", "compiling shader `{}`", "describing the pipelines of {}",
    "running {}",
};

/// A process that crashes may have written anything to the memory that it shares.
const char* phraseOf(DriverActivity::Kind kind) {
  return kPhrases[std::min(size_t(kind), std::size(kPhrases) - 1)];
}

std::string fill(const char* phrase, const std::string& name) {
  return fmt::format(fmt::runtime(phrase), name);
}

} // namespace

void DriverActivity::begin(Kind kind, std::string_view name) {
  size_t size = std::min(name.size(), sizeof name_ - 1);
  while (size < name.size() && size > 0 && (name[size] & 0xC0) == 0x80) --size; // whole characters
  std::copy_n(name.begin(), size, name_);
  name_[size] = '\0';
  kind_.store(kind, std::memory_order_relaxed);
  since_.store(Clock::now(), std::memory_order_release);
}

std::string DriverActivity::name() const {
  return {name_, ::strnlen(name_, sizeof name_)};
}

std::string DriverActivity::during() const {
  return "while " + fill(phraseOf(kind()), name());
}

RunFailure DriverActivity::overdue(double seconds) const {
  if (kind() == Kind::Running) return driver::overdue(name(), seconds);
  return {RunFailure::Kind::Timeout, fmt::format("the driver did not finish {} within {} seconds",
                                                 fill(phraseOf(kind()), name()), seconds)};
}

RunFailure overdue(std::string_view program, double seconds) {
  return {RunFailure::Kind::Timeout,
          fmt::format("{} did not finish within {} seconds", program, seconds)};
}

} // namespace lanewise::driver
