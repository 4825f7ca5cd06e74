#include "compilers/compiler_set.h"

#include "support/failure.h"
#include "support/isolate.h"

#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace lanewise::driver {

namespace {

using Json = nlohmann::json;

/// The name under which the installed driver knows the family; nothing for none. Drivers end the
/// process over a name that they do not know, so each is tried in one of its own.
Result<std::optional<std::string_view>> nameInDriver(const NullDriver& driver,
                                                     const AmdFamily& family) {
  std::string trouble;
  IsolationLimits limits = defaultIsolation();
  limits.fork = true;
  for (std::string_view name : family.driverNames) {
    const CompilerEnvironment environment(driver, name);
    Result<std::string> opened = isolate(
        []() -> Result<std::string> {
          Result<DeviceInfo> device = PipelineCompiler::find(0);
          if (!device) return device.error();
          return device->name;
        },
        limits);
    if (opened) return std::optional(name);
    trouble = opened.error().message;
  }
  // It is one thing not to know a name, another not to start at all.
  const bool isUnknown = trouble.find("nknown family") != std::string::npos ||
                         trouble.find("no device") != std::string::npos;
  if (isUnknown) return std::optional<std::string_view>();
  return failure(trouble);
}

Json asJson(const CompilerRow& row) {
  Json json = {{"compiler", row.compiler},
               {"device", row.device},
               {"driver", row.driver},
               {"entry", row.entry},
               {"stage", row.stage},
               {"problem", row.problem},
               {"limits", row.figures.limits},
               {"all", row.figures.all},
               {"subgroup_size", row.figures.subgroupSize},
               {"max_occupancy", row.figures.maxOccupancy}};
  if (row.workgroupSize) json["workgroup_size"] = *row.workgroupSize;
  for (Figure figure : allFigures())
    if (const auto value = row.figures[figure])
      json["figures"][std::string(infoOf(figure).key)] = *value;
  for (const PipelineRepresentation& one : row.representations)
    json["representations"].push_back({one.name, one.text});
  return json;
}

CompilerRow rowOf(const Json& json) {
  CompilerRow row;
  json.at("compiler").get_to(row.compiler);
  json.at("device").get_to(row.device);
  json.at("driver").get_to(row.driver);
  json.at("entry").get_to(row.entry);
  json.at("stage").get_to(row.stage);
  json.at("problem").get_to(row.problem);
  json.at("limits").get_to(row.figures.limits);
  json.at("all").get_to(row.figures.all);
  json.at("subgroup_size").get_to(row.figures.subgroupSize);
  json.at("max_occupancy").get_to(row.figures.maxOccupancy);
  if (json.contains("workgroup_size"))
    row.workgroupSize = json["workgroup_size"].get<std::array<uint32_t, 3>>();
  if (json.contains("figures"))
    for (Figure figure : allFigures())
      if (const auto value = json["figures"].find(infoOf(figure).key);
          value != json["figures"].end())
        row.figures[figure] = value->get<double>();
  if (json.contains("representations"))
    for (const Json& one : json["representations"])
      row.representations.push_back({one.at(0).get<std::string>(), one.at(1).get<std::string>()});
  return row;
}

CompilerRow blankRow(const CompilerChoice& choice, const StageRequest& request) {
  CompilerRow row;
  row.compiler = choice.name;
  row.entry = request.entry;
  row.stage = request.stage;
  row.workgroupSize = request.workgroupSize;
  row.problem = request.problem;
  return row;
}

} // namespace

