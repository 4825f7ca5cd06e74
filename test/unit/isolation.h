// What runs in a child of its own, for the tests of that: all others run in the one process
// (in_this_process.cpp).
#pragma once

#include "support/isolate.h"

namespace lanewise::test {

class WithIsolation {
public:
  explicit WithIsolation(const driver::IsolationLimits& limits = {}) {
    driver::setDefaultIsolation(limits);
  }
  ~WithIsolation() { driver::setDefaultIsolation(others_); }
  WithIsolation(const WithIsolation&) = delete;
  WithIsolation& operator=(const WithIsolation&) = delete;

private:
  driver::IsolationLimits others_ = driver::defaultIsolation();
};

} // namespace lanewise::test
