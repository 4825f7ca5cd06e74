#include "verify/inputs/rounds.h"

#include "verify/formats/scalars.h"
#include "verify/inputs/value_hints.h"
#include "verify/program/specialize.h"
#include "verify/scenario/fills.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <fmt/format.h>
#include <iterator>
#include <random>
#include <set>
#include <spirv/unified1/spirv.hpp11>

namespace lanewise::driver {
namespace {

// Of parameters that are compared with something, and of all others.
constexpr size_t kMostModes = 24, kMostGuesses = 8;
constexpr size_t kMostSpecRounds = 8;
constexpr uint64_t kMostElements = 1 << 12; // of an array whose length a constant gives
// Single values before an array; more are data.
constexpr size_t kMostParameters = 32;
constexpr uint64_t kMostBufferBytes = uint64_t(4) << 20; // of one that a round makes longer
constexpr size_t kMostDrawn = 512;
constexpr uint64_t kMostCount = 1 << 13; // that is tried because of the grid

uint32_t primeUpTo(uint32_t value) {
  auto isPrime = [](uint32_t n) {
    for (uint32_t d = 2; d <= n / d; ++d) // d * d would overflow
      if (n % d == 0) return false;
    return n > 1;
  };
  while (value > 2 && !isPrime(value)) --value;
  return value;
}

class RoundPlanner {
public:
  RoundPlanner(const Scenario& base, std::span<const Program> programs)
      : base_(base), programs_(programs), shader_(programs[0].shaders[0]) {
    for (const Program& program : programs_) hints_.merge(valueHintsOf(program.shaders[0].words));
    listParameters();
  }

  std::vector<RoundAim> run() {
    tryOddCounts();
    tryOwnConstants();
    tryWideValues();
    tryZeroCounters();
    tryModes();
    tryOtherConstants();
    tryCountsOfTheGrid();
    tryImagesBelowTheGrid();
    tryNegativeValues();
    trySubgroupSizes();
    tryMoreWorkgroups();
    tryOddLengths();
    tryWideSingles();
    return std::move(aims_);
  }

  std::vector<RoundAim> runForSound() {
    tryCountingValues();
    return run();
  }

private:
  struct Parameter {
    ParameterPlace place;
    ScalarType type = ScalarType::U32;
    size_t buffer = 0, field = 0; ///< of a buffer's header
    int64_t value = 0;
  };

  // ----- the parameters -----

  void listParameters() {
    const ReflectedBlock& block = shader_.reflection.pushConstants;
    const std::vector<uint8_t>& bytes = base_.dispatches[0].pushConstants;
    for (const ReflectedField& field : block.header)
      if (field.offset + byteSize(field.type) <= bytes.size())
        addParameter({{true, 0, 0, field.offset}, field.type}, &bytes[field.offset]);
    for (uint64_t n = 0; n < block.arrayLength; ++n)
      for (const ReflectedField& field : block.element) {
        const uint64_t offset = block.arrayOffset + n * block.arrayStride + field.offset;
        if (offset + byteSize(field.type) <= bytes.size() && !isFloat(field.type))
          data_.push_back({{true, 0, 0, offset}, field.type});
      }
    for (const ScenarioBinding& bound : base_.dispatches[0].bindings) {
      const size_t buffer = indexOf(bound.buffer);
      const std::vector<HeaderField>& header = base_.buffers[buffer].header;
      uint64_t offset = 0;
      for (size_t n = 0; n < header.size(); ++n) {
        const Parameter parameter{
            {false, bound.set, bound.binding, offset}, header[n].type, buffer, n};
        if (!isData(header))
          addParameter(parameter, header[n].bytes.data());
        else if (!isFloat(parameter.type))
          data_.push_back(parameter);
        offset += byteSize(header[n].type);
      }
    }
  }
  void addParameter(Parameter parameter, const uint8_t* bytes) {
    if (isFloat(parameter.type)) return floats_.push_back(parameter);
    uint64_t bits = 0;
    std::memcpy(&bits, bytes, byteSize(parameter.type));
    parameter.value = int64_t(bits);
    largest_ = std::max(largest_, parameter.value);
    parameters_.push_back(parameter);
  }
  size_t indexOf(const std::string& name) const {
    size_t at = 0;
    while (base_.buffers[at].name != name) ++at;
    return at;
  }

