// Races that several GPUs of one kind share.
#pragma once

#include "tuning/measurer.h"

#include <memory>
#include <vector>

namespace lanewise::driver {

/// The programs of a race are dealt out; each device races its share against the original, all at
/// once. Samples come back as ratios to the original of their round, times what the original takes
/// on the first device, so that programs of different devices can be compared. All that is no race
/// happens on the first device alone.
class SharedMeasurer : public Measurer {
public:
  /// At least one, each for a device of its own.
  explicit SharedMeasurer(std::vector<std::unique_ptr<Measurer>> devices)
      : devices_(std::move(devices)) {}

  Result<Measurement> measure(std::span<const BuiltProgram* const> programs, Rigour rigour,
                              double seconds) override;

private:
  std::vector<std::unique_ptr<Measurer>> devices_;
};

} // namespace lanewise::driver
