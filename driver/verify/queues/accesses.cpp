#include "verify/queues/accesses.h"

#include <algorithm>

namespace lanewise::driver {
namespace {

void append(ByteRanges& to, ByteRange range) {
  if (range.begin >= range.end) return;
  if (!to.empty() && range.begin <= to.back().end)
    to.back().end = std::max(to.back().end, range.end);
  else
    to.push_back(range);
}

bool overlap(std::span<const ByteRange> a, std::span<const ByteRange> b) {
  for (size_t i = 0, j = 0; i < a.size() && j < b.size();) {
    if (std::max(a[i].begin, b[j].begin) < std::min(a[i].end, b[j].end)) return true;
    if (a[i].end < b[j].end)
      ++i;
    else
      ++j;
  }
  return false;
}

} // namespace

ByteRanges intersection(std::span<const ByteRange> a, std::span<const ByteRange> b) {
  ByteRanges both;
  for (size_t i = 0, j = 0; i < a.size() && j < b.size();) {
    append(both, {std::max(a[i].begin, b[j].begin), std::min(a[i].end, b[j].end)});
    if (a[i].end < b[j].end)
      ++i;
    else
      ++j;
  }
  return both;
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
  if (a.buffer != b.buffer) return {};
  // Writes against all that the other does, and atomics against what it reads.
  auto oneWay = [](const BufferAccesses& x, const BufferAccesses& y) {
    const ByteRanges all = unionOf(unionOf(y.reads, y.writes), y.atomics);
    return unionOf(intersection(x.writes, all), intersection(x.atomics, y.reads));
  };
  return unionOf(oneWay(a, b), oneWay(b, a));
}

bool areAtOdds(const BufferAccesses& a, const BufferAccesses& b) {
  if (a.buffer != b.buffer) return false;
  auto oneWay = [](const BufferAccesses& x, const BufferAccesses& y) {
    return overlap(x.writes, y.reads) || overlap(x.writes, y.writes) ||
           overlap(x.writes, y.atomics) || overlap(x.atomics, y.reads);
  };
  return oneWay(a, b) || oneWay(b, a);
}

} // namespace lanewise::driver
