#include "verify/interpreter/run/history.h"

#include <algorithm>
#include <tuple>

namespace lanewise::driver::interpreter {
namespace {

auto rankOf(const AccessRun& run) {
  return std::tuple(run.kind, run.workgroup, run.first);
}

} // namespace

RunRange runsOf(const History& history, AccessKind kind, uint32_t workgroup) {
  using Key = std::pair<AccessKind, uint32_t>;
  auto key = [](const AccessRun& run) { return Key(run.kind, run.workgroup); };
  auto begin = std::lower_bound(history.begin(), history.end(), Key(kind, workgroup),
                                [&](const AccessRun& run, const Key& k) { return key(run) < k; });
  auto end = std::upper_bound(begin, history.end(), Key(kind, workgroup),
                              [&](const Key& k, const AccessRun& run) { return k < key(run); });
  return {size_t(begin - history.begin()), size_t(end - history.begin())};
}

size_t removeLane(History& history, size_t at, uint32_t lane) {
  AccessRun& run = history[at];
  if (run.first == run.last) {
    history.erase(history.begin() + ptrdiff_t(at));
    return 0;
  }
  if (run.first == lane) {
    ++run.first;
  } else if (run.last == lane) {
    --run.last;
  } else {
    AccessRun upper = run;
    run.last = uint16_t(lane - 1);
    upper.first = uint16_t(lane + 1);
    history.insert(history.begin() + ptrdiff_t(at) + 1, upper);
    return 2;
  }
  return 1;
}

void addAccess(History& history, const AccessRun& access) {
  auto next = std::upper_bound(
      history.begin(), history.end(), access,
      [](const AccessRun& x, const AccessRun& y) { return rankOf(x) < rankOf(y); });
  const bool joinsNext =
      next != history.end() && next->isSame(access) && next->first == access.last + 1;
  if (next != history.begin()) {
    auto before = next - 1;
    if (before->isSame(access) && before->last + 1 == access.first) {
      before->last = joinsNext ? next->last : access.last;
      if (joinsNext) history.erase(next);
      return;
    }
  }
  if (joinsNext)
    next->first = access.first;
  else
    history.insert(next, access);
}

} // namespace lanewise::driver::interpreter
