#include "run/run_data.h"

#include "layer/protocol.h"
#include "support/failure.h"
#include "support/files.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <numeric>
#include <set>

namespace lanewise::driver {

namespace {

namespace fs = std::filesystem;

/// The bits of a value of up to eight bytes, from its bytes in hexadecimal, the lowest first.
uint64_t bitsOf(const std::string& hex) {
  uint64_t bits = 0;
  for (size_t n = 0; n + 1 < hex.size() && n < 16; n += 2)
    bits |= uint64_t(std::stoul(hex.substr(n, 2), nullptr, 16)) << (4 * n);
  return bits;
}

void addOnce(std::vector<std::string>& all, const std::string& one) {
  if (std::find(all.begin(), all.end(), one) == all.end()) all.push_back(one);
}

/// What one process wrote, as it is read line by line.
class LogReader {
public:
  explicit LogReader(RunData& data, std::set<std::string>& devices)
      : data_(data), devices_(devices) {}

  void read(std::string_view text) {
    while (!text.empty()) {
      const size_t end = std::min(text.find('\n'), text.size());
      const nlohmann::json line = nlohmann::json::parse(text.substr(0, end), nullptr, false);
      text.remove_prefix(std::min(end + 1, text.size()));
      if (!line.is_object()) continue;
      try {
        take(line);
      } catch (const nlohmann::json::exception&) {
      } // cut off, or not ours
    }
  }

  /// Adds what was read to the data.
  void finish(std::map<std::string, size_t>& places) {
    data_.untimable += untimable_;
    for (const auto& [id, pipeline] : pipelines_) {
      const std::string key = keyOf(pipeline);
      const auto [at, isNew] = places.try_emplace(key, data_.pipelines.size());
      if (isNew) data_.pipelines.push_back(pipeline); // has no sizes yet
      PipelineTimes& to = data_.pipelines[at->second];
      to.created += id != 0;
      if (const auto code = codes_.find(id); code != codes_.end()) {
        to.optimized += code->second == "optimized";
        to.kept += code->second == "kept";
        to.late += code->second == "late";
      }
      uint64_t counted = 0;
      for (const auto& [rowId, row] : rows_)
        if (row.pipeline == id) {
          add(row, to);
          counted += row.dispatches;
        }
      if (const auto all = submitted_.find(id); all != submitted_.end() && all->second > counted)
        to.pending += all->second - counted;
    }
  }

private:
  struct Row {
    uint64_t pipeline = 0;
    bool overlaps = false, isUnordered = false;
    std::optional<std::array<uint32_t, 3>> groups;
    uint64_t dispatches = 0, timed = 0;
    double total = 0;
    std::vector<std::pair<double, uint64_t>> samples;
  };

  void take(const nlohmann::json& line) {
    if (line.contains("counts")) return takeCounts(line);
    if (line.contains("row")) {
      Row& row = rows_[line.at("row").get<uint64_t>()];
      row.pipeline = line.at("pipeline").get<uint64_t>();
      row.overlaps = line.at("overlaps").get<bool>();
      row.isUnordered = line.at("unordered").get<bool>();
      if (!line.at("groups").is_null())
        row.groups = line.at("groups").get<std::array<uint32_t, 3>>();
      pipelines_.try_emplace(row.pipeline); // dispatched without one that the layer knows
    } else if (line.contains("pipeline")) {
      takePipeline(line);
    } else if (line.contains("device")) {
      const std::string name = line.at("name").get<std::string>();
      if (devices_.insert(name).second) data_.devices.push_back(name);
      data_.hasGpu |= !line.value("cpu", false);
    } else if (line.contains("submitted")) {
      const uint64_t id = line.at("submitted").get<uint64_t>();
      submitted_[id] = line.at("dispatches").get<uint64_t>();
      pipelines_.try_emplace(id);
    } else if (line.contains("untimable")) {
      untimable_ = line.at("untimable").get<uint64_t>();
    } else if (line.contains("refused")) {
      addOnce(data_.refused, line.at("refused").get<std::string>());
    } else if (line.contains("process")) {
      ++data_.processes;
      data_.isOfOtherLayer |= line.value("protocol", 0) != layer::kProtocol;
    }
  }

