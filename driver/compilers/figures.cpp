#include "compilers/figures.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>

namespace lanewise::driver {

namespace {

constexpr FigureInfo kInfo[kFigures] = {
    {"vector_registers", "VGPRs", "vector registers"},
    {"scalar_registers", "SGPRs", "scalar registers"},
    {"spills", "spills", "spilled registers"},
    {"shared_memory", "shared", "bytes of shared memory"},
    {"scratch", "scratch", "bytes of scratch memory"},
    {"code_size", "code", "bytes of code"},
    {"instructions", "instrs", "instructions"},
    {"occupancy", "occupancy", "occupancy", true},
    {"latency", "latency", "latency"},
    {"inverse_throughput", "inv. thrpt.", "inverse throughput"},
};

/// What drivers call it. Several of one driver's add up.
struct KnownName {
  std::string_view name;
  Figure figure;
};
constexpr KnownName kNames[] = {
    // Mesa's RADV
    {"VGPRs", Figure::VectorRegisters},
    {"SGPRs", Figure::ScalarRegisters},
    {"Spilled VGPRs", Figure::Spills},
    {"Spilled SGPRs", Figure::Spills},
    {"LDS size", Figure::SharedMemory},
    {"Scratch size", Figure::Scratch},
    {"Code size", Figure::CodeSize},
    {"Subgroups per SIMD", Figure::Occupancy},
    {"Instructions", Figure::Instructions},
    {"Latency", Figure::Latency},
    {"Inverse Throughput", Figure::InverseThroughput},
    // NVIDIA's
    {"Register Count", Figure::VectorRegisters},
    {"Binary Size", Figure::CodeSize},
    {"Stack Size", Figure::Scratch},
    {"Shared Memory Size", Figure::SharedMemory},
};

std::optional<double> numberOf(const std::string& text) {
  char* end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  if (text.empty() || *end != '\0') return std::nullopt;
  return value;
}

uint64_t ceilDiv(uint64_t a, uint64_t b) {
  return b ? (a + b - 1) / b : 0;
}

/// The size of the subgroups that RADV's figure counts in: from RDNA on, whose compute units have
/// two SIMDs, one of 64 counts as two of 32.
uint32_t countedSize(const SubgroupLimits& limits) {
  return limits.simdsPerCore == 2 ? 32 : 64;
}

/// How many subgroups a SIMD holds as far as one resource goes, in the driver's count.
struct Bound {
  std::string_view resource;
  double subgroups = 0;
};

std::vector<Bound> boundsOf(const StageFigures& f, const OccupancyContext& context,
                            uint32_t subgroupSize) {
  const SubgroupLimits& limits = *context.limits;
  std::vector<Bound> bounds;
  const double unit = double(subgroupSize) / countedSize(limits);
  const auto add = [&](std::string_view resource, std::optional<double> used, double available) {
    if (used && *used > 0 && available > 0)
      bounds.push_back({resource, std::floor(available / *used) * unit});
  };
  // Registers are counted for subgroups of 64: one of 32 takes half the room.
  add("vector registers", f[Figure::VectorRegisters],
      double(limits.vectorRegistersPerSimd) * (64.0 / subgroupSize));
  // From RDNA on there are enough for every subgroup.
  if (countedSize(limits) == 64)
    add("scalar registers", f[Figure::ScalarRegisters], limits.scalarRegistersPerSimd);
  // Whole workgroups share a core's memory, and spread over its SIMDs.
  constexpr double kSimds = 4;
  const double shared = f[Figure::SharedMemory].value_or(0);
  const uint64_t subgroups = ceilDiv(context.invocations, subgroupSize);
  if (shared > 0 && subgroups > 0 && context.sharedPerSimd > 0) {
    const double workgroups = std::floor(context.sharedPerSimd * kSimds / shared);
    bounds.push_back({"shared memory", std::ceil(workgroups * double(subgroups) / kSimds) * unit});
  }
  return bounds;
}

} // namespace

const FigureInfo& infoOf(Figure figure) {
  return kInfo[size_t(figure)];
}

std::span<const Figure> allFigures() {
  static constexpr Figure kAll[kFigures] = {
      Figure::VectorRegisters, Figure::ScalarRegisters,  Figure::Spills,       Figure::SharedMemory,
      Figure::Scratch,         Figure::CodeSize,         Figure::Instructions, Figure::Occupancy,
      Figure::Latency,         Figure::InverseThroughput};
  return kAll;
}

StageFigures figuresOf(const CompiledStage& stage, const OccupancyContext& context) {
  StageFigures f;
  f.subgroupSize = stage.subgroupSize;
  f.all = stage.statistics;
  for (const auto& [name, text] : stage.statistics)
    for (const KnownName& known : kNames)
      if (known.name == name)
        if (const std::optional<double> value = numberOf(text))
          f[known.figure] = f[known.figure].value_or(0) + *value;
  if (!context.limits || context.limits->subgroupsPerSimd == 0) return f;
  const uint32_t subgroupSize = stage.subgroupSize ? stage.subgroupSize : 64;
  f.maxOccupancy = context.limits->subgroupsPerSimd * 64 / countedSize(*context.limits);
  const std::vector<Bound> bounds = boundsOf(f, context, subgroupSize);
  double least = f.maxOccupancy;
  for (const Bound& bound : bounds) least = std::min(least, bound.subgroups);
  for (const Bound& bound : bounds)
    if (bound.subgroups == least && least < f.maxOccupancy) f.limits.emplace_back(bound.resource);
  return f;
}

} // namespace lanewise::driver
