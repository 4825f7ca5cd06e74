#include "recorded/recorded_pipelines.h"

#include "recorded/fossilize.h"
#include "recorded/toml_text.h"
#include "support/sha256.h"
#include "verify/scenario/scenario_toml.h"

#include <bit>
#include <charconv>

namespace lanewise::driver {
namespace {

class PipelinesReader : ScenarioToml {
public:
  explicit PipelinesReader(const std::string& path) : ScenarioToml(path) {}

  Result<RecordedPipelines> run(std::string_view text) {
    const toml::table root = parse(text);
    if (error_) return std::move(*error_);
    checkKeys(root, "at the top level", {"pipeline"});
    forEachTable(root, "pipeline", "pipeline", [&](const toml::table& t) { readPipeline(t); });
    if (!error_ && pipelines_.empty())
      return failure(fmt::format("{}: it has no [[pipeline]]", path_));
    if (error_) return std::move(*error_);
    return std::move(pipelines_);
  }

private:
  void readPipeline(const toml::table& t) {
    checkKeys(t, "of a pipeline",
              {"module", "file", "entry", "name", "source", "workgroup-size",
               "required-subgroup-size", "constants", "dispatches", "optimized"});
    RecordedPipeline p;
    p.place = fmt::format("{}:{}", path_, t.source().begin.line);
    if (const toml::node* node = t.get("module")) p.module = hashOf(*node);
    if (const toml::node* node = t.get("file")) p.file = (folder_ / string(*node, "file")).string();
    if (p.module.empty() && p.file.empty())
      fail(t, "a pipeline needs `file`, or `module` with the SHA-256 of its module");
    if (const toml::node* node = t.get("entry")) p.entry = string(*node, "entry");
    if (const toml::node* node = t.get("name")) p.name = string(*node, "name");
    if (const toml::node* node = t.get("source")) p.source = string(*node, "source");
    if (const toml::node* node = t.get("optimized"))
      p.optimized = (folder_ / string(*node, "optimized")).string();
    if (const toml::node* node = t.get("workgroup-size"))
      p.workgroupSize = threeOf(*node, "workgroup-size", 1, 65535);
    if (const toml::node* node = t.get("required-subgroup-size"))
      p.subgroupSize = subgroupSize(*node, "required-subgroup-size", 1);
    forEachEntry(t, "constants",
                 [&](const toml::key& id, const toml::node& value) { readConstant(id, value, p); });
    forEachTable(t, "dispatches", "pipeline.dispatches",
                 [&](const toml::table& d) { p.dispatches.push_back(dispatchOf(d)); });
    if (!error_) pipelines_.push_back(std::move(p));
  }

  std::string hashOf(const toml::node& node) {
    const std::string hash = string(node, "module");
    if (!isBeginningOfHex(hash))
      fail(node,
           fmt::format("`module` must be the first {} to {} digits of a SHA-256 in lower case; "
                       "`file` names a path",
                       kLeastHexDigits, kHexDigits));
    return hash;
  }

  std::array<uint32_t, 3> threeOf(const toml::node& node, const char* key, int64_t least,
                                  int64_t most) {
    std::array<uint32_t, 3> three{};
    const toml::array* list = node.as_array();
    if (!list || list->size() != three.size()) {
      fail(node, fmt::format("`{}` must be a list of three integers", key));
      return three;
    }
    for (size_t n = 0; n < three.size(); ++n)
      three[n] = uint32_t(integer((*list)[n], key, least, most));
    return three;
  }

  void readConstant(const toml::key& id, const toml::node& value, RecordedPipeline& pipeline) {
    const std::string_view digits = id.str();
    uint32_t specId = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), specId);
    if (error != std::errc() || end != digits.data() + digits.size()) {
      fail(id.source(), fmt::format("constant `{}`: constants are named by their SpecId, such as "
                                    "`constants = {{ 0 = 64 }}`",
                                    digits));
      return;
    }
    SpecValue written;
    if (const auto whole = value.value_exact<int64_t>()) {
      written = SpecValue::ofWhole(*whole);
      written.form = SpecValue::Form::Bits;
    } else if (const auto isTrue = value.value_exact<bool>()) {
      written = SpecValue::ofTruth(*isTrue);
    } else if (const auto real = value.value_exact<double>()) {
      written = SpecValue::ofFraction(*real);
    } else {
      fail(value, fmt::format("constant `{}` must be an integer, a boolean or a float, not {}",
                              digits, typeName(value)));
    }
    pipeline.constants[specId] = written.bits;
    pipeline.written[specId] = std::move(written);
  }

