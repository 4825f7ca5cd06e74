// The candidates of a search: made once, each different from all others, in the order of what
// compilers expect of them.
#pragma once

#include "tuning/search.h"
#include "tuning/value_search.h"

#include <map>
#include <span>
#include <string>
#include <vector>

namespace lanewise::driver {

/// Combinations of values that are all tried: a race for a few more costs less than a race more.
inline constexpr size_t kWholeGrid = 32;

class Trials {
public:
  /// `compilers` may be null; the first one counts.
  Trials(ProgramBuilder& builder, CompilerSet* compilers, const TuneOptions& options)
      : builder_(builder), compilers_(compilers), options_(options) {}

  TuneResult& result() { return result_; }
  Result<SpaceFacts> facts(const Parameters& values);
  /// Of the scenario's tunable parameters.
  ValueGrid grid() const;
  /// What `tried` was, with other values.
  std::vector<Candidate> withValues(std::span<const Parameters> points, size_t tried) const;
  /// Says that of a large grid not all was tried.
  void noteValues(const ValueGrid& grid);

  /// Makes them, and gives back those that are new, what compilers find cheapest first. These take
  /// their time, and are not asked of `few` or less.
  std::vector<size_t> add(std::vector<Candidate> candidates, size_t few);
  /// What there is no time for.
  void leaveOut(std::span<const size_t> indices);
  /// What compiler `name` says of it.
  void predictBy(const std::string& name, size_t index);

private:
  ProgramBuilder& builder_;
  CompilerSet* compilers_;
  const TuneOptions& options_;
  std::map<std::string, size_t> known_; ///< by digest
  TuneResult result_;
};

} // namespace lanewise::driver
