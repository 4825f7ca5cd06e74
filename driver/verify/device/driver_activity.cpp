#include "verify/device/driver_activity.h"

#include <algorithm>
#include <cstring>
#include <fmt/format.h>
#include <iterator>

namespace lanewise::driver {

namespace {

struct Phrases {
  const char* during;   ///< "while it ..."
  const char* finished; ///< "the driver did not finish ..."
};

/// By kind; `{}` is the name.
constexpr Phrases kPhrases[] = {
    {"started", "starting"},
    {"listed its devices", "listing its devices"},
    {"opened {}", "opening {}"},
    {"made buffers", "making buffers"},
    {"compiled shader `{}`", "compiling shader `{}`"},
    {"described the pipelines of {}", "describing the pipelines of {}"},
    {"ran {}", "running {}"},
};

/// A process that crashes may have written anything to the memory that it shares.
const Phrases& phrasesOf(DriverActivity::Kind kind) {
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
  return "while it " + fill(phrasesOf(kind()).during, name());
}

RunFailure DriverActivity::overdue(double seconds) const {
  if (kind() == Kind::Running) return driver::overdue(name(), seconds);
  return {RunFailure::Kind::Timeout,
          fmt::format("the driver did not finish {} within {} seconds",
                      fill(phrasesOf(kind()).finished, name()), seconds)};
}

RunFailure overdue(std::string_view program, double seconds) {
  return {RunFailure::Kind::Timeout,
          fmt::format("{} did not end within {} seconds", program, seconds)};
}

} // namespace lanewise::driver
