// What a driver dies of is told, the next call has a new process, and none is left behind.
#include "assemble.h"
#include "isolation.h"
#include "support/isolate.h"
#include "verify/device/device_host.h"
#include "verify/device/device_service.h"
#include "verify/device/device_worker.h"
#include "verify/program/runner.h"

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

namespace lanewise::driver {
namespace {

using Kind = RunFailure::Kind;

Program emptyProgram() {
  Words words = test::assemble(R"(
OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main"
OpExecutionMode %main LocalSize 1 1 1
%void = OpTypeVoid
%fn = OpTypeFunction %void
%main = OpFunction %void None %fn
%entry = OpLabel
OpReturn
OpFunctionEnd
)");
  Program program;
  program.name = "nothing";
  program.shaders.push_back({"empty", words, {}, *reflect(words, "main", {})});
  program.dispatches.push_back({0, {1, 1, 1}, {}, {}});
  return program;
}

/// Adds and runs a program: the first failure.
RunStatus runAll(Runner& runner) {
  std::vector<std::vector<uint8_t>> outputs;
  if (RunStatus failed = runner.makeBuffers(std::vector<uint64_t>{16})) return failed;
  if (RunStatus failed = runner.addProgram(emptyProgram())) return failed;
  const std::vector<BufferInput> inputs{{{}, uint8_t(3)}};
  return runner.run(0, inputs, std::vector<uint32_t>{0}, outputs);
}

bool hasChildren() {
  return ::waitpid(-1, nullptr, WNOHANG) >= 0 || errno != ECHILD;
}

class FaultyDriver : public testing::Test {
protected:
  void SetUp() override {
    ::setenv("VK_LAYER_PATH", LANEWISE_TEST_LAYERS_DIR, 1);
    ::setenv("VK_INSTANCE_LAYERS", "VK_LAYER_LANEWISE_faulty", 1);
  }
  void TearDown() override {
    for (const char* name : {"VK_LAYER_PATH", "VK_INSTANCE_LAYERS", "LANEWISE_FAULT"})
      ::unsetenv(name);
    EXPECT_FALSE(hasChildren());
  }

