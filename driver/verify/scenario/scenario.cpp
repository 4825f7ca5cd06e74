// Reads scenario files. Strict: whatever is not understood is an error, because a key that is
// silently ignored would make a verification say less than its author thinks.
#include "verify/scenario/scenario.h"

#include "support/files.h"
#include "verify/formats/scalars.h"
#include "verify/scenario/tunables_toml.h"

#include <cstring>
#include <fstream>
#include <numeric>
#include <set>

namespace lanewise::driver {
namespace {

constexpr uint64_t kMaxBufferBytes = uint64_t(1) << 40;
// All of them are recorded into one command buffer.
constexpr int64_t kMostRepeats = int64_t(1) << 20;

// One reading of one file.
class Reader final : TunablesToml {
public:
  Reader(const std::string& path, const ScenarioReading& reading)
      : TunablesToml(path, scenario_), reading_(reading), sizeName_(reading.sizeName),
        values_(reading.values) {
    scenario_.path = path;
  }

  Result<Scenario> run(std::string_view text) {
    const toml::table root = parse(text);
    if (error_) return std::move(*error_);
    checkKeys(root, "at the top level",
              {"parameters", "sizes", "tunable", "constraints", "repeat", "frames_in_flight",
               "shader", "buffer", "image", "dispatch", "variant", "queue", "semaphore", "submit"});
    readParameters(root);
    scenario_.tunables = readTunables(root);
    for (const auto& [name, value] : values_) parameters_[name] = value;
    scenario_.unmet = findUnmet(root, values_.empty());
    scenario_.parameters = parameters_;
    if (const toml::node* repeat = root.get("repeat"))
      scenario_.repeat = uint32_t(integer(*repeat, "repeat", 1, kMostRepeats));
    forEachTable(root, "shader", "shader", [&](const toml::table& t) { readShader(t); });
    forEachTable(root, "buffer", "buffer", [&](const toml::table& t) { readBuffer(t); });
    forEachTable(root, "image", "image", [&](const toml::table& t) { readImage(t); });
    earlier_ = &scenario_.dispatches;
    forEachTable(root, "dispatch", "dispatch",
                 [&](const toml::table& t) { scenario_.dispatches.push_back(readDispatch(t)); });
    forEachTable(root, "variant", "variant", [&](const toml::table& t) { readVariant(t); });
    readQueues(root, reading_.keepsQueueFaults);
    checkWhole(root);
    if (error_) return std::move(*error_);
    return std::move(scenario_);
  }

private:
  // ----- sections -----

  void readParameters(const toml::table& root) {
    forEachEntry(root, "parameters", [&](const toml::key& name, const toml::node& value) {
      std::string_view text = name.str();
      bool isName = !text.empty() && !std::isdigit(static_cast<unsigned char>(text[0])) &&
                    std::all_of(text.begin(), text.end(), [](char c) {
                      return std::isalnum(static_cast<unsigned char>(c)) || c == '_';
                    });
      if (!isName) {
        fail(name.source(),
             fmt::format("parameter `{}` must consist of letters, digits and _", text));
      } else if (auto exact = value.value_exact<int64_t>()) {
        parameters_[std::string(text)] = *exact;
      } else {
        fail(value,
             fmt::format("parameter `{}` must be an integer, not {}", text, typeName(value)));
      }
    });
    std::vector<std::string> known, sizes;
    for (const auto& [name, value] : parameters_) known.push_back(name);
    forEachEntry(root, "sizes", [&](const toml::key& name, const toml::node& value) {
      sizes.emplace_back(name.str());
      const toml::table* table = value.as_table();
      if (!table) {
        fail(value, fmt::format("size `{}` must be written as [sizes.{}]", name.str(), name.str()));
        return;
      }
      for (auto&& [parameter, number] : *table) {
        std::string key(parameter.str());
        auto exact = number.value_exact<int64_t>();
        if (!parameters_.count(key))
          failUnknown(parameter.source(), "parameter", key, known);
        else if (!exact)
          fail(number,
               fmt::format("parameter `{}` must be an integer, not {}", key, typeName(number)));
        else if (name.str() == sizeName_)
          overrides_[key] = *exact;
      }
    });
    if (error_) return;
    if (!sizeName_.empty() && std::find(sizes.begin(), sizes.end(), sizeName_) == sizes.end()) {
      error_ =
          failure(fmt::format("{}: no [sizes.{}]; the sizes are: {}", path_, sizeName_,
                              sizes.empty() ? "none" : fmt::format("{}", fmt::join(sizes, ", "))));
      return;
    }
    for (const auto& [name, value] : overrides_) parameters_[name] = value;
  }

