#include "verify/scenario/write_scenario.h"

#include "support/failure.h"
#include "verify/formats/scalars.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <fmt/format.h>
#include <functional>

namespace lanewise::driver {
namespace {

constexpr size_t kColumns = 100;
constexpr size_t kMostComponents = 4; // of a vector that a scenario may write

/// A basic string (TOML 1.0). Names in a module may be any bytes; what is not ASCII is written as a
/// number, so that two names stay two.
std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (unsigned char c : text) {
    if (c == '"' || c == '\\')
      out += fmt::format("\\{}", char(c));
    else if (c < 0x20 || c == 0x7F)
      out += fmt::format("\\u{:04X}", c);
    else if (c >= 0x80)
      out += fmt::format("<{:02x}>", c);
    else
      out += char(c);
  }
  return out + "\"";
}

/// Comments end with the line.
std::string comment(const std::string& text) {
  std::string out = text;
  for (char& c : out)
    if (static_cast<unsigned char>(c) < 0x20 || static_cast<unsigned char>(c) >= 0x7F) c = '?';
  return out;
}

std::string number(double value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value < 0 ? "-inf" : "inf";
  if (value == 0 && std::signbit(value)) return "-0.0";
  return fmt::format("{}", value);
}

std::string scalar(ScalarType type, const uint8_t* from) {
  if (isFloat(type)) {
    const double value = decodeScalar(type, from);
    // Of f32 the shortest decimal that is this float.
    return std::isfinite(value) && value != 0 ? formatScalar(type, from) : number(value);
  }
  if (type == ScalarType::U64) return formatScalar(ScalarType::I64, from); // TOML's are signed
  return formatScalar(type, from);
}

/// A run of scalars of one type: "f32", "f32x3".
std::string typeText(ScalarType type, size_t count) {
  return count == 1 ? std::string(nameOf(type)) : fmt::format("{}x{}", nameOf(type), count);
}

/// `{ type = "f32x2", value = [1, 2] }` without the braces.
std::string typedValue(ScalarType type, size_t count, const uint8_t* from) {
  std::string values;
  for (size_t n = 0; n < count; ++n)
    values += (n ? ", " : "") + scalar(type, from + n * byteSize(type));
  return fmt::format("type = \"{}\", value = {}", typeText(type, count),
                     count == 1 ? values : "[" + values + "]");
}

class ScenarioWriter {
public:
  ScenarioWriter(const Scenario& scenario, const ScenarioTextNotes& notes)
      : scenario_(scenario), notes_(notes) {}

  Result<std::string> run() {
    if (Status s = check(); !s) return s.error();
    for (const std::string& line : notes_.top) say(line);
    if (scenario_.repeat != 1) add(fmt::format("repeat = {}", scenario_.repeat));
    for (const ScenarioShader& shader : scenario_.shaders) writeShader(shader);
    for (const ScenarioBuffer& buffer : scenario_.buffers)
      buffer.image ? writeImage(buffer) : writeBuffer(buffer);
    for (const ScenarioDispatch& dispatch : scenario_.dispatches) writeDispatch(dispatch);
    return std::move(text_);
  }

private:
  Status check() const {
    for (const ScenarioShader& shader : scenario_.shaders)
      if (!shader.rebindings.empty())
        return failure(
            fmt::format("variables of different kinds share binding {}.{}, and a scenario "
                        "binds one resource there; give each a binding of its own",
                        shader.rebindings[0].set, shader.rebindings[0].binding));
    for (const ScenarioBuffer& buffer : scenario_.buffers)
      if (!buffer.edits.empty() || std::holds_alternative<FillWide>(buffer.fill) ||
          std::holds_alternative<FillEdges>(buffer.fill) ||
          std::holds_alternative<FillDrawn>(buffer.fill))
        return failure(fmt::format("buffer `{}` holds what no scenario file can say", buffer.name));
    const bool isIndirect =
        std::any_of(scenario_.dispatches.begin(), scenario_.dispatches.end(),
                    [](const ScenarioDispatch& d) { return d.indirect.has_value(); });
    if (isIndirect || !scenario_.variants.empty() || scenario_.queues)
      return failure("variants, queues and indirect dispatches cannot be written");
    return ok();
  }

