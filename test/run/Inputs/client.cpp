// A Vulkan program as others write them, for the tests of `lanewise run`: it runs one shader in the
// ways that its arguments name, one after the other, and prints a checksum of what came out of
// each.
//
//   client SHADER.spv SCENE...
//
// With LANEWISE_TEST_ROBUST in the environment, devices have robustBufferAccess.
#include "client.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace client {
namespace {

/// Two pipelines one behind the other, several sizes, one of them indirect.
uint32_t plain(Gpu& gpu) {
  Pipeline first = gpu.pipeline({64, 3}, "first");
  Pipeline second = gpu.pipeline({32, 5}, "second");
  Commands commands = gpu.commands();
  commands.begin();
  for (const uint32_t size : {4u, 4u, 7u}) {
    commands.dispatch(first, size);
    commands.barrier();
  }
  commands.dispatchIndirect(second, 2);
  commands.end();
  gpu.run(commands);
  return gpu.checksum();
}

/// A pipeline that is made in some other way.
uint32_t one(Gpu& gpu, Kind kind) {
  Pipeline pipeline = gpu.pipeline({64, 3}, "", kind);
  Commands commands = gpu.commands();
  commands.begin();
  commands.dispatch(pipeline, 4);
  commands.end();
  gpu.run(commands);
  return gpu.checksum();
}

/// The same pipeline with as much work as somebody wants it to have.
uint32_t sized(Gpu& gpu, uint32_t groups) {
  Pipeline pipeline = gpu.pipeline({64, 3}, "sized");
  Commands commands = gpu.commands();
  commands.begin();
  for (int n = 0; n < 20; ++n) {
    commands.dispatch(pipeline, groups);
    commands.barrier();
  }
  commands.end();
  gpu.run(commands);
  return gpu.checksum();
}

/// Records and runs again and again, long enough for an optimizer to be done meanwhile. One command
/// buffer stays as it was recorded first, and one pipeline is destroyed in time.
uint32_t patient(Gpu& gpu) {
  Pipeline pipeline = gpu.pipeline({64, 3}, "patient");
  auto gone = std::make_unique<Pipeline>(gpu, Constants{64, 5}, "gone");
  Commands first = gpu.commands(), commands = gpu.commands();
  first.begin();
  first.dispatch(pipeline, 8);
  first.dispatch(*gone, 8);
  first.end();
  gpu.run(first);
  for (int n = 0; n < 60; ++n) {
    commands.begin();
    commands.dispatch(pipeline, 8);
    commands.end();
    gpu.run(commands);
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    if (n == 50) gone.reset(); // whatever stands in its place goes, too
  }
  return gpu.checksum();
}

/// The same with what else a late module may be for: shader objects, newer flags, and an object
/// that cannot be made a second time because its layout is gone.
uint32_t patientObjects(Gpu& gpu) {
  Pipeline object = gpu.pipeline({64, 3}, "object", Kind::ShaderObject),
           brief = gpu.pipeline({64, 7}, "brief", Kind::BriefLayout),
           newer = gpu.pipeline({32, 3}, "newer", Kind::NewerFlags);
  auto gone = std::make_unique<Pipeline>(gpu, Constants{64, 5}, "gone", Kind::ShaderObject);
  for (int n = 0; n < 60; ++n) {
    Commands commands = gpu.commands();
    commands.begin();
    for (const Pipeline* each : {&object, &brief, &newer, gone ? gone.get() : &object}) {
      commands.dispatch(*each, 8);
      commands.barrier();
    }
    commands.end();
    gpu.run(commands);
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    if (n == 50) gone.reset();
  }
  return gpu.checksum();
}

/// Never waits for the device, and only asks whether it is done.
uint32_t polling(Gpu& gpu) {
  Pipeline pipeline = gpu.pipeline({64, 3}, "polling");
  Commands commands = gpu.commands();
  for (int n = 0; n < 60; ++n) {
    commands.begin();
    commands.dispatch(pipeline, 600);
    commands.end();
    gpu.poll(commands);
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  return gpu.checksum();
}

/// A command buffer three times with a wait between, then twice without, then recorded again for
/// one execution at a time.
uint32_t reused(Gpu& gpu) {
  Pipeline pipeline = gpu.pipeline({64, 3}, "reused");
  Commands commands = gpu.commands();
  commands.begin(VK_COMMAND_BUFFER_USAGE_SIMULTANEOUS_USE_BIT);
  commands.barrier();
  commands.dispatch(pipeline, 3);
  commands.end();
  for (int n = 0; n < 3; ++n) gpu.run(commands);
  gpu.submit(commands);
  gpu.submit(commands);
  gpu.waitIdle();
  commands.begin();
  commands.dispatch(pipeline, 9);
  commands.end();
  for (int n = 0; n < 3; ++n) gpu.run(commands);
  return gpu.checksum();
}

/// A secondary command buffer twice in one primary.
uint32_t secondary(Gpu& gpu) {
  Pipeline pipeline = gpu.pipeline({64, 3}, "secondary");
  Commands inner = gpu.commands(VK_COMMAND_BUFFER_LEVEL_SECONDARY);
  inner.begin(VK_COMMAND_BUFFER_USAGE_SIMULTANEOUS_USE_BIT);
  inner.dispatch(pipeline, 5);
  inner.barrier();
  inner.end();
  Commands outer = gpu.commands();
  outer.begin();
  outer.dispatch(pipeline, 2);
  outer.barrier();
  outer.execute(inner);
  outer.execute(inner);
  outer.end();
  gpu.run(outer);
  return gpu.checksum();
}

/// Nothing orders the first two, which write the same.
uint32_t unordered(Gpu& gpu) {
  Pipeline pipeline = gpu.pipeline({64, 0}, "unordered");
  Commands commands = gpu.commands();
  commands.begin();
  commands.dispatch(pipeline, 6);
  commands.dispatch(pipeline, 6);
  commands.barrier();
  commands.dispatch(pipeline, 8);
  commands.end();
  gpu.run(commands);
  return gpu.checksum();
}

/// More dispatches than a pool of queries has room for.
uint32_t many(Gpu& gpu) {
  Pipeline pipeline = gpu.pipeline({64, 3}, "many");
  Commands commands = gpu.commands();
  commands.begin();
  for (int n = 0; n < 300; ++n) {
    commands.dispatch(pipeline, 1);
    commands.barrier();
  }
  commands.end();
  gpu.run(commands);
  return gpu.checksum();
}

/// Two devices of one instance, and a second instance.
uint32_t devices(Gpu&) {
  Instance one, two;
  Gpu a(one), b(one), c(two);
  return plain(a) + 3 * plain(b) + 5 * plain(c);
}

/// Pipelines from 16 threads, each of which records, submits and waits on a device of its own.
uint32_t threads(Gpu& gpu) {
  const char* count = std::getenv("LANEWISE_TEST_PIPELINES");
  const uint32_t each = (count ? uint32_t(std::atoi(count)) : 64) / 16;
  std::vector<std::thread> all;
  std::vector<uint32_t> sums(16);
  for (uint32_t t = 0; t < 16; ++t)
    all.emplace_back([&gpu, &sums, t, each] {
      Gpu own(gpu.instance());
      for (uint32_t n = 0; n < each; ++n) {
        Pipeline pipeline = own.pipeline({64, t * 1000 + n}, "");
        Commands commands = own.commands();
        commands.begin();
        commands.dispatch(pipeline, 1 + n % 3);
        commands.end();
        own.run(commands);
      }
      sums[t] = own.checksum();
    });
  uint32_t sum = 0;
  for (uint32_t t = 0; t < 16; ++t) {
    all[t].join();
    sum = sum * 31 + sums[t];
  }
  return sum;
}

/// Pipelines of one device from 16 threads at once.
uint32_t sharedDevice(Gpu& gpu) {
  std::vector<std::thread> all;
  for (uint32_t t = 0; t < 16; ++t)
    all.emplace_back([&gpu, t] {
      for (uint32_t n = 0; n < 8; ++n) Pipeline made = gpu.pipeline({64, t * 100 + n}, "shared");
    });
  for (std::thread& thread : all) thread.join();
  return plain(gpu);
}

/// A child that has no part in it, and one that is another program.
uint32_t forks(Gpu& gpu) {
  const uint32_t sum = plain(gpu);
  std::fflush(stdout);
  if (::fork() == 0) std::exit(0);
  if (::fork() == 0) {
    ::execl("/bin/true", "true", nullptr);
    ::_exit(1);
  }
  while (::wait(nullptr) > 0) {
  }
  return sum;
}

/// Three pipelines in one call, of which the second must not be compiled.
uint32_t array(Gpu& gpu) {
  const std::vector<VkPipeline> made = gpu.pipelines({{64, 3}, {64, 5}, {64, 7}}, 1);
  uint32_t sum = 0;
  for (const VkPipeline pipeline : made) {
    sum = sum * 2 + (pipeline != VK_NULL_HANDLE);
    vkDestroyPipeline(gpu.handle(), pipeline, nullptr);
  }
  return sum;
}

/// A memfd: Mesa 25 has a device's memory in one, and lets it grow.
bool isMemory(int descriptor) {
  constexpr std::string_view kMemory = "/memfd:";
  std::array<char, kMemory.size()> name;
  const std::string link = "/proc/self/fd/" + std::to_string(descriptor);
  return ::readlink(link.c_str(), name.data(), name.size()) == ssize_t(name.size()) &&
         std::string_view(name.data(), name.size()) == kMemory;
}

/// Closes every descriptor that it has not opened itself, but memory, as services do that go into
/// the background, and opens files of its own under the same numbers. How many bytes are in those.
uint32_t closing(Gpu& gpu) {
  for (int n = 3; n < 1024; ++n)
    if (!isMemory(n)) ::close(n);
  std::vector<std::FILE*> files;
  for (int n = 0; n < 300; ++n) files.push_back(std::tmpfile());
  plain(gpu);
  uint32_t bytes = 0;
  for (std::FILE* file : files) {
    struct stat about {};
    if (!file || ::fstat(::fileno(file), &about) != 0) return UINT32_MAX;
    bytes += uint32_t(about.st_size);
    std::fclose(file);
  }
  return bytes;
}

/// Files may have 512 bytes from now on; more is a signal that ends the program. (Memory is there
/// before: Mesa 25 has it in a file.)
uint32_t limited(Gpu& gpu) {
  plain(gpu);
  const rlimit limit{512, 512};
  ::setrlimit(RLIMIT_FSIZE, &limit);
  return plain(gpu);
}

/// Leaves while the device has work.
uint32_t unfinished(Gpu& gpu) {
  Pipeline pipeline = gpu.pipeline({64, 3}, "unfinished");
  Commands commands = gpu.commands();
  commands.begin();
  for (int n = 0; n < 20; ++n) commands.dispatch(pipeline, 60000);
  commands.end();
  gpu.submit(commands);
  ::_exit(4);
}

/// Instances one after the other, and how many descriptors are open after the first and at the end.
int manyInstances() {
  auto count = [] {
    uint32_t open = 0;
    for (int n = 0; n < 1024; ++n) open += ::fcntl(n, F_GETFD) >= 0;
    return open;
  };
  { const Instance first; }
  const uint32_t before = count();
  for (int n = 0; n < 8; ++n) const Instance instance;
  return std::printf("%u more\n", count() - before), 0;
}

/// How long the processor takes to record a bind and a dispatch, to standard error.
uint32_t recording(Gpu& gpu) {
  constexpr int kCount = 100'000;
  Pipeline pipeline = gpu.pipeline({64, 3}, "recording");
  auto measure = [](const char* what, const std::function<void()>& work) {
    const auto start = std::chrono::steady_clock::now();
    work();
    const std::chrono::duration<double, std::micro> time = std::chrono::steady_clock::now() - start;
    std::fprintf(stderr, "%s: %.3f us\n", what, time.count() / kCount);
  };
  Commands commands = gpu.commands();
  commands.begin();
  measure("bind", [&] {
    for (int n = 0; n < kCount; ++n) commands.bind(pipeline);
  });
  measure("dispatch", [&] {
    for (int n = 0; n < kCount; ++n) commands.dispatchBound(1);
  });
  commands.end();
  return 0;
}

/// How long it takes to create a pipeline that was created before, to standard error.
uint32_t creating(Gpu& gpu) {
  std::vector<double> times;
  for (int n = 0; n < 301; ++n) {
    const auto start = std::chrono::steady_clock::now();
    Pipeline made = gpu.pipeline({64, 3}, "");
    const std::chrono::duration<double, std::micro> time = std::chrono::steady_clock::now() - start;
    times.push_back(time.count());
  }
  std::sort(times.begin(), times.end());
  std::fprintf(stderr, "create: %.1f us, median of %zu\n", times[times.size() / 2], times.size());
  return 0;
}

/// Two of one module, each bound and dispatched, one of them without a name.
uint32_t shaderObjects(Gpu& gpu) {
  Pipeline a = gpu.pipeline({64, 3}, "object", Kind::ShaderObject),
           b = gpu.pipeline({32, 5}, "", Kind::ShaderObject), c = gpu.pipeline({64, 3}, "pipeline");
  Commands commands = gpu.commands();
  commands.begin();
  commands.dispatch(a, 4);
  commands.barrier();
  commands.dispatch(b, 7);
  commands.barrier();
  commands.dispatch(c, 2);
  commands.barrier();
  commands.dispatch(a, 4);
  commands.end();
  gpu.run(commands);
  return gpu.checksum();
}

uint32_t leaves(Gpu& gpu, const std::function<void()>& leave) {
  std::printf("%08x\n", plain(gpu));
  std::fflush(stdout);
  leave();
  return 0;
}

const std::map<std::string, std::function<uint32_t(Gpu&)>> kScenes{
    {"chained", [](Gpu& gpu) { return one(gpu, Kind::Chained); }},
    {"array", array},
    {"closing", closing},
    {"derivative", [](Gpu& gpu) { return one(gpu, Kind::Derivative); }},
    {"patient", patient},
    {"patient-objects", patientObjects},
    {"plain", plain},
    {"polling", polling},
    {"reused", reused},
    {"secondary", secondary},
    {"small", [](Gpu& gpu) { return sized(gpu, 8); }},
    {"large", [](Gpu& gpu) { return sized(gpu, 60000); }},
    {"unordered", unordered},
    {"limited", limited},
    {"unfinished", unfinished},
    {"many", many},
    {"devices", devices},
    {"threads", threads},
    {"shader-objects", shaderObjects},
    {"shared-device", sharedDevice},
    {"forks", forks},
    {"recording", recording},
    {"creating", creating},
    {"exit", [](Gpu& gpu) { return leaves(gpu, [] { std::exit(5); }); }},
    {"quick-exit", [](Gpu& gpu) { return leaves(gpu, [] { ::_exit(6); }); }},
    {"crash", [](Gpu& gpu) { return leaves(gpu, [] { ::raise(SIGSEGV); }); }},
    {"exec", [](Gpu& gpu) { return leaves(gpu, [] { ::execl("/bin/true", "true", nullptr); }); }}};

} // namespace
} // namespace client

int main(int argc, char** argv) {
  if (argc < 3) return std::fprintf(stderr, "usage: client SHADER.spv SCENE...\n"), 1;
  client::loadShader(argv[1]);
  if (argv[2] == std::string("instances")) return client::manyInstances();
  client::Instance instance;
  for (int n = 2; n < argc; ++n) {
    client::Gpu gpu(instance);
    std::printf("%s %08x\n", argv[n], client::kScenes.at(argv[n])(gpu));
  }
  return 0;
}