  void readShader(const toml::table& table) {
    checkKeys(table, "in [[shader]]",
              {"name", "file", "entry", "defines", "spec_constants", "required_subgroup_size"});
    ScenarioShader shader;
    shader.name = requiredString(table, "name", "[[shader]]");
    if (scenario_.findShader(shader.name))
      fail(*table.get("name"), fmt::format("duplicate shader name `{}`", shader.name));
    if (const toml::node* file = required(table, "file", "[[shader]]"))
      shader.path = existingFile(*file, "file");
    if (const toml::node* entry = table.get("entry")) shader.entry = string(*entry, "entry");
    forEachEntry(table, "defines", [&](const toml::key& name, const toml::node& value) {
      if (auto text = value.value_exact<std::string>())
        shader.defines[std::string(name)] = *text;
      else if (auto exact = value.value_exact<int64_t>())
        shader.defines[std::string(name)] = std::to_string(*exact);
      else
        fail(value, fmt::format("define `{}` must be a string or an integer, not {}", name.str(),
                                typeName(value)));
    });
    forEachEntry(table, "spec_constants", [&](const toml::key& id, const toml::node& value) {
      std::optional<uint32_t> specId = unsignedKey(id.str());
      if (!specId)
        fail(id.source(),
             fmt::format("keys of `spec_constants` are constant_ids such as \"0\"; `{}` is not one",
                         id.str()));
      else if (shader.written.contains(*specId))
        fail(id.source(), fmt::format("constant {} is given twice", *specId));
      else
        shader.specConstants[*specId] =
            (shader.written[*specId] = specConstant(value, id.str())).bits;
    });
    if (const toml::node* node = table.get("required_subgroup_size"))
      shader.subgroupSize = subgroupSize(*node, "required_subgroup_size", kMinSubgroupSize);
    scenario_.shaders.push_back(std::move(shader));
  }

  // The constant's type says what it is; hexadecimal and { type = "f64", value = ... } are bits.
  SpecValue specConstant(const toml::node& node, std::string_view key) {
    if (auto truth = node.value_exact<bool>()) return SpecValue::ofTruth(*truth);
    if (auto real = node.value_exact<double>()) return SpecValue::ofFraction(*real);
    if (const toml::table* table = node.as_table()) {
      SpecValue value;
      std::vector<ScalarType> types;
      const std::vector<uint8_t> typed = typedValue(*table, "in a specialization constant", &types);
      if (typed.size() > 8)
        fail(node, fmt::format("specialization constant `{}` must be a scalar", key));
      else
        std::memcpy(&value.bits, typed.data(), typed.size());
      if (types.size() == 1) value.type = types[0];
      value.text = types.size() == 1 ? formatScalar(types[0], typed.data()) : std::string();
      return value;
    }
    const auto whole = SpecValue::ofWhole(integer(node, key, std::numeric_limits<int64_t>::min(),
                                                  std::numeric_limits<int64_t>::max()));
    const auto* literal = node.as_integer();
    if (!literal || whole.isNegative ||
        (literal->flags() & toml::value_flags::format_as_hexadecimal) == toml::value_flags::none)
      return whole;
    SpecValue value;
    value.bits = whole.bits;
    value.text = fmt::format("{:#x}", whole.bits);
    return value;
  }

  static std::optional<uint32_t> unsignedKey(std::string_view text) {
    uint64_t value = 0;
    if (text.empty() || text.size() > 10) return std::nullopt;
    for (char c : text) {
      if (c < '0' || c > '9') return std::nullopt;
      value = value * 10 + uint64_t(c - '0');
    }
    return value <= UINT32_MAX ? std::optional(uint32_t(value)) : std::nullopt;
  }

  // { type = "f32x2", value = [1, 2] }, with `offset` where the place is free.
  std::vector<uint8_t> typedValue(const toml::table& table, std::string_view where,
                                  std::vector<ScalarType>* types) {
    std::vector<ScalarType> scalars;
    if (const toml::node* type = required(table, "type", "{ type, value }"))
      scalars = elementType(*type, "type");
    const toml::node* value = required(table, "value", "{ type, value }");
    std::vector<uint8_t> bytes;
    if (error_) return bytes;
    std::vector<const toml::node*> numbers;
    if (const toml::array* list = value->as_array())
      for (const toml::node& entry : *list) numbers.push_back(&entry);
    else
      numbers.push_back(value);
    if (numbers.size() != scalars.size()) {
      fail(*value, fmt::format("`value` {} has {} number{} but its type has {}", where,
                               numbers.size(), numbers.size() == 1 ? "" : "s", scalars.size()));
      return bytes;
    }
    for (size_t i = 0; i < scalars.size() && !error_; ++i) {
      uint8_t encoded[8] = {};
      encodeNumber(*numbers[i], scalars[i], encoded);
      bytes.insert(bytes.end(), encoded, encoded + byteSize(scalars[i]));
    }
    if (types) *types = scalars;
    return bytes;
  }

