// Where the outputs of two programs differ.
#pragma once

#include "lanewise/remarks.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lanewise::driver {

/// An element that differs, and where in it the first scalar is that does.
struct DifferingElement {
  uint64_t index = 0;
  uint32_t offset = 0, bytes = 0;
};

/// The instruction that was the last to store to an element, and the invocation that ran it.
struct ElementWriter {
  std::string shader;
  SourceLocation source;                  ///< line 0 where the module has no lines
  std::string opcode;                     ///< "OpStore"
  uint32_t id = 0;                        ///< in a listing: its pointer or result; 0 if it has none
  uint32_t workgroup = 0, invocation = 0; ///< linear; of the first element that it wrote
  uint64_t elements = 0;                  ///< of those that differ, how many it wrote
};

/// What the interpreter saw of one program that wrote to elements that differ.
struct ElementWriters {
  std::optional<ElementWriter> first; ///< of the first of them; null: nobody wrote it
  std::vector<ElementWriter> others; ///< other instructions that wrote some, those of most in front
};

/// The first differing element and how many there are, for one buffer.
struct BufferDifference {
  std::string buffer;
  uint64_t elements = 0, differing = 0; ///< differing: 0 where it is in the header
  uint64_t firstIndex = 0;
  std::string original, transformed; ///< the first differing values as text
  std::string detail;                ///< one sentence: which comparison failed, by how much
  bool isImage = false;              ///< elements are texels; `detail` says where the first one is
  /// All that differ, ascending, until verify/writers.h has looked at them. Empty where there are
  /// too many, where elements have no place (a multiset), or where none is to blame.
  std::vector<DifferingElement> listed = {};
  /// What all of them have in common, in words: what they hold, and where they are. Empty: nothing
  /// that says something.
  std::string values = {}, pattern = {};
  std::optional<ElementWriters> originalWriters = {}, transformedWriters = {};
  std::string writersUnknown = {}; ///< why these are not known, where that can be mended
  /// Where scalars are compared one by one (OrderRule::Parts): the number of the first that
  /// differs.
  std::optional<uint32_t> part = {};
  /// At a place that is compared as it stands, in a buffer of which the rest depends on the order.
  bool isDeterministic = false;
};

/// One line without its end: "buffer `out`, element 3: 1 against 2 (bitwise; 1 of 64 elements)".
std::string describe(const BufferDifference& difference);
/// One line without its end: "a.comp:7 (OpStore), invocation 3 of workgroup 0".
std::string describe(const ElementWriter& writer);
/// What that leaves out, as far as it is known, one line each: the pattern of all that differ, and
/// who wrote the first in the original and in the other program, by their names.
std::vector<std::string> detailsOf(const BufferDifference& difference, std::string_view original,
                                   std::string_view transformed);
/// What all that differ have in common, in words; empty: nothing that says something.
std::string patternOf(const BufferDifference& difference);

} // namespace lanewise::driver
