#include "verify/program/marshal.h"

#include "layout/layout_codec.h"
#include "layout/layout_manifest.h"
#include "support/failure.h"
#include "verify/program/reflect.h"
#include "verify/program/specialize.h"

#include <algorithm>
#include <cstring>
#include <fmt/format.h>
#include <set>

namespace lanewise::driver {
namespace {

using Bytes = std::vector<uint8_t>;

/// Equal but for what it is called and where it is seen.
bool isSameLayout(BufferLayout a, const BufferLayout& b) {
  a.name = b.name;
  a.bindings = b.bindings;
  a.structName = b.structName;
  return a == b;
}

bool contains(const std::vector<BindingNumber>& all, const ScenarioBinding& at) {
  return std::find(all.begin(), all.end(), BindingNumber{at.set, at.binding}) != all.end();
}

class Marshaller {
public:
  Marshaller(const Scenario& scenario, std::span<const ProgramVariant> programs)
      : original_(scenario), programs_(programs) {}

  Result<Marshalling> run() {
    out_.scenario = original_;
    if (Status s = settleConstants(); !s) return s.error();
    out_.programs.assign(programs_.begin(), programs_.end());
    out_.packedBy.resize(programs_.size());
    for (size_t p = 0; p < programs_.size(); ++p) {
      if (programs_[p].layouts.buffers.empty()) continue;
      if (Status s = layOut(p); !s)
        return failure(fmt::format("{}: {}", programs_[p].name, s.error().message));
    }
    return std::move(out_);
  }

private:
  const std::vector<ScenarioDispatch>& dispatchesOf(const ProgramVariant& program) const {
    return program.dispatches.empty() ? original_.dispatches : program.dispatches;
  }

  /// Whether a program runs the same module as the original; a rival has shaders of its own.
  bool isUntouched(const ProgramVariant& program, const std::string& shader) const {
    const std::vector<ScenarioDispatch>& first = dispatchesOf(programs_[0]);
    const bool isShared = std::any_of(
        first.begin(), first.end(), [&](const ScenarioDispatch& d) { return d.shader == shader; });
    auto ours = program.modules.find(shader), original = programs_[0].modules.find(shader);
    return isShared && ours != program.modules.end() && original != programs_[0].modules.end() &&
           ours->second == original->second;
  }

  /// By the types of the first program that has a constant; what is illegal in any is refused.
  Status settleConstants() {
    for (ScenarioShader& shader : out_.scenario.shaders) {
      if (shader.written.empty()) continue;
      std::map<uint32_t, uint64_t> settled;
      for (const ProgramVariant& program : programs_) {
        const auto words = program.modules.find(shader.name);
        if (words == program.modules.end()) continue;
        const Result<Module> module = Module::read(words->second);
        if (!module) continue; // bindProgram() says why
        Assumptions its;
        if (Status s = settle(*module, shader.written, ValuesFrom::Scenario, its); !s)
          return failure(fmt::format("shader `{}`: {}", shader.name, s.error().message));
        settled.merge(its.specConstants);
      }
      for (const auto& [id, bits] : settled) shader.specConstants[id] = bits;
    }
    return ok();
  }

  Status layOut(size_t p) {
    const ProgramVariant& program = programs_[p];
    std::vector<bool> isUsed(program.layouts.buffers.size());
    for (uint32_t b = 0; b < original_.buffers.size(); ++b) {
      Result<const BufferLayout*> layout = layoutOf(program, original_.buffers[b].name, isUsed);
      if (!layout) return layout.error();
      if (!*layout) continue;
      if (Status s = checkShaders(p, original_.buffers[b].name, **layout); !s) return s;
      if (Status s = add(p, b, **layout); !s) return s;
    }
    for (size_t n = 0; n < isUsed.size(); ++n)
      if (!isUsed[n]) return failure(fitsNothing(program.layouts.buffers[n].name));
    bindPacked(p);
    return ok();
  }