  static uint8_t* bytesOf(Scenario& scenario, const Parameter& parameter) {
    if (parameter.place.isPushConstant)
      return &scenario.dispatches[0].pushConstants[parameter.place.offset];
    return scenario.buffers[parameter.buffer].header[parameter.field].bytes.data();
  }
  static void set(Scenario& scenario, const Parameter& parameter, int64_t value) {
    encodeInteger(parameter.type, value, bytesOf(scenario, parameter));
  }
  std::string nameOf(const Parameter& parameter) const {
    return parameter.place.isPushConstant
               ? fmt::format("the push constant at byte {}", parameter.place.offset)
               : fmt::format("byte {} of `{}`", parameter.place.offset,
                             base_.buffers[parameter.buffer].name);
  }

  Scenario named(std::string round) const {
    Scenario scenario = base_;
    scenario.triesSpecialValues = false;
    scenario.round = std::move(round);
    return scenario;
  }
  void aim(std::vector<Scenario> tries, bool splits = false) {
    if (!tries.empty()) aims_.push_back({std::move(tries), splits});
  }

  // ----- counts -----

  // All that were equal stay so; what was a little less stays less.
  void setCounts(Scenario& scenario, int64_t count) const {
    for (const Parameter& parameter : parameters_)
      if (parameter.value >= 2)
        set(scenario, parameter, std::max<int64_t>(1, count - (largest_ - parameter.value)));
  }

  // A tail of a workgroup, and of every tile and unrolled loop.
  void tryOddCounts() {
    if (largest_ < 4) return;
    std::vector<Scenario> tries;
    for (uint32_t most :
         {uint32_t(largest_ - 1), uint32_t(largest_ * 3 / 4), uint32_t(largest_ / 4), 7u, 3u}) {
      if (most >= largest_ || most < 2) continue;
      const uint32_t count = primeUpTo(most);
      tries.push_back(named(fmt::format("counts of {}", count)));
      setCounts(tries.back(), count);
    }
    aim(std::move(tries));
  }

  // Where the code asks how long arrays are: else they are longer than the grid, and as long as a
  // multiple of much.
  void tryOddLengths() {
    if (!hints_.asksLengths) return;
    tryLengths("lengths below the grid", invocationsOfGrid());
    tryLengths("odd lengths", UINT32_MAX);
    // An array for another.
    std::vector<ScenarioBinding> bindings = base_.dispatches[0].bindings;
    tryFalling("falling lengths below the grid", bindings);
    std::ranges::reverse(bindings);
    tryFalling("rising lengths below the grid", bindings);
  }
  bool isRuntimeArray(const ScenarioBinding& bound) const {
    const ScenarioBuffer& buffer = base_.buffers[indexOf(bound.buffer)];
    return (buffer.image && buffer.image->dimension == ImageDimension::Buffer) ||
           hasRuntimeArray(bound);
  }
  void tryFalling(std::string_view what, const std::vector<ScenarioBinding>& bindings) {
    Scenario scenario = named(std::string(what));
    uint64_t length = invocationsOfGrid();
    size_t arrays = 0;
    for (const ScenarioBinding& bound : bindings) {
      const size_t b = indexOf(bound.buffer);
      length = std::min(length, base_.buffers[b].count);
      if (!isRuntimeArray(bound) || length < 4) continue;
      length = primeUpTo(uint32_t(length - 1));
      setLength(scenario.buffers[b], uint32_t(length));
      ++arrays;
    }
    if (arrays > 1) aim({std::move(scenario)});
  }
  void tryLengths(std::string_view what, uint64_t below) {
    std::vector<Scenario> tries{named(std::string(what))};
    for (const ScenarioBinding& bound : base_.dispatches[0].bindings) {
      const size_t b = indexOf(bound.buffer);
      const ScenarioBuffer& buffer = base_.buffers[b];
      const uint64_t least = std::min(buffer.count, below);
      if (!isRuntimeArray(bound) || least < 4) continue;
      const uint32_t length = primeUpTo(uint32_t(least - 1));
      tries.push_back(named(fmt::format("{} elements in `{}`", length, bound.buffer)));
      setLength(tries[0].buffers[b], length);
      setLength(tries.back().buffers[b], length);
    }
    if (tries.size() == 1) return;
    if (tries.size() == 2) tries.pop_back();
    aim(std::move(tries), true);
  }
  static void setLength(ScenarioBuffer& buffer, uint32_t length) {
    if (!buffer.image) {
      buffer.count = length;
      return;
    }
    ImageShape shape = *buffer.image;
    shape.width = length;
    buffer.setImage(shape);
  }

