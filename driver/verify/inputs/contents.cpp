#include "verify/inputs/contents.h"

#include "support/failure.h"
#include "verify/compare/compare.h"
#include "verify/compare/patterns.h"
#include "verify/formats/image_formats.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <fstream>
#include <iterator>
#include <set>

namespace lanewise::driver {

std::string suffixOf(const InputSet& set) {
  return set.name.empty() ? "" : fmt::format(" (with {}; no scenario: generated inputs)", set.name);
}

ScenarioContents::ScenarioContents(const Marshalling& marshalling,
                                   std::span<const Program> programs, uint64_t seed,
                                   RunCaches& caches)
    : marshalling_(marshalling), scenario_(marshalling.scenario), seed_(seed), caches_(caches) {
  std::vector<bool> isWritten(scenario_.buffers.size());
  for (const Program& program : programs)
    for (const SequenceCopy& copy : program.copies) isWritten[copy.copy.to] = true;
  for (const Program& program : programs)
    for (const ProgramDispatch& dispatch : program.dispatches)
      for (const ProgramDispatch::Binding& bound : dispatch.bindings)
        if (!program.shaders[dispatch.shader]
                 .reflection.findBinding(bound.set, bound.binding)
                 ->isReadOnly)
          isWritten[bound.buffer] = true;
  for (const PackedBuffer& packed : marshalling_.packed)
    if (isWritten[packed.packed]) isWritten[packed.source] = true;
  for (uint32_t b = 0; b < scenario_.buffers.size(); ++b) {
    const ScenarioBuffer& buffer = scenario_.buffers[b];
    bool isCompared = isWritten[b] && !std::holds_alternative<CompareNone>(buffer.compare);
    if (isCompared) compared_.push_back(b), comparedBytes_ += buffer.bytes();
    if (isPoisoned(b))
      hasPoison_ = true;
    else if (isWritten[b])
      restored_.push_back(b);
  }
}

Status ScenarioContents::readFiles() {
  files_.resize(scenario_.buffers.size());
  for (size_t b = 0; b < files_.size(); ++b) {
    const auto* fill = std::get_if<FillFile>(&scenario_.buffers[b].fill);
    if (!fill) continue;
    std::ifstream file(fill->path, std::ios::binary);
    files_[b].assign(std::istreambuf_iterator<char>(file), {});
    if (!file || files_[b].size() != scenario_.buffers[b].bytes())
      return failure(fmt::format("{}: buffer `{}` needs {} bytes, but only {} could be read",
                                 fill->path, scenario_.buffers[b].name,
                                 scenario_.buffers[b].bytes(), files_[b].size()));
  }
  return ok();
}

Status ScenarioContents::checkRanges() {
  // What is generated is made to fit.
  if (marshalling_.packed.empty() || isGenerated()) return ok();
  fill(inputSets()[0]);
  for (const PackedBuffer& packed : marshalling_.packed)
    if (!isPoisoned(packed.source))
      if (auto misfit = describeMisfit(packed, scenario_.buffers[packed.source].name,
                                       bytes_[packed.source], {}))
        return failure(
            fmt::format("{}: {}; change its `init` or the width", scenario_.path, *misfit));
  return ok();
}

std::vector<ResourceShape> ScenarioContents::shapes() const {
  std::vector<ResourceShape> shapes;
  for (const ScenarioBuffer& buffer : scenario_.buffers)
    shapes.push_back({buffer.bytes(), buffer.image});
  for (const PackedBuffer& packed : marshalling_.packed)
    shapes[packed.packed].standsFor = packed.source;
  return shapes;
}

std::vector<InputSet> ScenarioContents::inputSets() const {
  if (!isGenerated()) return {{seed_, InputStyle::Seeded, ""}};
  if (!scenario_.round.empty()) return {{seed_, InputStyle::Seeded, scenario_.round}};
  std::vector<InputSet> sets{{seed_, InputStyle::Seeded, "first random inputs"},
                             {seed_ + 1, InputStyle::Seeded, "second random inputs"},
                             {seed_ + 2, InputStyle::Boundary, "boundary values"}};
  if (scenario_.triesSpecialValues)
    sets.push_back({seed_ + 3, InputStyle::Special, "special values", true});
  return sets;
}

void ScenarioContents::fill(const InputSet& set) {
  if (filled_ == std::pair(set.seed, set.style)) return;
  filled_ = std::pair(set.seed, set.style);
  isAnyNanEqual_ = set.style == InputStyle::Special || !scenario_.round.empty();
  ++fills_;
  bytes_.resize(scenario_.buffers.size());
  for (uint32_t b = 0; b < bytes_.size(); ++b)
    if (!isPoisoned(b) && !marshalling_.packedAt(b))
      bytes_[b] = caches_.fills.bytesOf(scenario_.buffers[b], set.seed, set.style, files_[b]);
  if (isGenerated())
    for (const PackedBuffer& packed : marshalling_.packed)
      if (!isPoisoned(packed.source)) cutToRange(packed, bytes_[packed.source]);
  for (const PackedBuffer& packed : marshalling_.packed) bytes_[packed.packed].clear();
}

uint64_t ScenarioContents::inputsNumber(Poison poison) const {
  bool dependsOnPoison = false;
  for (uint32_t b = 0; b < scenario_.buffers.size(); ++b)
    dependsOnPoison |= isPoisoned(b) && !isFilled(b);
  return 2 * fills_ + (dependsOnPoison && poison == Poison::Negative ? 1 : 0);
}

bool ScenarioContents::isFilled(uint32_t buffer) const {
  const PackedBuffer* packed = marshalling_.packedAt(buffer);
  return scenario_.buffers[packed ? packed->source : buffer].header.empty();
}

// Of a poisoned buffer with a header, or of what stands for it.
void ScenarioContents::fillPoisoned(uint32_t buffer, Poison poison) {
  const PackedBuffer* packed = marshalling_.packedAt(buffer);
  bytes_[buffer] = initialBytes(scenario_.buffers[packed ? packed->source : buffer], 0,
                                InputStyle::Seeded, poison, {});
  if (packed) bytes_[buffer] = packPoisoned(*packed, bytes_[buffer], poisonByte(poison));
}

std::vector<BufferInput> ScenarioContents::inputs(Poison poison) {
  std::vector<BufferInput> inputs(scenario_.buffers.size());
  for (uint32_t b = 0; b < inputs.size(); ++b) inputs[b] = inputOf(b, poison);
  return inputs;
}

std::vector<BufferInput> ScenarioContents::inputsOf(std::span<const size_t> programs,
                                                    Poison poison) {
  std::vector<BufferInput> inputs(scenario_.buffers.size());
  for (uint32_t b = 0; b < inputs.size(); ++b)
    if (std::ranges::any_of(programs, [&](size_t p) { return isSeenBy(p, b); }))
      inputs[b] = inputOf(b, poison);
  return inputs;
}

bool ScenarioContents::isSeenBy(size_t program, uint32_t buffer) const {
  const PackedBuffer* packed = marshalling_.packedAt(buffer);
  return marshalling_.seenAs(program, packed ? packed->source : buffer) == buffer;
}

BufferInput ScenarioContents::inputOf(uint32_t buffer, Poison poison) {
  if (isPoisoned(buffer) && isFilled(buffer)) return {{}, poisonByte(poison)};
  const PackedBuffer* packed = marshalling_.packedAt(buffer);
  if (isPoisoned(buffer))
    fillPoisoned(buffer, poison);
  else if (packed && bytes_[buffer].empty())
    bytes_[buffer] = packInput(*packed, bytes_[packed->source]);
  return {bytes_[buffer], std::nullopt};
}

std::vector<uint8_t> ScenarioContents::initial(uint32_t buffer, Poison poison) {
  const BufferInput input = inputOf(buffer, poison);
  if (input.fill) return std::vector<uint8_t>(scenario_.buffers[buffer].bytes(), *input.fill);
  return {input.bytes.begin(), input.bytes.end()};
}

std::optional<BufferDifference> ScenarioContents::difference(uint32_t buffer, const Outputs& a,
                                                             Poison poisonA, const Outputs& b,
                                                             Poison poisonB) const {
  BufferContents left{a[buffer], {}}, right{b[buffer], {}};
  if (isPoisoned(buffer)) left.poison = poisonByte(poisonA), right.poison = poisonByte(poisonB);
  return compare(buffer, scenario_.buffers[buffer], left, right, deterministicOf(buffer),
                 Strictness::AsScenario);
}

std::vector<BufferDifference> ScenarioContents::differences(const Outputs& a, Poison poisonA,
                                                            const Outputs& b,
                                                            Poison poisonB) const {
  std::vector<BufferDifference> all;
  for (uint32_t buffer : compared_)
    if (auto one = difference(buffer, a, poisonA, b, poisonB)) all.push_back(std::move(*one));
  return all;
}

namespace {

// The bytes [from, to) of a buffer that started as `input`.
void append(std::vector<uint8_t>& out, uint64_t from, uint64_t to, const BufferInput& input,
            const TouchedPages& touched) {
  using interpreter::kDirtyBytes;
  while (from < to) {
    uint32_t page = uint32_t(from / kDirtyBytes);
    uint64_t end = std::min(to, (uint64_t(page) + 1) * kDirtyBytes);
    auto known = std::lower_bound(touched.pages.begin(), touched.pages.end(), page);
    if (known != touched.pages.end() && *known == page) {
      const uint8_t* bytes =
          touched.bytes.data() + (known - touched.pages.begin()) * ptrdiff_t(kDirtyBytes);
      out.insert(out.end(), bytes + from % kDirtyBytes, bytes + from % kDirtyBytes + (end - from));
    } else if (input.fill) {
      out.insert(out.end(), end - from, *input.fill);
    } else {
      out.insert(out.end(), input.bytes.begin() + ptrdiff_t(from),
                 input.bytes.begin() + ptrdiff_t(end));
    }
    from = end;
  }
}

// Elements that were compared one range behind the other get their places in the whole buffer.
void spread(BufferDifference& difference, std::span<const std::pair<uint64_t, uint64_t>> ranges) {
  size_t range = 0;
  uint64_t before = 0;                 // elements of earlier ranges
  auto placeOf = [&](uint64_t index) { // ascending from call to call
    while (index - before >= ranges[range].second - ranges[range].first) {
      before += ranges[range].second - ranges[range].first;
      ++range;
    }
    return ranges[range].first + (index - before);
  };
  difference.firstIndex = placeOf(difference.firstIndex);
  for (DifferingElement& one : difference.listed) one.index = placeOf(one.index);
}

// What float arithmetic that is factored or folded may do to a result: a share of its own
// magnitude, and after cancellation of that of its fellows. Where integers stand beside the floats,
// only representable values near one another, which leaves integers exact.
std::variant<CompareExact, CompareUlp, CompareTolerance> roundingRule(const ScenarioBuffer& buffer,
                                                                      const BufferContents& left) {
  if (buffer.image) {
    const ImageFormatInfo& format = infoOf(buffer.image->format);
    if (format.kind != TexelKind::Float) return CompareUlp{1};
    return CompareUlp{uint64_t(format.bits[0] < 32 ? 8 : 4096)};
  }
  bool isHalf = false, isMixed = !buffer.header.empty();
  for (ScalarType type : buffer.elements) {
    isHalf |= type == ScalarType::F16;
    isMixed |= !isFloat(type);
  }
  if (isMixed) return CompareUlp{uint64_t(isHalf ? 8 : 256)};
  std::vector<double> magnitudes;
  size_t at = 0;
  for (uint64_t n = 0; n < buffer.count; ++n)
    for (ScalarType type : buffer.elements) {
      const uint8_t* from = &left.bytes[at];
      double value = std::fabs(decodeScalar(type, from));
      bool isPoison = left.poison && std::count(from, from + byteSize(type), *left.poison) ==
                                         ptrdiff_t(byteSize(type));
      if (std::isfinite(value) && value > 0 && !isPoison) magnitudes.push_back(value);
      at += byteSize(type);
    }
  const double share = isHalf ? 1e-2 : 1e-5, shareOfFellows = isHalf ? 1e-2 : 1e-6;
  if (magnitudes.empty()) return CompareTolerance{0, share};
  auto middle = magnitudes.begin() + ptrdiff_t(magnitudes.size() / 2);
  std::nth_element(magnitudes.begin(), middle, magnitudes.end());
  return CompareTolerance{shareOfFellows * *middle, share};
}

} // namespace

void ScenarioContents::applyRule(OrderRule rule, ScenarioBuffer& resource,
                                 const BufferContents& left, Strictness strictness) const {
  const bool isRounded = strictness == Strictness::UpToRounding;
  if (rule == OrderRule::Ignored) {
    resource.compare = CompareNone{};
  } else if (rule == OrderRule::Multiset) {
    // What the scenario tolerates in place it does in another.
    CompareMultiset any{CompareExact{isAnyNanEqual_}};
    if (const auto* ulp = std::get_if<CompareUlp>(&resource.compare))
      any.each = *ulp;
    else if (const auto* tolerance = std::get_if<CompareTolerance>(&resource.compare))
      any.each = *tolerance;
    else if (isRounded)
      any.each = roundingRule(resource, left);
    resource.compare = any;
  } else if (auto* exact = std::get_if<CompareExact>(&resource.compare)) {
    // SPIR-V leaves sign and payload of a NaN that an operation makes to the device, which takes
    // them from whichever operand its instruction takes first. Of inputs without NaNs hardly any
    // comes, so there the bits count.
    exact->anyNan = isAnyNanEqual_;
    if (isRounded || rule == OrderRule::Rounding)
      std::visit([&](auto each) { resource.compare = each; }, roundingRule(resource, left));
  }
}

OrderRule ScenarioContents::orderRuleOf(uint32_t buffer, std::optional<uint32_t> part) const {
  const auto known = orders_.find(buffer);
  return known == orders_.end() ? OrderRule::InPlace : known->second.ruleOf(part);
}

std::span<const uint8_t> ScenarioContents::deterministicOf(uint32_t buffer) const {
  const auto known = deterministic_.find(buffer);
  if (known == deterministic_.end()) return {};
  const auto withInputs = known->second.find(filled_.value());
  if (withInputs == known->second.end()) return {};
  return withInputs->second.isDeterministic;
}

std::optional<BufferDifference> ScenarioContents::compareDeterministic(
    ScenarioBuffer resource, const BufferContents& a, const BufferContents& b,
    std::span<const uint8_t> isDeterministic, Strictness strictness) const {
  std::vector<uint8_t> left(b.bytes.begin(), b.bytes.end());
  for (size_t at = 0; at < left.size(); ++at)
    if (isDeterministic[at]) left[at] = a.bytes[at];
  applyRule(OrderRule::InPlace, resource, a, strictness);
  auto difference = compareContents(resource, {left, a.poison}, b);
  if (!difference) return difference;
  difference->isDeterministic = true;
  difference->detail += ", where no order changes it";
  return difference;
}

std::optional<BufferDifference> ScenarioContents::compare(uint32_t buffer, ScenarioBuffer resource,
                                                          const BufferContents& a,
                                                          const BufferContents& b,
                                                          std::span<const uint8_t> isDeterministic,
                                                          Strictness strictness) const {
  const OrderRule rule = orderRuleOf(buffer, {});
  if (!isDeterministic.empty())
    if (auto difference = compareDeterministic(resource, a, b, isDeterministic, strictness))
      return difference;
  if (rule != OrderRule::Parts) {
    applyRule(rule, resource, a, strictness);
    return compareContents(resource, a, b);
  }
  if (std::ranges::equal(a.bytes, b.bytes)) return std::nullopt; // before it is taken apart
  const OrderDependence& dependence = orders_.at(buffer);
  const uint32_t count = uint32_t(dependence.parts.size());
  const std::vector<uint32_t> together = jointParts(dependence);
  for (uint32_t part = 0; part <= count; ++part) {
    const OrderRule own = dependence.ruleOf(part);
    if (own == OrderRule::Ignored || (part == count && together.empty())) continue;
    const std::span<const uint32_t> parts =
        part == count ? std::span(together) : std::span(&part, 1);
    BufferPart one = partOf(resource, parts, a, b);
    const BufferContents left{one.original, a.poison}, right{one.transformed, b.poison};
    applyRule(own, one.buffer, left, strictness);
    if (auto difference = compareContents(one.buffer, left, right)) {
      placePart(*difference, resource, part);
      return difference;
    }
  }
  return std::nullopt;
}

void ScenarioContents::weaken(uint32_t buffer, const BufferDifference& difference,
                              std::string_view where) {
  if (difference.isDeterministic) return (void)deterministic_.erase(buffer);
  auto [known, isNew] = orders_.try_emplace(
      buffer, OrderDependence{scenario_.buffers[buffer].name, OrderRule::InPlace,
                              fmt::format("{}, {}", describe(difference), where)});
  known->second.weaken(scenario_.buffers[buffer], difference.part);
}

void ScenarioContents::setDeterministic(uint32_t buffer, DeterministicContents contents) {
  deterministic_[buffer][filled_.value()] = std::move(contents);
}

void ScenarioContents::checkDeterministic(const Outputs& original, Poison poison) {
  std::erase_if(deterministic_, [&](const auto& known) {
    const auto& [buffer, byInputs] = known;
    const auto seen = byInputs.find(filled_.value());
    if (seen == byInputs.end()) return false;
    BufferContents here{original[buffer], {}}, there{seen->second.bytes, {}};
    if (isPoisoned(buffer)) here.poison = there.poison = poisonByte(poison);
    return compareDeterministic(scenario_.buffers[buffer], there, here,
                                seen->second.isDeterministic, Strictness::UpToRounding)
        .has_value();
  });
}

void ScenarioContents::weakenAs(const ScenarioContents& others) {
  for (const auto& [buffer, dependence] : others.orders_)
    orders_.try_emplace(buffer, dependence).first->second.weakenAs(dependence);
}

std::vector<OrderDependence> ScenarioContents::orderDependences() const {
  std::vector<OrderDependence> all;
  for (const auto& [buffer, dependence] : orders_) {
    all.push_back(dependence);
    const auto known = deterministic_.find(buffer);
    if (known == deterministic_.end()) continue;
    uint64_t fewest = scenario_.buffers[buffer].bytes();
    for (const auto& [inputs, seen] : known->second)
      fewest = std::min(fewest, uint64_t(std::ranges::count(seen.isDeterministic, 1)));
    all.back().deterministicBytes = fewest;
  }
  return all;
}

// Elements that neither run touched agree by every rule, and as a multiset add the same to both
// sides: the rest is compared as a buffer of its own.
std::optional<BufferDifference> ScenarioContents::difference(uint32_t buffer, const TouchedPages& a,
                                                             Poison poisonA, const TouchedPages& b,
                                                             Poison poisonB,
                                                             Strictness strictness) {
  std::set<uint32_t> pages(a.pages.begin(), a.pages.end());
  pages.insert(b.pages.begin(), b.pages.end());
  ScenarioBuffer touched = scenario_.buffers[buffer];
  const bool isWhole = touched.image.has_value(); // its levels lie one behind the other
  const uint64_t header = touched.headerBytes(), size = touched.elementBytes();
  std::vector<std::pair<uint64_t, uint64_t>> ranges; // of elements
  uint64_t done = 0;
  if (isWhole) pages.clear(), ranges.emplace_back(0, touched.count);
  if (!isWhole) touched.count = 0;
  for (uint32_t page : pages) {
    uint64_t from = uint64_t(page) * interpreter::kDirtyBytes, to = from + interpreter::kDirtyBytes;
    uint64_t first = from < header ? 0 : (from - header) / size;
    uint64_t last = to < header ? 0 : (to - header + size - 1) / size;
    first = std::max(first, done);
    last = std::min(last, scenario_.buffers[buffer].count);
    if (first >= last) continue;
    ranges.emplace_back(first, last);
    touched.count += last - first;
    done = last;
  }
  auto gather = [&](const TouchedPages& run, Poison poison) {
    // Of a poisoned buffer with a header inputs() makes the bytes anew for each pattern.
    BufferInput input = inputs(poison)[buffer];
    std::vector<uint8_t> bytes;
    append(bytes, 0, header, input, run);
    for (auto [first, last] : ranges)
      append(bytes, header + first * size, header + last * size, input, run);
    return bytes;
  };
  std::vector<uint8_t> left = gather(a, poisonA), right = gather(b, poisonB);
  std::vector<uint8_t> isDeterministic;
  if (const std::span<const uint8_t> all = deterministicOf(buffer); !all.empty()) {
    const auto take = [&](uint64_t from, uint64_t to) {
      isDeterministic.insert(isDeterministic.end(), all.begin() + ptrdiff_t(from),
                             all.begin() + ptrdiff_t(to));
    };
    take(0, header);
    for (auto [first, last] : ranges) take(header + first * size, header + last * size);
  }
  BufferContents x{left, {}}, y{right, {}};
  if (isPoisoned(buffer)) x.poison = poisonByte(poisonA), y.poison = poisonByte(poisonB);
  auto difference = compare(buffer, touched, x, y, isDeterministic, strictness);
  if (!difference) return difference;
  difference->elements = scenario_.buffers[buffer].count;
  if (difference->differing == 0) return difference; // in the header
  spread(*difference, ranges);
  // Of a multiset no element has a place.
  const bool isMultiset = orderRuleOf(buffer, difference->part) == OrderRule::Multiset ||
                          std::holds_alternative<CompareMultiset>(touched.compare);
  if (difference->isDeterministic || !isMultiset) difference->pattern = indexPattern(*difference);
  return difference;
}

// ----- programs with layouts of their own -----

std::vector<uint32_t> ScenarioContents::comparedOf(size_t program) const {
  std::vector<uint32_t> seen;
  for (uint32_t buffer : compared_) seen.push_back(marshalling_.seenAs(program, buffer));
  return seen;
}

std::optional<uint32_t> ScenarioContents::plainBuffer(size_t program, std::string_view name) const {
  for (uint32_t buffer : compared_)
    if (scenario_.buffers[buffer].name == name)
      return marshalling_.seenAs(program, buffer) == buffer ? std::optional(buffer) : std::nullopt;
  return std::nullopt;
}

std::optional<BufferDifference> ScenarioContents::strayWrite(const PackedBuffer& packed,
                                                             Poison poison,
                                                             std::span<const uint8_t> output) {
  std::optional<uint64_t> at = findStrayWrite(packed, initial(packed.packed, poison), output);
  if (!at) return std::nullopt;
  BufferDifference stray{scenario_.buffers[packed.source].name, packed.elements, 1, 0, {}, {}, {}};
  stray.firstIndex = packed.elements;
  stray.original = "nothing";
  stray.transformed = fmt::format("a store to byte {}", *at);
  stray.detail = "outside every element of the new layout";
  return stray;
}

std::vector<BufferDifference> ScenarioContents::unpack(size_t program, Poison poison,
                                                       const Outputs* reference, Outputs& outputs) {
  std::vector<BufferDifference> strays;
  for (uint32_t buffer : compared_) {
    const PackedBuffer* packed = marshalling_.packedAt(marshalling_.seenAs(program, buffer));
    if (!packed) continue;
    const std::vector<uint8_t> output = std::move(outputs[packed->packed]);
    if (auto stray = strayWrite(*packed, poison, output)) strays.push_back(std::move(*stray));
    const std::vector<uint8_t> start = initial(buffer, poison);
    outputs[buffer] =
        unpackOutput(*packed, output, start, reference ? (*reference)[buffer] : start,
                     isPoisoned(buffer) ? std::optional(poisonByte(poison)) : std::nullopt);
  }
  return strays;
}

std::optional<BufferDifference> ScenarioContents::unpack(size_t program, uint32_t buffer,
                                                         Poison poison,
                                                         const TouchedPages* reference,
                                                         TouchedPages& output) {
  const PackedBuffer* packed = marshalling_.packedAt(marshalling_.seenAs(program, buffer));
  if (!packed) return std::nullopt;
  auto wholeOf = [&](uint32_t at, const TouchedPages& touched) {
    std::vector<uint8_t> bytes;
    append(bytes, 0, scenario_.buffers[at].bytes(), inputs(poison)[at], touched);
    return bytes;
  };
  const std::vector<uint8_t> left = wholeOf(packed->packed, output),
                             start = initial(buffer, poison);
  auto stray = strayWrite(*packed, poison, left);
  const std::vector<uint8_t> seen =
      unpackOutput(*packed, left, start, reference ? wholeOf(buffer, *reference) : start,
                   isPoisoned(buffer) ? std::optional(poisonByte(poison)) : std::nullopt);
  using interpreter::kDirtyBytes;
  output = {};
  for (uint64_t from = 0; from < seen.size(); from += kDirtyBytes) {
    const uint64_t to = std::min<uint64_t>(from + kDirtyBytes, seen.size());
    if (std::equal(seen.begin() + ptrdiff_t(from), seen.begin() + ptrdiff_t(to),
                   start.begin() + ptrdiff_t(from)))
      continue;
    output.pages.push_back(uint32_t(from / kDirtyBytes));
    output.bytes.insert(output.bytes.end(), seen.begin() + ptrdiff_t(from),
                        seen.begin() + ptrdiff_t(to));
  }
  return stray;
}

std::optional<std::string> ScenarioContents::misfit(size_t program, Poison poison,
                                                    const Outputs& original) const {
  for (uint32_t buffer : compared_)
    if (const PackedBuffer* packed = marshalling_.packedAt(marshalling_.seenAs(program, buffer)))
      if (auto why =
              describeMisfit(*packed, scenario_.buffers[buffer].name, original[buffer],
                             isPoisoned(buffer) ? std::optional(poisonByte(poison)) : std::nullopt))
        return why;
  return std::nullopt;
}

} // namespace lanewise::driver