  std::string fitsNothing(const std::string& name) const {
    std::vector<std::string> names;
    for (const ScenarioBuffer& buffer : original_.buffers) names.push_back(buffer.name);
    return fmt::format("its layout manifest lays out buffer `{}`, but the {} are {}; take the "
                       "manifest that belongs to the shaders",
                       name, original_.path.empty() ? "shader's buffers" : "scenario's buffers",
                       fmt::join(names, ", "));
  }

  Result<const BufferLayout*> layoutOf(const ProgramVariant& program, const std::string& buffer,
                                       std::vector<bool>& isUsed) const {
    const std::vector<BufferLayout>& layouts = program.layouts.buffers;
    for (size_t n = 0; n < layouts.size(); ++n)
      if (layouts[n].name == buffer) return isUsed[n] = true, &layouts[n];
    const BufferLayout* found = nullptr;
    for (size_t n = 0; n < layouts.size(); ++n) {
      if (original_.findBuffer(layouts[n].name) || !isBoundAt(program, buffer, layouts[n].bindings))
        continue;
      if (found && !isSameLayout(*found, layouts[n]))
        return failure(fmt::format(
            "its layout manifest gives buffer `{}` two layouts, those of `{}` and `{}`; to "
            "optimize a buffer that is bound at both, give the scenario: opt --scenario",
            buffer, found->name, layouts[n].name));
      isUsed[n] = true;
      found = &layouts[n];
    }
    return found;
  }

  bool isBoundAt(const ProgramVariant& program, const std::string& buffer,
                 const std::vector<BindingNumber>& bindings) const {
    for (const ScenarioDispatch& dispatch : dispatchesOf(program)) {
      if (&program != &programs_[0] && isUntouched(program, dispatch.shader)) continue;
      for (const ScenarioBinding& bound : dispatch.bindings)
        if (bound.buffer == buffer && contains(bindings, bound)) return true;
    }
    return false;
  }

  /// A shader of the original sees the elements of the buffer where they no longer are.
  Status checkShaders(size_t p, const std::string& buffer, const BufferLayout& layout) const {
    if (p == 0) return ok();
    for (const BufferLayout& same : programs_[0].layouts.buffers)
      if (isSameLayout(same, layout)) return ok();
    for (const ScenarioDispatch& dispatch : dispatchesOf(programs_[p])) {
      if (!isUntouched(programs_[p], dispatch.shader) || !seesArray(programs_[p], dispatch, buffer))
        continue;
      return failure(
          fmt::format("shader `{}` accesses buffer `{}`, whose layout the manifest changes, but "
                      "its module is the original's; all shaders that access it must be "
                      "transformed together, as opt --scenario=FILE -o FOLDER does",
                      dispatch.shader, buffer));
    }
    return ok();
  }

  bool seesArray(const ProgramVariant& program, const ScenarioDispatch& dispatch,
                 const std::string& buffer) const {
    const ScenarioShader* shader = out_.scenario.findShader(dispatch.shader);
    auto module = program.modules.find(dispatch.shader);
    if (!shader || module == program.modules.end()) return false; // bindProgram() says why
    Result<Reflection> reflection = reflect(module->second, shader->entry, shader->specConstants);
    if (!reflection) return false;
    for (const ScenarioBinding& bound : dispatch.bindings) {
      if (bound.buffer != buffer) continue;
      const ReflectedBinding* binding = reflection->findBinding(bound.set, bound.binding);
      if (binding && binding->block.arrayStride != 0) return true;
    }
    return false;
  }

