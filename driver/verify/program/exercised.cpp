#include "verify/program/exercised.h"

namespace lanewise::driver {

void merge(Exercised& to, const Exercised& more) {
  if (to.empty()) to.resize(more.size());
  for (size_t s = 0; s < std::min(to.size(), more.size()); ++s) {
    if (!to[s].code) to[s] = more[s];
    if (!more[s].code || to[s].edges.size() != more[s].edges.size()) continue;
    to[s].hasRun |= more[s].hasRun;
    for (size_t n = 0; n < to[s].edges.size(); ++n) to[s].edges[n] |= more[s].edges[n];
  }
}

void merge(std::span<Exercised> to, std::span<const Exercised> more) {
  for (size_t p = 0; p < to.size(); ++p) merge(to[p], more[p]);
}

} // namespace lanewise::driver
