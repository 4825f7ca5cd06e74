#include "cases.h"

#include <algorithm>
#include <cmath>

namespace {

const double kPi = std::acos(-1.0);

/// By the smallest factor of the length, down to primes, which are summed up.
std::vector<Complex> fourier(const std::vector<Complex>& x) {
  const size_t n = x.size();
  size_t factor = 2;
  while (factor * factor <= n && n % factor != 0) ++factor;
  if (n % factor != 0 || factor == n) factor = n;
  if (n == 1) return x;
  std::vector<Complex> roots(n), out(n);
  for (size_t k = 0; k < n; ++k) roots[k] = std::polar(1.0, -2 * kPi * double(k) / double(n));
  if (factor == n) {
    for (size_t k = 0; k < n; ++k)
      for (size_t j = 0; j < n; ++j) out[k] += x[j] * roots[j * k % n];
    return out;
  }
  const size_t rest = n / factor;
  std::vector<std::vector<Complex>> parts;
  for (size_t p = 0; p < factor; ++p) {
    std::vector<Complex> part(rest);
    for (size_t j = 0; j < rest; ++j) part[j] = x[j * factor + p];
    parts.push_back(fourier(part));
  }
  for (size_t k = 0; k < n; ++k)
    for (size_t p = 0; p < factor; ++p) out[k] += parts[p][k % rest] * roots[p * k % n];
  return out;
}

/// As FFTW's REDFT10 and REDFT01 have it.
std::vector<Complex> cosine(const std::vector<Complex>& x, uint32_t kind) {
  const size_t n = x.size();
  std::vector<Complex> out(n);
  for (size_t k = 0; k < n; ++k) {
    double sum = kind == 3 ? x[0].real() : 0;
    for (size_t j = kind == 3 ? 1 : 0; j < n; ++j) {
      const double angle = kind == 2 ? double((2 * j + 1) * k) : double(j * (2 * k + 1));
      sum +=
          2 * x[j].real() * std::cos(kPi * std::fmod(angle, 4.0 * double(n)) / (2.0 * double(n)));
    }
    out[k] = sum;
  }
  return out;
}

Case caseOf(std::string name, std::vector<uint32_t> size) {
  Case c;
  c.name = std::move(name);
  c.size = std::move(size);
  return c;
}

} // namespace

uint64_t Case::elements() const {
  uint64_t count = 1;
  for (const uint32_t extent : size) count *= extent;
  return count;
}

uint64_t Case::rowScalars() const {
  if (cosine != 0) return size[0];
  return isReal ? 2 * (size[0] / 2 + 1) : 2 * uint64_t(size[0]);
}

uint64_t Case::scalars() const {
  return rowScalars() * (elements() / size[0]) * batches;
}

std::vector<Case> allCases(uint64_t points) {
  std::vector<Case> all;
  for (const uint32_t n : {64, 256, 512, 1024, 2048, 4096, 8192, 16384, 65536, 243, 3125, 2401,
                           1331, 2197, 1000, 1920, 48, 735})
    all.push_back(caseOf("c2c-" + std::to_string(n), {n}));
  all.push_back(caseOf("c2c-128x128", {128, 128}));
  all.push_back(caseOf("c2c-512x512", {512, 512}));
  all.push_back(caseOf("c2c-32x32x32", {32, 32, 32}));
  for (const uint32_t n : {1024, 2000}) {
    all.push_back(caseOf("r2c-" + std::to_string(n), {n}));
    all.back().isReal = true;
  }
  all.push_back(caseOf("r2c-256x256", {256, 256}));
  all.back().isReal = true;
  for (const uint32_t n : {1024, 4096}) {
    all.push_back(caseOf("double-" + std::to_string(n), {n}));
    all.back().isDouble = true;
  }
  for (const uint32_t kind : {2, 3}) {
    all.push_back(caseOf("dct" + std::to_string(kind) + "-512", {512}));
    all.back().cosine = kind;
  }
  for (Case& c : all) c.batches = uint32_t(std::max<uint64_t>(points / c.elements(), 1));
  return all;
}

std::vector<Complex> transformed(const Case& c, std::vector<Complex> values) {
  uint64_t stride = 1;
  for (const uint32_t extent : c.size) {
    for (uint64_t at = 0; at < values.size(); ++at) {
      if (at / stride % extent != 0) continue;
      std::vector<Complex> line(extent);
      for (uint32_t n = 0; n < extent; ++n) line[n] = values[at + n * stride];
      line = c.cosine != 0 ? cosine(line, c.cosine) : fourier(line);
      for (uint32_t n = 0; n < extent; ++n) values[at + n * stride] = line[n];
    }
    stride *= extent;
  }
  return values;
}
