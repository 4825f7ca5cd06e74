// What is transformed, and what has to come out: a transform on the CPU, in double precision.
#pragma once

#include <complex>
#include <cstdint>
#include <string>
#include <vector>

struct Case {
  std::string name;
  std::vector<uint32_t> size; ///< the fastest dimension first
  uint32_t batches = 1;
  bool isDouble = false;
  bool isReal = false; ///< real input, rows of size[0] / 2 + 1 complex numbers
  uint32_t cosine = 0; ///< 2 or 3: that discrete cosine transform

  uint64_t elements() const;   ///< of one batch
  uint64_t rowScalars() const; ///< of a row in memory
  uint64_t scalars() const;    ///< of all batches in memory
};

/// Radix 2 to 13, mixed, long ones in several steps, several dimensions, real input, double
/// precision, cosine transforms. Each has about `points` elements over all batches.
std::vector<Case> allCases(uint64_t points);

using Complex = std::complex<double>;
/// The transform of one batch. Of real input (and for cosine transforms, real output) the imaginary
/// parts are 0.
std::vector<Complex> transformed(const Case& c, std::vector<Complex> values);
