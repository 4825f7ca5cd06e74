#include "transpile/bindings.h"

#include "support/failure.h"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <map>

namespace lanewise::driver {

namespace {

// Metal Shading Language specification, section 5.2.1: buffers 0 to 30, samplers 0 to 15, textures
// 0 to 127 (31 where the oldest devices are meant).
constexpr uint32_t kMslBuffers = 31, kMslTextures = 128, kMslSamplers = 16;

bool isWhole(std::string_view text, uint32_t& value) {
  const char* end = text.data() + text.size();
  auto [next, error] = std::from_chars(text.data(), end, value);
  return !text.empty() && error == std::errc() && next == end;
}

std::string_view formOf(const TargetLanguage& target) {
  switch (target.language) {
  case Language::Hlsl:
    return target.hasSets() ? "a register and space such as u3:1 (of a combined image t3+s3:1)"
                            : "a register such as u3 (of a combined image t3+s3)";
  case Language::Msl:
    return "an index such as 3 (of a combined image those of texture and sampler, 3+1)";
  default:
    return target.hasSets() ? "SET:BINDING such as 0:3" : "a binding such as 3";
  }
}

/// Registers, and numbers that stand for a class of their own in the language.
enum class SlotClass : uint8_t { Any, Buffer, Texture, Sampler, Constant, Unordered };

SlotClass firstClass(ResourceKind kind, const TargetLanguage& target) {
  if (target.language == Language::Hlsl) switch (registerOf(kind)) {
    case 'b':
      return SlotClass::Constant;
    case 't':
      return SlotClass::Texture;
    case 'u':
      return SlotClass::Unordered;
    default:
      return SlotClass::Sampler;
    }
  if (target.language != Language::Msl) return SlotClass::Any;
  switch (kind) {
  case ResourceKind::StorageImage:
  case ResourceKind::Texture:
  case ResourceKind::InputAttachment:
  case ResourceKind::CombinedImage:
    return SlotClass::Texture;
  case ResourceKind::Sampler:
    return SlotClass::Sampler;
  default:
    return SlotClass::Buffer;
  }
}

bool isTwo(ResourceKind kind, const TargetLanguage& target) {
  return kind == ResourceKind::CombinedImage && !target.isGlslOrEssl();
}

uint32_t limitOf(SlotClass slot, const TargetLanguage& target) {
  if (target.language != Language::Msl) return UINT32_MAX;
  return slot == SlotClass::Texture   ? kMslTextures
         : slot == SlotClass::Sampler ? kMslSamplers
                                      : kMslBuffers;
}

/// Which resource stands at each number.
class Slots {
public:
  explicit Slots(const TargetLanguage& target) : target_(target) {}

  /// Null where they are free, else what stands there. Unless a place was asked for, t and u of
  /// HLSL leave each other's numbers alone: glslang does not tell t0 and u0 apart for buffers.
  const Resource* taken(SlotClass slot, uint32_t space, uint32_t number, uint32_t count,
                        bool isRequested = false) const {
    for (const Run& run : runs_) {
      const bool isSame = isRequested ? run.slot == slot : areNear(run.slot, slot);
      if (!isSame || run.space != space) continue;
      if (number < uint64_t(run.number) + run.count && run.number < uint64_t(number) + count)
        return run.resource;
    }
    return nullptr;
  }
  bool fits(SlotClass slot, uint32_t number, uint32_t count) const {
    return uint64_t(number) + count <= limitOf(slot, target_);
  }
  std::optional<uint32_t> lowestFree(SlotClass slot, uint32_t space, uint32_t count) const {
    // Only behind some run can the lowest free one be, or at 0.
    std::optional<uint32_t> best;
    auto offer = [&](uint64_t number) {
      if (number >= UINT32_MAX || (best && *best <= number)) return;
      if (fits(slot, uint32_t(number), count) && !taken(slot, space, uint32_t(number), count))
        best = uint32_t(number);
    };
    offer(0);
    for (const Run& run : runs_)
      if (areNear(run.slot, slot) && run.space == space) offer(uint64_t(run.number) + run.count);
    return best;
  }
  void take(SlotClass slot, uint32_t space, uint32_t number, uint32_t count,
            const Resource& resource) {
    runs_.push_back({slot, space, number, count, &resource});
  }

private:
  bool areNear(SlotClass a, SlotClass b) const {
    auto isView = [](SlotClass c) { return c == SlotClass::Texture || c == SlotClass::Unordered; };
    return a == b || (target_.language == Language::Hlsl && isView(a) && isView(b));
  }