  void encodeNumber(const toml::node& node, ScalarType type, uint8_t* to) {
    if (isFloat(type)) return encodeScalar(type, number(node, "value"), to);
    if (node.is_floating_point()) {
      fail(node, fmt::format("`value` must be an integer for type {}", nameOf(type)));
      return;
    }
    uint32_t bits = 8 * byteSize(type);
    int64_t low = bits == 64 ? std::numeric_limits<int64_t>::min() : -(int64_t(1) << (bits - 1));
    int64_t high = bits == 64 ? std::numeric_limits<int64_t>::max()
                              : (int64_t(1) << (isSignedInteger(type) ? bits - 1 : bits)) - 1;
    if (!isSignedInteger(type) && bits < 64) low = 0;
    encodeInteger(type, integer(node, "value", low, high), to);
  }

  void readBuffer(const toml::table& table) {
    checkKeys(table, "in [[buffer]]",
              {"name", "type", "count", "init", "kind", "compare", "header", "sharing"});
    ScenarioBuffer buffer;
    buffer.name = requiredString(table, "name", "[[buffer]]");
    if (scenario_.findBuffer(buffer.name))
      fail(*table.get("name"), fmt::format("duplicate buffer name `{}`", buffer.name));
    if (const toml::node* type = required(table, "type", "[[buffer]]"))
      buffer.elements = elementType(*type, "type");
    if (const toml::node* count = required(table, "count", "[[buffer]]"))
      buffer.count = uint64_t(integer(*count, "count", 1, int64_t(kMaxBufferBytes)));
    if (const toml::node* kind = table.get("kind")) {
      std::string text = string(*kind, "kind");
      buffer.isUniform = text == "uniform";
      if (text != "uniform" && text != "storage")
        failUnknown(kind->source(), "`kind`", text, {"storage", "uniform"});
    }
    if (const toml::node* sharing = table.get("sharing"))
      buffer.isExclusive = choice(*sharing, "sharing", {"concurrent", "exclusive"}) == 1;
    readHeader(table, buffer);
    if (const toml::node* init = table.get("init")) buffer.fill = readFill(*init, buffer);
    if (const toml::node* compare = table.get("compare")) buffer.compare = readCompare(*compare);
    if (!error_ && buffer.bytes() > kMaxBufferBytes)
      fail(table, fmt::format("buffer `{}` has {} bytes; at most 2^40 are possible", buffer.name,
                              buffer.bytes()));
    if (!error_ && buffer.isUniform && std::holds_alternative<FillPoison>(buffer.fill))
      fail(table, fmt::format("uniform buffer `{}` needs an `init`: shaders can only read it",
                              buffer.name));
    scenario_.buffers.push_back(std::move(buffer));
  }

  // One of `names`, by its place.
  uint32_t choice(const toml::node& node, std::string_view key,
                  const std::vector<std::string>& names) {
    std::string text = string(node, key);
    auto found = std::find(names.begin(), names.end(), text);
    if (found != names.end()) return uint32_t(found - names.begin());
    if (!error_) failUnknown(node.source(), fmt::format("`{}`", key), text, names);
    return 0;
  }

  void readImage(const toml::table& table) {
    checkKeys(table, "in [[image]]",
              {"name", "format", "dimension", "width", "height", "depth", "layers", "levels",
               "init", "compare", "filter", "mipmap", "address", "border"});
    ScenarioBuffer image;
    image.name = requiredString(table, "name", "[[image]]");
    if (scenario_.findBuffer(image.name))
      fail(*table.get("name"), fmt::format("duplicate buffer or image name `{}`", image.name));
    ImageShape shape;
    if (const toml::node* format = required(table, "format", "[[image]]"))
      shape.format = readFormat(*format);
    readExtent(table, shape);
    readSampler(table, shape.sampler);
    if (!error_ && shape.bytes() > kMaxBufferBytes)
      fail(table, fmt::format("image `{}` has {} bytes; at most 2^40 are possible", image.name,
                              shape.bytes()));
    image.setImage(shape);
    if (const toml::node* init = table.get("init")) image.fill = readFill(*init, image);
    if (const toml::node* compare = table.get("compare")) image.compare = readCompare(*compare);
    scenario_.buffers.push_back(std::move(image));
  }

