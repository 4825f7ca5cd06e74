#include "verify/program/rebind.h"

#include "ir/module.h"
#include "support/failure.h"

#include <algorithm>
#include <fmt/format.h>
#include <set>
#include <tuple>

namespace lanewise::driver {

std::vector<Rebinding> separateBindings(const Reflection& reflection) {
  std::map<std::pair<uint32_t, uint32_t>, std::set<std::string>> kinds;
  std::map<uint32_t, uint32_t> free; // by set
  for (const ReflectedBinding& variable : reflection.variables) {
    kinds[{variable.set, variable.binding}].insert(describeKind(variable));
    uint32_t& next = free[variable.set];
    next = std::max(next, variable.binding + 1);
  }
  std::vector<Rebinding> all;
  for (const auto& [at, there] : kinds)
    for (auto kind = std::next(there.begin()); kind != there.end(); ++kind)
      all.push_back({at.first, at.second, *kind, free[at.first]++});
  return all;
}

Result<Words> rebind(const Words& words, const std::string& entry,
                     const std::map<uint32_t, uint64_t>& specConstants,
                     std::span<const Rebinding> rebindings) {
  if (rebindings.empty()) return words;
  Result<Reflection> reflection = reflect(words, entry, specConstants);
  if (!reflection) return reflection.error();
  std::map<uint32_t, uint32_t> wanted; // by id
  for (const ReflectedBinding& variable : reflection->variables)
    for (const Rebinding& one : rebindings)
      if (one.set == variable.set && one.binding == variable.binding &&
          one.kind == describeKind(variable))
        wanted[variable.variable] = one.to;
  Words changed = words;
  constexpr size_t kHeaderWords = 5;
  for (size_t at = kHeaderWords; at < words.size(); at += std::max(words[at] >> 16, 1u)) {
    // OpDecorate: target, decoration, literal.
    bool isBinding = spv::Op(words[at] & 0xFFFF) == spv::Op::OpDecorate && words[at] >> 16 == 4 &&
                     spv::Decoration(words[at + 2]) == spv::Decoration::Binding;
    auto found = isBinding ? wanted.find(words[at + 1]) : wanted.end();
    if (found == wanted.end()) continue;
    changed[at + 3] = found->second;
    wanted.erase(found);
  }
  if (!wanted.empty())
    return failure(
        fmt::format("the binding of %{} is in a decoration group, which cannot be renumbered",
                    wanted.begin()->first));
  return changed;
}

} // namespace lanewise::driver
