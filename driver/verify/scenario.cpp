// Reads scenario files. Strict: whatever is not understood is an error, because a key that is
// silently ignored would make a verification say less than its author thinks.
#include "verify/scenario.h"

#include "files.h"
#include "suggest.h"
#include "verify/expression.h"
#include "verify/failure.h"
#include "verify/scalars.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fmt/format.h>
#include <initializer_list>
#include <limits>
#include <set>
#include <toml++/toml.h>

namespace lanewise::driver {
namespace {

constexpr uint64_t kMaxBufferBytes = uint64_t(1) << 40;

std::string_view typeName(const toml::node& node) {
  switch (node.type()) {
  case toml::node_type::table:
    return "a table";
  case toml::node_type::array:
    return "an array";
  case toml::node_type::string:
    return "a string";
  case toml::node_type::integer:
    return "an integer";
  case toml::node_type::floating_point:
    return "a float";
  case toml::node_type::boolean:
    return "a boolean";
  default:
    return "a date or time";
  }
}

// One reading of one file. The first error wins; after it every function returns a default at once,
// so that the code below reads straight on.
class Reader {
public:
  Reader(const std::string& path, const std::string& sizeName) : path_(path), sizeName_(sizeName) {
    scenario_.path = path;
    folder_ = std::filesystem::path(path).parent_path();
  }

  Result<Scenario> run(std::string_view text) {
    toml::parse_result parsed = toml::parse(text, path_);
    if (!parsed) {
      const toml::source_region& at = parsed.error().source();
      return failure(fmt::format("{}:{}:{}: not valid TOML: {}", path_, at.begin.line,
                                 at.begin.column, parsed.error().description()));
    }
    const toml::table& root = parsed.table();
    checkKeys(root, "at the top level",
              {"parameters", "sizes", "repeat", "shader", "buffer", "dispatch", "variant"});
    readParameters(root);
    if (const toml::node* repeat = root.get("repeat"))
      scenario_.repeat = uint32_t(integer(*repeat, "repeat", 1, UINT32_MAX));
    forEachTable(root, "shader", "shader", [&](const toml::table& t) { readShader(t); });
    forEachTable(root, "buffer", "buffer", [&](const toml::table& t) { readBuffer(t); });
    forEachTable(root, "dispatch", "dispatch",
                 [&](const toml::table& t) { scenario_.dispatches.push_back(readDispatch(t)); });
    forEachTable(root, "variant", "variant", [&](const toml::table& t) { readVariant(t); });
    checkWhole(root);
    if (error_) return std::move(*error_);
    return std::move(scenario_);
  }

private:
  // ----- errors -----

  void fail(const toml::source_region& at, std::string what) {
    if (error_) return;
    error_ = failure(fmt::format("{}:{}:{}: {}", path_, at.begin.line, at.begin.column, what));
  }
  void fail(const toml::node& at, std::string what) { fail(at.source(), std::move(what)); }

  void failUnknown(const toml::source_region& at, std::string_view kind, std::string_view word,
                   const std::vector<std::string>& known) {
    std::string near = nearest(word, known);
    fail(at, near.empty()
                 ? fmt::format("{} `{}` is unknown; it is one of {}", kind, word,
                               known.empty() ? "none" : fmt::format("{}", fmt::join(known, ", ")))
                 : fmt::format("{} `{}` is unknown; did you mean `{}`?", kind, word, near));
  }

  void checkKeys(const toml::table& table, std::string_view where,
                 std::initializer_list<const char*> allowed) {
    std::vector<std::string> known(allowed.begin(), allowed.end());
    for (auto&& [key, value] : table)
      if (std::find(known.begin(), known.end(), key.str()) == known.end())
        failUnknown(key.source(), fmt::format("key {}", where), key.str(), known);
  }

  // ----- values -----

  const toml::node* required(const toml::table& table, const char* key, std::string_view where) {
    const toml::node* node = table.get(key);
    if (!node) fail(table, fmt::format("key `{}` is missing in {}", key, where));
    return node;
  }

  std::string string(const toml::node& node, std::string_view key) {
    if (auto value = node.value_exact<std::string>()) return *value;
    fail(node, fmt::format("`{}` must be a string, not {}", key, typeName(node)));
    return {};
  }

  std::string requiredString(const toml::table& table, const char* key, std::string_view where) {
    const toml::node* node = required(table, key, where);
    std::string value = node ? string(*node, key) : std::string();
    if (node && value.empty()) fail(*node, fmt::format("`{}` must not be empty", key));
    return value;
  }

