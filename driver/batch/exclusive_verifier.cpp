#include "batch/exclusive_verifier.h"

#include <cerrno>
#include <fcntl.h>
#include <unistd.h>

namespace lanewise::driver {

namespace {

/// A record lock: the kernel gives it back when its holder dies. Where it cannot be had, times are
/// less good, and that is all.
class Turn {
public:
  explicit Turn(int file) : file_(file) { set(F_WRLCK); }
  ~Turn() { set(F_UNLCK); }
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;

private:
  void set(short type) {
    struct flock lock {};
    lock.l_type = type;
    lock.l_whence = SEEK_SET;
    while (::fcntl(file_, F_SETLKW, &lock) != 0 && errno == EINTR) {
    }
  }
  int file_;
};

} // namespace

Result<VerifyReport> ExclusiveVerifier::verify(const Scenario& scenario,
                                               std::span<const ShaderPair> shaders) {
  const Turn turn(lock_);
  return verifier_->verify(scenario, shaders);
}

Result<VerifyReport> ExclusiveVerifier::verifyPrograms(const Scenario& scenario,
                                                       std::span<const ProgramVariant> programs) {
  const Turn turn(lock_);
  return verifier_->verifyPrograms(scenario, programs);
}

} // namespace lanewise::driver