  void tryMoreWorkgroups() {
    const std::array<uint32_t, 3>& size = shader_.reflection.workgroupSize;
    const std::array<uint32_t, 3> many = size[2] > 1   ? std::array<uint32_t, 3>{4, 3, 2}
                                         : size[1] > 1 ? std::array<uint32_t, 3>{6, 5, 2}
                                                       : std::array<uint32_t, 3>{9, 3, 2};
    const std::array<uint32_t, 3> few{2, 2, 2};
    // For code that takes everything from x, and writes the same in each row.
    const std::array<uint32_t, 3> row =
        size[1] > 1 ? std::array<uint32_t, 3>{6, 5, 1} : std::array<uint32_t, 3>{18, 1, 1};
    std::vector<std::array<uint32_t, 3>> grids{many, few};
    if (size[2] == 1) grids.insert(hints_.asksRows() ? grids.end() : grids.begin(), row);
    std::vector<Scenario> tries;
    for (const auto& groups : grids)
      for (uint32_t count : {521u, 257u, 0u}) {
        if (count != 0 && largest_ < 2) continue;
        tries.push_back(named(fmt::format("{}x{}x{} workgroups{}", groups[0], groups[1], groups[2],
                                          count ? fmt::format(" and counts of {}", count) : "")));
        tries.back().dispatches[0].groups = groups;
        if (count != 0) setCounts(tries.back(), count);
        lengthen(tries.back(), count);
      }
    if (largest_ >= 2) {
      tries.push_back(named("counts of 521"));
      setCounts(tries.back(), 521);
      lengthen(tries.back(), 521);
    }
    aim(std::move(tries));
  }

  // Invocations along each dimension.
  std::array<uint32_t, 3> grid() const {
    std::array<uint32_t, 3> grid = base_.dispatches[0].groups;
    for (uint32_t d = 0; d < 3; ++d) grid[d] *= shader_.reflection.workgroupSize[d];
    return grid;
  }
  uint64_t invocationsOfGrid() const {
    const std::array<uint32_t, 3> sides = grid();
    return uint64_t(sides[0]) * sides[1] * sides[2];
  }

  // The last workgroup has a tail, the one after it nothing to do, or a loop that strides by the
  // grid goes round more than once; and where sizes have dimensions, the last of each is reached.
  void tryCountsOfTheGrid() {
    if (largest_ < 2) return;
    const std::array<uint32_t, 3> sides = grid();
    const uint64_t all = invocationsOfGrid();
    uint32_t least = UINT32_MAX;
    for (uint32_t side : sides)
      if (side > 1) least = std::min(least, side);
    auto tryCount = [&](uint64_t most, const char* what) {
      if (most < 2 || most > kMostCount || int64_t(most) == largest_) return;
      const uint32_t count = primeUpTo(uint32_t(most));
      std::vector<Scenario> tries;
      for (uint64_t elements : {uint64_t(4) * count, uint64_t(count) * count}) {
        tries.push_back(named(fmt::format("counts of {}, {} the grid", count, what)));
        setCounts(tries.back(), count);
        lengthenTo(tries.back(), elements);
      }
      aim(std::move(tries));
    };
    if (all != sides[0] || int64_t(all) > largest_) tryCount(all - 1, "just below");
    if (int64_t(2 * all) > largest_) tryCount(2 * all + all / 3, "beyond");
    if (least != all) tryCount(least - 1, "below each side of");
  }