  struct Run {
    SlotClass slot;
    uint32_t space, number, count;
    const Resource* resource;
  };
  const TargetLanguage& target_;
  std::vector<Run> runs_;
};

class Placer {
public:
  Placer(const std::vector<Resource>& resources, const std::vector<BindRequest>& requests,
         const TargetLanguage& target)
      : resources_(resources), requests_(requests), target_(target), slots_(target) {}

  Result<std::vector<PlacedResource>> run() {
    places_.resize(resources_.size());
    for (const BindRequest& request : requests_)
      if (Status s = serve(request); !s) return s.error();
    // By set and binding, so that the order of declarations decides nothing.
    std::vector<size_t> order;
    for (size_t i = 0; i < resources_.size(); ++i) order.push_back(i);
    std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
      const Resource &x = resources_[a], &y = resources_[b];
      return std::tuple(!x.hasBinding(), x.set, x.binding) <
             std::tuple(!y.hasBinding(), y.set, y.binding);
    });
    for (size_t i : order)
      if (!places_[i])
        if (Status s = placeFreely(i); !s) return s.error();
    std::vector<PlacedResource> placed;
    for (size_t i = 0; i < resources_.size(); ++i)
      placed.push_back({resources_[i], *places_[i], isMoved(i)});
    return placed;
  }

private:
  uint32_t countOf(const Resource& r) const { return std::max(r.count, 1u); }

  bool isMeant(const BindRequest& request, const Resource& r) const {
    if (!r.hasBinding()) return request.what == r.kind;
    return request.what == ResourceKind::StorageBuffer && r.set == request.set &&
           r.binding == request.binding;
  }

  Status serve(const BindRequest& request) {
    bool isFound = false;
    for (size_t i = 0; i < resources_.size(); ++i) {
      const Resource& r = resources_[i];
      if (!isMeant(request, r)) continue;
      if (places_[i])
        return failure(fmt::format("--bind={}: {} is already placed", request.text, placeOf(r)));
      if (Status s = checkForm(request, r); !s) return s;
      if (Status s = takeRequested(request, i, isFound); !s) return s;
      isFound = true;
      requested_.push_back(i);
    }
    return isFound ? ok() : failure(notThere(request));
  }

  Status checkForm(const BindRequest& request, const Resource& r) const {
    const bool isPair = isTwo(r.kind, target_);
    if (isPair != request.hasSecond)
      return failure(fmt::format("--bind={}: {} is {}; give {}", request.text, placeOf(r),
                                 isPair ? "an image with its sampler" : "a single resource",
                                 formOf(target_)));
    if (target_.language != Language::Hlsl) return ok();
    if (request.registers[0] != registerOf(r.kind) || (isPair && request.registers[1] != 's'))
      return failure(fmt::format("--bind={}: {} takes a register {}{}", request.text, placeOf(r),
                                 registerOf(r.kind), isPair ? " and one s" : ""));
    return ok();
  }

  /// `isAlias`: another variable of the same binding went there just now.
  Status takeRequested(const BindRequest& request, size_t i, bool isAlias) {
    const Resource& r = resources_[i];
    for (uint32_t n = 0; n < (isTwo(r.kind, target_) ? 2u : 1u); ++n) {
      const SlotClass slot = n ? SlotClass::Sampler : firstClass(r.kind, target_);
      const uint32_t number = request.place.numbers[n];
      if (!slots_.fits(slot, number, countOf(r)))
        return failure(fmt::format("--bind={}: {} ends at {}", request.text, target_.str(),
                                   limitOf(slot, target_) - 1));
      if (const Resource* other = slots_.taken(slot, request.place.space, number, countOf(r), true);
          other && !isAlias)
        return failure(
            fmt::format("--bind={}: {} is already there", request.text, placeOf(*other)));
      slots_.take(slot, request.place.space, number, countOf(r), r);
    }
    places_[i] = request.place;
    return ok();
  }