  void add(const std::string& line) { text_ += line + "\n"; }
  void say(const std::string& text) { add(text.empty() ? "#" : "# " + comment(text)); }
  /// A line with a comment behind it, which stands before it where both are too long.
  void add(const std::string& line, const std::string& text) {
    if (text.empty()) return add(line);
    if (line.size() + text.size() + 3 > kColumns) {
      say(text);
      return add(line);
    }
    add(line + " # " + comment(text));
  }

  void writeShader(const ScenarioShader& shader) {
    add("\n[[shader]]");
    add(fmt::format("name = {}", quoted(shader.name)));
    add(fmt::format("file = {}", quoted(shader.path)), "relative to this file");
    if (shader.entry != "main") add(fmt::format("entry = {}", quoted(shader.entry)));
    if (shader.subgroupSize != 0)
      add(fmt::format("required_subgroup_size = {}", shader.subgroupSize));
    if (!shader.defines.empty()) {
      add("[shader.defines]");
      for (const auto& [name, value] : shader.defines)
        add(fmt::format("{} = {}", quoted(name), quoted(value)));
    }
    if (shader.specConstants.empty()) return;
    add("[shader.spec_constants]");
    for (const auto& [id, bits] : shader.specConstants) {
      const auto note = notes_.specConstants.find(id);
      add(fmt::format("{} = {}", id, specConstant(id, bits)),
          note == notes_.specConstants.end() ? std::string() : note->second);
    }
  }

  std::string specConstant(uint32_t id, uint64_t bits) const {
    uint8_t bytes[8];
    std::memcpy(bytes, &bits, 8);
    const auto known = notes_.specConstantTypes.find(id);
    const ScalarType type =
        known == notes_.specConstantTypes.end() ? ScalarType::I64 : known->second;
    if (!isFloat(type)) return scalar(type, bytes);
    // The bits of a NaN, and what is no f32, need their type.
    if (!std::isfinite(decodeScalar(type, bytes)))
      return fmt::format("{{ type = \"u64\", value = {} }}", scalar(ScalarType::U64, bytes));
    if (type != ScalarType::F32) return "{ " + typedValue(type, 1, bytes) + " }";
    const std::string text = scalar(type, bytes);
    // Without a point it would be an integer, and its bits those.
    return text.find_first_of(".en") == std::string::npos ? text + ".0" : text;
  }

  // ----- buffers and images -----

  void sayOf(const ScenarioBuffer& buffer) {
    if (const auto note = notes_.buffers.find(buffer.name); note != notes_.buffers.end())
      say(note->second);
  }

  void writeBuffer(const ScenarioBuffer& buffer) {
    add("");
    sayOf(buffer);
    add("[[buffer]]");
    add(fmt::format("name = {}", quoted(buffer.name)));
    add("type = " + elementText(buffer.elements));
    add(fmt::format("count = {}", buffer.count));
    if (buffer.isUniform) add("kind = \"uniform\"");
    writeHeader(buffer);
    writeFill(buffer);
    writeCompare(buffer.compare);
  }

  static std::string elementText(const std::vector<ScalarType>& elements) {
    std::vector<std::string> runs;
    for (size_t n = 0; n < elements.size();) {
      size_t count = 1;
      while (count < kMostComponents && n + count < elements.size() &&
             elements[n + count] == elements[n])
        ++count;
      runs.push_back(fmt::format("\"{}\"", typeText(elements[n], count)));
      n += count;
    }
    if (runs.size() == 1) return runs[0];
    std::string text = "[", line;
    for (size_t n = 0; n < runs.size(); ++n) {
      const std::string item = runs[n] + (n + 1 < runs.size() ? ", " : "]");
      if (line.size() + item.size() > kColumns - 10) {
        text += line + "\n  ";
        line.clear();
      }
      line += item;
    }
    return text + line;
  }