  // Tails and borders of what takes its extent from an image: no two sides of any images alike,
  // then those of all images, then at least shorter than the grid, as far as the original allows.
  void tryImagesBelowTheGrid() {
    constexpr uint32_t kDepth = 3;
    Scenario deep = named("images below the grid, 3 deep");
    bool isDeep = false;
    (void)shrinkImages(deep, Alike::Images, [&](uint32_t depth, auto&&) {
      isDeep |= depth > kDepth;
      return std::min(depth, kDepth);
    });
    if (isDeep) {
      const uint32_t size = shader_.reflection.workgroupSize[2];
      deep.dispatches[0].groups[2] = (kDepth + size - 1) / size;
      aim({std::move(deep)});
    }
    const uint32_t side = grid()[2];
    std::vector<Scenario> tries;
    for (const auto& [what, alike] :
         {std::pair("of many sizes", Alike::None), std::pair("of one size", Alike::Images),
          std::pair("square", Alike::Sides)}) {
      Scenario scenario = named(fmt::format("images below the grid, {}", what));
      if (shrinkImages(scenario, alike,
                       [&](uint32_t depth, auto&& below) { return below(depth, side); }))
        tries.push_back(std::move(scenario));
    }
    aim(std::move(tries));
  }

  enum class Alike { None, Images, Sides };

  // Gives each side that is not shorter than the grid a prime below it, and depths or layers what
  // `depthOf(depth, below)` says. Whether any image has another size then.
  template <class DepthOf>
  bool shrinkImages(Scenario& scenario, Alike alike, DepthOf&& depthOf) const {
    const std::array<uint32_t, 3> sides = grid();
    std::set<uint32_t> taken;
    const auto below = [&](uint32_t extent, uint32_t side) {
      if (side < 2 || extent < side) return extent;
      uint32_t prime = primeUpTo(side - 1);
      while (alike != Alike::Sides && prime > 2 && !taken.insert(prime).second)
        prime = primeUpTo(prime - 1);
      return prime;
    };
    bool isAny = false;
    for (size_t b = 0; b < base_.buffers.size(); ++b) {
      if (!base_.buffers[b].image) continue;
      ImageShape shape = *base_.buffers[b].image;
      if (shape.dimension == ImageDimension::Buffer || shape.dimension == ImageDimension::Cube)
        continue;
      if (alike == Alike::Images) taken.clear();
      shape.width = below(shape.width, sides[0]);
      shape.height = below(shape.height, sides[1]);
      uint32_t& depth = shape.dimension == ImageDimension::Dim3D ? shape.depth : shape.layers;
      depth = depthOf(depth, below);
      shape.levels = std::min(shape.levels, shape.mostLevels());
      isAny |= shape.bytes() != base_.buffers[b].image->bytes();
      scenario.buffers[b].setImage(shape);
    }
    return isAny;
  }

