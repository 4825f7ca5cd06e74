#include "support/interrupt_note.h"

#include "support/terminal.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <string>
#include <unistd.h>

namespace lanewise::driver {

namespace {

constexpr int kSignals[] = {SIGINT, SIGTERM};
constexpr size_t kMostBytes = 1024;

// A signal handler reaches nothing else. Of the two texts the other one is written next.
std::array<std::array<char, kMostBytes>, 2> texts;
std::atomic<const char*> current{nullptr};
pid_t owner = 0;
bool isOnTerminal = false;
bool endsWhenTold = false;
volatile sig_atomic_t due = 0; ///< the signal that the program is to end by

extern "C" void tellAndEnd(int signal) {
  const char* const text = current;
  const bool isOurs = text && getpid() == owner;
  if (isOurs && endsWhenTold && !due) {
    due = signal;
    return;
  }
  if (isOurs) {
    // On a terminal "^C" and a line of progress stand there.
    if (isOnTerminal) (void)!write(STDERR_FILENO, "\n", 1);
    (void)!write(STDERR_FILENO, text, strlen(text));
  }
  std::signal(signal, SIG_DFL);
  raise(signal); // pending until this returns
}

} // namespace

void InterruptNote::say(std::string_view text) {
  std::string line = "lanewise: interrupted: " + std::string(text);
  line.resize(std::min(line.size(), kMostBytes - 2));
  line += '\n';
  auto& next = current == texts[0].data() ? texts[1] : texts[0];
  std::memcpy(next.data(), line.c_str(), line.size() + 1);
  current = next.data();
}

bool InterruptNote::isDue() const {
  return due != 0;
}

void InterruptNote::end() const {
  std::fflush(nullptr);
  tellAndEnd(due);
}

void InterruptNote::watch(Ends ends) {
  owner = getpid();
  endsWhenTold = ends == Ends::WhenTold;
  due = 0;
  isOnTerminal = isTerminal(stderr);
  for (int signal : kSignals) {
    struct sigaction before {};
    sigaction(signal, nullptr, &before);
    if (before.sa_handler != SIG_DFL) continue;
    struct sigaction now {};
    now.sa_handler = tellAndEnd;
    sigaction(signal, &now, nullptr);
  }
}

InterruptNote::~InterruptNote() {
  for (int signal : kSignals) {
    struct sigaction now {};
    sigaction(signal, nullptr, &now);
    if (now.sa_handler == tellAndEnd) std::signal(signal, SIG_DFL);
  }
  current = nullptr;
}

} // namespace lanewise::driver