  /// Scalars one after the other as typed values, at most four of one type together, none across
  /// the start of what has a comment.
  struct Scalar {
    uint64_t offset;
    ScalarType type;
    const uint8_t* bytes;
  };
  void writeValues(const std::vector<Scalar>& scalars, const std::map<uint64_t, std::string>& notes,
                   bool hasOffsets) {
    uint64_t end = 0;
    for (size_t n = 0; n < scalars.size();) {
      const Scalar& first = scalars[n];
      const uint32_t size = byteSize(first.type);
      size_t count = 1;
      while (count < kMostComponents && n + count < scalars.size() &&
             scalars[n + count].type == first.type &&
             scalars[n + count].offset == first.offset + count * size &&
             !notes.count(scalars[n + count].offset))
        ++count;
      std::vector<uint8_t> bytes;
      for (size_t k = 0; k < count; ++k)
        bytes.insert(bytes.end(), scalars[n + k].bytes, scalars[n + k].bytes + size);
      std::string line = "  { " + typedValue(first.type, count, bytes.data());
      if (hasOffsets && first.offset != end) line += fmt::format(", offset = {}", first.offset);
      const auto note = notes.find(first.offset);
      add(line + " },", note == notes.end() ? std::string() : note->second);
      end = first.offset + count * size;
      n += count;
    }
  }

  void writeHeader(const ScenarioBuffer& buffer) {
    if (buffer.header.empty()) return;
    std::vector<Scalar> scalars;
    uint64_t at = 0;
    for (const HeaderField& field : buffer.header) {
      scalars.push_back({at, field.type, field.bytes.data()});
      at += byteSize(field.type);
    }
    const auto notes = notes_.headers.find(buffer.name);
    add("header = [");
    writeValues(scalars,
                notes == notes_.headers.end() ? std::map<uint64_t, std::string>() : notes->second,
                false);
    add("]");
  }

  void writeFill(const ScenarioBuffer& buffer) {
    if (const auto* random = std::get_if<FillRandom>(&buffer.fill)) {
      add(fmt::format("init = {{ kind = \"random\", low = {}, high = {}{} }}", number(random->low),
                      number(random->high),
                      random->seed ? fmt::format(", seed = {}", random->seed) : ""));
    } else if (const auto* constant = std::get_if<FillConstant>(&buffer.fill)) {
      add(fmt::format("init = {}", number(constant->value)));
    } else if (const auto* iota = std::get_if<FillIota>(&buffer.fill)) {
      add(fmt::format("init = {{ kind = \"iota\", start = {}, step = {} }}", number(iota->start),
                      number(iota->step)));
    } else if (const auto* file = std::get_if<FillFile>(&buffer.fill)) {
      add(fmt::format("init = {{ kind = \"file\", path = {} }}", quoted(file->path)));
    } else if (const auto* values = std::get_if<FillValues>(&buffer.fill)) {
      std::vector<std::string> texts;
      for (double value : values->values) texts.push_back(number(value));
      add(fmt::format("init = {{ kind = \"values\", values = [{}] }}", fmt::join(texts, ", ")));
    }
  }

  void writeCompare(const Compare& compare) {
    if (const auto* ulp = std::get_if<CompareUlp>(&compare))
      add(fmt::format("compare = {{ kind = \"ulp\", ulps = {} }}", ulp->ulps));
    else if (const auto* tolerance = std::get_if<CompareTolerance>(&compare))
      add(fmt::format("compare = {{ kind = \"tolerance\", absolute = {}, relative = {} }}",
                      number(tolerance->absolute), number(tolerance->relative)));
    else if (std::holds_alternative<CompareMultiset>(compare))
      add("compare = \"multiset\"");
    else if (std::holds_alternative<CompareNone>(compare))
      add("compare = \"none\"");
  }