  ImageFormat readFormat(const toml::node& node) {
    std::string text = string(node, "format");
    if (std::optional<ImageFormat> found = findImageFormat(text)) return *found;
    std::vector<std::string> known;
    for (uint32_t i = 0; i < kImageFormats; ++i) known.emplace_back(infoOf(ImageFormat(i)).name);
    failUnknown(node.source(), "`format`", text, known);
    return ImageFormat::Rgba8;
  }

  void readExtent(const toml::table& table, ImageShape& shape) {
    if (const toml::node* dimension = table.get("dimension"))
      shape.dimension =
          ImageDimension(choice(*dimension, "dimension", {"1d", "2d", "3d", "cube", "buffer"}));
    using enum ImageDimension;
    ImageDimension d = shape.dimension;
    auto read = [&](const char* key, uint32_t& to, bool isThere, bool isRequired) {
      const toml::node* node = isRequired ? required(table, key, "[[image]]") : table.get(key);
      if (!node || error_) return;
      if (!isThere)
        fail(*node, fmt::format("`{}` does not apply to an image of dimension {}", key, nameOf(d)));
      else
        to = uint32_t(integer(*node, key, 1, d == Buffer ? INT32_MAX : 65536));
    };
    bool isPlane = d == Dim2D || d == Dim3D;
    read("width", shape.width, true, true);
    read("height", shape.height, isPlane, isPlane);
    read("depth", shape.depth, d == Dim3D, d == Dim3D);
    read("layers", shape.layers, d != Dim3D && d != Buffer, false);
    read("levels", shape.levels, d != Buffer, false);
    if (d == Cube) shape.height = shape.width;
    shape.isArray = table.get("layers") != nullptr;
    if (!error_ && shape.levels > shape.mostLevels())
      fail(*table.get("levels"), fmt::format("`levels` is {}; an image of this size has at most {}",
                                             shape.levels, shape.mostLevels()));
  }

  void readSampler(const toml::table& table, SamplerSettings& sampler) {
    static const std::vector<std::string> filters{"nearest", "linear"};
    if (const toml::node* filter = table.get("filter"))
      sampler.filter = SamplerFilter(choice(*filter, "filter", filters));
    if (const toml::node* mipmap = table.get("mipmap"))
      sampler.mipmap = SamplerFilter(choice(*mipmap, "mipmap", filters));
    if (const toml::node* border = table.get("border"))
      sampler.border = SamplerBorder(
          choice(*border, "border", {"transparent-black", "opaque-black", "opaque-white"}));
    const toml::node* address = table.get("address");
    if (!address || error_) return;
    auto one = [&](const toml::node& node) {
      return SamplerAddress(choice(node, "address",
                                   {"repeat", "mirrored-repeat", "clamp-to-edge", "clamp-to-border",
                                    "mirror-clamp-to-edge"}));
    };
    const toml::array* list = address->as_array();
    if (!list) {
      sampler.address.fill(one(*address));
      return;
    }
    if (list->empty() || list->size() > 3)
      return fail(*address, "`address` must be a name or a list of 1 to 3: of u, v and w");
    for (size_t i = 0; i < list->size(); ++i) sampler.address[i] = one(*list->get(i));
  }

  void readHeader(const toml::table& table, ScenarioBuffer& buffer) {
    const toml::node* header = table.get("header");
    if (!header || error_) return;
    const toml::array* list = header->as_array();
    if (!list) {
      fail(*header, "`header` must be a list such as [{ type = \"u32\", value = 16 }]");
      return;
    }
    for (const toml::node& entry : *list) {
      const toml::table* value = entry.as_table();
      if (!value) {
        fail(entry, "`header` must be a list such as [{ type = \"u32\", value = 16 }]");
        return;
      }
      checkKeys(*value, "in `header`", {"type", "value"});
      std::vector<ScalarType> types;
      std::vector<uint8_t> bytes = typedValue(*value, "in `header`", &types);
      if (error_) return;
      const uint8_t* from = bytes.data();
      for (ScalarType type : types) {
        HeaderField field{type, {}};
        std::copy(from, from + byteSize(type), field.bytes.begin());
        from += byteSize(type);
        buffer.header.push_back(field);
      }
    }
  }

