// What a driver tells of a compiled shader, in columns that several drivers have.
#pragma once

#include "verify/device/pipeline_compiler.h"

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace lanewise::driver {

/// The columns.
enum class Figure : uint8_t {
  VectorRegisters, ///< of an invocation
  ScalarRegisters, ///< of a subgroup
  Spills,          ///< registers that were written to memory, scalar and vector
  SharedMemory,    ///< bytes of a workgroup
  Scratch,         ///< bytes of memory for an invocation's or subgroup's own, as the driver counts
  CodeSize,        ///< bytes
  Instructions,
  Occupancy,         ///< subgroups that a SIMD holds at once; on RDNA one of 64 counts as two
  Latency,           ///< cycles of one subgroup, waits included
  InverseThroughput, ///< cycles that one subgroup keeps its units busy
};
constexpr size_t kFigures = 10;

struct FigureInfo {
  std::string_view key;    ///< in JSON: "vector_registers"
  std::string_view title;  ///< over a column: "VGPRs"
  std::string_view phrase; ///< in a sentence: "vector registers"
  bool isBetterHigher = false;
};
const FigureInfo& infoOf(Figure figure);
std::span<const Figure> allFigures();

struct StageFigures {
  std::array<std::optional<double>, kFigures> values; ///< nothing: the driver does not tell
  uint32_t subgroupSize = 0;                          ///< 0: the driver does not tell
  uint32_t maxOccupancy = 0;                          ///< 0: not known
  std::vector<std::string>
      limits;             ///< of occupancy: "vector registers", ...; empty: none or unknown
  PipelineStatistics all; ///< by the driver's own names

  std::optional<double> operator[](Figure figure) const { return values[size_t(figure)]; }
  std::optional<double>& operator[](Figure figure) { return values[size_t(figure)]; }
};

/// What a stage's occupancy hangs on besides its figures.
struct OccupancyContext {
  const SubgroupLimits* limits = nullptr; ///< of the device; null where they are not known
  uint32_t sharedPerSimd = 0;             ///< bytes; 0 where it is not known
  uint64_t invocations = 0;               ///< of a workgroup; 0 for stages without
};

StageFigures figuresOf(const CompiledStage& stage, const OccupancyContext& context);

} // namespace lanewise::driver
