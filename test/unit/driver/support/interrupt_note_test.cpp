// What is said when somebody stops the program.
#include "support/interrupt_note.h"

#include <csignal>
#include <gtest/gtest.h>
#include <string>
#include <sys/wait.h>
#include <unistd.h>

namespace lanewise::driver {
namespace {

struct End {
  std::string printed;
  int signal = 0;
};

/// Of a child process that does this.
template <class Body>
End endOf(Body body) {
  int ends[2];
  if (pipe(ends) != 0) return {};
  const pid_t child = fork();
  if (child == 0) {
    dup2(ends[1], STDERR_FILENO);
    // A shell starts what runs in the background with this signal ignored.
    std::signal(SIGINT, SIG_DFL);
    body();
    _exit(0);
  }
  close(ends[1]);
  End end;
  char text[4096];
  for (ssize_t n; (n = ::read(ends[0], text, sizeof(text))) > 0;)
    end.printed.append(text, size_t(n));
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  end.signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
  return end;
}

TEST(InterruptNote, IsPrintedAndTheSignalEndsTheProgram) {
  for (int signal : {SIGINT, SIGTERM}) {
    const End end = endOf([signal] {
      InterruptNote note("nothing is kept");
      note.say("2 of 3 outputs are done");
      raise(signal);
    });
    EXPECT_EQ(end.printed, "lanewise: interrupted: 2 of 3 outputs are done\n");
    EXPECT_EQ(end.signal, signal);
  }
}

TEST(InterruptNote, WaitsForTheEnd) {
  using Ends = InterruptNote::Ends;
  const End told = endOf([] {
    InterruptNote note("nothing is kept", Ends::WhenTold);
    if (note.isDue()) return;
    raise(SIGTERM);
    if (!note.isDue()) return;
    note.say("all is kept");
    note.end();
  });
  EXPECT_EQ(told.printed, "lanewise: interrupted: all is kept\n");
  EXPECT_EQ(told.signal, SIGTERM);
  const End twice = endOf([] {
    InterruptNote note("nothing is kept", Ends::WhenTold);
    raise(SIGTERM);
    raise(SIGINT);
    note.say("all is kept");
  });
  EXPECT_EQ(twice.printed, "lanewise: interrupted: nothing is kept\n");
  EXPECT_EQ(twice.signal, SIGINT);
  const End worker = endOf([] {
    InterruptNote note("nothing is kept", Ends::WhenTold);
    const pid_t child = fork();
    if (child == 0) {
      raise(SIGINT);
      _exit(0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    if (WIFSIGNALED(status) && !note.isDue()) raise(SIGTERM), note.end();
  });
  EXPECT_EQ(worker.signal, SIGTERM);
}

TEST(InterruptNote, OnlyOfTheProgramItself) {
  const End end = endOf([] {
    InterruptNote note("nothing is kept");
    const pid_t worker = fork();
    if (worker == 0) raise(SIGINT);
    int status = 0;
    waitpid(worker, &status, 0);
    if (WIFSIGNALED(status) && WTERMSIG(status) == SIGINT) raise(SIGTERM);
  });
  EXPECT_EQ(end.printed, "lanewise: interrupted: nothing is kept\n");
  EXPECT_EQ(end.signal, SIGTERM);
}

TEST(InterruptNote, NotOfIgnoredSignalsAndNotAfterwards) {
  const End ignored = endOf([] {
    std::signal(SIGINT, SIG_IGN);
    InterruptNote note("nothing is kept");
    raise(SIGINT);
  });
  EXPECT_EQ(ignored.printed, "");
  EXPECT_EQ(ignored.signal, 0);
  const End after = endOf([] {
    { InterruptNote note("nothing is kept"); }
    raise(SIGINT);
  });
  EXPECT_EQ(after.printed, "");
  EXPECT_EQ(after.signal, SIGINT);
}

TEST(InterruptNote, LongTextsAreCut) {
  const End end = endOf([] {
    InterruptNote note(std::string(5000, 'x'));
    raise(SIGINT);
  });
  ASSERT_EQ(end.printed.size(), 1023u);
  EXPECT_EQ(end.printed.back(), '\n');
}

} // namespace
} // namespace lanewise::driver
