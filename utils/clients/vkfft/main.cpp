// Transforms on a Vulkan device with VkFFT, and on the CPU, and says whether they agree: a client
// for `lanewise run`.
//
//   vkfft_client [--device=N] [--points=N] [--repeats=N] [CASE...]
//
// prints a line for each case; the exit code is 1 where one is wrong. What it prints does not
// depend on time.
#include "cases.h"
#include "gpu.h"

#include <cmath>
#include <cstdio>
#include <cstring>
#include <random>
#include <string>
#include <vector>
#include <vkFFT.h>

namespace {

struct Options {
  int device = -1;
  uint64_t points = 0; ///< 0: as the device can bear
  uint32_t repeats = 10;
  std::vector<std::string> names;
};

struct Data {
  std::vector<char> bytes;    ///< as the buffer has them
  std::vector<Complex> first; ///< the first batch
};

template <class Scalar>
void put(std::vector<char>& bytes, uint64_t index, double value) {
  const auto scalar = Scalar(value);
  std::memcpy(bytes.data() + index * sizeof scalar, &scalar, sizeof scalar);
}

double valueAt(const Case& c, const std::vector<char>& bytes, uint64_t index) {
  if (c.isDouble) {
    double value = 0;
    std::memcpy(&value, bytes.data() + index * sizeof value, sizeof value);
    return value;
  }
  float value = 0;
  std::memcpy(&value, bytes.data() + index * sizeof value, sizeof value);
  return value;
}

bool isOfReals(const Case& c) {
  return c.isReal || c.cosine != 0;
}

Data randomData(const Case& c) {
  Data data;
  data.bytes.resize(c.scalars() * (c.isDouble ? sizeof(double) : sizeof(float)));
  std::mt19937 random(1);
  std::uniform_real_distribution<double> values(-1, 1);
  const uint64_t rows = c.elements() / c.size[0] * c.batches;
  for (uint64_t row = 0; row < rows; ++row)
    for (uint64_t n = 0; n < c.size[0]; ++n) {
      const uint64_t at = row * c.rowScalars() + (isOfReals(c) ? n : 2 * n);
      // What a float can hold, so that both begin with the same.
      const double real = float(values(random)),
                   imaginary = isOfReals(c) ? 0 : float(values(random));
      c.isDouble ? put<double>(data.bytes, at, real) : put<float>(data.bytes, at, real);
      if (!isOfReals(c))
        c.isDouble ? put<double>(data.bytes, at + 1, imaginary)
                   : put<float>(data.bytes, at + 1, imaginary);
      if (data.first.size() < c.elements()) data.first.emplace_back(real, imaginary);
    }
  return data;
}

/// The greatest difference of the first batch, relative to the root of the mean square.
double errorOf(const Case& c, const std::vector<char>& bytes,
               const std::vector<Complex>& expected) {
  double squares = 0, worst = 0;
  uint64_t count = 0;
  const uint64_t perRow = c.isReal ? c.size[0] / 2 + 1 : c.size[0];
  for (uint64_t row = 0; row < c.elements() / c.size[0]; ++row)
    for (uint64_t n = 0; n < perRow; ++n, ++count) {
      const Complex right = expected[row * c.size[0] + n];
      const uint64_t at = row * c.rowScalars() + (c.cosine != 0 ? n : 2 * n);
      const Complex got(valueAt(c, bytes, at), c.cosine != 0 ? 0 : valueAt(c, bytes, at + 1));
      squares += std::norm(right);
      worst = std::max(worst, std::isfinite(got.real()) ? std::abs(got - right) : INFINITY);
    }
  return worst / std::sqrt(squares / double(count));
}

class Plan {
public:
  Plan(Gpu& gpu, const Case& c, Gpu::Buffer& buffer) {
    VkFFTConfiguration configuration{};
    configuration.FFTdim = c.size.size();
    for (size_t n = 0; n < c.size.size(); ++n) configuration.size[n] = c.size[n];
    configuration.numberBatches = c.batches;
    configuration.doublePrecision = c.isDouble;
    configuration.performR2C = c.isReal;
    configuration.performDCT = c.cosine;
    configuration.normalize = 1;
    configuration.physicalDevice = &gpu.physical;
    configuration.device = &gpu.device;
    configuration.queue = &gpu.queue;
    configuration.commandPool = &gpu.pool;
    configuration.fence = &gpu.fence;
    configuration.buffer = &buffer.buffer;
    configuration.bufferSize = &buffer.bytes;
    result = initializeVkFFT(&application_, configuration);
  }
  ~Plan() {
    if (result == VKFFT_SUCCESS) deleteVkFFT(&application_);
  }
  Plan(const Plan&) = delete;