  std::string notThere(const BindRequest& request) const {
    std::string known;
    for (const Resource& r : resources_) {
      std::string one = r.hasBinding() ? fmt::format("{}:{}", r.set, r.binding)
                        : r.kind == ResourceKind::PushConstants ? "push"
                                                                : "groups";
      if (known.find(one) == std::string::npos) known += (known.empty() ? "" : ", ") + one;
    }
    return fmt::format("--bind={}: the shader has no such resource; it has {}", request.text,
                       known.empty() ? "none" : known);
  }

  Status placeFreely(size_t i) {
    const Resource& r = resources_[i];
    if (std::optional<Place> shared = placeOfAlias(i)) {
      places_[i] = shared;
      return ok();
    }
    Place place;
    place.space = target_.hasSets() && r.hasBinding() ? r.set : 0;
    const SlotClass first = firstClass(r.kind, target_);
    const bool isPair = isTwo(r.kind, target_);
    auto isFree = [&](SlotClass slot, uint32_t number) {
      return slots_.fits(slot, number, countOf(r)) &&
             !slots_.taken(slot, place.space, number, countOf(r));
    };
    for (uint32_t n = 0; n < (isPair ? 2u : 1u); ++n) {
      const SlotClass slot = n ? SlotClass::Sampler : first;
      std::optional<uint32_t> number;
      if (r.hasBinding() && isFree(slot, r.binding)) number = r.binding;
      if (!number) number = slots_.lowestFree(slot, place.space, countOf(r));
      if (!number)
        return failure(fmt::format("{}: {} has no free number for it", placeOf(r), target_.str()));
      place.numbers[n] = *number;
      slots_.take(slot, place.space, *number, countOf(r), r);
    }
    if (!isPair) place.numbers[1] = place.numbers[0];
    places_[i] = place;
    return ok();
  }

  /// Variables that share a binding stay together.
  std::optional<Place> placeOfAlias(size_t i) const {
    const Resource& r = resources_[i];
    for (size_t other = 0; other < resources_.size(); ++other) {
      const Resource& o = resources_[other];
      if (other == i || !places_[other] || !r.hasBinding() || !o.hasBinding()) continue;
      if (r.isJoined || o.isJoined) continue;
      if (o.set == r.set && o.binding == r.binding &&
          firstClass(o.kind, target_) == firstClass(r.kind, target_))
        return places_[other];
    }
    return {};
  }

  bool isMoved(size_t i) const {
    const Resource& r = resources_[i];
    if (std::find(requested_.begin(), requested_.end(), i) != requested_.end()) return false;
    if (!r.hasBinding()) return false;
    const Place& place = *places_[i];
    return place.numbers[0] != r.binding || (target_.hasSets() && place.space != r.set) ||
           (isTwo(r.kind, target_) && place.numbers[1] != r.binding);
  }

  const std::vector<Resource>& resources_;
  const std::vector<BindRequest>& requests_;
  const TargetLanguage& target_;
  Slots slots_;
  std::vector<std::optional<Place>> places_;
  std::vector<size_t> requested_;
};

/// "SET:BINDING" in front of the '='.
bool parseSource(std::string_view text, BindRequest& request) {
  if (text == "push") return request.what = ResourceKind::PushConstants, true;
  if (text == "groups") return request.what = ResourceKind::WorkgroupCount, true;
  const size_t colon = text.find(':');
  return colon != std::string_view::npos && isWhole(text.substr(0, colon), request.set) &&
         isWhole(text.substr(colon + 1), request.binding);
}

bool parseNumber(std::string_view text, size_t n, const TargetLanguage& target,
                 BindRequest& request) {
  if (target.language == Language::Hlsl) {
    if (text.empty() || std::string_view("btus").find(text[0]) == std::string_view::npos)
      return false;
    request.registers[n] = text[0];
    text.remove_prefix(1);
  }
  return isWhole(text, request.place.numbers[n]);
}

