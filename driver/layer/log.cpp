#include "layer/log.h"

#include "layer/json_text.h"
#include "layer/protocol.h"
#include "layer/settings.h"

#include <atomic>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <fcntl.h>
#include <unistd.h>
#include <utility>

namespace lanewise::layer {

namespace {

/// Samples that a row keeps of each weight, before it takes only every second one.
constexpr uint32_t kSamplesOfAWeight = 4096;
/// So many times what is seen is written at once; after that, at most once in this many ns.
constexpr uint64_t kPromptFlushes = 1000;
constexpr int64_t kFlushInterval = 20'000'000;
/// What is kept of a log that cannot be written for now.
constexpr size_t kMostBuffered = size_t(1) << 20;

int64_t now() {
  return std::chrono::steady_clock::now().time_since_epoch() / std::chrono::nanoseconds(1);
}

std::string text(double value) {
  char digits[64];
  const auto end =
      std::to_chars(digits, digits + sizeof digits, value, std::chars_format::fixed, 1);
  return {digits, end.ptr};
}

std::string programPath() {
  char path[4096];
  const ssize_t size = ::readlink("/proc/self/exe", path, sizeof path);
  return size > 0 ? std::string(path, size_t(size)) : std::string();
}

const char* nameOf(Code code) {
  switch (code) {
  case Code::Own:
    return "own";
  case Code::Kept:
    return "kept";
  case Code::Late:
    return "late";
  case Code::Optimized:
    return "optimized";
  }
  return "";
}

} // namespace

Log& Log::get() {
  static Log* const log = new Log;
  return *log;
}

Log::Log() : process_(::getpid()) {
  if (settings().isOff()) return;
  line("{\"process\":" + std::to_string(process_) + ",\"program\":" + jsonString(programPath()) +
       ",\"protocol\":" + std::to_string(kProtocol) + "}");
  flush();
}

/// A forked child has our memory, and may neither count what the parent counts nor write its file.
bool Log::isOurProcess() const {
  return process_ == ::getpid();
}

uint32_t Log::addDevice(std::string_view name, bool isCpu) {
  std::lock_guard lock(mutex_);
  line("{\"device\":" + std::to_string(++devices_) + ",\"name\":" + jsonString(name) +
       ",\"cpu\":" + (isCpu ? "true" : "false") + "}");
  return devices_;
}

uint32_t Log::newPipelineId() {
  std::lock_guard lock(mutex_);
  return ++pipelines_;
}

void Log::write(const PipelineFacts& facts) {
  std::string constants;
  for (const Constant& constant : facts.constants)
    constants += (constants.empty() ? "[" : ",[") + std::to_string(constant.id) + ",\"" +
                 hexOf(constant.bytes) + "\"]";
  std::lock_guard lock(mutex_);
  line("{\"pipeline\":" + std::to_string(facts.id) + ",\"device\":" + std::to_string(facts.device) +
       ",\"module\":\"" + facts.module + "\",\"entry\":" + jsonString(facts.entry) +
       ",\"constants\":[" + constants + "],\"subgroup\":" + std::to_string(facts.subgroupSize) +
       ",\"name\":" + jsonString(facts.name) + ",\"code\":\"" + nameOf(facts.code) + "\"}");
  flushSometimes();
}

void Log::saveModule(const std::string& hash, std::string_view bytes) {
  if (settings().isOff() || !isOurProcess()) return;
  const std::string path = settings().data + "/" + hash + ".spv";
  if (::access(path.c_str(), F_OK) == 0) return;
  // Whole or not at all, also beside other threads and processes that save the same.
  static std::atomic<uint32_t> count = 0;
  const std::string temporary =
      path + "." + std::to_string(process_) + "-" + std::to_string(++count);
  const int file = ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (file < 0) return;
  bool isWritten = writeAll(file, bytes);
  isWritten = ::close(file) == 0 && isWritten;
  if (!isWritten || ::rename(temporary.c_str(), path.c_str()) != 0) ::unlink(temporary.c_str());
}

Log::Row& Log::rowOf(const DispatchResult& result) {
  // A direct dispatch may have no workgroups at all, so a bit says which are indirect.
  const uint64_t kind = uint64_t(result.pipeline) << 3 | uint64_t(!result.groups) << 2 |
                        uint64_t(result.isUnordered) << 1 | uint64_t(result.overlaps);
  const std::array<uint32_t, 3> groups = result.groups.value_or(std::array<uint32_t, 3>{});
  const auto [at, isNew] = rows_.try_emplace({kind, groups});
  Row& row = at->second;
  if (!isNew) return row;
  row.id = uint32_t(rows_.size());
  std::string size = "null";
  if (result.groups)
    size = "[" + std::to_string(groups[0]) + "," + std::to_string(groups[1]) + "," +
           std::to_string(groups[2]) + "]";
  line("{\"row\":" + std::to_string(row.id) + ",\"pipeline\":" + std::to_string(result.pipeline) +
       ",\"groups\":" + size + ",\"overlaps\":" + (result.overlaps ? "true" : "false") +
       ",\"unordered\":" + (result.isUnordered ? "true" : "false") + "}");
  return row;
}

void Log::submitted(const std::map<uint32_t, uint64_t>& dispatches, bool isAtOnce) {
  std::lock_guard lock(mutex_);
  for (const auto& [pipeline, count] : dispatches) {
    Flight& flight = flights_[pipeline];
    flight.submitted += count;
    flight.isDirty = true;
  }
  if (!isAtOnce) flushSometimes();
}

void Log::refused(const std::string& hash) {
  std::lock_guard lock(mutex_);
  line("{\"refused\":\"" + hash + "\"}");
  flushSometimes();
}

void Log::add(std::span<const DispatchResult> results) {
  std::lock_guard lock(mutex_);
  for (const DispatchResult& result : results) {
    Row& row = rowOf(result);
    if (!row.isDirty) dirty_.push_back(&row);
    row.isDirty = true;
    ++row.dispatches;
    ++flights_[result.pipeline].counted;
    if (!result.isTimable && settings().times) {
      ++untimable_;
      isUntimableDirty_ = true;
    }
    if (!result.nanoseconds) continue;
    row.total += *result.nanoseconds;
    if (row.timed++ % row.weight != 0) continue;
    row.samples.push_back(*result.nanoseconds);
    if (++row.keptAtWeight < kSamplesOfAWeight) continue;
    emit(row); // with the weight that its samples have
    row.weight *= 2;
    row.keptAtWeight = 0;
  }
  flushSometimes();
}

void Log::emit(Row& row) {
  std::string samples;
  for (const double sample : row.samples) samples += (samples.empty() ? "" : ",") + text(sample);
  row.samples.clear();
  line("{\"counts\":" + std::to_string(row.id) +
       ",\"dispatches\":" + std::to_string(row.dispatches) +
       ",\"timed\":" + std::to_string(row.timed) + ",\"total\":" + text(row.total) +
       ",\"weight\":" + std::to_string(row.weight) + ",\"samples\":[" + samples + "]}");
}

void Log::line(std::string text) {
  buffer_ += text;
  buffer_ += '\n';
}

void Log::flushSometimes() {
  if (flushes_ >= kPromptFlushes && now() - lastFlush_ < kFlushInterval) return;
  flush();
}

void Log::flush() {
  for (Row* row : dirty_) {
    emit(*row);
    row->isDirty = false;
  }
  dirty_.clear();
  if (std::exchange(isUntimableDirty_, false))
    line("{\"untimable\":" + std::to_string(untimable_) + "}");
  for (auto& [pipeline, flight] : flights_)
    if (std::exchange(flight.isDirty, false) && flight.submitted > flight.counted)
      line("{\"submitted\":" + std::to_string(pipeline) +
           ",\"dispatches\":" + std::to_string(flight.submitted) + "}");
  ++flushes_;
  lastFlush_ = now();
  if (settings().isOff() || !isOurProcess() || file_.write(buffer_) || file_.isOver() ||
      buffer_.size() > kMostBuffered)
    buffer_.clear();
}

void Log::finish() {
  // A thread that holds the lock may have been stopped by the exit: then the file stays as it is.
  for (int tries = 0; !mutex_.try_lock(); ++tries) {
    if (tries == 100) return;
    ::usleep(1000);
  }
  flush();
  if (isOurProcess()) file_.close();
  mutex_.unlock();
}

} // namespace lanewise::layer
