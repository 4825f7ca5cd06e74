// uncoalesced-access: a subgroup touches more sectors of a buffer than its data needs
//
// What: device memory is fetched in sectors. Where the lanes of a subgroup load or store elements
// that lie apart, most of each sector is fetched for nothing.
//
// Decided by: byte addresses of all lanes, from the explicit layout of the buffer. Accesses of one
// buffer in one block are judged together, because what one of them leaves of a sector, another one
// finds in the cache (the members of a struct, the elements of a row that a lane unrolled).
//
// Example:
//
//     x = data[gl_GlobalInvocationID.x * 32];    // 32 sectors of 32 bytes for 128 bytes
//
// Silent: indices that depend on data; fewer than twice the sectors that are needed; images and
// physical pointers.
//
// Reference: Vulkan, "Offset and Stride Assignment"; docs/lint/uncoalesced-access.md.

#include "analysis/barriers/memory_effects.h"
#include "analysis/module/constants.h"
#include "analysis/module/types.h"
#include "lint/context.h"
#include "text/format_text.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>

namespace lanewise {
namespace {

/// Sectors that are touched, as a multiple of those that hold the data.
constexpr double kLeastRatio = 2;
/// And how many more they must be.
constexpr uint64_t kLeastWaste = 4;
/// Bytes of a subgroup's accesses that are counted one by one.
constexpr size_t kMaxBytes = 1 << 16;

/// Where an access goes in its buffer.
struct Address {
  uint64_t constant = 0;
  std::vector<std::pair<AffineExpr, uint64_t>> parts; ///< index and its stride
  uint32_t bytes = 0;
};

struct Site {
  const MemoryAccess* access = nullptr;
  Address address;
};

class Checker {
public:
  Checker(LintContext& context, Kernel& kernel)
      : context_(context), kernel_(kernel), analyses_(context.analyses()),
        module_(context.module()), effects_(analyses_) {}

  void run(LintFindings& findings);

private:
  using Group = std::vector<Site>;
  std::optional<Address> addressOf(const MemoryAccess& access) const;
  std::optional<uint32_t> bytesOf(Id type) const;
  bool takesPart(BlockRef block, const LaneContext& lane);
  void judge(const Group& group, LintFindings& findings);
  struct Count {
    uint64_t sectors = 0, least = 0;
    uint64_t subgroups = 0;         ///< of which a lane takes part
    std::optional<uint64_t> stride; ///< of the first lanes; nothing when it changes
  };
  std::optional<Count> count(std::span<const Site> sites);
  std::optional<Count> countAt(std::span<const Site> sites, uint32_t seed);
  std::optional<uint64_t> evaluate(const Address& address, const LaneContext& lane) const;