  Fill readFill(const toml::node& node, const ScenarioBuffer& buffer) {
    static const std::vector<std::string> kinds{"poison",   "zero", "random", "iota",
                                                "constant", "file", "values"};
    if (node.is_number()) return FillConstant{fillNumber(node, "init", buffer)};
    const toml::table* table = node.as_table();
    if (!table && !node.is_string()) {
      fail(node, fmt::format("`init` must be a name, a number or a table, not {}", typeName(node)));
      return {};
    }
    const toml::node* kindNode = table ? required(*table, "kind", "`init`") : &node;
    if (!kindNode) return {};
    std::string kind = string(*kindNode, "kind");
    static const toml::table none;
    const toml::table& keys = table ? *table : none;
    auto numberAt = [&](const char* key, double otherwise) {
      const toml::node* value = keys.get(key);
      return value ? number(*value, key) : otherwise;
    };
    if (kind == "poison" || kind == "zero") {
      checkKeys(keys, fmt::format("in `init` of kind {}", kind), {"kind"});
      return kind == "zero" ? Fill(FillConstant{0}) : Fill(FillPoison{});
    }
    if (kind == "random") {
      checkKeys(keys, "in `init` of kind random", {"kind", "low", "high", "seed"});
      FillRandom random{numberAt("low", 0), numberAt("high", 1), 0};
      if (const toml::node* seed = keys.get("seed"))
        random.seed = uint64_t(integer(*seed, "seed", 0, std::numeric_limits<int64_t>::max()));
      for (const char* key : {"low", "high"})
        if (keys.get(key)) checkSomeHold(*keys.get(key), key, buffer);
      if (!(random.low <= random.high) || std::isinf(random.low) || std::isinf(random.high))
        fail(node, "`init`: `low` must not be above `high`, and both must be finite");
      return random;
    }
    if (kind == "iota") {
      checkKeys(keys, "in `init` of kind iota", {"kind", "start", "step"});
      return FillIota{numberAt("start", 0), numberAt("step", 1)};
    }
    if (kind == "constant") {
      checkKeys(keys, "in `init` of kind constant", {"kind", "value"});
      const toml::node* value = required(keys, "value", "`init` of kind constant");
      return value ? FillConstant{fillNumber(*value, "value", buffer)} : Fill();
    }
    if (kind == "file") {
      checkKeys(keys, "in `init` of kind file", {"kind", "path"});
      const toml::node* path = required(keys, "path", "`init` of kind file");
      return path ? readFillFile(*path, buffer) : Fill();
    }
    if (kind == "values") {
      checkKeys(keys, "in `init` of kind values", {"kind", "values"});
      FillValues fill;
      const toml::node* list = required(keys, "values", "`init` of kind values");
      if (list && (!list->as_array() || list->as_array()->empty()))
        fail(*list, "`values` must be a list of at least one number");
      if (!error_)
        for (const toml::node& value : *list->as_array()) {
          const size_t n = fill.values.size();
          fill.values.push_back(fillNumber(value, "values", buffer, n, list->as_array()->size()));
        }
      return fill;
    }
    failUnknown(kindNode->source(), "`init`", kind, kinds);
    return {};
  }

  // A number that the scalars which get it can hold: each `step`th from the `first` on. Integers
  // may be given by their bits: -1 of an unsigned one is its greatest value.
  double fillNumber(const toml::node& node, std::string_view key, const ScenarioBuffer& buffer,
                    uint64_t first = 0, uint64_t step = 1) {
    const double value = number(node, key);
    const std::vector<ScalarType>& types = buffer.elements;
    step = std::gcd(step, uint64_t(types.size()));
    for (uint64_t n = first % step; n < types.size() && !buffer.image; n += step)
      if (!canHold(types[n], value)) failToHold(node, key, value, types[n], buffer);
    return value;
  }

  // The ends of a range are often meant for some scalars of an element.
  void checkSomeHold(const toml::node& node, std::string_view key, const ScenarioBuffer& buffer) {
    const double value = number(node, key);
    const std::vector<ScalarType>& types = buffer.elements;
    const auto holds = [&](ScalarType type) { return canHold(type, value); };
    if (!buffer.image && !types.empty() && std::ranges::none_of(types, holds))
      failToHold(node, key, value, types[0], buffer);
  }

  void failToHold(const toml::node& node, std::string_view key, double value, ScalarType type,
                  const ScenarioBuffer& buffer) {
    fail(node, fmt::format("`{}` is {}, which buffer `{}` of {} cannot hold", key, value,
                           buffer.name, nameOf(type)));
  }

  Fill readFillFile(const toml::node& node, const ScenarioBuffer& buffer) {
    FillFile fill{existingFile(node, "path")};
    keepFile(fill.path);
    if (error_) return fill;
    std::error_code failed;
    uint64_t size = std::filesystem::file_size(fill.path, failed);
    if (!failed && size != buffer.bytes())
      fail(node, fmt::format("`path`: the file has {} bytes but {} `{}` has {}", size,
                             buffer.kindName(), buffer.name, buffer.bytes()));
    std::ifstream file(fill.path, std::ios::binary);
    for (const HeaderField& field : buffer.header)
      for (uint32_t n = 0; n < byteSize(field.type); ++n)
        if (const int byte = file.get(); byte >= 0 && uint8_t(byte) != field.bytes[n] && !error_)
          fail(node, fmt::format("`path`: the file begins with other values than the `header` of "
                                 "buffer `{}`",
                                 buffer.name));
    return fill;
  }