  // Runtime arrays hold as much more as there are more invocations, or a square of the count for
  // each of the invocations one behind the other.
  void lengthen(Scenario& scenario, uint64_t count) const {
    uint64_t invocations = shader_.reflection.invocations();
    for (uint32_t groups : scenario.dispatches[0].groups) invocations *= groups;
    const uint64_t deep =
        uint64_t(scenario.dispatches[0].groups[2]) * shader_.reflection.workgroupSize[2];
    lengthenTo(scenario, std::max(count * count * deep, 4 * invocations));
  }
  bool hasRuntimeArray(const ScenarioBinding& bound) const {
    const ReflectedBinding* binding = shader_.reflection.findBinding(bound.set, bound.binding);
    return binding && binding->isBuffer() && binding->block.arrayStride != 0 &&
           binding->block.arrayLength == 0;
  }
  void lengthenTo(Scenario& scenario, uint64_t wanted) const {
    for (const ScenarioBinding& bound : scenario.dispatches[0].bindings) {
      if (!hasRuntimeArray(bound)) continue;
      ScenarioBuffer& buffer = scenario.buffers[indexOf(bound.buffer)];
      buffer.count =
          std::max(buffer.count, std::min(wanted, kMostBufferBytes / buffer.elementBytes()));
    }
  }

  // ----- data -----

  // Every buffer at once; and, as some of them may hold indices, each alone.
  template <class Change>
  void changeData(std::string_view what, Change&& change) {
    std::vector<size_t> changed;
    for (size_t b = 0; b < base_.buffers.size(); ++b) {
      ScenarioBuffer copy = base_.buffers[b];
      if (std::holds_alternative<FillRandom>(copy.fill) && change(copy)) changed.push_back(b);
    }
    if (changed.empty()) return;
    const auto changeBuffer = [&](ScenarioBuffer& buffer) {
      (void)change(buffer);
      if (isData(buffer.header)) fillHeader(buffer);
    };
    std::vector<Scenario> tries{named(std::string(what))};
    for (size_t b : changed) changeBuffer(tries[0].buffers[b]);
    constexpr size_t kMostAlone = 8;
    for (size_t b : changed) {
      if (changed.size() == 1 || tries.size() > kMostAlone) break;
      tries.push_back(named(fmt::format("{} in `{}`", what, base_.buffers[b].name)));
      changeBuffer(tries.back().buffers[b]);
    }
    aim(std::move(tries), true);
  }

  // Arrays in front of the one that ends a block, rather than parameters.
  static bool isData(std::span<const HeaderField> header) {
    return header.size() > kMostParameters;
  }
  static void fillHeader(ScenarioBuffer& buffer) {
    ScenarioBuffer part;
    part.name = buffer.name;
    part.fill = buffer.fill;
    part.count = 1;
    part.elements.clear();
    for (const HeaderField& field : buffer.header) part.elements.push_back(field.type);
    const std::vector<uint8_t> bytes =
        initialBytes(part, 0, InputStyle::Seeded, Poison::Positive, {});
    const uint8_t* from = bytes.data();
    for (HeaderField& field : buffer.header) {
      std::copy_n(from, byteSize(field.type), field.bytes.data());
      from += byteSize(field.type);
    }
  }

  static bool holds(const ScenarioBuffer& buffer, bool floats) {
    if (buffer.image) return floats != infoOf(buffer.image->format).isInteger();
    const auto isWanted = [&](ScalarType type) { return isFloat(type) == floats; };
    return std::ranges::any_of(buffer.elements, isWanted) ||
           (isData(buffer.header) &&
            std::ranges::any_of(buffer.header, isWanted, &HeaderField::type));
  }

  // The values that the code tells apart, those next to them, and what two of them make.
  void tryOwnConstants() {
    FillDrawn drawn;
    drawn.integers = {0, 1};
    for (int64_t one : hints_.integers)
      for (int64_t near : {one - 1, one, one + 1, -one}) drawn.integers.push_back(near);
    const std::vector<int64_t> single = drawn.integers;
    for (int64_t a : hints_.integers)
      for (int64_t b : hints_.integers) {
        if (drawn.integers.size() > kMostDrawn) break;
        const uint64_t x = uint64_t(a), y = uint64_t(b);
        for (uint64_t both : {x + y, x * y, x | y, x - y, x << (y % 64)})
          drawn.integers.push_back(int64_t(both));
      }
    // As often as what two make.
    while (!single.empty() && drawn.integers.size() < 2 * kMostDrawn)
      drawn.integers.insert(drawn.integers.end(), single.begin(), single.end());
    drawn.floats = {0, 1, -1};
    for (double one : hints_.floats)
      for (double near : {one, -one, one * 1.25, one * 0.75, one + 1, one - 1})
        drawn.floats.push_back(near);
    const bool hasIntegers = !hints_.integers.empty(), hasFloats = !hints_.floats.empty();
    changeData("values near the shader's constants", [&](ScenarioBuffer& buffer) {
      if (!(hasIntegers && holds(buffer, false)) && !(hasFloats && holds(buffer, true)))
        return false;
      buffer.fill = drawn;
      return true;
    });
  }