  LintContext& context_;
  Kernel& kernel_;
  Analyses& analyses_;
  const Module& module_;
  MemoryEffects effects_;
};

// ---- collect ----

std::optional<uint32_t> Checker::bytesOf(Id type) const {
  const TypeInfo& info = analyses_.get<Types>().info(type);
  switch (info.kind) {
  case TypeInfo::Kind::Int:
  case TypeInfo::Kind::Float:
    return info.width / 8;
  case TypeInfo::Kind::Vector: {
    const auto one = bytesOf(info.element);
    return one ? std::optional(*one * info.count) : std::nullopt;
  }
  default:
    return std::nullopt; // whole structs and arrays
  }
}

std::optional<Address> Checker::addressOf(const MemoryAccess& access) const {
  const Types& types = analyses_.get<Types>();
  Address address;
  Id type = types.pointee(access.variable);
  std::optional<uint32_t> matrixStride;
  bool isRowMajor = false;
  for (Id index : access.indices) {
    const TypeInfo info = types.info(type);
    const auto constant = analyses_.get<Constants>().value(index);
    std::optional<uint64_t> stride;
    switch (info.kind) {
    case TypeInfo::Kind::Struct: {
      if (!constant) return std::nullopt;
      const auto member = uint32_t(constant->bits);
      const auto offset = types.offset(type, member);
      if (!offset) return std::nullopt;
      address.constant += *offset;
      matrixStride = types.matrixStride(type, member);
      isRowMajor = types.isRowMajor(type, member);
      type = types.member(type, member);
      continue;
    }
    case TypeInfo::Kind::Array:
    case TypeInfo::Kind::RuntimeArray:
      stride = types.arrayStride(type);
      break;
    case TypeInfo::Kind::Matrix:
      if (isRowMajor) return std::nullopt;
      stride = matrixStride;
      break;
    case TypeInfo::Kind::Vector:
      stride = bytesOf(info.element);
      break;
    default:
      return std::nullopt;
    }
    if (!stride) return std::nullopt;
    if (constant)
      address.constant += constant->bits * *stride;
    else
      address.parts.emplace_back(kernel_.affine->of(index), *stride);
    type = info.element;
  }
  const auto bytes = bytesOf(type);
  if (!bytes) return std::nullopt;
  address.bytes = *bytes;
  return address;
}

// ---- count ----

std::optional<uint64_t> Checker::evaluate(const Address& address, const LaneContext& lane) const {
  uint64_t at = address.constant;
  for (const auto& [form, stride] : address.parts) {
    const auto value = kernel_.affine->evaluate(form, lane);
    if (!value) return std::nullopt;
    at += uint64_t(*value) * stride;
  }
  return at;
}

/// Conditions that cannot be computed are taken to mask none.
bool Checker::takesPart(BlockRef block, const LaneContext& lane) {
  for (const BlockCondition& c : collectConditions(analyses_, block)) {
    const AffineExpr& form = kernel_.affine->of(c.condition);
    if (!kernel_.affine->isEvaluable(form) || kernel_.affine->isWorkgroupUniform(form)) continue;
    const auto value = kernel_.affine->evaluate(form, lane);
    if (!value || (*value != 0) == c.negated) return false;
  }
  return true;
}

/// The better of two guesses at what is uniform and not known; a stride is one in both.
std::optional<Checker::Count> Checker::count(std::span<const Site> sites) {
  auto one = countAt(sites, 0), other = countAt(sites, 1);
  if (!one || !other) return std::nullopt;
  const bool isSame = one->stride == other->stride;
  Count& better =
      double(one->sectors) * double(other->least) <= double(other->sectors) * double(one->least)
          ? *one
          : *other;
  if (!isSame) better.stride.reset();
  return better;
}

/// Sectors that the sites touch together, summed over the subgroups of a workgroup, and those that
/// their bytes would fill.
std::optional<Checker::Count> Checker::countAt(std::span<const Site> sites, uint32_t seed) {
  const uint32_t lanes = context_.target().subgroupSize, sector = context_.target().sectorBytes;
  Count count;
  const BlockRef block = module_.blockOf(sites.front().access->inst);
  for (uint64_t first = 0; first < kernel_.invocations(); first += lanes) {
    std::set<uint64_t> sectors;
    std::set<std::pair<uint64_t, uint32_t>> ranges;
    std::vector<uint64_t> starts;
    for (uint64_t n = first; n < std::min(first + lanes, kernel_.invocations()); ++n) {
      const LaneContext lane{kernel_.localId(n), uint32_t(n - first), uint32_t(first / lanes),
                             seed};
      if (!takesPart(block, lane)) continue;
      for (const Site& site : sites) {
        const auto at = evaluate(site.address, lane);
        if (!at) return std::nullopt;
        if (&site == &sites.front()) starts.push_back(*at);
        ranges.insert({*at, site.address.bytes});
        for (uint64_t s = *at / sector; s <= (*at + site.address.bytes - 1) / sector; ++s)
          sectors.insert(s);
      }
      if (ranges.size() > kMaxBytes) return std::nullopt;
    }
    uint64_t bytes = 0, end = 0;
    for (auto [at, size] : ranges) {
      const uint64_t from = std::max(at, end);
      if (at + size > from) bytes += at + size - from;
      end = std::max(end, at + size);
    }
    count.subgroups += !ranges.empty();
    count.sectors += sectors.size();
    count.least += (bytes + sector - 1) / sector;
    if (first != 0 || starts.size() < 2) continue;
    const uint64_t stride = starts[1] - starts[0];
    bool isRegular = true;
    for (size_t n = 1; n < starts.size(); ++n)
      isRegular = isRegular && starts[n] - starts[n - 1] == stride;
    if (isRegular) count.stride = stride;
  }
  return count;
}

// ---- judge ----

void Checker::judge(const Group& group, LintFindings& findings) {
  const auto all = count(group);
  // What few of the subgroups come to wastes little.
  const uint64_t subgroups =
      (kernel_.invocations() + context_.target().subgroupSize - 1) / context_.target().subgroupSize;
  auto isWasteful = [&](const std::optional<Count>& c) {
    return c && c->subgroups != 0 && c->sectors >= kLeastRatio * double(c->least) &&
           c->sectors >= c->least + kLeastWaste * subgroups;
  };
  if (!isWasteful(all)) return;
  for (size_t n = 0; n < group.size(); ++n) {
    const Site& site = group[n];
    const auto one = count({&site, 1});
    if (!isWasteful(one)) continue;
    const std::string name = context_.nameOf(site.access->variable);
    const std::string stride = one->stride && *one->stride < (uint64_t(1) << 31)
                                   ? formatText(" at a stride of {} bytes", *one->stride)
                                   : std::string();
    LintFinding finding = context_.findingAt(
        site.access->inst, Severity::Warning,
        formatText("uncoalesced access to {}: the lanes {} {} bytes each{}, so a subgroup touches "
                   "{} sectors of {} bytes instead of {}",
                   name, site.access->isWrite ? "write" : "read", site.address.bytes, stride,
                   one->sectors / one->subgroups, context_.target().sectorBytes,
                   std::max<uint64_t>(one->least / one->subgroups, 1)),
        site.access->variable);
    finding.args = {
        {"variable", name},
        {"sectors", formatText("{}", one->sectors / one->subgroups)},
        {"least-sectors", formatText("{}", std::max<uint64_t>(one->least / one->subgroups, 1))},
        {"target", context_.target().name}};
    if (!stride.empty()) finding.args.push_back({"stride", formatText("{}", *one->stride)});
    const bool isKnown = std::any_of(findings.begin(), findings.end(), [&](const LintFinding& f) {
      return finding.location.line != 0 && f.location == finding.location &&
             f.args.front() == finding.args.front();
    });
    if (!isKnown) findings.push_back(std::move(finding));
  }
}

void Checker::run(LintFindings& findings) {
  if (!kernel_.size || kernel_.invocations() < 2 || kernel_.invocations() > kMaxCountedInvocations)
    return;
  std::map<std::pair<BlockRef, Id>, Group> groups;
  const std::vector<FunctionRef>& functions = kernel_.entry->functions;
  for (const MemoryAccess& a : effects_.all()) {
    const BlockRef block = module_.blockOf(a.inst);
    if (a.memory != MemoryClass::Buffer || !a.variable || a.isAtomic ||
        !std::binary_search(functions.begin(), functions.end(), module_.functionOf(block)) ||
        isNeverRun(analyses_, *kernel_.affine, block))
      continue;
    auto address = addressOf(a);
    const bool isKnown =
        address && std::all_of(address->parts.begin(), address->parts.end(), [&](const auto& part) {
          return kernel_.affine->isEvaluable(part.first);
        });
    if (isKnown) groups[{block, a.variable}].push_back({&a, std::move(*address)});
  }
  for (const auto& [where, group] : groups) judge(group, findings);
}

} // namespace

void lintUncoalescedAccess(LintContext& context, LintFindings& findings) {
  for (Kernel& kernel : context.kernels()) Checker(context, kernel).run(findings);
}

} // namespace lanewise