  Result<uint64_t> elementsOf(ScenarioBuffer& buffer, const BufferLayout& layout) const {
    if (buffer.image) return failure(fmt::format("`{}` is an image", buffer.name));
    const uint64_t bytes = buffer.bytes();
    const uint64_t array = bytes - std::min<uint64_t>(bytes, layout.arrayOffsetBefore);
    uint64_t elements = array / layout.strideBefore;
    const bool isWhole = bytes >= layout.arrayOffsetBefore && array % layout.strideBefore == 0;
    if (layout.count ? elements < *layout.count : !isWhole)
      return failure(fmt::format(
          "buffer `{}` has {} bytes, but its layout in the manifest asks for {}{} elements of {} "
          "bytes",
          buffer.name, bytes,
          layout.arrayOffsetBefore
              ? fmt::format("a header of {} bytes and ", layout.arrayOffsetBefore)
              : "",
          layout.count ? std::to_string(*layout.count) : "whole", layout.strideBefore));
    if (layout.count) elements = *layout.count;
    if (layout.needsWholeTiles && layout.tile != 0 && elements % layout.tile != 0) {
      // What is generated may as well be larger.
      const bool canGrow = original_.path.empty() && buffer.elementBytes() == layout.strideBefore;
      const uint64_t wanted = (elements + layout.tile - 1) / layout.tile * layout.tile;
      if (!canGrow)
        return failure(
            fmt::format("buffer `{}` has {} elements, but the shaders query its length, which must "
                        "be a multiple of {} in its new layout; change its `count`",
                        buffer.name, elements, layout.tile));
      buffer.count += wanted - elements;
      elements = wanted;
    }
    if (!sizesFor(layout, elements))
      return failure(fmt::format("buffer `{}` is too large to be repacked", buffer.name));
    return elements;
  }

  Status add(size_t p, uint32_t source, const BufferLayout& layout) {
    if (Status sound = checkLayout(layout); !sound)
      return failure(fmt::format("layout of `{}`: {}", layout.name, sound.error().message));
    for (uint32_t n = 0; n < out_.packed.size(); ++n)
      if (out_.packed[n].source == source && isSameLayout(out_.packed[n].layout, layout))
        return out_.packedBy[p].push_back(n), ok();
    ScenarioBuffer& host = out_.scenario.buffers[source];
    for (const ScenarioDispatch& dispatch : dispatchesOf(programs_[p]))
      if (dispatch.indirect && dispatch.indirect->buffer == host.name)
        return failure(
            fmt::format("buffer `{}` holds workgroup counts (`indirect` of a dispatch of shader "
                        "`{}`), which the device reads at a fixed offset; it cannot be repacked",
                        host.name, dispatch.shader));
    for (const SequenceCopy& copy : original_.copies)
      if (copy.copy.from == source || copy.copy.to == source)
        return failure(fmt::format("buffer `{}` is copied byte by byte on a queue; it cannot be "
                                   "repacked",
                                   host.name));
    if (host.isExclusive)
      return failure(fmt::format("buffer `{}` is exclusive: its ownership is transferred as it is, "
                                 "and it cannot be repacked",
                                 host.name));
    Result<uint64_t> elements = elementsOf(host, layout);
    if (!elements) return elements.error();
    ScenarioBuffer packed;
    packed.name = host.name + " (repacked)";
    for (uint32_t n = 2; out_.scenario.findBuffer(packed.name); ++n)
      packed.name = fmt::format("{} (repacked, {})", host.name, n);
    packed.elements = {ScalarType::U8};
    packed.count = layout.bytesAfter(*elements);
    packed.compare = CompareNone{};
    packed.isUniform = host.isUniform;
    out_.notes.push_back(fmt::format("`{}` is repacked for {}: {}, {} bytes instead of {}",
                                     host.name, programs_[p].name,
                                     layout.tile ? fmt::format("tiles of {} elements", layout.tile)
                                                 : std::string("one run per group of fields"),
                                     packed.count, host.bytes()));
    out_.packedBy[p].push_back(uint32_t(out_.packed.size()));
    out_.packed.push_back({source, uint32_t(out_.scenario.buffers.size()), *elements, layout});
    out_.scenario.buffers.push_back(std::move(packed));
    return ok();
  }