  void writeImage(const ScenarioBuffer& buffer) {
    const ImageShape& shape = *buffer.image;
    using enum ImageDimension;
    add("");
    sayOf(buffer);
    add("[[image]]");
    add(fmt::format("name = {}", quoted(buffer.name)));
    add(fmt::format("format = \"{}\"", infoOf(shape.format).name));
    if (shape.dimension != Dim2D) add(fmt::format("dimension = \"{}\"", nameOf(shape.dimension)));
    add(fmt::format("width = {}", shape.width));
    if (shape.dimension == Dim2D || shape.dimension == Dim3D)
      add(fmt::format("height = {}", shape.height));
    if (shape.dimension == Dim3D) add(fmt::format("depth = {}", shape.depth));
    if (shape.isArray) add(fmt::format("layers = {}", shape.layers));
    if (shape.levels != 1) add(fmt::format("levels = {}", shape.levels));
    writeFill(buffer);
    writeCompare(buffer.compare);
    writeSampler(shape.sampler);
  }

  void writeSampler(const SamplerSettings& sampler) {
    const SamplerSettings usual;
    constexpr const char* kAddresses[] = {"repeat", "mirrored-repeat", "clamp-to-edge",
                                          "clamp-to-border", "mirror-clamp-to-edge"};
    constexpr const char* kBorders[] = {"transparent-black", "opaque-black", "opaque-white"};
    if (sampler.filter != usual.filter) add("filter = \"linear\"");
    if (sampler.mipmap != usual.mipmap) add("mipmap = \"linear\"");
    if (sampler.address != usual.address)
      add(fmt::format("address = [\"{}\", \"{}\", \"{}\"]", kAddresses[size_t(sampler.address[0])],
                      kAddresses[size_t(sampler.address[1])],
                      kAddresses[size_t(sampler.address[2])]));
    if (sampler.border != usual.border)
      add(fmt::format("border = \"{}\"", kBorders[size_t(sampler.border)]));
  }

  // ----- dispatches -----

  void writeDispatch(const ScenarioDispatch& dispatch) {
    add("");
    if (!notes_.groups.empty()) say(notes_.groups);
    add("[[dispatch]]");
    add(fmt::format("shader = {}", quoted(dispatch.shader)));
    add(fmt::format("groups = [{}]", fmt::join(dispatch.groups, ", ")));
    writePushConstants(dispatch.pushConstants);
    if (dispatch.bindings.empty()) return;
    add("[dispatch.bind]");
    // Elements of an array of descriptors stand one after the other.
    for (size_t n = 0; n < dispatch.bindings.size();) {
      const ScenarioBinding& first = dispatch.bindings[n];
      std::vector<std::string> names;
      for (; n < dispatch.bindings.size() && dispatch.bindings[n].set == first.set &&
             dispatch.bindings[n].binding == first.binding;
           ++n)
        names.push_back(quoted(dispatch.bindings[n].buffer));
      const std::string key = first.set == 0 ? fmt::format("{}", first.binding)
                                             : fmt::format("\"{}.{}\"", first.set, first.binding);
      if (names.size() == 1) {
        add(fmt::format("{} = {}", key, names[0]));
      } else {
        add(fmt::format("{} = [", key));
        for (const std::string& name : names) add("  " + name + ",");
        add("]");
      }
    }
  }

  void writePushConstants(const std::vector<uint8_t>& bytes) {
    if (bytes.empty()) return;
    std::vector<Scalar> scalars;
    uint64_t end = 0;
    auto padTo = [&](uint64_t to) {
      for (; end < to; ++end)
        if (to == bytes.size() || bytes[end] != 0) // offsets step over the rest
          scalars.push_back({end, ScalarType::U8, bytes.data() + end});
    };
    for (const ScenarioTextNotes::Field& field : notes_.pushConstantFields) {
      const uint64_t after = field.offset + byteSize(field.type);
      if (field.offset < end || after > bytes.size()) continue; // another view of the same bytes
      padTo(field.offset);
      scalars.push_back({field.offset, field.type, bytes.data() + field.offset});
      end = after;
    }
    padTo(bytes.size());
    add("push_constants = [");
    writeValues(scalars, notes_.pushConstants, true);
    add("]");
  }

  const Scenario& scenario_;
  const ScenarioTextNotes& notes_;
  std::string text_;
};

} // namespace

Result<std::string> writeScenario(const Scenario& scenario, const ScenarioTextNotes& notes) {
  return ScenarioWriter(scenario, notes).run();
}

} // namespace lanewise::driver