  Compare readCompare(const toml::node& node) {
    static const std::vector<std::string> kinds{"exact", "ulp", "tolerance", "multiset", "none"};
    const toml::table* table = node.as_table();
    if (!table && !node.is_string()) {
      fail(node, fmt::format("`compare` must be a name or a table, not {}", typeName(node)));
      return {};
    }
    const toml::node* kindNode = table ? required(*table, "kind", "`compare`") : &node;
    if (!kindNode) return {};
    std::string kind = string(*kindNode, "kind");
    static const toml::table none;
    const toml::table& keys = table ? *table : none;
    if (kind == "ulp") {
      checkKeys(keys, "in `compare` of kind ulp", {"kind", "ulps"});
      const toml::node* ulps = keys.get("ulps");
      if (!ulps) {
        fail(node, "`compare` of kind ulp needs its `ulps`: { kind = \"ulp\", ulps = 4 }");
        return {};
      }
      return CompareUlp{uint64_t(integer(*ulps, "ulps", 0, int64_t(1) << 52))};
    }
    if (kind == "tolerance") {
      checkKeys(keys, "in `compare` of kind tolerance", {"kind", "absolute", "relative"});
      CompareTolerance tolerance;
      if (const toml::node* absolute = keys.get("absolute"))
        tolerance.absolute = nonNegative(*absolute, "absolute");
      if (const toml::node* relative = keys.get("relative"))
        tolerance.relative = nonNegative(*relative, "relative");
      if (!keys.get("absolute") && !keys.get("relative"))
        fail(node, "`compare` of kind tolerance needs `absolute`, `relative` or both");
      return tolerance;
    }
    checkKeys(keys, fmt::format("in `compare` of kind {}", kind), {"kind"});
    if (kind == "exact") return CompareExact{};
    if (kind == "multiset") return CompareMultiset{};
    if (kind == "none") return CompareNone{};
    failUnknown(kindNode->source(), "`compare`", kind, kinds);
    return {};
  }

  ScenarioDispatch readDispatch(const toml::table& table) override {
    if (isInSubmission())
      checkKeys(table, "in [[submit.dispatch]]",
                {"name", "shader", "groups", "indirect", "bind", "push_constants", "barrier"});
    else
      checkKeys(table, "in [[dispatch]]",
                {"shader", "groups", "indirect", "bind", "push_constants"});
    ScenarioDispatch dispatch;
    dispatch.shader = requiredString(table, "shader", "[[dispatch]]");
    if (!error_ && !scenario_.findShader(dispatch.shader)) {
      std::vector<std::string> names;
      for (const ScenarioShader& shader : scenario_.shaders) names.push_back(shader.name);
      failUnknown(table.get("shader")->source(), "shader", dispatch.shader, names);
    }
    usedShaders_.insert(dispatch.shader);
    if (const toml::node* indirect = table.get("indirect")) {
      if (const toml::node* groups = table.get("groups"))
        fail(*groups, "a [[dispatch]] has `groups` or `indirect`, not both");
      dispatch.groups = {0, 0, 0};
      dispatch.indirect = readIndirect(*indirect);
    } else if (const toml::node* groups = required(table, "groups", "[[dispatch]]")) {
      const toml::array* list = groups->as_array();
      if (!list || list->empty() || list->size() > 3)
        fail(*groups, "`groups` must be a list of 1 to 3 workgroup counts, such as [8, 8, 1]");
      else
        for (size_t i = 0; i < list->size(); ++i)
          dispatch.groups[i] = uint32_t(integer(*list->get(i), "groups", 1, UINT32_MAX));
    }
    forEachEntry(table, "bind", [&](const toml::key& key, const toml::node& value) {
      readBinding(key, value, dispatch);
    });
    if (const toml::node* push = table.get("push_constants")) readPushConstants(*push, dispatch);
    return dispatch;
  }

