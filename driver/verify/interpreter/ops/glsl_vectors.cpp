#include "verify/interpreter/ops/float_kit.h"
#include "verify/interpreter/ops/glsl_parts.h"

#include <array>
#include <cmath>
#include <spirv/unified1/GLSL.std.450.h>
#include <utility>

namespace lanewise::driver {
namespace {

using Cells = std::array<uint64_t, 4>;
using Vector = std::span<const uint64_t>;
using Matrix = std::array<std::array<double, 4>, 4>; // [column][row]

uint64_t length(const FloatKit& kit, Vector x) {
  if (x.size() == 1) return kit.absolute(x[0]);
  return floatSquareRoot(kit.width, kit.dot(x, x), kit.mode);
}

uint64_t distance(const FloatKit& kit, Vector a, Vector b) {
  Cells difference;
  for (size_t i = 0; i < a.size(); ++i) difference[i] = kit.sub(a[i], b[i]);
  return length(kit, Vector(difference).first(a.size()));
}

void cross(const FloatKit& kit, Vector a, Vector b, std::span<uint64_t> result) {
  for (size_t i = 0; i < 3; ++i) {
    size_t j = (i + 1) % 3, k = (i + 2) % 3;
    result[i] = kit.sub(kit.mul(a[j], b[k]), kit.mul(a[k], b[j]));
  }
}

GlslOutcome normalize(const FloatKit& kit, Vector x, std::span<uint64_t> result) {
  uint64_t divisor = length(kit, x);
  for (size_t i = 0; i < x.size(); ++i) result[i] = kit.div(x[i], divisor);
  GlslOutcome outcome;
  if (kit.value(divisor) == 0)
    for (uint32_t i = 0; i < x.size(); ++i)
      note(outcome, i, GlslComponent{}.undefined("normalize of a vector of length 0"));
  return outcome;
}

void reflect(const FloatKit& kit, Vector incident, Vector normal, std::span<uint64_t> result) {
  uint64_t twice = kit.mul(kit.constant(2), kit.dot(normal, incident));
  for (size_t i = 0; i < incident.size(); ++i)
    result[i] = kit.sub(incident[i], kit.mul(twice, normal[i]));
}

void refract(const FloatKit& kit, Vector incident, Vector normal, uint64_t eta,
             std::span<uint64_t> result) {
  uint64_t one = kit.constant(1), cosine = kit.dot(normal, incident);
  uint64_t sineSquared = kit.sub(one, kit.mul(cosine, cosine));
  uint64_t k = kit.sub(one, kit.mul(kit.mul(eta, eta), sineSquared));
  bool isTotal = kit.value(k) < 0;
  uint64_t factor =
      kit.add(kit.mul(eta, cosine), floatSquareRoot(kit.width, isTotal ? 0 : k, kit.mode));
  for (size_t i = 0; i < incident.size(); ++i)
    result[i] = isTotal ? 0 : kit.sub(kit.mul(eta, incident[i]), kit.mul(factor, normal[i]));
}

size_t sizeOf(Vector cells) {
  return cells.size() == 4 ? 2 : cells.size() == 9 ? 3 : 4;
}

// Gauss-Jordan elimination with partial pivoting, in double. Turns `matrix` into the identity and
// `inverse` (the identity before) into its inverse; gives the determinant, 0 for a singular matrix.
double eliminate(Matrix& matrix, Matrix& inverse, size_t size) {
  double determinant = 1;
  for (size_t i = 0; i < size; ++i) {
    size_t pivot = i;
    for (size_t column = i + 1; column < size; ++column)
      if (std::fabs(matrix[column][i]) > std::fabs(matrix[pivot][i])) pivot = column;
    if (matrix[pivot][i] == 0) return 0;
    if (pivot != i) {
      std::swap(matrix[pivot], matrix[i]), std::swap(inverse[pivot], inverse[i]);
      determinant = -determinant;
    }
    double scale = matrix[i][i];
    determinant *= scale;
    for (size_t row = 0; row < size; ++row) matrix[i][row] /= scale, inverse[i][row] /= scale;
    for (size_t column = 0; column < size; ++column) {
      double factor = matrix[column][i];
      if (column == i || factor == 0) continue;
      for (size_t row = 0; row < size; ++row) {
        matrix[column][row] -= factor * matrix[i][row];
        inverse[column][row] -= factor * inverse[i][row];
      }
    }
  }
  return determinant;
}

GlslOutcome matrixFunction(const FloatKit& kit, bool wantsInverse, Vector cells,
                           std::span<uint64_t> result) {
  size_t size = sizeOf(cells);
  Matrix matrix{}, inverse{};
  for (size_t i = 0; i < cells.size(); ++i) matrix[i / size][i % size] = kit.value(cells[i]);
  for (size_t i = 0; i < size; ++i) inverse[i][i] = 1;
  double determinant = eliminate(matrix, inverse, size);
  if (!wantsInverse) {
    result[0] = kit.rounded(determinant);
    return {};
  }
  GlslOutcome outcome;
  for (size_t i = 0; i < cells.size(); ++i) {
    result[i] = kit.rounded(inverse[i / size][i % size]);
    if (determinant == 0)
      note(outcome, uint32_t(i), GlslComponent{}.undefined("inverse of a singular matrix"));
  }
  return outcome;
}

} // namespace

GlslOutcome vectorFunction(const GlslCall& call, std::span<uint64_t> result) {
  uint32_t width = call.operands[0].width;
  FloatKit kit{width, call.modes.of(width)};
  std::array<Vector, 3> of;
  for (size_t i = 0; i < call.operands.size(); ++i)
    of[i] = Vector(call.operands[i].cells, call.operands[i].count);
  switch (call.instruction) {
  case GLSLstd450Length:
    result[0] = length(kit, of[0]);
    return {};
  case GLSLstd450Distance:
    result[0] = distance(kit, of[0], of[1]);
    return {};
  case GLSLstd450Cross:
    cross(kit, of[0], of[1], result);
    return {};
  case GLSLstd450Normalize:
    return normalize(kit, of[0], result);
  case GLSLstd450FaceForward: {
    bool isFacing = kit.value(kit.dot(of[2], of[1])) < 0;
    for (size_t i = 0; i < of[0].size(); ++i)
      result[i] = isFacing ? of[0][i] : kit.negate(of[0][i]);
    return {};
  }
  case GLSLstd450Reflect:
    reflect(kit, of[0], of[1], result);
    return {};
  case GLSLstd450Refract: // eta may have another width
    refract(kit, of[0], of[1], convertFloat(call.operands[2].width, of[2][0], width), result);
    return {};
  default:
    return matrixFunction(kit, call.instruction == GLSLstd450MatrixInverse, of[0], result);
  }
}

} // namespace lanewise::driver