  void tryWideValues() {
    changeData("full-range integers", [](ScenarioBuffer& buffer) {
      buffer.fill = FillWide{};
      return holds(buffer, false);
    });
    changeData("smallest and largest integers", [](ScenarioBuffer& buffer) {
      buffer.fill = FillEdges{};
      return holds(buffer, false);
    });
    const size_t before = aims_.size();
    changeData("floats of all magnitudes", [](ScenarioBuffer& buffer) {
      buffer.fill = FillWide{};
      return holds(buffer, true) && !holds(buffer, false);
    });
    if (floats_.empty()) return;
    if (aims_.size() == before) aim({named("floats of all magnitudes")});
    uint64_t n = 0;
    constexpr std::array<double, 4> kSizes{150.5, -3.25e4, 0.0125, 7.5e5};
    for (const Parameter& parameter : floats_)
      encodeScalar(parameter.type, kSizes[n++ % kSizes.size()],
                   bytesOf(aims_.back().tries[0], parameter));
  }

  // What stands in front of an array, or where there is none, and is no count may be data as well.
  void tryWideSingles() {
    const std::string what = "full-range single integers";
    std::vector<Parameter> all = parameters_;
    all.insert(all.end(), data_.begin(), data_.end());
    if (all.empty()) return;
    std::vector<Scenario> tries{named(what)};
    widen(tries[0], all);
    // Each block alone, and each parameter.
    std::set<std::pair<bool, size_t>> blocks;
    for (const Parameter& one : all) blocks.insert({one.place.isPushConstant, one.buffer});
    if (blocks.size() == 1) blocks.clear();
    for (const auto& block : blocks) {
      std::vector<Parameter> own;
      std::ranges::copy_if(all, std::back_inserter(own), [&](const Parameter& one) {
        return std::pair(one.place.isPushConstant, one.buffer) == block;
      });
      tries.push_back(named(fmt::format(
          "{} in {}", what,
          block.first ? "push constants" : fmt::format("`{}`", base_.buffers[block.second].name))));
      widen(tries.back(), own);
    }
    for (size_t n = 0; n < parameters_.size() && n < kMostGuesses && all.size() > 1; ++n) {
      tries.push_back(named(fmt::format("any integer in {}", nameOf(parameters_[n]))));
      widen(tries.back(), {&parameters_[n], 1});
    }
    aim(std::move(tries), true);
    aims_.back().isLast = true;
  }
  static void widen(Scenario& scenario, std::span<const Parameter> parameters) {
    std::mt19937_64 random; // the same on every machine
    bool isHigh = false;    // of every other one, the highest bit, which is the sign of some
    for (const Parameter& parameter : parameters) {
      const uint64_t highest = uint64_t(1) << (8 * byteSize(parameter.type) - 1);
      const uint64_t bits = random();
      isHigh = !isHigh;
      set(scenario, parameter, int64_t(isHigh ? bits | highest : bits & ~highest));
    }
  }

