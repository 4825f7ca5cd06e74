// A verifier among several processes on one device: times mean something only when nobody else
// dispatches meanwhile.
#pragma once

#include "verify/verify.h"

#include <memory>
#include <string>

namespace lanewise::driver {

class ExclusiveVerifier : public Verifier {
public:
  /// `lock` is an open file that all processes have; it stays theirs.
  ExclusiveVerifier(std::unique_ptr<Verifier> verifier, int lock)
      : verifier_(std::move(verifier)), lock_(lock) {}

  std::string deviceName() const override { return verifier_->deviceName(); }
  VerifyOptions& options() override { return verifier_->options(); }
  Status open(const Scenario& scenario) override { return verifier_->open(scenario); }
  Result<VerifyReport> verify(const Scenario& scenario,
                              std::span<const ShaderPair> shaders) override;
  Result<VerifyReport> verifyPrograms(const Scenario& scenario,
                                      std::span<const ProgramVariant> programs) override;

private:
  std::unique_ptr<Verifier> verifier_;
  int lock_;
};

} // namespace lanewise::driver
