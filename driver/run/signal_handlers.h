// Handlers of signals for a while.
#pragma once

#include <array>
#include <csignal>
#include <cstddef>

namespace lanewise::driver {

/// From construction to destruction; a signal that is ignored stays so, but for SIGCHLD. Calls that
/// a signal meets go on, in whichever thread.
template <size_t N>
class SignalHandlers {
public:
  /// `handlerOf(signal)`: its handler.
  template <class HandlerOf>
  SignalHandlers(const std::array<int, N>& signals, HandlerOf&& handlerOf) : signals_(signals) {
    for (size_t n = 0; n < N; ++n) {
      struct sigaction action {};
      action.sa_handler = handlerOf(signals_[n]);
      action.sa_flags = SA_RESTART | SA_NOCLDSTOP;
      ::sigaction(signals_[n], nullptr, &before_[n]);
      // Of an ignored SIGCHLD nobody could wait for a child, nor learn how it ended.
      if (!wasIgnored(n) || signals_[n] == SIGCHLD) ::sigaction(signals_[n], &action, nullptr);
    }
  }
  SignalHandlers(const SignalHandlers&) = delete;
  ~SignalHandlers() {
    for (size_t n = 0; n < N; ++n) ::sigaction(signals_[n], &before_[n], nullptr);
  }

  bool wasIgnored(size_t n) const { return before_[n].sa_handler == SIG_IGN; }

private:
  std::array<int, N> signals_;
  std::array<struct sigaction, N> before_{};
};

} // namespace lanewise::driver
