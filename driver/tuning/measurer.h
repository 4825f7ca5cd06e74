// Programs against the original: are they equal, and how long do they take.
#pragma once

#include "lanewise/result.h"
#include "tuning/program_builder.h"
#include "tuning/race.h"
#include "verify/verify.h"

#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace lanewise::driver {

/// What became of one program.
struct MeasuredProgram {
  bool isEqual = false;        ///< its outputs are the original's
  std::string reason;          ///< why not, or why nobody knows
  bool isLeftOut = false;      ///< there was no time for it
  std::vector<double> samples; ///< microseconds, by round; none where it was not timed
};

struct Measurement {
  std::vector<MeasuredProgram> programs; ///< as asked, the original first
  std::string failure;    ///< why nothing can be tuned at all: one sentence of the original
  double seconds = 0;     ///< that it took, but for opening the device
  double secondsEach = 0; ///< of these for one program more
};

/// Which questions are asked.
enum class Rigour : uint8_t {
  Race,   ///< outputs on the device, and as many rounds as tell the best
  Final,  ///< the interpreter's check for races as well, and all rounds
  Outputs ///< as Final, nothing is timed
};

inline constexpr double kNoLimit = std::numeric_limits<double>::infinity();

class Measurer {
public:
  virtual ~Measurer() = default;
  /// Opens what a forked child is to measure with, unless it is open.
  virtual Status open() { return ok(); }
  /// Closes it, for what a child may have broken.
  virtual void close() {}
  /// The original is the first. In `seconds` all must be done: who does not fit is left out, from
  /// the last on; where that is Final, not the first beside the original, nor the second where it
  /// alone of the two asks for the host. An error is bad input, or a device that is not there.
  virtual Result<Measurement> measure(std::span<const BuiltProgram* const> programs, Rigour rigour,
                                      double seconds) = 0;
};

/// On the device that `options` name. What crashes or hangs it is left out, and the others are
/// measured again.
class DeviceMeasurer : public Measurer {
public:
  /// `scenario` must outlive it. `isStandIn`: for a device that is not there, whose subgroup sizes
  /// this one need not have; only the scenario's own are required.
  DeviceMeasurer(const Scenario& scenario, VerifyOptions options, bool isStandIn = false)
      : scenario_(scenario), options_(std::move(options)), isStandIn_(isStandIn) {}

  Status open() override;
  void close() override;
  Result<Measurement> measure(std::span<const BuiltProgram* const> programs, Rigour rigour,
                              double seconds) override;

private:
  Result<Verifier*> verifier();
  Result<VerifyReport> verify(std::span<const BuiltProgram* const> programs, Rigour rigour,
                              TimingSchedule* schedule);
  /// With the interpreter, but untimed.
  Result<VerifyReport> verifyWithItself(const BuiltProgram& original);
  /// "" where the original agrees with itself.
  Result<std::string> whyNotSound(const BuiltProgram& original);

  const Scenario& scenario_;
  VerifyOptions options_;
  std::unique_ptr<Verifier> verifier_; ///< from the first question on; opening a device takes long
  bool isWarm_ = false;                ///< the device had work a moment ago
  bool isStandIn_;
  /// Whether the interpreter sees outputs of the original that depend on the order of its
  /// invocations. It is asked once, where a race, which is without it, finds outputs that differ;
  /// if they do, races have it from then on.
  std::optional<bool> dependsOnOrder_;
};

} // namespace lanewise::driver