  void append(VkCommandBuffer commands, bool isInverse) {
    VkFFTLaunchParams launch{};
    launch.commandBuffer = &commands;
    if (result == VKFFT_SUCCESS) result = VkFFTAppend(&application_, isInverse ? 1 : -1, &launch);
  }

  VkFFTResult result = VKFFT_SUCCESS;

private:
  VkFFTApplication application_{};
};

/// Whether the transform agrees with the CPU's, and its inverse, `repeats` times over, with the
/// input.
bool run(Gpu& gpu, const Case& c, uint32_t repeats) {
  const Data data = randomData(c);
  const double limit = c.isDouble ? 1e-12 : 1e-4;
  Gpu::Buffer buffer = gpu.allocate(data.bytes.size(), false);
  bool isRight = false;
  {
    Plan plan(gpu, c, buffer);
    gpu.upload(buffer, data.bytes);
    gpu.run([&](VkCommandBuffer commands) { plan.append(commands, false); });
    const double forward = errorOf(c, gpu.download(buffer), transformed(c, data.first));
    gpu.upload(buffer, data.bytes);
    gpu.run([&](VkCommandBuffer commands) {
      for (uint32_t n = 0; n < repeats; ++n) {
        plan.append(commands, false);
        plan.append(commands, true);
      }
    });
    const std::vector<char> back = gpu.download(buffer);
    double worst = 0;
    for (uint64_t row = 0; row < c.elements() / c.size[0] * c.batches; ++row)
      for (uint64_t n = 0; n < (isOfReals(c) ? 1 : 2) * uint64_t(c.size[0]); ++n) {
        const uint64_t at = row * c.rowScalars() + n;
        worst = std::max(worst, std::abs(valueAt(c, back, at) - valueAt(c, data.bytes, at)));
      }
    isRight = plan.result == VKFFT_SUCCESS && forward < limit && worst < limit * (1 + repeats);
    if (plan.result != VKFFT_SUCCESS)
      std::fprintf(stderr, "%s: VkFFT's error %d\n", c.name.c_str(), int(plan.result));
    else if (!isRight)
      std::fprintf(stderr, "%s: error %g, round trip %g\n", c.name.c_str(), forward, worst);
  }
  gpu.release(buffer);
  std::printf("%s %s\n", c.name.c_str(), isRight ? "right" : "WRONG");
  return isRight;
}

} // namespace

int main(int count, char** arguments) {
  Options options;
  for (int n = 1; n < count; ++n) {
    const std::string argument = arguments[n];
    const auto value = [&] { return std::stoull(argument.substr(argument.find('=') + 1)); };
    if (argument.rfind("--device=", 0) == 0)
      options.device = int(value());
    else if (argument.rfind("--points=", 0) == 0)
      options.points = value();
    else if (argument.rfind("--repeats=", 0) == 0)
      options.repeats = uint32_t(value());
    else
      options.names.push_back(argument);
  }
  Gpu gpu(options.device);
  if (options.points == 0) options.points = gpu.isCpu ? uint64_t(1) << 16 : uint64_t(1) << 23;
  bool isRight = true;
  for (const Case& c : allCases(options.points)) {
    const bool isNamed =
        options.names.empty() ||
        std::find(options.names.begin(), options.names.end(), c.name) != options.names.end();
    if (!isNamed || (c.isDouble && !gpu.hasDoubles)) continue;
    isRight = run(gpu, c, options.repeats) && isRight;
  }
  return isRight ? 0 : 1;
}
