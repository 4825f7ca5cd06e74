// What a program does to the memory, branches and barriers of a target, counted while the
// interpreter runs it: exact for the inputs it ran on. docs/profile.md tells users what each figure
// means.
#pragma once

#include "ir/module.h"
#include "lanewise/remarks.h"
#include "lanewise/result.h"
#include "lanewise/target_profile.h"
#include "verify/program/marshal.h"
#include "verify/program/runner.h"
#include "verify/scenario/scenario.h"

#include <array>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

namespace lanewise::driver {

/// Values of one kind over many executions.
struct Tally {
  uint64_t count = 0, total = 0;
  uint64_t least = std::numeric_limits<uint64_t>::max(), most = 0;
  void add(uint64_t value) {
    ++count;
    total += value;
    least = value < least ? value : least;
    most = value > most ? value : most;
  }
  double average() const { return count ? double(total) / double(count) : 0; }
};

/// An instruction of a shader.
struct ProfilePlace {
  std::string shader;    ///< the scenario's name
  SourceLocation source; ///< line 0 when the module has no lines
  std::string
      text;     ///< of that line, without the space around it; empty where the file is not there
  InstRef inst; ///< in the module that the program was given
  std::string opcode; ///< "OpLoad"
  uint32_t id = 0;    ///< in a listing: its result, pointer or condition; 0 if it has none
};

/// An execution is a subgroup that makes one access, with all of its lanes that make it together.
struct AccessProfile {
  ProfilePlace place;
  std::string variable; ///< name of the variable or of the buffer, empty if not known
  enum class Kind : uint8_t { Load, Store, Atomic };
  Kind kind = Kind::Load;
  uint32_t bytes = 0; ///< that one lane moves
  Tally lanes;        ///< active
  Tally degree; ///< Workgroup memory: of bank conflicts (analysis/shared_memory/bank_conflicts.h)
  uint64_t cycles = 0;      ///< Workgroup memory: that the banks need
  uint64_t cleanCycles = 0; ///< and would need without conflicts
  Tally sectors;            ///< storage buffers: sectors touched
  uint64_t usedBytes = 0;   ///< storage buffers: distinct bytes that executions asked for
  /// Lanes on the location that most of an execution's lanes share, for atomics.
  Tally contention;
};

struct BranchProfile {
  ProfilePlace place;
  Tally lanes;
  uint64_t divergent = 0; ///< executions whose lanes do not all go one way
};

struct BarrierProfile {
  ProfilePlace place;
  Tally arrivals;          ///< lanes that met
  uint32_t lanes = 0;      ///< that should have
  uint64_t incomplete = 0; ///< executions in which some were missing
};

struct ShaderProfile {
  std::string name;
  std::array<uint32_t, 3> workgroupSize{1, 1, 1};
  uint64_t dispatches = 0;                    ///< repeats included
  uint64_t workgroups = 0, allWorkgroups = 0; ///< that were run, and that there are
};

/// Every list hottest first.
struct Profile {
  std::vector<ShaderProfile> shaders;
  std::vector<AccessProfile> workgroup; ///< of Workgroup memory, by cycles
  std::vector<AccessProfile> storage;   ///< of storage buffers, by sectors
  std::vector<BranchProfile> branches;  ///< by divergent executions
  std::vector<BarrierProfile> barriers; ///< by executions
  std::vector<RunFinding> findings;     ///< what the interpreter holds against the program
  /// One sentence where not everything was run, else empty.
  std::string incomplete;
};

struct ProfileOptions {
  TargetProfile target; ///< subgroups of 4 to 128 lanes, a power of two
  uint64_t seed = 1;
  double timeoutSeconds = 60; ///< by a Stopwatch; no further workgroup starts after it
};

/// Runs a program on the scenario's inputs. An Error says what the interpreter does not know, or
/// which file of the scenario has not the size of its buffer.
/// `packed` are the buffers of the scenario that the program sees in another layout (marshal.h).
Result<Profile> profileProgram(const Scenario& scenario, const Program& program,
                               const ProfileOptions& options,
                               std::span<const PackedBuffer> packed = {});

/// Tables for people, each of at most `rows` rows (0: all), and JSON for programs
/// (docs/profile.md).
std::string formatProfile(const Profile& profile, const TargetProfile& target, size_t rows);
std::string profileToJson(const Profile& profile, const TargetProfile& target,
                          const std::vector<std::string>& notes);

} // namespace lanewise::driver
