#include "compilers/compiler_set.h"

#include "compilers/compiler_messages.h"
#include "support/failure.h"
#include "support/files.h"
#include "support/isolate.h"

#include <algorithm>
#include <fcntl.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

namespace lanewise::driver {

namespace {

using Json = nlohmann::json;

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

/// Drivers end the process over a name that they do not know, so each is tried in one of its own.
Result<std::optional<CompilerSet::NamedFamily>> CompilerSet::findName(const AmdFamily& family) {
  Result<NullDriver> driver = findNullDriver();
  if (!driver) return driver.error();
  std::string trouble;
  IsolationLimits limits = defaultIsolation();
  limits.fork = true;
  for (std::string_view name : family.driverNames) {
    const CompilerEnvironment environment(*driver, name);
    Result<std::string> opened = isolate(
        []() -> Result<std::string> {
          Result<DeviceInfo> device = PipelineCompiler::find(0);
          if (!device) return device.error();
          return device->name;
        },
        limits);
    if (opened) return std::optional(NamedFamily{std::move(*driver), name});
    trouble = opened.error().message;
  }
  // It is one thing not to know a name, another not to start at all.
  const bool isUnknown = trouble.find("nknown family") != std::string::npos ||
                         trouble.find("no device") != std::string::npos;
  if (isUnknown) return std::optional<NamedFamily>();
  return failure(trouble);
}

const Result<std::optional<CompilerSet::NamedFamily>>&
CompilerSet::nameOf(const AmdFamily& family) {
  const auto at = names_.find(family.name);
  return at != names_.end() ? at->second
                            : names_.emplace(family.name, findName(family)).first->second;
}

CompilerSet::Opened CompilerSet::openFamily(const AmdFamily& family) {
  Opened opened;
  const Result<std::optional<NamedFamily>>& name = nameOf(family);
  if (!name) {
    opened.problem = name.error().message;
    return opened;
  }
  if (!*name) {
    opened.problem = fmt::format("the installed Mesa has no compiler for {}", family.name);
    opened.isUnknown = true;
    return opened;
  }
  const CompilerEnvironment environment((*name)->driver, (*name)->name);
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
  const bool isHere = isolation_ == CompilerIsolation::None ||
                      (isolation_ == CompilerIsolation::Together && !defaultIsolation().fork);
  if (isHere) return compileHere(requests, CompilerIsolation::None);
  // What a process of its own finds out is lost with it.
  for (const CompilerChoice& choice : choices_)
    if (choice.family) nameOf(*choice.family);
  if (isolation_ == CompilerIsolation::Together)
    if (std::optional<std::vector<CompilerRow>> rows = askProcess(requests))
      return std::move(*rows);
  return compileHere(requests, CompilerIsolation::Each);
}

std::optional<std::vector<CompilerRow>>
CompilerSet::askProcess(const std::vector<StageRequest>& requests) {
  if (!process_ || process_->loss())
    process_ = std::make_unique<DeviceWorker>(
        [this](DeviceConnection& connection, DriverActivity& activity) {
          serve(connection, activity);
        });
  MessageWriter question;
  question.put(requests);
  DeviceAnswer answer;
  if (process_->ask(question, answer)) return std::nullopt;
  return unpackRows(MessageReader(answer.head).get<std::string>());
}

/// In the process: drivers take longer to open than most modules to compile.
void CompilerSet::serve(DeviceConnection& connection, DriverActivity& activity) {
  limitMemory(defaultIsolation());
  // What drivers print is of no use to who asks for figures.
  if (const Descriptor nothing(::open("/dev/null", O_WRONLY | O_CLOEXEC)); nothing.get() >= 0) {
    ::dup2(nothing.get(), STDOUT_FILENO);
    ::dup2(nothing.get(), STDERR_FILENO);
  }
  std::string head;
  uint64_t bulkBytes = 0; // none
  while (connection.receive(head, bulkBytes)) {
    activity.begin(DriverActivity::Kind::Compiling, "module");
    MessageWriter answer;
    answer.put(pack(compileHere(MessageReader(head).get<std::vector<StageRequest>>(),
                                CompilerIsolation::None)));
    if (!connection.send(answer)) return;
  }
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
