#include "analysis/shared_memory/layout_search.h"

#include <algorithm>
#include <limits>
#include <map>
#include <numeric>
#include <set>
#include <tuple>

namespace lanewise {
namespace {

using Kind = LayoutNode::Kind;

constexpr double kUnlimited = std::numeric_limits<double>::infinity();
/// Instructions that an access needs which had its constant in its offset: the sum, and from that
/// an address.
constexpr double kLostOffset = 2;
/// How sure it is that a compiler makes wide accesses of those that a loop has in a row.
constexpr double kWidened = 0.5;

} // namespace

LayoutSearch::LayoutSearch(const SharedVariable& variable, std::span<const WeighedAccess> accesses,
                           const TargetProfile& target, const LayoutSearchOptions& options,
                           std::function<std::optional<double>(uint64_t)> occupancyLossOf,
                           std::function<bool(uint32_t)> isLiteral)
    : variable_(variable), accesses_(accesses), target_(target), options_(options),
      occupancyLossOf_(std::move(occupancyLossOf)), isLiteral_(std::move(isLiteral)),
      lanesLeft_(options.maxLanes), original_{SharedLayout(variable), {}}, best_(original_) {
  classify();
  collectIndices();
  collectWalks();
  // Those that never run count as well: their types must fit.
  std::set<uint32_t> wholes;
  for (const SharedAccess& a : variable_.accesses)
    if (variable_.nodes[a.node].kind != Kind::Element) wholes.insert(a.node);
  wholes_.assign(wholes.begin(), wholes.end());
  original_.cost = costOfOriginal();
  best_ = original_;
}

/// Accesses that look the same to the banks are counted once: unrolled loops have thousands.
void LayoutSearch::classify() {
  struct Key {
    uint32_t node;
    bool isInRun;
    const AccessPattern* pattern;
  };
  auto less = [](const Key& a, const Key& b) {
    return std::tie(a.node, a.isInRun, *a.pattern) < std::tie(b.node, b.isInRun, *b.pattern);
  };
  std::map<Key, std::pair<size_t, size_t>, decltype(less)> members(less); // shape, member of it
  std::multimap<size_t, size_t> byHash;                                   // index into shapes_
  for (const WeighedAccess& a : accesses_) {
    if (!a.pattern) continue;
    const uint32_t node = a.access->node;
    const auto [known, isNew] = members.try_emplace({node, a.isInRun, &*a.pattern});
    if (isNew) {
      const size_t hash = a.pattern->shapeHash();
      size_t shape = shapes_.size();
      const auto [first, last] = byHash.equal_range(hash);
      for (auto at = first; at != last && shape == shapes_.size(); ++at)
        if (const Shape& one = shapes_[at->second];
            one.node == node && one.isInRun == a.isInRun && one.pattern->looksAs(*a.pattern))
          shape = at->second;
      if (shape == shapes_.size()) {
        byHash.emplace(hash, shape);
        shapes_.push_back({&*a.pattern, node, a.isInRun, 0, {}, {}});
      }
      known->second = {shape, shapes_[shape].members.size()};
      shapes_[shape].members.push_back({&*a.pattern, 0});
    }
    Shape& shape = shapes_[known->second.first];
    shape.weight += a.weight;
    shape.members[known->second.second].second += a.weight;
  }
  // What costs most stands first: a layout that is no better is then given up soonest.
  const SharedLayout layout(variable_);
  std::vector<std::pair<double, Shape>> byCost;
  for (Shape& s : shapes_) {
    s.original = s.pattern->cost(target_, addressForm(variable_, layout, s.node));
    cleanCycles_ += s.weight * s.original.cleanCycles;
    const double excess = s.weight * (s.original.cycles - s.original.cleanCycles);
    byCost.emplace_back(excess, std::move(s));
  }
  std::stable_sort(byCost.begin(), byCost.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  shapes_.clear();
  for (auto& [excess, shape] : byCost) shapes_.push_back(std::move(shape));
}

void LayoutSearch::collectIndices() {
  std::map<std::pair<uint32_t, std::vector<Id>>, size_t> places; // in indices_
  std::set<uint32_t> bases;
  for (const WeighedAccess& a : accesses_) {
    const auto [at, isNew] =
        places.try_emplace({a.access->node, a.access->indices}, indices_.size());
    if (isNew)
      indices_.push_back({a.access->node, 0,
                          a.isUnrolled || (a.base != 0 && !bases.insert(a.base).second),
                          a.lengthsOfRows});
    Indices& i = indices_[at->second];
    i.weight = std::max(i.weight, a.weight);
    i.lengthsOfRows &= a.lengthsOfRows;
  }
}

void LayoutSearch::collectWalks() {
  for (const WeighedAccess& a : accesses_) {
    if (a.pattern) continue;
    const uint32_t node = a.access->node;
    const auto [at, isNew] = unknown_.try_emplace(node);
    at->second += a.weight;
    if (!isNew) continue;
    const std::vector<uint32_t> arrays = variable_.arraysAbove(node);
    const auto rank = uint32_t(arrays.size());
    const AddressForm form = addressForm(variable_, original_.layout, node);
    for (uint32_t n = 0; n < rank; ++n) {
      const uint64_t extent = std::max<uint64_t>(original_.layout.extents[arrays[n]], 1);
      AccessPattern pattern = AccessPattern::walk(rank, n, extent, a.access->bytes, target_);
      const double cycles = pattern.cost(target_, form).cycles;
      walks_.push_back({std::move(pattern), node, cycles});
    }
  }
}

/// What maps add to compute an address.
double LayoutSearch::Indices::operations(const AddressForm& form) const {
  double sum = 0;
  for (const AddressForm::Part& part : form.parts)
    if (!isFree(part.map)) sum += part.map.operations();
  return sum;
}

bool LayoutSearch::hasConflict() const {
  return std::ranges::any_of(shapes_, [](const Shape& s) { return s.original.degree > 1; });
}

LayoutCost LayoutSearch::costOf(const SharedLayout& choices) const {
  SharedLayout layout(variable_);
  layout.extents = choices.extents;
  layout.padWords = choices.padWords;
  layout.flat = choices.flat;
  layout.updateSizes(variable_);
  LayoutCost cost = evaluate(layout, kUnlimited);
  cost.occupancyLoss = occupancyLossOf_(layout.bytes()).value_or(kUnlimited);
  return cost;
}

/// Of one execution.
double LayoutSearch::cyclesOf(const AccessPattern& pattern, bool isInRun, const AddressForm& form,
                              const std::function<bool(double cycles)>& isTooMuch) const {
  // Those of a run may turn out cheaper than they look one by one.
  return cyclesOf(pattern, isInRun, form,
                  isInRun ? pattern.cost(target_, form) : pattern.cost(target_, form, isTooMuch));
}

/// The same where that of the access `alone` is known.
double LayoutSearch::cyclesOf(const AccessPattern& pattern, bool isInRun, const AddressForm& form,
                              const AccessCost& alone) const {
  // A conflict counts in full: nobody promises that it goes by wide accesses.
  const auto wide =
      isInRun && alone.degree <= 1 ? pattern.cyclesInRun(target_, form) : std::nullopt;
  return wide ? alone.cycles - kWidened * std::max(0.0, alone.cycles - *wide) : alone.cycles;
}

LayoutCost LayoutSearch::costOfOriginal() const {
  LayoutCost cost;
  cost.arithmeticShare = options_.arithmeticShare;
  for (const Shape& s : shapes_)
    cost.cycles +=
        s.weight * cyclesOf(*s.pattern, s.isInRun, addressForm(variable_, original_.layout, s.node),
                            s.original);
  return cost;
}

/// Stops to count when the total is more than `enough`.
LayoutCost LayoutSearch::evaluate(const SharedLayout& layout, double enough) const {
  LayoutCost cost;
  cost.arithmeticShare = options_.arithmeticShare;
  std::map<uint32_t, AddressForm> forms;
  auto formOf = [&](uint32_t node) -> const AddressForm& {
    auto [at, isNew] = forms.try_emplace(node);
    if (isNew) at->second = addressForm(variable_, layout, node);
    return at->second;
  };
  if (!layout.flat.empty())
    for (const Indices& i : indices_) {
      const double operations = i.operations(formOf(i.node));
      const double lost = i.isOffset && operations > 0 ? kLostOffset : 0;
      cost.arithmetic += i.weight * (operations + lost) * target_.arithmeticCost;
    }
  std::map<uint32_t, double> losses; // of one access, by node
  for (const Walk& w : walks_) {
    double& loss = losses[w.node];
    loss = std::max(loss, w.pattern.cost(target_, formOf(w.node)).cycles - w.cycles);
  }
  for (const auto& [node, loss] : losses) cost.risk += loss * unknown_.at(node);
  const auto add = [&](const AccessPattern& pattern, double weight, const Shape& s) {
    const auto with = [&cost, weight](double cycles) {
      LayoutCost all = cost;
      all.cycles += weight * cycles;
      return all;
    };
    cost = with(cyclesOf(pattern, s.isInRun, formOf(s.node),
                         [&](double cycles) { return with(cycles).total() > enough; }));
    return cost.total() <= enough;
  };
  for (const Shape& s : shapes_) {
    bool goesOn = true;
    if (formOf(s.node).isLinear)
      goesOn = add(*s.pattern, s.weight, s);
    else
      for (size_t n = 0; n < s.members.size() && goesOn; ++n)
        goesOn = add(*s.members[n].first, s.members[n].second, s);
    if (!goesOn) break;
  }
  return cost;
}

/// Takes the layout if it is better than what is known; true if it now is the best that fits.
bool LayoutSearch::consider(SharedLayout layout) {
  layout.updateSizes(variable_);
  const uint64_t before = original_.layout.bytes();
  if (double(layout.bytes()) > double(before) * (1 + options_.maxGrowth)) return false;
  for (uint32_t node : wholes_)
    if (!layout.keepsType(variable_, node, original_.layout)) return false;
  uint64_t lanes = 1 + walks_.size() * target_.subgroupSize;
  for (const Shape& s : shapes_) {
    const bool isLinear = addressForm(variable_, layout, s.node).isLinear;
    for (const auto& [pattern, weight] : s.members) {
      lanes += pattern->lanes(isLinear);
      if (isLinear) break;
    }
  }
  if (lanes > lanesLeft_) return false;
  lanesLeft_ -= lanes;
  const auto occupancyLoss = occupancyLossOf_(layout.bytes());
  LayoutChoice& known = occupancyLoss ? best_ : withoutRoom_ ? *withoutRoom_ : best_;
  LayoutChoice choice{std::move(layout), {}};
  choice.cost = evaluate(choice.layout, known.cost.total());
  choice.cost.occupancyLoss = occupancyLoss.value_or(1);
  const double cost = choice.cost.total(), least = known.cost.total();
  const bool isFirst =
      options_.isForced && cost <= least && known.layout.isSameAs(original_.layout);
  // Of equals the smallest, and none with a map where longer rows do.
  const auto size = [](const SharedLayout& l) {
    const bool isMapped = std::ranges::any_of(
        l.flat, [](const auto& f) { return f.second.map.kind != IndexMap::Kind::None; });
    return std::pair(isMapped, l.bytes());
  };
  const bool isBetter = cost < least || (cost == least && size(choice.layout) < size(known.layout));
  if (!isFirst && !isBetter) return false;
  if (options_.mayTake && !options_.mayTake(choice.layout)) return false;
  if (occupancyLoss)
    best_ = std::move(choice);
  else
    withoutRoom_ = std::move(choice);
  return occupancyLoss.has_value();
}

/// True if nothing can be better than what is known.
bool LayoutSearch::isClean() const {
  return best_.cost.total() <= cleanCycles_ && !best_.layout.isSameAs(original_.layout);
}

/// What a map of the chain at `top` adds, over all accesses.
double LayoutSearch::leastArithmetic(uint32_t top, const IndexMap& map) const {
  double weight = 0;
  for (const Indices& i : indices_)
    if (!i.isFree(map) && variable_.isAbove(top, i.node)) weight += i.weight;
  return weight * map.operations() * target_.arithmeticCost;
}

/// Extents and struct pads that change the distance of something that an array holds. The outermost
/// extent changes no distance.
std::vector<LayoutSearch::Parameter> LayoutSearch::parameters() const {
  std::vector<Parameter> list;
  const uint64_t bankRow = uint64_t(target_.banks) * target_.bankBytes;
  for (uint32_t n = 1; n < variable_.nodes.size(); ++n) {
    const LayoutNode& node = variable_.nodes[n];
    if (variable_.nodes[node.parent].kind != Kind::Array || node.kind == Kind::Element) continue;
    const SizeAlign part = original_.layout.sizes[node.kind == Kind::Array ? node.children[0] : n];
    uint64_t unit = 1, step = (part.size + part.align - 1) / part.align * part.align;
    if (node.kind == Kind::Struct) {
      step = std::max(part.align, kWordBytes);
      unit = step / kWordBytes;
    }
    if (step != 0) list.push_back({n, bankRow / std::gcd(bankRow, step), unit});
  }
  return list;
}

/// Calls `tryPads` with every combination of pads below their periods but the first, which is no
/// pad at all; where those are too many, with every pad of one place after the other, the innermost
/// first, beside the best of the others. `tryPads` says whether what it tried is the best so far.
void LayoutSearch::enumerate(const std::vector<uint64_t>& periods,
                             const std::function<bool(const std::vector<uint64_t>&)>& tryPads) {
  uint64_t lanes = 1 + walks_.size() * target_.subgroupSize, combinations = 1;
  for (const Shape& s : shapes_) lanes += s.pattern->lanes(true);
  const uint64_t most = std::min(options_.maxCandidates, lanesLeft_ / lanes);
  for (uint64_t period : periods)
    combinations = period > most / combinations ? most + 1 : combinations * period;
  std::vector<uint64_t> pads(periods.size(), 0);
  if (combinations <= most) {
    for (uint64_t n = 1; n < combinations; ++n) {
      uint64_t rest = n;
      for (size_t p = periods.size(); p-- > 0; rest /= periods[p]) pads[p] = rest % periods[p];
      tryPads(pads);
    }
    return;
  }
  for (size_t p = periods.size(); p-- > 0;) {
    uint64_t best = 0;
    for (pads[p] = 1; pads[p] < periods[p]; ++pads[p])
      if (tryPads(pads)) best = pads[p];
    pads[p] = best;
  }
}

/// Longer rows and structs.
void LayoutSearch::tryExtents() {
  const std::vector<Parameter> list = parameters();
  std::vector<uint64_t> periods;
  for (const Parameter& p : list) periods.push_back(p.period);
  enumerate(periods, [&](const std::vector<uint64_t>& pads) {
    SharedLayout layout = original_.layout;
    for (size_t n = 0; n < list.size(); ++n) {
      if (variable_.nodes[list[n].node].kind == Kind::Array)
        layout.extents[list[n].node] += pads[n] * list[n].unit;
      else
        layout.padWords[list[n].node] = uint32_t(pads[n] * list[n].unit);
    }
    return consider(std::move(layout));
  });
}

/// The chain of arrays at `top`, flat, with every element where it is.
FlatArray LayoutSearch::natural(uint32_t top) const {
  FlatArray flat;
  uint64_t stride = 1;
  const std::vector<uint32_t> chain = variable_.arrayChain(top);
  for (size_t n = chain.size(); n-- > 0; stride *= original_.layout.extents[chain[n]])
    flat.strides.insert(flat.strides.begin(), stride);
  return flat;
}

uint64_t LayoutSearch::elementPeriod(uint32_t top) const {
  const std::vector<uint32_t> chain = variable_.arrayChain(top);
  const SizeAlign& element = original_.layout.sizes[variable_.nodes[chain.back()].children[0]];
  const uint64_t bankRow = uint64_t(target_.banks) * target_.bankBytes;
  const uint64_t step = (element.size + element.align - 1) / element.align * element.align;
  return bankRow / std::gcd(bankRow, std::max<uint64_t>(step, 1));
}

/// The best layout so far, with the chain at `top` as it was.
SharedLayout LayoutSearch::bestWithout(uint32_t top) const {
  SharedLayout layout = best_.layout;
  layout.flat.erase(top);
  for (uint32_t array : variable_.arrayChain(top))
    layout.extents[array] = original_.layout.extents[array];
  return layout;
}

/// Flattens the chain, with pads that no extent gives. Of two arrays the inner extent gives all.
void LayoutSearch::tryStrides(uint32_t top) {
  const std::vector<uint32_t> chain = variable_.arrayChain(top);
  if (chain.size() < 3) return;
  const SharedLayout base = bestWithout(top);
  const std::vector<uint64_t> periods(chain.size() - 1, elementPeriod(top));
  enumerate(periods, [&](const std::vector<uint64_t>& pads) {
    SharedLayout layout = base;
    FlatArray flat;
    flat.strides.assign(chain.size(), 1);
    for (size_t n = chain.size() - 1; n-- > 0;)
      flat.strides[n] = flat.strides[n + 1] * layout.extents[chain[n + 1]] + pads[n];
    layout.flat.emplace(top, std::move(flat));
    return consider(std::move(layout));
  });
}

/// Maps of a flat array's indices that may help, the likely ones first.
std::vector<IndexMap> LayoutSearch::maps(uint32_t top) const {
  std::vector<IndexMap> list;
  const uint64_t period = elementPeriod(top);
  const uint64_t elements = natural(top).strides.front() * original_.layout.extents[top];
  // Powers of two: shifts. A division by anything else costs more than a conflict is mostly worth,
  // and pads between them would make many layouts of which hardly one is better.
  std::vector<uint32_t> divisors;
  for (uint64_t d = 2; d < elements && d <= UINT32_MAX / 2; d *= 2) divisors.push_back(uint32_t(d));
  std::stable_sort(divisors.begin(), divisors.end(), [&](uint32_t a, uint32_t b) {
    auto distance = [&](uint32_t d) { return d > period ? d / period : period / d; };
    return distance(a) < distance(b);
  });
  if (options_.mayPad)
    for (uint32_t divisor : divisors)
      for (uint32_t pad = 1; pad < period; pad *= 2)
        list.push_back({IndexMap::Kind::Pad, divisor, pad, 0, 0});
  // A swizzle keeps the size: groups of mask + 1 are whole, whatever the outermost extent is
  // specialized to.
  const uint64_t whole = isLiteral_(top) ? elements : natural(top).strides.front();
  if (options_.maySwizzle)
    for (uint32_t shift = 1; uint64_t(1) << shift < elements && shift < 32; ++shift)
      for (uint32_t mask = 1;
           mask < period && mask < uint32_t(1) << shift && whole % (mask + 1) == 0;
           mask = 2 * mask + 1)
        list.push_back({IndexMap::Kind::Xor, 1, 0, shift, mask});
  return list;
}

/// Keeps the order of elements, but for a map.
void LayoutSearch::tryMaps(uint32_t top) {
  const SharedLayout base = bestWithout(top);
  for (const IndexMap& map : maps(top)) {
    if (isClean()) return;
    // What the map costs alone may be too much already.
    if (best_.cost.total() <= cleanCycles_ + leastArithmetic(top, map) && !options_.isForced)
      continue;
    SharedLayout layout = base;
    FlatArray flat = natural(top);
    flat.map = map;
    layout.flat.emplace(top, std::move(flat));
    consider(std::move(layout));
  }
}

LayoutChoice LayoutSearch::run() {
  const bool mayMoveRows = options_.mayPad && !options_.keepsOrder;
  if (mayMoveRows) tryExtents();
  for (uint32_t n = 0; n < variable_.nodes.size(); ++n) {
    const LayoutNode& node = variable_.nodes[n];
    if (node.kind != Kind::Array) continue;
    if (node.parent != LayoutNode::kNone && variable_.nodes[node.parent].kind == Kind::Array)
      continue;
    // Strides of a flat array are numbers: they hold for one value of each extent but the
    // outermost.
    const std::vector<uint32_t> chain = variable_.arrayChain(n);
    if (!std::all_of(chain.begin() + 1, chain.end(), isLiteral_)) continue;
    // Flat strides are smaller at times, but nobody asks a forced layout for that.
    if (options_.isForced && isClean()) break;
    if (mayMoveRows) tryStrides(n);
    const bool isAll =
        n == 0 && variable_.nodes[variable_.nodes[chain.back()].children[0]].kind == Kind::Element;
    if (isAll || !options_.keepsOrder) tryMaps(n);
  }
  const bool isWanted = options_.isForced && best_.layout.isSameAs(original_.layout);
  if (withoutRoom_ && withoutRoom_->cost.total() >= best_.cost.total() && !isWanted)
    withoutRoom_.reset();
  return best_;
}

} // namespace lanewise