  RecordedDispatch dispatchOf(const toml::table& t) {
    checkKeys(t, "of a dispatch", {"groups", "indirect", "count"});
    RecordedDispatch d;
    const toml::node* indirect = t.get("indirect");
    const bool isIndirect = indirect && indirect->value_exact<bool>().value_or(false);
    if (indirect && !indirect->is_boolean()) fail(*indirect, "`indirect` must be true or false");
    const toml::node* groups = t.get("groups");
    if (!groups && !isIndirect)
      fail(t, "a dispatch needs `groups = [X, Y, Z]` or `indirect = true`");
    if (groups && isIndirect) fail(*groups, "`groups` of an indirect dispatch are in a buffer");
    if (groups && !isIndirect) d.groups = threeOf(*groups, "groups", 0, UINT32_MAX);
    if (const toml::node* count = t.get("count"))
      d.count = uint64_t(integer(*count, "count", 0, INT64_MAX));
    return d;
  }

  RecordedPipelines pipelines_;
};

std::string constantsText(const RecordedPipeline& pipeline) {
  std::string text;
  for (const auto& [id, bits] : pipeline.constants)
    text += fmt::format("{}{} = {}", text.empty() ? "" : ", ", id, int64_t(bits));
  return text;
}

std::string dispatchesText(const RecordedPipeline& pipeline) {
  std::string text;
  for (const RecordedDispatch& d : pipeline.dispatches)
    text += d.groups ? fmt::format("  {{ groups = [{}], count = {} }},\n",
                                   fmt::join(*d.groups, ", "), d.count)
                     : fmt::format("  {{ indirect = true, count = {} }},\n", d.count);
  return text;
}

} // namespace

double RecordedPipeline::workgroups() const {
  double sum = 0;
  for (const RecordedDispatch& d : dispatches) {
    const std::array<uint32_t, 3> groups = d.groups.value_or(std::array<uint32_t, 3>{1, 1, 1});
    sum += double(d.count) * groups[0] * groups[1] * groups[2];
  }
  return sum;
}

std::string asToml(const RecordedPipeline& p) {
  std::string text = "\n[[pipeline]]\n";
  auto add = [&](const char* key, const std::string& value) {
    if (!value.empty()) text += fmt::format("{} = {}\n", key, tomlText(value));
  };
  add("module", p.module);
  add("file", p.file);
  add("entry", p.entry);
  add("name", p.name);
  add("source", p.source);
  if (p.workgroupSize)
    text += fmt::format("workgroup-size = [{}]\n", fmt::join(*p.workgroupSize, ", "));
  if (p.subgroupSize != 0) text += fmt::format("required-subgroup-size = {}\n", p.subgroupSize);
  if (!p.constants.empty()) text += fmt::format("constants = {{ {} }}\n", constantsText(p));
  if (!p.dispatches.empty()) text += fmt::format("dispatches = [\n{}]\n", dispatchesText(p));
  add("optimized", p.optimized);
  return text;
}

Status addPipelinesFile(OutputFiles& files, const std::string& path, std::string_view writer,
                        RecordedPipelines pipelines, std::map<std::string, std::string> modules) {
  if (path == "-")
    return failure("-: modules come into a folder beside this file, which needs a name");
  const std::filesystem::path folder = std::filesystem::path(path).replace_extension(".modules");
  std::string text = fmt::format("# Compute pipelines, written by lanewise {}. A constant is its "
                                 "SpecId and the bits of its value.\n",
                                 writer);
  for (RecordedPipeline& pipeline : pipelines) {
    if (modules.contains(pipeline.module))
      pipeline.file = fmt::format("{}/{}.spv", folder.filename().string(), pipeline.module);
    text += asToml(pipeline);
  }
  if (!modules.empty())
    if (Status made = makeFolder(folder.string()); !made) return made;
  for (auto& [hash, bytes] : modules)
    files.add((folder / (hash + ".spv")).string(), std::move(bytes));
  files.add(path, std::move(text));
  return ok();
}

Result<RecordedPipelines> readPipelines(const std::string& path) {
  if (isFossilize(path)) {
    Result<FossilizePipelines> read = readFossilize({&path, 1});
    if (!read) return read.error();
    if (read->pipelines.empty())
      return failure(fmt::format("{}: it has no compute pipeline with its module", path));
    return std::move(read->pipelines);
  }
  Result<std::string> text = readFile(path);
  if (!text) return failure(fmt::format("{}: {}", path, text.error().message));
  keepFile(path);
  return PipelinesReader(path).run(*text);
}

} // namespace lanewise::driver