  // `fault` as test/layers/faulty.cpp has it. The worker reads it when it starts.
  RunFailure failureOf(const char* fault, double timeout = 60) {
    ::setenv("LANEWISE_FAULT", fault, 1);
    DeviceHost host;
    RunnerOptions options;
    options.device = "cpu";
    options.timeoutSeconds = timeout;
    Result<std::unique_ptr<Runner>> runner = host.open(options);
    EXPECT_TRUE(runner) << runner.error().message;
    if (!runner) return {};
    RunStatus failed = runAll(**runner);
    EXPECT_TRUE(failed) << fault;
    if (!failed) return {};
    EXPECT_TRUE((*runner)->loss());
    // Whatever is asked then has the same answer, and nobody waits.
    double unused = 0;
    RunStatus again = (*runner)->time(0, 1, unused);
    EXPECT_TRUE(again && again->message == failed->message);
    EXPECT_TRUE((*runner)->contents(0).empty());
    // The next one has a process of its own.
    runner->reset();
    ::unsetenv("LANEWISE_FAULT");
    Result<std::unique_ptr<Runner>> next = host.open(options);
    EXPECT_TRUE(next && !runAll(**next));
    return *failed;
  }
};

TEST_F(FaultyDriver, CrashesOverACompile) {
  const RunFailure failed = failureOf("compile:crash");
  EXPECT_EQ(failed.kind, Kind::DriverCrashed);
  EXPECT_EQ(failed.message,
            "the driver crashed (signal 11, SIGSEGV) while compiling shader `empty`");
}

TEST_F(FaultyDriver, AbortsInARun) {
  const RunFailure failed = failureOf("wait:abort");
  EXPECT_EQ(failed.kind, Kind::DriverCrashed);
  EXPECT_EQ(failed.message, "the driver crashed (signal 6, SIGABRT) while running nothing");
}

TEST_F(FaultyDriver, CrashesWhenItIsOpened) {
  const RunFailure failed = failureOf("open:crash");
  EXPECT_EQ(failed.kind, Kind::DriverCrashed);
  EXPECT_NE(failed.message.find("(signal 11, SIGSEGV) while opening "), std::string::npos)
      << failed.message;
}

TEST_F(FaultyDriver, Exits) {
  const RunFailure failed = failureOf("compile:exit");
  EXPECT_EQ(failed.kind, Kind::DriverCrashed);
  EXPECT_EQ(failed.message, "the driver exited (status 7) while compiling shader `empty`");
}

// As the kernel does to large processes: no fault of the program's.
TEST_F(FaultyDriver, IsKilled) {
  const RunFailure failed = failureOf("submit:kill");
  EXPECT_EQ(failed.kind, Kind::Unsupported);
  EXPECT_EQ(failed.message, "the driver's process was killed (signal 9, SIGKILL) while running "
                            "nothing, most likely for lack of memory");
}

TEST_F(FaultyDriver, LosesItsDevice) {
  const RunFailure failed = failureOf("submit:lose");
  EXPECT_EQ(failed.kind, Kind::DeviceLost);
}

TEST_F(FaultyDriver, NeverEndsACompile) {
  IsolationLimits limits;
  limits.time = std::chrono::milliseconds(1500);
  const test::WithIsolation isolated(limits);
  const RunFailure failed = failureOf("compile:hang");
  EXPECT_EQ(failed.kind, Kind::Timeout);
  EXPECT_EQ(failed.message,
            "the driver did not finish compiling shader `empty` within 1.5 seconds");
}

TEST_F(FaultyDriver, NeverEndsASubmission) {
  const RunFailure failed = failureOf("submit:hang", 0.5);
  EXPECT_EQ(failed.kind, Kind::Timeout);
  EXPECT_EQ(failed.message, "nothing did not finish within 0.5 seconds");
}

TEST_F(FaultyDriver, CrashesWhenItsDevicesAreListed) {
  ::setenv("LANEWISE_FAULT", "enumerate:crash", 1);
  Result<std::vector<DeviceInfo>> devices = listDevices();
  ASSERT_FALSE(devices);
  EXPECT_EQ(devices.error().message,
            "no usable Vulkan: the driver crashed (signal 11, SIGSEGV) while listing "
            "its devices; point VK_DRIVER_FILES at another driver");
  DeviceHost host;
  EXPECT_FALSE(host.probe({.device = "cpu"}));
  ::unsetenv("LANEWISE_FAULT");
  EXPECT_TRUE(host.probe({.device = "cpu"}));
}

TEST(DeviceWorker, ThatIsGoneFailsTheNextCall) {
  DeviceWorker worker(serveDevice);
  ASSERT_FALSE(worker.loss());
  ::kill(worker.process(), SIGTERM);
  MessageWriter request;
  request.put(DeviceCall::List);
  DeviceAnswer answer;
  RunStatus failed = worker.ask(request, answer);
  ASSERT_TRUE(failed);
  EXPECT_EQ(failed->message, "the driver crashed (signal 15, SIGTERM) while starting");
  EXPECT_FALSE(hasChildren());
}

// What others wait to see closed must not be held open by a process that lives as long as this one.
TEST(DeviceWorker, HoldsNothingOpen) {
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  DeviceWorker worker(serveDevice);
  ::close(ends[1]);
  char unused;
  EXPECT_EQ(::read(ends[0], &unused, 1), 0);
  ::close(ends[0]);
}

TEST(DeviceWorker, EndsWithItsOwner) {
  {
    DeviceHost host;
    ASSERT_TRUE(host.probe({.device = "cpu"}));
    EXPECT_TRUE(hasChildren());
  }
  EXPECT_FALSE(hasChildren());
}

// For debuggers. In a child, because Vulkan in this process would be forked by later tests.
TEST(DeviceWorker, IsNotThereWithoutIsolation) {
  Result<std::string> outcome = isolate([]() -> Result<std::string> {
    IsolationLimits limits;
    limits.forksForDrivers = false;
    setDefaultIsolation(limits);
    Result<std::unique_ptr<Runner>> runner = openRunner({.device = "cpu"});
    if (!runner) return runner.error();
    if (RunStatus failed = runAll(**runner)) return failed->message;
    return std::string(hasChildren() ? "a child" : "no child");
  });
  ASSERT_TRUE(outcome) << outcome.error().message;
  EXPECT_EQ(*outcome, "no child");
}

} // namespace
} // namespace lanewise::driver
