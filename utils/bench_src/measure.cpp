#include "measure.h"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace lanewise::bench {

namespace {

/// What a child leaves for its parent, in shared memory.
struct Slot {
  double seconds = 0;
  enum class State : uint32_t { Open, Running, Done, Failed } state = State::Open;
};

void runAll(const Pipeline& pipeline, const std::vector<CorpusModule>& corpus, uint32_t repeats,
            Slot* slots) {
  using Clock = std::chrono::steady_clock;
  Words output;
  for (uint32_t repeat = 0; repeat < repeats; ++repeat) {
    for (size_t i = 0; i < corpus.size(); ++i) {
      Slot& slot = slots[i];
      if (slot.state == Slot::State::Failed) continue;
      bool isFirst = slot.state == Slot::State::Open;
      slot.state = Slot::State::Running;
      auto start = Clock::now();
      bool succeeded = pipeline.run(corpus[i].words, output);
      double seconds = std::chrono::duration<double>(Clock::now() - start).count();
      slot.seconds = isFirst ? seconds : std::min(slot.seconds, seconds);
      slot.state = succeeded ? Slot::State::Done : Slot::State::Failed;
    }
  }
}

} // namespace

Times measure(const Pipeline& pipeline, const std::vector<CorpusModule>& corpus, uint32_t repeats) {
  size_t bytes = corpus.size() * sizeof(Slot);
  void* shared = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (shared == MAP_FAILED) return Times(corpus.size());
  Slot* slots = new (shared) Slot[corpus.size()];

  // A crash costs its module the figure and the others a new start; each crash fails one module, so
  // this ends.
  for (bool finished = false; !finished;) {
    std::fflush(nullptr);
    pid_t child = fork();
    if (child < 0) break;
    if (child == 0) {
      rlimit noCore{0, 0};
      setrlimit(RLIMIT_CORE, &noCore);
      runAll(pipeline, corpus, repeats, slots);
      _exit(0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    finished = WIFEXITED(status) && WEXITSTATUS(status) == 0;
    bool blamed = false;
    for (size_t i = 0; i < corpus.size() && !finished; ++i) {
      if (slots[i].state != Slot::State::Running) continue;
      slots[i].state = Slot::State::Failed;
      blamed = true;
    }
    if (!finished && !blamed) break;
  }

  Times times(corpus.size());
  for (size_t i = 0; i < corpus.size(); ++i)
    if (slots[i].state == Slot::State::Done) times[i] = slots[i].seconds;
  munmap(shared, bytes);
  return times;
}

} // namespace lanewise::bench