std::string pack(const std::vector<CompilerRow>& rows) {
  Json all = Json::array();
  for (const CompilerRow& row : rows) all.push_back(asJson(row));
  return all.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::optional<std::vector<CompilerRow>> unpackRows(std::string_view bytes) {
  try {
    const Json json = Json::parse(bytes);
    std::vector<CompilerRow> rows;
    for (const Json& row : json) rows.push_back(rowOf(row));
    return rows;
  } catch (const Json::exception&) {
    return std::nullopt;
  }
}

CompilerSet::Opened CompilerSet::openFamily(const AmdFamily& family) {
  Opened opened;
  Result<NullDriver> driver = findNullDriver();
  if (!driver) {
    opened.problem = driver.error().message;
    return opened;
  }
  Result<std::optional<std::string_view>> name = nameInDriver(*driver, family);
  if (!name) {
    opened.problem = name.error().message;
    return opened;
  }
  if (!*name) {
    opened.problem = fmt::format("the installed Mesa has no compiler for {}", family.name);
    opened.isUnknown = true;
    return opened;
  }
  const CompilerEnvironment environment(*driver, **name);
  Result<std::unique_ptr<PipelineCompiler>> compiler = PipelineCompiler::open(0);
  if (compiler)
    opened.compiler = std::move(*compiler);
  else
    opened.problem = compiler.error().message;
  return opened;
}

CompilerSet::Opened& CompilerSet::open(const CompilerChoice& choice) {
  const auto [at, isNew] = opened_.try_emplace(choice.name);
  if (!isNew) return at->second;
  if (choice.family) return at->second = openFamily(*choice.family);
  Result<std::unique_ptr<PipelineCompiler>> compiler = PipelineCompiler::open(choice.device);
  if (compiler)
    at->second.compiler = std::move(*compiler);
  else
    at->second.problem = compiler.error().message;
  return at->second;
}

std::vector<CompilerRow> CompilerSet::compileWith(const CompilerChoice& choice,
                                                  const std::vector<StageRequest>& requests) {
  const Opened& opened = open(choice);
  std::vector<CompilerRow> rows;
  if (opened.isUnknown && !choice.isAsked) return rows;
  for (const StageRequest& request : requests) {
    CompilerRow row = blankRow(choice, request);
    if (!opened.compiler) {
      if (row.problem.empty()) row.problem = opened.problem;
      rows.push_back(std::move(row));
      continue;
    }
    const CompilerDevice& device = opened.compiler->device();
    row.device = device.info.name;
    row.driver = device.info.driver;
    if (row.problem.empty()) {
      Result<CompiledStage> compiled = opened.compiler->compile(request.pipeline);
      OccupancyContext context;
      context.limits = &device.limits;
      if (choice.family) context.sharedPerSimd = choice.family->sharedPerSimd;
      if (row.workgroupSize)
        context.invocations =
            uint64_t((*row.workgroupSize)[0]) * (*row.workgroupSize)[1] * (*row.workgroupSize)[2];
      if (compiled) {
        row.figures = figuresOf(*compiled, context);
        row.representations = std::move(compiled->representations);
      } else {
        row.problem = compiled.error().message;
      }
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

std::vector<CompilerRow> CompilerSet::compileIsolated(const CompilerChoice& choice,
                                                      const std::vector<StageRequest>& requests) {
  std::vector<CompilerRow> rows;
  IsolationLimits limits = defaultIsolation();
  limits.fork = true;
  for (const StageRequest& request : requests) {
    Result<std::string> packed = isolate(
        [&]() -> Result<std::string> { return pack(compileWith(choice, {request})); }, limits);
    std::optional<std::vector<CompilerRow>> some;
    if (packed) some = unpackRows(*packed);
    if (!some) {
      some.emplace(1, blankRow(choice, request));
      some->front().problem = packed
                                  ? "an answer that makes no sense"
                                  : fmt::format("the driver's compiler {}", packed.error().message);
    }
    std::move(some->begin(), some->end(), std::back_inserter(rows));
  }
  return rows;
}

std::vector<CompilerRow> CompilerSet::compile(const std::vector<StageRequest>& requests) {
  if (isolation_ != CompilerIsolation::Together) return compileHere(requests, isolation_);
  Result<std::string> packed = isolate(
      [&]() -> Result<std::string> { return pack(compileHere(requests, CompilerIsolation::None)); },
      defaultIsolation());
  std::optional<std::vector<CompilerRow>> rows;
  if (packed) rows = unpackRows(*packed);
  return rows ? std::move(*rows) : compileHere(requests, CompilerIsolation::Each);
}

std::vector<CompilerRow> CompilerSet::compileHere(const std::vector<StageRequest>& requests,
                                                  CompilerIsolation isolation) {
  std::vector<std::vector<CompilerRow>> byChoice;
  for (const CompilerChoice& choice : choices_)
    byChoice.push_back(isolation == CompilerIsolation::Each ? compileIsolated(choice, requests)
                                                            : compileWith(choice, requests));
  // By entry point, then by compiler.
  std::vector<CompilerRow> rows;
  for (size_t i = 0; i < requests.size(); ++i)
    for (std::vector<CompilerRow>& some : byChoice)
      if (i < some.size()) rows.push_back(std::move(some[i]));
  return rows;
}

} // namespace lanewise::driver