  // A largest value that starts at zero; a division or shift that rounds the other way.
  void tryNegativeValues() {
    changeData("negative floats", [](ScenarioBuffer& buffer) {
      buffer.fill = FillRandom{-256, 0};
      return !buffer.image && holds(buffer, true) && !holds(buffer, false);
    });
    std::vector<Scenario> tries{named("negative single integers")};
    int64_t value = -3;
    for (const Parameter& parameter : parameters_) {
      if (!isSignedInteger(parameter.type)) continue;
      set(tries[0], parameter, value);
      tries.push_back(named(fmt::format("{} in {}", value, nameOf(parameter))));
      set(tries.back(), parameter, value);
      value -= 17;
    }
    if (tries.size() == 2) tries.pop_back();
    if (value == -3) tries.clear();
    if (tries.size() > kMostModes) tries.resize(kMostModes);
    aim(std::move(tries), true);
  }

  // Nobody promises 32. A module that counts on it races with others, and is left alone then.
  void trySubgroupSizes() {
    const bool mayDepend = std::ranges::any_of(programs_, [](const Program& program) {
      return hasSubgroupOperations(program.shaders[0].reflection);
    });
    if (!mayDepend && !hints_.hasSubgroupScopes) return;
    for (uint32_t size : {64u, 8u}) {
      Scenario scenario = named(fmt::format("subgroups of {}", size));
      scenario.subgroupSize = size;
      aim({std::move(scenario)});
    }
  }

  void tryCountingValues() {
    changeData("ascending integers", [](ScenarioBuffer& buffer) {
      buffer.fill = FillIota{};
      return !buffer.image && holds(buffer, false);
    });
  }

  // What invocations draw tickets from starts at zero.
  void tryZeroCounters() {
    Scenario scenario = named("counters at zero");
    bool isAny = false;
    for (const ScenarioBinding& bound : scenario.dispatches[0].bindings) {
      if (!hints_.atomicTargets.count({bound.set, bound.binding})) continue;
      ScenarioBuffer& buffer = scenario.buffers[indexOf(bound.buffer)];
      if (!std::holds_alternative<FillRandom>(buffer.fill)) continue;
      buffer.fill = FillConstant{0};
      isAny = true;
      for (HeaderField& field : buffer.header)
        if (!isFloat(field.type)) field.bytes = {};
    }
    if (isAny) aim({std::move(scenario)});
  }

  // ----- modes -----

  // The same with full-range integers, which a mode may treat in another way; without a name where
  // there are none.
  Scenario widened(Scenario scenario) const {
    bool isAny = false;
    for (ScenarioBuffer& buffer : scenario.buffers)
      if (std::holds_alternative<FillRandom>(buffer.fill) && holds(buffer, false)) {
        buffer.fill = FillWide{};
        isAny = true;
      }
    scenario.round = isAny ? scenario.round + " and full-range integers" : "";
    return scenario;
  }

  void tryModes() {
    size_t made = 0;
    auto tryValue = [&](const Parameter& parameter, int64_t value) {
      if (value == parameter.value) return;
      Scenario scenario = named(fmt::format("{} in {}", value, nameOf(parameter)));
      set(scenario, parameter, value);
      std::vector<Scenario> tries{widened(scenario), scenario};
      if (tries[0].round.empty()) tries.erase(tries.begin());
      aim(std::move(tries));
      ++made;
    };
    for (const Parameter& parameter : parameters_) {
      std::set<int64_t> values;
      for (const auto& [place, value] : hints_.parameters)
        if (place == parameter.place) values.insert({value, value + 1, value - 1});
      for (int64_t value : values)
        if (made < kMostModes) tryValue(parameter, value);
    }
    // What is compared after a detour.
    made = 0;
    for (int64_t value : {1, 0, 2, 3})
      for (const Parameter& parameter : parameters_)
        if (made < kMostGuesses) tryValue(parameter, value);
  }

