// What this process's layer has seen, written to a file as it comes (protocol.h): a program that
// crashes, execs or leaves without a word has left all but the last moments. A disk that is full
// ends the log and nothing else (log_file.h).
#pragma once

#include "layer/log_file.h"

#include <array>
#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace lanewise::layer {

/// The value of a specialization constant as the program hands it over.
struct Constant {
  uint32_t id = 0;
  std::string bytes;
};

/// What a pipeline is made of.
enum class Code : uint8_t {
  Own,      ///< the program's module: left alone, or the driver or the optimizer failed
  Kept,     ///< the program's, for which the optimizer has nothing better
  Late,     ///< the program's, since the optimizer has not finished with it
  Optimized ///< another one
};

/// A compute pipeline as it was created.
struct PipelineFacts {
  uint32_t id = 0, device = 0;
  std::string module; ///< its hash
  std::string entry;
  std::string name; ///< of VK_EXT_debug_utils; "" for none
  std::vector<Constant> constants;
  uint32_t subgroupSize = 0; ///< 0: not asked for
  Code code = Code::Own;
  /// The pipeline that is bound in its place; 0 while there is none. Null where none will be.
  std::shared_ptr<std::atomic<uint64_t>> better = nullptr;
};

/// Workgroups of one dispatch; nothing where a buffer says it.
using Groups = std::optional<std::array<uint32_t, 3>>;

struct DispatchResult {
  uint32_t pipeline = 0;
  Groups groups;
  std::optional<double> nanoseconds; ///< nothing: not measured
  bool overlaps = false;             ///< its time and another one's overlap
  bool isUnordered = false;          ///< no barrier stands between it and another one
  bool isTimable = true;             ///< its queue has timestamps, and they were asked for
};

class Log {
public:
  /// One a process, never destroyed: threads may still call when the program exits.
  static Log& get();

  /// Ids count up from 1.
  uint32_t addDevice(std::string_view name, bool isCpu);
  uint32_t newPipelineId();
  void write(const PipelineFacts& facts);
  /// A module's file, if it is not there yet.
  void saveModule(const std::string& hash, std::string_view bytes);
  /// Dispatches by pipeline that add() will be told of when they are done. `isAtOnce`: before
  /// anything else happens.
  void submitted(const std::map<uint32_t, uint64_t>& dispatches, bool isAtOnce);
  void add(std::span<const DispatchResult> results);
  /// The driver makes nothing of the optimized form of this module.
  void refused(const std::string& hash);

  /// Writes what is in memory, and closes the file.
  void finish();

private:
  struct Row {
    uint32_t id = 0;
    uint64_t dispatches = 0, timed = 0;
    double total = 0;
    /// Of a long run every `weight`-th time is kept, so that memory and file stay small.
    uint64_t weight = 1;
    uint32_t keptAtWeight = 0;
    std::vector<double> samples; ///< not written yet
    bool isDirty = false;
  };
  /// What became of a pipeline's dispatches.
  struct Flight {
    uint64_t submitted = 0, counted = 0;
    bool isDirty = false;
  };
  using RowKey = std::pair<uint64_t, std::array<uint32_t, 3>>;

  Log();
  bool isOurProcess() const;
  Row& rowOf(const DispatchResult& result);
  void emit(Row& row);
  void line(std::string text);
  void flushSometimes();
  void flush();

  std::mutex mutex_;
  LogFile file_;
  int process_ = 0;
  std::string buffer_;
  std::map<RowKey, Row> rows_;
  std::vector<Row*> dirty_;
  std::map<uint32_t, Flight> flights_; ///< by pipeline
  uint32_t devices_ = 0, pipelines_ = 0;
  uint64_t untimable_ = 0; ///< dispatches
  bool isUntimableDirty_ = false;
  uint64_t flushes_ = 0;
  int64_t lastFlush_ = 0;
};

} // namespace lanewise::layer