  // Integers may be given as an expression in a string.
  int64_t integer(const toml::node& node, std::string_view key, int64_t low, int64_t high) {
    int64_t value = 0;
    if (auto exact = node.value_exact<int64_t>()) {
      value = *exact;
    } else if (auto text = node.value_exact<std::string>()) {
      Result<int64_t> evaluated = evaluateExpression(*text, parameters_);
      if (!evaluated) {
        fail(node, fmt::format("`{}`: {}", key, evaluated.error().message));
        return low;
      }
      value = *evaluated;
    } else {
      fail(node, fmt::format("`{}` must be an integer or an expression such as \"width*height\", "
                             "not {}",
                             key, typeName(node)));
      return low;
    }
    if (value < low || value > high) {
      fail(node, fmt::format("`{}` is {}; it must lie between {} and {}", key, value, low, high));
      return low;
    }
    return value;
  }

  double number(const toml::node& node, std::string_view key) {
    if (auto real = node.value_exact<double>()) return *real;
    if (node.is_integer() || node.is_string())
      return double(integer(node, key, std::numeric_limits<int64_t>::min(),
                            std::numeric_limits<int64_t>::max()));
    fail(node, fmt::format("`{}` must be a number, not {}", key, typeName(node)));
    return 0;
  }

  double nonNegative(const toml::node& node, std::string_view key) {
    double value = number(node, key);
    if (!(value >= 0) || std::isinf(value))
      fail(node, fmt::format("`{}` must be a finite number, 0 or more", key));
    return value;
  }

  // "f32", "u32x4": appends the scalars.
  void appendType(const toml::node& node, std::string_view key, std::vector<ScalarType>& to) {
    std::string text = string(node, key);
    if (error_) return;
    std::string_view scalar = text;
    uint32_t components = 1;
    size_t x = text.find('x');
    if (x != std::string::npos) {
      scalar = scalar.substr(0, x);
      std::string_view digits = std::string_view(text).substr(x + 1);
      components = digits.size() == 1 && digits[0] >= '2' && digits[0] <= '4'
                       ? uint32_t(digits[0] - '0')
                       : 0;
    }
    std::optional<ScalarType> type;
    for (uint32_t t = 0; t <= uint32_t(ScalarType::F64); ++t)
      if (nameOf(ScalarType(t)) == scalar) type = ScalarType(t);
    if (!type || components == 0) {
      fail(node, fmt::format("`{}`: type `{}` is unknown; a type is one of i8, u8, i16, u16, f16, "
                             "i32, u32, f32, i64, u64, f64, or a vector of 2 to 4 such as f32x4",
                             key, text));
      return;
    }
    to.insert(to.end(), components, *type);
  }

  std::vector<ScalarType> elementType(const toml::node& node, std::string_view key) {
    std::vector<ScalarType> scalars;
    if (const toml::array* list = node.as_array()) {
      for (const toml::node& member : *list) appendType(member, key, scalars);
      if (list->empty()) fail(node, fmt::format("`{}` must not be an empty list", key));
    } else {
      appendType(node, key, scalars);
    }
    return scalars;
  }

  std::string existingFile(const toml::node& node, std::string_view key) {
    std::string name = string(node, key);
    if (error_) return {};
    std::filesystem::path file = folder_ / name;
    std::error_code ignored;
    if (!std::filesystem::is_regular_file(file, ignored))
      fail(node, fmt::format("`{}`: file `{}` does not exist (relative to the scenario's folder)",
                             key, name));
    return file.string();
  }

  // [[name]] tables; a [name] or `name = 1` is an error.
  template <class Visit>
  void forEachTable(const toml::table& in, const char* key, std::string_view title, Visit&& visit) {
    const toml::node* node = in.get(key);
    if (!node || error_) return;
    const toml::array* list = node->as_array();
    if (!list) {
      fail(*node, fmt::format("`{}` must be written as [[{}]]", key, title));
      return;
    }
    for (const toml::node& entry : *list) {
      const toml::table* table = entry.as_table();
      if (!table) fail(entry, fmt::format("`{}` must be written as [[{}]]", key, title));
      if (error_) return;
      visit(*table);
    }
  }