  // Of specialization constants. What one program has frozen is no longer free in the others.
  void tryOtherConstants() {
    if (shader_.reflection.specConstants.empty()) return;
    const Result<Module> module = Module::read(shader_.words);
    if (!module) return;
    size_t made = 0;
    auto tryValues = [&](auto valuesOf) {
      for (const auto& [id, constant] : shader_.reflection.specConstants)
        for (uint64_t bits : isFree(id) ? valuesOf(id, constant) : std::vector<uint64_t>()) {
          if (made >= kMostSpecRounds) return;
          Scenario scenario =
              named(fmt::format("{} in specialization constant {}", text(constant, bits), id));
          scenario.shaders[0].specConstants[id] = bits;
          if (!hasArraysUpTo(kMostElements, *module, scenario.shaders[0].specConstants)) continue;
          aim({std::move(scenario)});
          ++made;
        }
    };
    tryValues([&](uint32_t id, const ReflectedSpecConstant& constant) {
      return isSize(id) ? smallerSizes(constant) : otherValues(constant);
    });
    made = 0;
    tryValues([&](uint32_t id, const ReflectedSpecConstant& constant) {
      return isSize(id) ? std::vector<uint64_t>() : knownValues(constant);
    });
  }

  bool isSize(uint32_t id) const {
    return std::ranges::find(shader_.reflection.workgroupSpecIds, std::optional(id)) !=
           shader_.reflection.workgroupSpecIds.end();
  }

  // Of a dimension of the workgroup: one that its buffers and the device's limits allow as well.
  static std::vector<uint64_t> smallerSizes(const ReflectedSpecConstant& constant) {
    const uint64_t size = constant.defaultBits;
    if (size < 2) return {};
    return size == 2 ? std::vector<uint64_t>{1} : std::vector<uint64_t>{size / 2, size - 1};
  }

  bool isFree(uint32_t id) const {
    return base_.shaders[0].specConstants.count(id) == 0 &&
           std::all_of(programs_.begin(), programs_.end(), [id](const Program& program) {
             return program.shaders[0].reflection.specConstants.count(id) != 0;
           });
  }

  // What the code itself sets such constants against, and the next.
  std::vector<uint64_t> knownValues(const ReflectedSpecConstant& constant) const {
    if (constant.type != ScalarType::I32 && constant.type != ScalarType::U32) return {};
    const std::vector<uint64_t> others = otherValues(constant);
    std::vector<uint64_t> values;
    for (int64_t known : hints_.specialized)
      for (uint64_t bits : {uint64_t(uint32_t(known)), uint64_t(uint32_t(known + 1))})
        if (std::ranges::find(values, bits) == values.end() &&
            std::ranges::find(others, bits) == others.end())
          values.push_back(bits);
    return values;
  }
  static std::string text(const ReflectedSpecConstant& constant, uint64_t bits) {
    return formatScalar(constant.type, reinterpret_cast<const uint8_t*>(&bits));
  }
  static std::vector<uint64_t> otherValues(const ReflectedSpecConstant& constant) {
    const uint64_t bits = constant.defaultBits;
    if (isFloat(constant.type)) {
      uint64_t other = 0;
      const double value = decodeScalar(constant.type, reinterpret_cast<const uint8_t*>(&bits));
      encodeScalar(constant.type, 1.5 * value + 0.25, reinterpret_cast<uint8_t*>(&other));
      return {other};
    }
    // Of what is a Boolean, too.
    std::vector<uint64_t> others;
    for (uint64_t other : {bits ^ 1, bits + 1, bits + 2})
      if (other != bits && std::find(others.begin(), others.end(), other) == others.end())
        others.push_back(other);
    return others;
  }

  const Scenario& base_;
  std::span<const Program> programs_;
  const ProgramShader& shader_;
  ValueHints hints_;
  std::vector<Parameter> parameters_, floats_; ///< integers that stand alone, and floats
  std::vector<Parameter> data_; ///< integers of arrays, or among too many to be parameters
  int64_t largest_ = 0;
  std::vector<RoundAim> aims_;
};

} // namespace

std::vector<RoundAim> planRounds(const Scenario& base, std::span<const Program> programs) {
  return RoundPlanner(base, programs).run();
}

std::vector<RoundAim> planSoundInputs(const Scenario& base, std::span<const Program> programs) {
  return RoundPlanner(base, programs).runForSound();
}

} // namespace lanewise::driver
