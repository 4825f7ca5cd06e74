#include "support/progress_line.h"

#include "support/source_quote.h"
#include "support/terminal.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <fmt/format.h>
#include <sys/time.h>
#include <unistd.h>

namespace lanewise::driver {

namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr milliseconds kInterval{100};
constexpr char kWipe[] = "\r\x1b[K";

/// What a signal handler may touch. The line must appear, and a text that came too early for it
/// change, while the command is busy elsewhere; a thread would be in the way of all the processes
/// that are forked.
struct Shown {
  std::array<char, 1024> text;
  volatile std::sig_atomic_t length = 0;
  volatile std::sig_atomic_t isThere = 0;
};
Shown shown;

void write() {
  if (shown.length == 0) return;
  (void)!::write(STDERR_FILENO, shown.text.data(), size_t(shown.length));
  shown.isThere = 1;
}

void onAlarm(int) {
  const int before = errno;
  write();
  errno = before;
}

struct Line {
  pid_t owner = 0; ///< 0: there is none
  std::array<std::string, 3> texts;
  Clock::time_point due;
  struct sigaction previous {};
};
Line line;

void setAlarm(milliseconds after) {
  itimerval timer{};
  timer.it_value.tv_sec = after.count() / 1000;
  timer.it_value.tv_usec = suseconds_t(after.count() % 1000 * 1000);
  ::setitimer(ITIMER_REAL, &timer, nullptr);
}

bool isOwner() {
  return line.owner != 0 && line.owner == ::getpid();
}

std::string composed() {
  std::string text;
  for (const std::string& part : line.texts)
    if (!part.empty()) text += (text.empty() ? "" : ": ") + part;
  const uint32_t columns = terminalWidth(stderr);
  return fmt::format("\r{}\x1b[K", clipped(text, columns == 0 ? 80 : columns));
}

} // namespace

ProgressLine::ProgressLine(bool isWanted, milliseconds delay) {
  if (!isWanted || line.owner != 0 || !canErase(stderr)) return;
  line = {::getpid(), {}, Clock::now() + delay, {}};
  struct sigaction action {};
  action.sa_handler = onAlarm;
  action.sa_flags = SA_RESTART;
  ::sigaction(SIGALRM, &action, &line.previous);
}

ProgressLine::~ProgressLine() {
  if (!isOwner()) return;
  wipe();
  ::sigaction(SIGALRM, &line.previous, nullptr);
  line.owner = 0;
}

void ProgressLine::tell(Level level, std::string text) {
  if (!isOwner()) return;
  line.texts[size_t(level)] = std::move(text);
  std::fill(line.texts.begin() + ptrdiff_t(level) + 1, line.texts.end(), std::string());
  const std::string now = composed();
  // The handler sees the old text, none, or the new one.
  shown.length = 0;
  std::atomic_signal_fence(std::memory_order_seq_cst);
  const size_t length = std::min(now.size(), shown.text.size());
  std::memcpy(shown.text.data(), now.data(), length);
  std::atomic_signal_fence(std::memory_order_seq_cst);
  shown.length = std::sig_atomic_t(length);
  const auto wait = std::chrono::duration_cast<milliseconds>(line.due - Clock::now());
  if (wait.count() > 0) return setAlarm(wait);
  setAlarm({});
  write();
  line.due = Clock::now() + kInterval;
}

void ProgressLine::wipe() {
  if (!isOwner()) return;
  setAlarm({});
  shown.length = 0;
  if (shown.isThere == 0) return;
  (void)!::write(STDERR_FILENO, kWipe, sizeof kWipe - 1);
  shown.isThere = 0;
}

} // namespace lanewise::driver