  void takePipeline(const nlohmann::json& line) {
    PipelineTimes& pipeline = pipelines_[line.at("pipeline").get<uint64_t>()];
    pipeline.module = line.at("module").get<std::string>();
    pipeline.entry = line.at("entry").get<std::string>();
    pipeline.name = line.at("name").get<std::string>();
    pipeline.subgroupSize = line.at("subgroup").get<uint32_t>();
    codes_[line.at("pipeline").get<uint64_t>()] = line.at("code").get<std::string>();
    pipeline.constants.clear();
    for (const nlohmann::json& constant : line.at("constants"))
      pipeline.constants[constant.at(0).get<uint32_t>()] =
          bitsOf(constant.at(1).get<std::string>());
  }

  void takeCounts(const nlohmann::json& line) {
    Row& row = rows_[line.at("counts").get<uint64_t>()];
    row.dispatches = line.at("dispatches").get<uint64_t>();
    row.timed = line.at("timed").get<uint64_t>();
    row.total = line.at("total").get<double>();
    const uint64_t weight = line.at("weight").get<uint64_t>();
    for (const nlohmann::json& sample : line.at("samples"))
      row.samples.emplace_back(sample.get<double>(), weight);
  }

  static std::string keyOf(const PipelineTimes& pipeline) {
    std::string key = fmt::format("{}\n{}\n{}\n{}", pipeline.module, pipeline.entry,
                                  pipeline.subgroupSize, pipeline.name);
    for (const auto& [id, bits] : pipeline.constants) key += fmt::format("\n{}:{}", id, bits);
    return key;
  }

  static void add(const Row& row, PipelineTimes& to) {
    auto at = std::find_if(to.sizes.begin(), to.sizes.end(),
                           [&](const SizeTimes& s) { return s.groups == row.groups; });
    if (at == to.sizes.end())
      at = to.sizes.insert(at, SizeTimes{row.groups, 0, 0, 0, 0, 0, {}, {}});
    at->dispatches += row.dispatches;
    if (row.isUnordered) at->unordered += row.dispatches;
    auto& samples = row.overlaps ? at->overlappingSamples : at->samples;
    samples.insert(samples.end(), row.samples.begin(), row.samples.end());
    if (row.overlaps) {
      at->overlapping += row.dispatches;
    } else {
      at->timed += row.timed;
      at->total += row.total;
    }
  }

  RunData& data_;
  std::set<std::string>& devices_;
  std::map<uint64_t, PipelineTimes> pipelines_;
  std::map<uint64_t, Row> rows_;
  std::map<uint64_t, std::string> codes_;  ///< by pipeline
  std::map<uint64_t, uint64_t> submitted_; ///< dispatches by pipeline
  uint64_t untimable_ = 0;
};

/// Why logs in the folder are not there, or end early.
std::vector<std::string> lostIn(const std::string& folder) {
  std::vector<std::string> lost;
  std::error_code failed;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, failed)) {
    const std::string suffix = entry.path().extension().string();
    if (suffix.starts_with(layer::kFailedSuffix))
      addOnce(lost, std::strerror(std::atoi(suffix.c_str() + std::strlen(layer::kFailedSuffix))));
  }
  return lost;
}

std::optional<double> weightedMedian(std::vector<std::pair<double, uint64_t>> samples) {
  if (samples.empty()) return {};
  std::sort(samples.begin(), samples.end());
  uint64_t all = 0, below = 0;
  for (const auto& [value, weight] : samples) all += weight;
  for (size_t n = 0; n < samples.size(); ++n) {
    below += samples[n].second;
    if (2 * below == all && n + 1 < samples.size())
      return (samples[n].first + samples[n + 1].first) / 2;
    if (2 * below >= all) return samples[n].first;
  }
  return samples.back().first;
}

