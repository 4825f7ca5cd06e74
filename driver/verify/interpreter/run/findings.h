// What the interpreter has to say against a program.
#pragma once

#include "verify/interpreter/code/program.h"

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <vector>

namespace lanewise::driver::interpreter {

enum class FindingKind : uint8_t {
  RaceWriteWrite,    ///< two invocations write one location, nothing orders them
  RaceReadWrite,     ///< one reads what another writes, nothing orders them
  RaceSameValue,     ///< as RaceWriteWrite, but both write the same value: formally undefined,
                     ///< harmless on every known device; never decides a verification
  RaceIncomplete,    ///< ordered by what programs rely on, and not by the letter of the memory
                     ///< model: an acquire is missing, or an access is private
  UninitializedRead, ///< a value that nobody wrote reaches memory, a branch or an address
  UndefinedValue,    ///< the same for an undefined result, such as of a shift by too much
  OutOfRange,        ///< access outside its buffer, or with an index beyond its array
  DivisionByZero,    ///< integer division or remainder by zero, or overflowing
  DivergentBarrier,  ///< a barrier that only some invocations of the workgroup reach
  EndlessLoop,       ///< a lane took more steps than the limit
  UnreachableReached ///< OpUnreachable was executed
};
bool isRace(FindingKind kind);
/// "data race (write-write)" and so on, for people.
std::string_view textOf(FindingKind kind);
/// "race-write-write" and so on, for programs.
std::string_view nameOf(FindingKind kind);

/// An invocation, by its workgroup and its LocalInvocationIndex, and what it executes.
struct Participant {
  uint32_t workgroup = 0, lane = 0; ///< workgroup: linear, x first
  uint32_t site = 0;                ///< 0: not known
  auto operator<=>(const Participant&) const = default;
};

/// One finding for each kind and pair of sites: the first in order of workgroups and lanes, and how
/// often it happened.
struct Finding {
  FindingKind kind{};
  /// The access at fault, or where the undefined value takes effect.
  Participant at;
  /// Races: the other access. Undefined values: where they come from. Barriers: who is missing.
  Participant other;
  std::string variable;   ///< that is accessed, empty if not known
  bool isOfOther = false; ///< the variable is what `other` accesses
  uint64_t offset = 0;    ///< bytes from the start of the variable or buffer
  uint32_t bytes = 0;     ///< of the access; 0: no memory is involved
  uint32_t object = 0;    ///< out of range: that the address names (memory.h)
  uint64_t furthest = 0;  ///< out of range: the greatest offset of all occurrences
  std::string detail;     ///< one more fact, such as an index and its bound
  uint64_t count = 1;

  uint32_t accessSite() const { return isOfOther ? other.site : at.site; }
};

/// Collects findings; the same set whatever the order in which they are added.
class FindingLog {
public:
  void add(Finding finding);
  /// Counts another occurrence of a finding that is there and comes first. False if there is none,
  /// or if this one comes before it: then it is to be added.
  bool count(FindingKind kind, const Participant& at, const Participant& other, uint64_t offset);
  void merge(const FindingLog& other);
  std::vector<Finding> sorted() const;
  bool empty() const { return byPlace_.empty(); }

private:
  using Place = std::tuple<FindingKind, uint32_t, uint32_t>;
  std::map<Place, Finding> byPlace_;
};

/// One line: kind, variable and byte, invocations, source lines.
std::string describe(const Program& program, const Finding& finding);
/// "transpose.comp:32:5 (OpStore)", or only the opcode where no line is known.
std::string describeSite(const Program& program, uint32_t site);
/// The id by which a listing shows the instruction: its result, the pointer of a store, the
/// condition of a branch; 0 for others.
uint32_t listedId(const Program& program, uint32_t site);

} // namespace lanewise::driver::interpreter