  // "args", or { buffer = "args", offset = 16 }.
  IndirectGroups readIndirect(const toml::node& node) {
    IndirectGroups indirect;
    const toml::table* table = node.as_table();
    if (!table && !node.is_string()) {
      fail(node, fmt::format("`indirect` must be the name of a buffer or a table such as {{ buffer "
                             "= \"counts\", offset = 0 }}, not {}",
                             typeName(node)));
      return indirect;
    }
    if (table) checkKeys(*table, "in `indirect`", {"buffer", "offset"});
    const toml::node* name = table ? required(*table, "buffer", "`indirect`") : &node;
    if (error_) return indirect;
    indirect.buffer = boundName(*name);
    if (const toml::node* offset = table ? table->get("offset") : nullptr)
      indirect.offset = uint64_t(integer(*offset, "offset", 0, int64_t(1) << 40));
    if (error_) return indirect;
    constexpr uint64_t kCountsBytes = 12;
    const ScenarioBuffer& buffer = *scenario_.findBuffer(indirect.buffer);
    if (buffer.image)
      fail(*name,
           fmt::format("`indirect`: `{}` is an image; workgroup counts must be in a [[buffer]]",
                       indirect.buffer));
    else if (indirect.offset % 4 != 0)
      fail(node,
           fmt::format("`indirect`: `offset` is {}; it must be a multiple of 4", indirect.offset));
    else if (indirect.offset + kCountsBytes > buffer.bytes())
      fail(node, fmt::format("`indirect`: three u32 from byte {} on do not fit buffer `{}` of {} "
                             "bytes",
                             indirect.offset, indirect.buffer, buffer.bytes()));
    else if (!isInSubmission() && std::holds_alternative<FillPoison>(buffer.fill) &&
             indirect.offset + kCountsBytes > buffer.headerBytes() && !isBound(indirect.buffer))
      fail(node, fmt::format("`indirect`: buffer `{}` has no `init`, and no [[dispatch]] before "
                             "this one binds it, so the counts are uninitialized",
                             indirect.buffer));
    return indirect;
  }

  // By a dispatch that was read before.
  bool isBound(const std::string& buffer) const {
    auto binds = [&](const ScenarioDispatch& dispatch) {
      return std::any_of(dispatch.bindings.begin(), dispatch.bindings.end(),
                         [&](const ScenarioBinding& bound) { return bound.buffer == buffer; });
    };
    return std::any_of(earlier_->begin(), earlier_->end(), binds);
  }

  // "3" is binding 3 of set 0; "1.3" is binding 3 of set 1.
  void readBinding(const toml::key& key, const toml::node& value, ScenarioDispatch& dispatch) {
    std::string_view text = key.str();
    size_t dot = text.find('.');
    std::optional<uint32_t> set =
        dot == std::string_view::npos ? 0 : unsignedKey(text.substr(0, dot));
    std::optional<uint32_t> binding =
        unsignedKey(dot == std::string_view::npos ? text : text.substr(dot + 1));
    if (!set || !binding) {
      fail(key.source(), fmt::format("keys of `bind` are bindings such as \"0\" (of set 0) or "
                                     "\"1.0\" (set.binding); `{}` is not one",
                                     text));
      return;
    }
    if (value.is_table() && !isByFrame(value)) { // an unquoted 1.0 is TOML for a table in a table
      fail(key.source(),
           fmt::format("`bind`: write \"{}.N\" in quotes for a binding of set {}", text, text));
      return;
    }
    for (const ScenarioBinding& other : dispatch.bindings)
      if (other.set == *set && other.binding == *binding)
        fail(key.source(), fmt::format("binding {}.{} is given twice", *set, *binding));
    const toml::array* list = value.as_array();
    if (list && list->empty())
      fail(value, "`bind`: an array of descriptors needs at least one name, as in [\"a\", \"b\"]");
    for (uint32_t n = 0; n < (list ? list->size() : 1) && !error_; ++n)
      dispatch.bindings.push_back({*set, *binding, boundName(list ? *list->get(n) : value), n});
  }

  // { frames = ["a", "b"] }: of submissions alone.
  bool isByFrame(const toml::node& value) const {
    const toml::table* table = value.as_table();
    return isInSubmission() && table && table->get("frames");
  }

  // The name of a buffer or an image that there is.
  std::string boundName(const toml::node& value) override {
    if (isByFrame(value)) {
      checkKeys(*value.as_table(), "in a name by frames", {"frames"});
      const toml::array* list = value.as_table()->get("frames")->as_array();
      if (!list || list->empty())
        return fail(value, "`frames` must be a list of names, one for each frame in turn"), "";
      for (const toml::node& name : *list) (void)nameOfBuffer(name);
      return nameOfBuffer(*list->get(frame() % list->size()));
    }
    return nameOfBuffer(value);
  }
  std::string nameOfBuffer(const toml::node& value) {
    std::string name = string(value, "bind");
    if (!error_ && !scenario_.findBuffer(name)) {
      std::vector<std::string> names;
      for (const ScenarioBuffer& known : scenario_.buffers) names.push_back(known.name);
      failUnknown(value.source(), "buffer or image", name, names);
    }
    usedBuffers_.insert(name);
    return name;
  }