/// Of names that count up the later behind the earlier, so that runs are read in their order.
std::vector<fs::path> logsIn(const std::string& folder) {
  std::vector<fs::path> logs;
  std::error_code failed;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, failed))
    if (entry.path().extension() == layer::kLogSuffix) logs.push_back(entry.path());
  std::sort(logs.begin(), logs.end());
  return logs;
}

} // namespace

uint64_t PipelineTimes::dispatches() const {
  return std::accumulate(sizes.begin(), sizes.end(), uint64_t(0),
                         [](uint64_t sum, const SizeTimes& s) { return sum + s.dispatches; });
}

uint64_t PipelineTimes::timed() const {
  return std::accumulate(sizes.begin(), sizes.end(), uint64_t(0),
                         [](uint64_t sum, const SizeTimes& s) { return sum + s.timed; });
}

uint64_t PipelineTimes::overlapping() const {
  return std::accumulate(sizes.begin(), sizes.end(), uint64_t(0),
                         [](uint64_t sum, const SizeTimes& s) { return sum + s.overlapping; });
}

uint64_t PipelineTimes::unordered() const {
  return std::accumulate(sizes.begin(), sizes.end(), uint64_t(0),
                         [](uint64_t sum, const SizeTimes& s) { return sum + s.unordered; });
}

double PipelineTimes::total() const {
  return std::accumulate(sizes.begin(), sizes.end(), 0.0,
                         [](double sum, const SizeTimes& s) { return sum + s.total; });
}

std::optional<double> PipelineTimes::median() const {
  SizeTimes all;
  for (const SizeTimes& size : sizes) {
    all.samples.insert(all.samples.end(), size.samples.begin(), size.samples.end());
    all.overlappingSamples.insert(all.overlappingSamples.end(), size.overlappingSamples.begin(),
                                  size.overlappingSamples.end());
  }
  return medianOf(all);
}

std::optional<double> medianOf(const SizeTimes& size) {
  return weightedMedian(size.samples.empty() ? size.overlappingSamples : size.samples);
}

uint64_t RunData::pending() const {
  return std::accumulate(pipelines.begin(), pipelines.end(), uint64_t(0),
                         [](uint64_t sum, const PipelineTimes& p) { return sum + p.pending; });
}

double RunData::total() const {
  return std::accumulate(pipelines.begin(), pipelines.end(), 0.0,
                         [](double sum, const PipelineTimes& p) { return sum + p.total(); });
}

std::vector<const PipelineTimes*> RunData::dispatched() const {
  std::vector<const PipelineTimes*> dispatched;
  for (const PipelineTimes& pipeline : pipelines)
    if (pipeline.dispatches() > 0) dispatched.push_back(&pipeline);
  std::stable_sort(
      dispatched.begin(), dispatched.end(),
      [](const PipelineTimes* a, const PipelineTimes* b) { return a->total() > b->total(); });
  return dispatched;
}

Result<RunData> readRunData(const std::string& folder) {
  RunData data;
  std::set<std::string> devices;
  std::map<std::string, size_t> places;
  for (const fs::path& log : logsIn(folder)) {
    Result<std::string> text = readRegularFile(log.string());
    if (!text) return failure(fmt::format("{}: {}", log.string(), text.error().message));
    LogReader reader(data, devices);
    reader.read(*text);
    reader.finish(places);
  }
  data.lost = lostIn(folder);
  for (PipelineTimes& pipeline : data.pipelines) {
    std::sort(pipeline.sizes.begin(), pipeline.sizes.end(),
              [](const SizeTimes& a, const SizeTimes& b) { return a.groups < b.groups; });
    describe(pipeline, folder);
  }
  return data;
}

} // namespace lanewise::driver