  void bindPacked(size_t p) {
    ProgramVariant& program = out_.programs[p];
    program.dispatches = dispatchesOf(programs_[p]);
    for (ScenarioDispatch& dispatch : program.dispatches)
      for (ScenarioBinding& bound : dispatch.bindings)
        for (uint32_t n : out_.packedBy[p])
          if (bound.buffer == original_.buffers[out_.packed[n].source].name) {
            bound.buffer = out_.scenario.buffers[out_.packed[n].packed].name;
            break;
          }
  }

  const Scenario& original_;
  std::span<const ProgramVariant> programs_;
  Marshalling out_;
};

/// By byte of a group's part whether a field has it. The word of a narrowed field may be written as
/// a whole.
std::vector<bool> heldBytes(const BufferLayout& layout, uint32_t group) {
  const uint32_t stride = layout.groups[group].stride;
  std::vector<bool> isHeld(stride);
  for (const LayoutField& field : layout.fields) {
    if (field.group != group) continue;
    const uint32_t bytes = field.bits ? 4 : field.size;
    for (uint32_t byte = 0; byte < bytes && field.offsetInGroup + byte < stride; ++byte)
      isHeld[field.offsetInGroup + byte] = true;
  }
  return isHeld;
}

/// Calls with offset and number of bytes that hold no element: the gap before the array, those
/// between runs, what fills up the last tile, and padding within a part.
template <class Visit>
void forUnheld(const PackedBuffer& packed, Visit visit) {
  const BufferLayout& layout = packed.layout;
  visit(layout.arrayOffsetBefore, layout.arrayOffsetAfter - layout.arrayOffsetBefore);
  if (packed.elements == 0) return;
  const LayoutCodec::Tile tile = LayoutCodec(layout).tileOf(layout.tileElements(packed.elements));
  std::vector<std::vector<bool>> isHeld;
  for (uint32_t g = 0; g < layout.groups.size(); ++g) isHeld.push_back(heldBytes(layout, g));
  for (uint64_t first = 0; first < packed.elements; first += tile.elements) {
    const uint64_t start = layout.arrayOffsetAfter + first / tile.elements * tile.bytes;
    const uint64_t used = std::min(tile.elements, packed.elements - first);
    uint64_t end = start;
    for (uint32_t g = 0; g < layout.groups.size(); ++g) {
      const uint64_t run = start + tile.starts[g], stride = layout.groups[g].stride;
      visit(end, run - end);
      end = run + tile.elements * stride;
      visit(run + used * stride, (tile.elements - used) * stride);
      for (uint64_t byte = 0; byte < stride; ++byte)
        for (uint64_t i = 0; i < used && !isHeld[g][byte]; ++i)
          visit(run + i * stride + byte, uint64_t(1));
    }
    visit(end, start + tile.bytes - end);
  }
}

uint32_t wordAt(std::span<const uint8_t> bytes, uint64_t at) {
  uint32_t word = 0;
  std::memcpy(&word, &bytes[at], 4);
  return word;
}

/// Calls with field and place in the unpacked buffer for each narrowed field of each element.
template <class Visit>
void forNarrowed(const PackedBuffer& packed, Visit visit) {
  const BufferLayout& layout = packed.layout;
  for (const LayoutField& field : layout.fields) {
    if (field.bits == 0) continue;
    for (uint64_t i = 0; i < packed.elements; ++i)
      visit(field, layout.arrayOffsetBefore + i * layout.strideBefore + field.offsetBefore);
  }
}

uint32_t cutOff(const LayoutField& field, uint32_t value) {
  const uint32_t mask = (uint32_t(1) << field.bits) - 1;
  value &= mask;
  return field.isSigned && value >> (field.bits - 1) != 0 ? value | ~mask : value;
}

} // namespace

uint32_t Marshalling::seenAs(size_t program, uint32_t buffer) const {
  if (program < packedBy.size())
    for (uint32_t n : packedBy[program])
      if (packed[n].source == buffer) return packed[n].packed;
  return buffer;
}

const PackedBuffer* Marshalling::packedAt(uint32_t buffer) const {
  for (const PackedBuffer& one : packed)
    if (one.packed == buffer) return &one;
  return nullptr;
}

Result<Marshalling> marshal(const Scenario& scenario, std::span<const ProgramVariant> programs) {
  return Marshaller(scenario, programs).run();
}

Bytes packInput(const PackedBuffer& packed, std::span<const uint8_t> source) {
  Bytes bytes(packed.layout.bytesAfter(packed.elements));
  LayoutCodec(packed.layout).packBuffer(source, packed.elements, bytes);
  // A gap may be written with zero, which would go unseen.
  forUnheld(packed, [&](uint64_t from, uint64_t count) {
    std::fill_n(bytes.begin() + ptrdiff_t(from), count, kFillByte);
  });
  return bytes;
}

Bytes packPoisoned(const PackedBuffer& packed, std::span<const uint8_t> source, uint8_t poison) {
  Bytes bytes(packed.layout.bytesAfter(packed.elements), poison);
  std::copy_n(source.begin(), packed.layout.arrayOffsetBefore, bytes.begin());
  return bytes;
}

Bytes unpackOutput(const PackedBuffer& packed, std::span<const uint8_t> output,
                   std::span<const uint8_t> start, std::span<const uint8_t> reference,
                   std::optional<uint8_t> poison) {
  Bytes bytes(start.begin(), start.end());
  LayoutCodec(packed.layout).unpackBuffer(output, packed.elements, bytes);
  if (!poison) return bytes;
  const uint32_t unwritten = 0x01010101u * *poison;
  forNarrowed(packed, [&](const LayoutField& field, uint64_t at) {
    const uint32_t asUnpacked = cutOff(field, unwritten >> field.firstBit);
    if (wordAt(bytes, at) == asUnpacked && wordAt(reference, at) == unwritten)
      std::memcpy(&bytes[at], &unwritten, 4);
  });
  return bytes;
}

std::optional<uint64_t> findStrayWrite(const PackedBuffer& packed, std::span<const uint8_t> input,
                                       std::span<const uint8_t> output) {
  std::optional<uint64_t> first;
  forUnheld(packed, [&](uint64_t from, uint64_t count) {
    for (uint64_t i = from; i < from + count && !first; ++i)
      if (input[i] != output[i]) first = i;
  });
  return first;
}

void cutToRange(const PackedBuffer& packed, std::span<uint8_t> source) {
  forNarrowed(packed, [&](const LayoutField& field, uint64_t at) {
    const uint32_t value = cutOff(field, wordAt(source, at));
    std::memcpy(&source[at], &value, 4);
  });
}

std::optional<std::string> describeMisfit(const PackedBuffer& packed, const std::string& buffer,
                                          std::span<const uint8_t> source,
                                          std::optional<uint8_t> poison) {
  const BufferLayout& layout = packed.layout;
  std::optional<NarrowMisfit> first;
  forNarrowed(packed, [&](const LayoutField& field, uint64_t at) {
    const uint32_t value = wordAt(source, at);
    if (cutOff(field, value) == value || (poison && value == 0x01010101u * *poison)) return;
    const uint64_t element = (at - layout.arrayOffsetBefore) / layout.strideBefore;
    const uint32_t number = uint32_t(&field - layout.fields.data());
    if (first && std::pair(first->element, first->field) < std::pair(element, number)) return;
    first = {element, number, field.isSigned ? int64_t(int32_t(value)) : int64_t(value)};
  });
  if (!first) return std::nullopt;
  return fmt::format("buffer `{}`, {}", buffer, describe(layout, *first));
}

} // namespace lanewise::driver