  void readPushConstants(const toml::node& node, ScenarioDispatch& dispatch) {
    const toml::array* list = node.as_array();
    const char* form = "`push_constants` must be a list such as [{ type = \"u32\", value = 16 }]";
    if (!list) return fail(node, form);
    for (const toml::node& entry : *list) {
      const toml::table* table = entry.as_table();
      if (!table) return fail(entry, form);
      checkKeys(*table, "in `push_constants`", {"type", "value", "offset"});
      if (const toml::node* offset = table->get("offset")) {
        size_t at = size_t(integer(*offset, "offset", 0, 4096));
        if (!error_ && at < dispatch.pushConstants.size())
          fail(*offset, fmt::format("`offset` {} overlaps the values before it, which end at {}",
                                    at, dispatch.pushConstants.size()));
        dispatch.pushConstants.resize(at);
      }
      std::vector<uint8_t> bytes = typedValue(*table, "in `push_constants`", nullptr);
      if (error_) return;
      dispatch.pushConstants.insert(dispatch.pushConstants.end(), bytes.begin(), bytes.end());
    }
  }

  void readVariant(const toml::table& table) {
    checkKeys(table, "in [[variant]]", {"name", "compare", "layout", "submit_every", "dispatch"});
    ScenarioVariant variant;
    variant.name = requiredString(table, "name", "[[variant]]");
    for (const ScenarioVariant& other : scenario_.variants)
      if (other.name == variant.name)
        fail(*table.get("name"), fmt::format("duplicate variant name `{}`", variant.name));
    if (const toml::node* compare = table.get("compare")) {
      if (auto truth = compare->value_exact<bool>())
        variant.compare = *truth;
      else
        fail(*compare, fmt::format("`compare` of a variant must be true or false, not {}",
                                   typeName(*compare)));
    }
    if (const toml::node* every = table.get("submit_every"))
      variant.submitEvery = uint32_t(integer(*every, "submit_every", 1, 1 << 20));
    if (const toml::node* layout = table.get("layout"))
      variant.layout = existingFile(*layout, "layout");
    earlier_ = &variant.dispatches;
    forEachTable(table, "dispatch", "variant.dispatch",
                 [&](const toml::table& t) { variant.dispatches.push_back(readDispatch(t)); });
    if (variant.dispatches.empty())
      fail(table, fmt::format("variant `{}` has no [[variant.dispatch]]", variant.name));
    scenario_.variants.push_back(std::move(variant));
  }

  // What no single key shows: something is missing or never used.
  void checkWhole(const toml::table& root) {
    if (scenario_.dispatches.empty() && !error_) fail(root, "no [[dispatch]]");
    if (error_) return;
    auto complainUnused = [&](const char* list, const auto& named, const auto& used,
                              std::string_view how) {
      for (size_t i = 0; i < named.size() && !error_; ++i)
        if (!used.count(named[i].name))
          fail(*root.get(list)->as_array()->get(i),
               fmt::format("{} `{}` is {}", list, named[i].name, how));
    };
    complainUnused("shader", scenario_.shaders, usedShaders_, "used by no [[dispatch]]");
    // Images stand behind the buffers.
    std::span<const ScenarioBuffer> all = scenario_.buffers;
    size_t buffers = size_t(
        std::find_if(all.begin(), all.end(), [](const ScenarioBuffer& b) { return b.image; }) -
        all.begin());
    complainUnused("buffer", all.first(buffers), usedBuffers_, "bound by no [[dispatch]]");
    complainUnused("image", all.subspan(buffers), usedBuffers_, "bound by no [[dispatch]]");
  }

  const ScenarioReading& reading_;
  std::string sizeName_;
  const Parameters& values_;
  Scenario scenario_;
  Parameters overrides_;
  std::set<std::string> usedShaders_, usedBuffers_;
  const std::vector<ScenarioDispatch>* earlier_ = nullptr; ///< of the sequence that is being read
};

} // namespace

Result<Scenario> parseScenario(std::string_view text, const std::string& path,
                               const std::string& sizeName, const Parameters& values) {
  return parseScenario(text, path, ScenarioReading{sizeName, false, values});
}

Result<Scenario> parseScenario(std::string_view text, const std::string& path,
                               const ScenarioReading& reading) {
  return Reader(path, reading).run(text);
}

Result<Scenario> readScenario(const std::string& path, const std::string& sizeName) {
  return readScenario(path, ScenarioReading{sizeName, false, {}});
}

Result<Scenario> readScenario(const std::string& path, const ScenarioReading& reading) {
  Result<std::string> text = readFile(path);
  if (!text) return failure(fmt::format("{}: {}", path, text.error().message));
  keepFile(path);
  return parseScenario(*text, path, reading);
}

} // namespace lanewise::driver
