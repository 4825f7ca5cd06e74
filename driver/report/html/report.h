// What `--html` writes: one page that needs nothing else, of what changed, what was compared, and
// how long it took (docs/report.md). Only text is made here; nothing is read or written.
#pragma once

#include "lanewise/remarks.h"
#include "verify/verify.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lanewise::driver {

/// Those lines of a file that are to be shown. A gap in the numbers is shown as one.
struct ReportSource {
  std::string file; ///< as locations in remarks and findings name it
  std::map<uint32_t, std::string> lines;
};

/// A unified diff.
struct ReportDiff {
  std::string title; ///< what of: "SPIR-V of blur.comp"
  std::string text;
  uint64_t linesLeftOut = 0; ///< at its end
};

/// Rows of text.
struct ReportTable {
  enum class Role : uint8_t { Plain, Good, Bad };
  struct Row {
    std::vector<std::string> cells;
    Role role = Role::Plain;
  };
  std::string title, note;
  bool isFirst = false; ///< what the page is for: it stands above remarks and all else
  std::vector<std::string> header;
  std::vector<Row> rows;
  /// A letter for each column: 'R' for what is compared by size, to the right and in one line; 'P'
  /// for places, which may break anywhere; 'L' for all else, as where there is no letter.
  std::string sides = {};
};

enum class ReportState {
  Done,       ///< nobody asked for a verification
  Verified,   ///< outputs agree, or the module is unchanged
  Unverified, ///< could not be compared; `reason` says why
  Unsound,    ///< the original does not agree with itself
  Differs,    ///< the module that was given is wrong
  Fallback,   ///< the output is the input, because optimizing it failed; `reason` says how
  Failed      ///< there is no output; `reason` is the error
};

/// One module with all that is known of it; of a program, one more stands for the whole.
struct ReportSubject {
  std::string name;
  ReportState state = ReportState::Done;
  std::string reason;
  bool isInputKept = false;    ///< in place of what could not be verified
  bool isUnchanged = false;    ///< the output is the input
  bool ranSpirvOpt = false;    ///< or only canonical passes, beside those that give remarks
  bool isComparison = false;   ///< of given modules: nothing was rewritten here
  bool keepsOriginal = false;  ///< of several, the original is chosen
  bool isWhole = false;        ///< speaks of all modules of a program together
  uint64_t moduleRewrites = 0; ///< of a whole program: applied in its modules
  /// Of the modules as they are written, without lines where these are taken out. 0: not known.
  uint64_t bytesBefore = 0, bytesAfter = 0;
  Remarks remarks;
  std::vector<ReportSource> sources; ///< of what remarks and findings speak of
  std::vector<ReportDiff> diffs;
  std::optional<VerifyReport> verification;
  std::optional<double> predictedRatio; ///< of times, by a compiler, where no device measured any
  std::vector<ReportTable> tables;      ///< sections of their own
  std::string note;                     ///< one sentence about this subject
};

/// A subject as it stands on the page: what tables say of it, and its sections as HTML. Small
/// enough to be kept for thousands of files, where subjects are not.
struct ReportEntry {
  std::string name;
  ReportState state = ReportState::Done;
  std::string stateText; ///< "verified, a pass undone"
  std::string reason;
  bool isWhole = false, isUnchanged = false;
  uint64_t applied = 0, missed = 0, undone = 0; ///< remarks
  uint64_t bytesBefore = 0, bytesAfter = 0;
  std::optional<double> ratio;             ///< of times
  bool isFaster = false, isSlower = false; ///< beyond doubt, on a device whose times count
  bool isCpuDevice = false;
  bool isPredicted = false; ///< the ratio: no device measured it
  std::string device, driver;
  std::string cards;               ///< the answer
  std::string all, remarks, brief; ///< everything; without source and code; without remarks as well
  bool operator==(const ReportEntry&) const = default;
};
ReportEntry entryOf(const ReportSubject& subject);

/// As bytes to be kept elsewhere, and back; nothing for others.
std::string pack(const ReportEntry& entry);
std::optional<ReportEntry> unpackEntry(std::string_view bytes);

struct ReportFact {
  std::string name, value;
};

struct ReportPage {
  std::string command; ///< "opt", "verify", "batch"
  std::string title;
  std::vector<ReportFact> facts; ///< options, versions
  std::vector<ReportEntry> entries;
};

/// Remarks about passes that were taken back or left out.
bool isUndone(const Remark& remark);

/// The page: HTML with its style and script inside. Equal pages give equal text. Of many entries
/// those that need a look stand first, and details end where the page would become too large to
/// use, which it then says.
std::string htmlReport(const ReportPage& page);

} // namespace lanewise::driver