bool parseDestination(std::string_view text, const TargetLanguage& target, BindRequest& request) {
  const size_t colon = text.find(':');
  if (target.isForVulkan())
    return colon != std::string_view::npos && isWhole(text.substr(0, colon), request.place.space) &&
           isWhole(text.substr(colon + 1), request.place.numbers[0]);
  if (colon != std::string_view::npos) {
    if (!target.hasSets() || !isWhole(text.substr(colon + 1), request.place.space)) return false;
    text = text.substr(0, colon);
  }
  const size_t plus = text.find('+');
  request.hasSecond = plus != std::string_view::npos && !target.isGlslOrEssl();
  if (request.hasSecond)
    return parseNumber(text.substr(0, plus), 0, target, request) &&
           parseNumber(text.substr(plus + 1), 1, target, request);
  return parseNumber(text, 0, target, request);
}

} // namespace

std::string placeOf(const Resource& resource) {
  if (resource.kind == ResourceKind::PushConstants) return "the push constants";
  if (resource.kind == ResourceKind::WorkgroupCount) return "the number of workgroups";
  std::string place = fmt::format("binding {}.{}", resource.set, resource.binding);
  return resource.name.empty() ? place : fmt::format("{} (`{}`)", place, resource.name);
}

char registerOf(ResourceKind kind) {
  switch (kind) {
  case ResourceKind::StorageBuffer:
  case ResourceKind::StorageImage:
    return 'u';
  case ResourceKind::ReadOnlyStorageBuffer:
  case ResourceKind::Texture:
  case ResourceKind::InputAttachment:
  case ResourceKind::AccelerationStructure:
  case ResourceKind::CombinedImage:
    return 't';
  case ResourceKind::Sampler:
    return 's';
  case ResourceKind::UniformBuffer:
  case ResourceKind::PushConstants:
  case ResourceKind::WorkgroupCount:
    break;
  }
  return 'b';
}

bool haveSameClass(ResourceKind a, ResourceKind b, const TargetLanguage& target) {
  if (firstClass(a, target) == firstClass(b, target)) return true;
  // The sampler of a combined image.
  auto hasSampler = [&](ResourceKind kind) {
    return isTwo(kind, target) || kind == ResourceKind::Sampler;
  };
  return hasSampler(a) && hasSampler(b);
}

std::string describePlace(const PlacedResource& placed, const TargetLanguage& target) {
  const Place& place = placed.place;
  const ResourceKind kind = placed.resource.kind;
  const bool isPair = isTwo(kind, target);
  if (target.language == Language::Hlsl) {
    const std::string space = target.hasSets() ? fmt::format(", space{}", place.space) : "";
    std::string text = fmt::format("register({}{}{})", registerOf(kind), place.numbers[0], space);
    return isPair ? fmt::format("{} and register(s{}{})", text, place.numbers[1], space) : text;
  }
  if (target.language == Language::Msl) {
    const SlotClass slot = firstClass(kind, target);
    std::string text = fmt::format("[[{}({})]]",
                                   slot == SlotClass::Texture   ? "texture"
                                   : slot == SlotClass::Sampler ? "sampler"
                                                                : "buffer",
                                   place.numbers[0]);
    return isPair ? fmt::format("{} and [[sampler({})]]", text, place.numbers[1]) : text;
  }
  return target.hasSets() ? fmt::format("set {}, binding {}", place.space, place.numbers[0])
                          : fmt::format("binding {}", place.numbers[0]);
}

Result<BindRequest> parseBindRequest(const std::string& text, const TargetLanguage& target) {
  BindRequest request;
  request.text = text;
  const std::string_view view = text;
  const size_t equals = view.find('=');
  if (equals == std::string_view::npos || !parseSource(view.substr(0, equals), request) ||
      !parseDestination(view.substr(equals + 1), target, request))
    return failure(fmt::format("--bind={} must be SET:BINDING=TO, where TO is {} in {}", text,
                               formOf(target), target.str()));
  if (!request.hasSecond) request.place.numbers[1] = request.place.numbers[0];
  if (request.what == ResourceKind::PushConstants && target.isForVulkan())
    return failure(
        fmt::format("--bind={}: push constants have no binding in {}", text, target.str()));
  return request;
}

Result<std::vector<PlacedResource>> placeResources(const std::vector<Resource>& resources,
                                                   const std::vector<BindRequest>& requests,
                                                   const TargetLanguage& target) {
  return Placer(resources, requests, target).run();
}

} // namespace lanewise::driver
