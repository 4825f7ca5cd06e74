// What a pass did, what it left alone, and why. Collected as values; the driver prints them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace lanewise {

/// A place in the shader's source, from OpLine or DebugLine; line 0 when the module has no lines.
struct SourceLocation {
  std::string file;
  uint32_t line = 0;
  uint32_t column = 0;
  bool operator==(const SourceLocation&) const = default;
};

/// A row below a remark's message, such as an access of an array.
struct RemarkRow {
  std::string subject;            ///< what it is about: "line 30", "group 0"; empty: none
  uint32_t line = 0;              ///< of the remark's file, where that is a line; else 0
  std::vector<std::string> cells; ///< "Load of 4 bytes", "degree 32 -> 1"
  /// "line 30: Load of 4 bytes, degree 32 -> 1"
  std::string text() const;
  bool operator==(const RemarkRow&) const = default;
};

/// A place that belongs to a remark or finding, and what it has to do with it.
struct RemarkNote {
  SourceLocation location; ///< line 0 when it is not known
  std::string message;     ///< without a trailing period
  std::string subject;     ///< the variable that it speaks of, as the source names it; or ""
  bool operator==(const RemarkNote&) const = default;
};

struct Remark {
  enum class Kind { Applied, Missed, Note, Warning };
  Kind kind = Kind::Note;
  /// Flag of the pass, without dashes.
  std::string pass;
  /// Short stable name of what happened or of the rule that forbade it, for machines:
  /// "padded", "whole-array-load", "unknown-workgroup-size".
  std::string name;
  /// Name of the shader function, or of its entry point; empty for the whole module.
  std::string function;
  SourceLocation location;
  /// One sentence for people, without a trailing period.
  std::string message;
  /// Figures for machines, in the order they are to be printed: {"degree-before", "32"}.
  std::vector<std::pair<std::string, std::string>> args;
  /// A table below the message.
  std::vector<RemarkRow> details;
  /// The variable that it speaks of, as the source names it; or "".
  std::string subject;
  std::vector<RemarkNote> notes;
  /// How many it stands for: more than one of Missed and Applied ones that nobody wants explained,
  /// which have kind, pass and name alone.
  uint32_t count = 1;
};

using Remarks = std::vector<Remark>;

} // namespace lanewise
