// The candidates of a search: made once, each different from all others, in the order of what
// compilers expect of them.
#pragma once

#include "tuning/search.h"

#include <functional>
#include <map>
#include <span>
#include <string>
#include <vector>

namespace lanewise::driver {

class ValueGrid;

class Trials {
public:
  /// `compilers` may be null; the first one counts.
  Trials(ProgramBuilder& builder, CompilerSet* compilers, const TuneOptions& options)
      : builder_(builder), compilers_(compilers), options_(options) {}

  TuneResult& result() { return result_; }
  Result<SpaceFacts> facts(const Parameters& values);
  /// Values of the scenario's tunable parameters that are to be tried. Of many combinations none:
  /// these are searched at once, what was tried as `from` with other values, by `race`, which
  /// measures candidates and says which of all is the best now.
  using CandidateRace = std::function<Result<size_t>(std::vector<Candidate>)>;
  Result<std::vector<Parameters>> values(size_t from, const CandidateRace& race);

  /// Makes them, and gives back those that are new, what compilers find cheapest first. These take
  /// their time, and are not asked of `few` or less.
  std::vector<size_t> add(std::vector<Candidate> candidates, size_t few);
  /// What there is no time for.
  void leaveOut(std::span<const size_t> indices);
  /// What compiler `name` says of it.
  void predictBy(const std::string& name, size_t index);

private:
  Status searchGrid(const ValueGrid& grid, size_t from, const CandidateRace& race);

  ProgramBuilder& builder_;
  CompilerSet* compilers_;
  const TuneOptions& options_;
  std::map<std::string, size_t> known_; ///< by digest
  TuneResult result_;
};

} // namespace lanewise::driver
