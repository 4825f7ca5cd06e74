#include "verify/queues/accesses.h"

#include <algorithm>
#include <array>
#include <utility>

namespace lanewise::driver {
namespace {

void append(ByteRanges& to, ByteRange range) {
  if (range.begin >= range.end) return;
  if (!to.empty() && range.begin <= to.back().end)
    to.back().end = std::max(to.back().end, range.end);
  else
    to.push_back(range);
}

// Calls visit() with each range that is in both, until it says that it has seen enough.
template <class Visit>
void visitCommon(std::span<const ByteRange> a, std::span<const ByteRange> b, Visit&& visit) {
  for (size_t i = 0, j = 0; i < a.size() && j < b.size();) {
    const ByteRange both{std::max(a[i].begin, b[j].begin), std::min(a[i].end, b[j].end)};
    if (both.begin < both.end && !visit(both)) return;
    if (a[i].end < b[j].end)
      ++i;
    else
      ++j;
  }
}

bool overlap(std::span<const ByteRange> a, std::span<const ByteRange> b) {
  bool isAny = false;
  visitCommon(a, b, [&](ByteRange) {
    isAny = true;
    return false;
  });
  return isAny;
}

// What is at odds: writes with all that the other does, and atomics with what it reads.
std::array<std::pair<const ByteRanges*, const ByteRanges*>, 7> oddsOf(const BufferAccesses& a,
                                                                      const BufferAccesses& b) {
  return {{{&a.writes, &b.writes},
           {&a.writes, &b.reads},
           {&a.writes, &b.atomics},
           {&a.atomics, &b.reads},
           {&b.writes, &a.reads},
           {&b.writes, &a.atomics},
           {&b.atomics, &a.reads}}};
}

} // namespace

ByteRanges intersection(std::span<const ByteRange> a, std::span<const ByteRange> b) {
  ByteRanges all;
  visitCommon(a, b, [&](ByteRange both) {
    append(all, both);
    return true;
  });
  return all;
}

ByteRanges unionOf(std::span<const ByteRange> a, std::span<const ByteRange> b) {
  ByteRanges either;
  for (size_t i = 0, j = 0; i < a.size() || j < b.size();)
    if (j == b.size() || (i < a.size() && a[i].begin < b[j].begin))
      append(either, a[i++]);
    else
      append(either, b[j++]);
  return either;
}

ByteRanges difference(std::span<const ByteRange> a, std::span<const ByteRange> b) {
  ByteRanges left;
  size_t j = 0;
  for (ByteRange range : a) {
    while (j < b.size() && b[j].end <= range.begin) ++j;
    for (size_t k = j; k < b.size() && b[k].begin < range.end; ++k) {
      append(left, {range.begin, std::min(b[k].begin, range.end)});
      range.begin = std::max(range.begin, b[k].end);
    }
    append(left, range);
  }
  return left;
}

CommandAccesses accessesOf(const PlannedCopy& copy) {
  const ByteRange from{copy.fromOffset, copy.fromOffset + copy.bytes};
  const ByteRange to{copy.toOffset, copy.toOffset + copy.bytes};
  if (copy.from == copy.to) return {{copy.from, {from}, {to}, {}, kTransferStage}};
  return {{copy.from, {from}, {}, {}, kTransferStage}, {copy.to, {}, {to}, {}, kTransferStage}};
}

ByteRanges conflictOf(const BufferAccesses& a, const BufferAccesses& b) {
  ByteRanges all;
  if (a.buffer != b.buffer) return all;
  for (const auto& [one, other] : oddsOf(a, b)) all = unionOf(all, intersection(*one, *other));
  return all;
}

bool areAtOdds(const BufferAccesses& a, const BufferAccesses& b) {
  return a.buffer == b.buffer && std::ranges::any_of(oddsOf(a, b), [](const auto& pair) {
           return overlap(*pair.first, *pair.second);
         });
}

bool isWrittenFor(const BufferAccesses& a, const BufferAccesses& b) {
  const auto meetsAny = [&](const ByteRanges& written) {
    return overlap(written, b.reads) || overlap(written, b.writes) || overlap(written, b.atomics);
  };
  return a.buffer == b.buffer && (meetsAny(a.writes) || meetsAny(a.atomics));
}

} // namespace lanewise::driver
