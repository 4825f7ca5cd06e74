// Validator, front end and the like run in the process of the tests: a child for each call takes
// most of a test's time. Tests of the children ask for them (isolation.h).
#include "support/isolate.h"

namespace {

const bool isSet = [] {
  lanewise::driver::IsolationLimits limits;
  limits.fork = false;
  lanewise::driver::setDefaultIsolation(limits);
  return true;
}();

} // namespace