  // `[name]` or `name = { ... }`.
  template <class Visit>
  void forEachEntry(const toml::table& in, const char* key, Visit&& visit) {
    const toml::node* node = in.get(key);
    if (!node || error_) return;
    const toml::table* table = node->as_table();
    if (!table) {
      fail(*node, fmt::format("`{}` must be a table, not {}", key, typeName(*node)));
      return;
    }
    for (auto&& [name, value] : *table) {
      visit(name, value);
      if (error_) return;
    }
  }

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
          failure(fmt::format("{}: there is no [sizes.{}]; the sizes are: {}", path_, sizeName_,
                              sizes.empty() ? "none" : fmt::format("{}", fmt::join(sizes, ", "))));
      return;
    }
    for (const auto& [name, value] : overrides_) parameters_[name] = value;
  }

  void readShader(const toml::table& table) {
    checkKeys(table, "in [[shader]]", {"name", "file", "entry", "defines", "spec_constants"});
    ScenarioShader shader;
    shader.name = requiredString(table, "name", "[[shader]]");
    if (scenario_.findShader(shader.name))
      fail(*table.get("name"), fmt::format("there are two shaders named `{}`", shader.name));
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
        fail(id.source(), fmt::format("`spec_constants` has keys such as \"0\", the constant_id; "
                                      "`{}` is none",
                                      id.str()));
      else
        shader.specConstants[*specId] = specConstantBits(value, id.str());
    });
    scenario_.shaders.push_back(std::move(shader));
  }

  // Integers and booleans as they are, floats as f32; { type = "f64", value = ... } for the others.
  uint64_t specConstantBits(const toml::node& node, std::string_view key) {
    uint8_t bytes[8] = {};
    if (auto truth = node.value_exact<bool>()) return *truth;
    if (auto real = node.value_exact<double>())
      encodeScalar(ScalarType::F32, *real, bytes);
    else if (const toml::table* table = node.as_table()) {
      std::vector<uint8_t> typed = typedValue(*table, "in a specialization constant", nullptr);
      if (typed.size() > 8)
        fail(node, fmt::format("specialization constant `{}` must be a scalar", key));
      else
        std::copy(typed.begin(), typed.end(), bytes);
    } else {
      return uint64_t(integer(node, key, std::numeric_limits<int64_t>::min(),
                              std::numeric_limits<int64_t>::max()));
    }
    uint64_t bits;
    std::memcpy(&bits, bytes, 8);
    return bits;
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
              {"name", "type", "count", "init", "kind", "compare", "header"});
    ScenarioBuffer buffer;
    buffer.name = requiredString(table, "name", "[[buffer]]");
    if (scenario_.findBuffer(buffer.name))
      fail(*table.get("name"), fmt::format("there are two buffers named `{}`", buffer.name));
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
    if (node.is_number()) return FillConstant{number(node, "init")};
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
      if (!keys.get("value")) fail(node, "`init` of kind constant needs a `value`");
      return FillConstant{numberAt("value", 0)};
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
        fail(*list, "`values` must be a list of numbers, with one at least");
      if (!error_)
        for (const toml::node& value : *list->as_array())
          fill.values.push_back(number(value, "values"));
      return fill;
    }
    failUnknown(kindNode->source(), "`init`", kind, kinds);
    return {};
  }

  Fill readFillFile(const toml::node& node, const ScenarioBuffer& buffer) {
    FillFile fill{existingFile(node, "path")};
    if (error_) return fill;
    std::error_code failed;
    uint64_t size = std::filesystem::file_size(fill.path, failed);
    if (!failed && size != buffer.bytes())
      fail(node, fmt::format("`path`: the file has {} bytes but buffer `{}` has {}", size,
                             buffer.name, buffer.bytes()));
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

  ScenarioDispatch readDispatch(const toml::table& table) {
    checkKeys(table, "in [[dispatch]]", {"shader", "groups", "bind", "push_constants"});
    ScenarioDispatch dispatch;
    dispatch.shader = requiredString(table, "shader", "[[dispatch]]");
    if (!error_ && !scenario_.findShader(dispatch.shader)) {
      std::vector<std::string> names;
      for (const ScenarioShader& shader : scenario_.shaders) names.push_back(shader.name);
      failUnknown(table.get("shader")->source(), "shader", dispatch.shader, names);
    }
    usedShaders_.insert(dispatch.shader);
    if (const toml::node* groups = required(table, "groups", "[[dispatch]]")) {
      const toml::array* list = groups->as_array();
      if (!list || list->empty() || list->size() > 3)
        fail(*groups, "`groups` must be a list of 1 to 3 counts of workgroups, such as [8, 8, 1]");
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

  // "3" is binding 3 of set 0; "1.3" is binding 3 of set 1.
  void readBinding(const toml::key& key, const toml::node& value, ScenarioDispatch& dispatch) {
    std::string_view text = key.str();
    size_t dot = text.find('.');
    std::optional<uint32_t> set =
        dot == std::string_view::npos ? 0 : unsignedKey(text.substr(0, dot));
    std::optional<uint32_t> binding =
        unsignedKey(dot == std::string_view::npos ? text : text.substr(dot + 1));
    if (!set || !binding) {
      fail(key.source(),
           fmt::format("`bind` has keys such as \"0\" (a binding of set 0) or \"1.0\" "
                       "(set.binding); `{}` is none",
                       text));
      return;
    }
    if (value.is_table()) { // an unquoted 1.0 is TOML for a table in a table
      fail(key.source(),
           fmt::format("`bind`: write \"{}.N\" in quotes for a binding of set {}", text, text));
      return;
    }
    std::string buffer = string(value, "bind");
    if (!error_ && !scenario_.findBuffer(buffer)) {
      std::vector<std::string> names;
      for (const ScenarioBuffer& known : scenario_.buffers) names.push_back(known.name);
      failUnknown(value.source(), "buffer", buffer, names);
    }
    for (const ScenarioBinding& other : dispatch.bindings)
      if (other.set == *set && other.binding == *binding)
        fail(key.source(), fmt::format("binding {}.{} is given twice", *set, *binding));
    usedBuffers_.insert(buffer);
    dispatch.bindings.push_back({*set, *binding, std::move(buffer)});
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
          fail(*offset, fmt::format("`offset` {} lies within the values before it, which end at {}",
                                    at, dispatch.pushConstants.size()));
        dispatch.pushConstants.resize(at);
      }
      std::vector<uint8_t> bytes = typedValue(*table, "in `push_constants`", nullptr);
      if (error_) return;
      dispatch.pushConstants.insert(dispatch.pushConstants.end(), bytes.begin(), bytes.end());
    }
  }

  void readVariant(const toml::table& table) {
    checkKeys(table, "in [[variant]]", {"name", "compare", "dispatch"});
    ScenarioVariant variant;
    variant.name = requiredString(table, "name", "[[variant]]");
    for (const ScenarioVariant& other : scenario_.variants)
      if (other.name == variant.name)
        fail(*table.get("name"), fmt::format("there are two variants named `{}`", variant.name));
    if (const toml::node* compare = table.get("compare")) {
      if (auto truth = compare->value_exact<bool>())
        variant.compare = *truth;
      else
        fail(*compare, fmt::format("`compare` of a variant must be true or false, not {}",
                                   typeName(*compare)));
    }
    forEachTable(table, "dispatch", "variant.dispatch",
                 [&](const toml::table& t) { variant.dispatches.push_back(readDispatch(t)); });
    if (variant.dispatches.empty())
      fail(table, fmt::format("variant `{}` has no [[variant.dispatch]]", variant.name));
    scenario_.variants.push_back(std::move(variant));
  }

  // What no single key shows: something is missing or never used.
  void checkWhole(const toml::table& root) {
    if (scenario_.dispatches.empty()) fail(root, "there is no [[dispatch]]");
    auto complainUnused = [&](const char* list, const auto& named, const auto& used, auto&& how) {
      for (size_t i = 0; i < named.size() && !error_; ++i)
        if (!used.count(named[i].name))
          fail(*root.get(list)->as_array()->get(i),
               fmt::format("{} `{}` is {}", list, named[i].name, how));
    };
    if (error_) return;
    complainUnused("shader", scenario_.shaders, usedShaders_, "used by no [[dispatch]]");
    complainUnused("buffer", scenario_.buffers, usedBuffers_, "bound by no [[dispatch]]");
  }

  std::string path_, sizeName_;
  std::filesystem::path folder_;
  Scenario scenario_;
  Parameters parameters_, overrides_;
  std::set<std::string> usedShaders_, usedBuffers_;
  std::optional<Error> error_;
};

} // namespace

Result<Scenario> parseScenario(std::string_view text, const std::string& path,
                               const std::string& sizeName) {
  return Reader(path, sizeName).run(text);
}

Result<Scenario> readScenario(const std::string& path, const std::string& sizeName) {
  Result<std::string> text = readFile(path);
  if (!text) return failure(fmt::format("{}: {}", path, text.error().message));
  return parseScenario(*text, path, sizeName);
}

} // namespace lanewise::driver
