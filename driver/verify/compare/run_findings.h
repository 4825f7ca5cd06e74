// Faults that a device which watches for them has seen, and what those of two programs have to do
// with one another.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace lanewise::driver {

/// Which memory an access goes to, where modules have no names.
struct MemoryPlace {
  enum class Kind : uint8_t { Other, Workgroup, Buffer };
  Kind kind = Kind::Other;
  uint32_t set = 0, binding = 0; ///< of a buffer, in the module itself
  /// The scenario's buffers that are bound there, or a storage class: "buffer 2", "Workgroup".
  /// Empty: not known.
  std::string resource;
  uint64_t layout = 0; ///< a hash of the resource's type: members of one layout can be compared
  /// Indices of struct members, "0.2.": all that begins with it is accessed. Null: not known.
  std::optional<std::string> member;
};

/// An access beyond the end of a buffer of the scenario.
struct RangeMiss {
  uint32_t buffer = 0; ///< of the scenario
  /// In bytes from its begin; below 0 for an index that was. `furthest`: over all invocations.
  int64_t offset = 0, furthest = 0;
  uint32_t bytes = 0; ///< that are accessed
  bool isWrite = false;
};

/// The first time that a fault happens: which bytes, and which invocations. It does not tell where
/// in the source, which says nothing where two programs come of two sources.
struct FirstTime {
  struct Invocation {
    uint32_t workgroup = 0, lane = 0; ///< its LocalInvocationIndex
    bool operator==(const Invocation&) const = default;
  };
  Invocation at, other;  ///< other: of races
  uint64_t offset = 0;   ///< from the begin of the variable or buffer
  uint64_t furthest = 0; ///< out of range: the greatest offset of all times
  uint32_t bytes = 0;    ///< of the access; 0: no memory is involved
};

/// Something that a program must not do, seen by a device that watches for it (the interpreter).
struct RunFinding {
  std::string kind; ///< for programs: "race-read-write", "out-of-range", ...
  std::string text; ///< one line: kind, variable, invocations, source lines
  std::string shader;
  std::string place; ///< what tells two findings of a kind apart: shader, lines, variable
  std::string file, variable;
  MemoryPlace memory; ///< that the access goes to
  uint32_t line = 0;
  /// The other access of a race; where an undefined value comes from. Line 0: nothing is known.
  std::string otherFile;
  uint32_t otherLine = 0;
  bool decides = true;          ///< false: formally wrong and harmless
  bool dependsOnInputs = false; ///< may be due to what the buffers held, where that was generated
  bool isAfterPart = false;     ///< seen after only a part of an earlier dispatch had run
  std::optional<RangeMiss> miss = {};
  std::optional<FirstTime> first = {}; ///< where it is known
};

/// Whether `other`, found in a rewritten module, is what `original` says of its input. Passes move
/// what an access is at, and drop names and lines, so that counts are not compared, and offsets
/// only where lines say nothing. The kind must be the same (uninitialized and undefined values are
/// one kind: spirv-opt makes one of the other), the variable where both name one, the memory
/// (MemoryPlace) where both know it. Then either the shader must be the same and one line common to
/// both where they have lines of one file; or, as of a variant that somebody wrote, it must first
/// happen to the same bytes by the same invocations, and no access be further out of range. Faults
/// without memory, such as divisions by zero, have no bytes: of one shader only lines tell them
/// apart.
bool isSameDefect(const RunFinding& original, const RunFinding& other);
bool hasDefect(std::span<const RunFinding> original, const RunFinding& other);

/// Whether what comes of it may change from run to run and from device to device: races, values
/// that nobody defined, barriers that not all reach. What is only out of range or divides by zero
/// does the same each time on most devices.
bool isUnpredictable(const RunFinding& finding);

/// Whether only the letter of the memory model is against it: held against no original, and against
/// a module that alone has it.
bool isByTheLetter(const RunFinding& finding);

bool isRace(const RunFinding& finding);
/// Whether its other place is known, and is another line.
bool hasOtherPlace(const RunFinding& finding);
/// What stands at its other place, without a trailing period.
std::string_view otherPlaceText(const RunFinding& finding);
/// The variable that the line of the finding itself speaks of, or "".
std::string_view variableHere(const RunFinding& finding);

/// Adds those of `more` whose kind and place are not there yet.
void addFindings(std::vector<RunFinding>& all, std::vector<RunFinding> more);

} // namespace lanewise::driver
