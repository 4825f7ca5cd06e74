// The compilers of a run, opened when they are first asked, and what they say of modules.
#pragma once

#include "compilers/compiler_choice.h"
#include "compilers/figures.h"
#include "compilers/pipeline_requests.h"
#include "lanewise/result.h"
#include "verify/device/device_worker.h"

#include <array>
#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lanewise::driver {

/// What one compiler says of one entry point.
struct CompilerRow {
  std::string compiler; ///< CompilerChoice::name
  std::string device;   ///< as its driver calls it
  std::string driver;   ///< name and version
  std::string entry, stage;
  std::optional<std::array<uint32_t, 3>> workgroupSize;
  std::string problem; ///< why there are no figures; "" where there are
  StageFigures figures;
  std::vector<PipelineRepresentation> representations; ///< where they were asked for
};

/// Where compilers run. In a process of its own, what a compiler dies of is told by `problem`.
enum class CompilerIsolation : uint8_t {
  None,     ///< in this process: for workers that are started anew when they die
  Together, ///< one process for all that is asked; what it dies of, as Each
  Each      ///< a process for each compilation
};

class CompilerSet {
public:
  CompilerSet(std::vector<CompilerChoice> choices, CompilerIsolation isolation)
      : choices_(std::move(choices)), isolation_(isolation) {}

  /// Rows in the order of the requests, then of the choices. Compilers that were not asked for by
  /// name and are not there have none.
  std::vector<CompilerRow> compile(const std::vector<StageRequest>& requests);

  const std::vector<CompilerChoice>& choices() const { return choices_; }

private:
  /// A compiler that is open, or why it cannot be.
  struct Opened {
    std::unique_ptr<PipelineCompiler> compiler;
    std::string problem;
    bool isUnknown = false; ///< the installed driver has no such family
  };
  /// The driver, and the name under which it knows a family.
  struct NamedFamily {
    NullDriver driver;
    std::string_view name;
  };
  static Result<std::optional<NamedFamily>> findName(const AmdFamily& family);
  /// Nothing where the process died of it: the next call starts another.
  std::optional<std::vector<CompilerRow>> askProcess(const std::vector<StageRequest>& requests);
  void serve(DeviceConnection& connection, DriverActivity& activity);
  std::vector<CompilerRow> compileHere(const std::vector<StageRequest>& requests,
                                       CompilerIsolation isolation);
  std::vector<CompilerRow> compileWith(const CompilerChoice& choice,
                                       const std::vector<StageRequest>& requests);
  std::vector<CompilerRow> compileIsolated(const CompilerChoice& choice,
                                           const std::vector<StageRequest>& requests);
  Opened& open(const CompilerChoice& choice);
  Opened openFamily(const AmdFamily& family);
  const Result<std::optional<NamedFamily>>& nameOf(const AmdFamily& family);

  std::vector<CompilerChoice> choices_;
  CompilerIsolation isolation_;
  std::unique_ptr<DeviceWorker> process_; ///< of Together, with its compilers open
  std::map<std::string, Opened> opened_;  ///< by name
  /// By the family's name; nothing for those that the installed driver does not have.
  std::map<std::string_view, Result<std::optional<NamedFamily>>> names_;
};

/// Rows as bytes, and back; nothing for bytes that pack() did not make.
std::string pack(const std::vector<CompilerRow>& rows);
std::optional<std::vector<CompilerRow>> unpackRows(std::string_view bytes);

} // namespace lanewise::driver
