#include "support/line_diff.h"

#include <algorithm>
#include <cstdlib>
#include <fmt/format.h>
#include <vector>

namespace lanewise::driver {

namespace {

using Lines = std::vector<std::string_view>;

/// Edits beyond which the search stops: its tables grow with the square of them.
constexpr int kMaxEdits = 4000;
constexpr size_t kContext = 3;

Lines splitLines(std::string_view text) {
  Lines lines;
  while (!text.empty()) {
    size_t end = text.find('\n');
    lines.push_back(text.substr(0, end));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return lines;
}

struct Edit {
  char kind; ///< ' ' in both, '-' only before, '+' only after
  std::string_view line;
};

/// Edits of the part in which the texts differ, by Myers' greedy search and a walk back over its
/// rows.
void findEdits(const Lines& a, const Lines& b, std::vector<Edit>& out) {
  int n = int(a.size()), m = int(b.size());
  int most = std::min(n + m, kMaxEdits);
  std::vector<std::vector<int>> rows; // furthest x on each diagonal -d..d after d edits
  std::vector<int> v(2 * size_t(most) + 3, 0);
  auto at = [&](int k) -> int& { return v[size_t(k + most + 1)]; };
  int edits = -1;
  for (int d = 0; d <= most && edits < 0; ++d) {
    for (int k = -d; k <= d; k += 2) {
      int x = k == -d || (k != d && at(k - 1) < at(k + 1)) ? at(k + 1) : at(k - 1) + 1;
      while (x < n && x - k < m && a[size_t(x)] == b[size_t(x - k)]) ++x;
      at(k) = x;
      if (x >= n && x - k >= m) edits = d;
    }
    rows.emplace_back(v.begin() + (most + 1 - d), v.begin() + (most + 2 + d));
  }
  if (edits < 0) {
    for (std::string_view line : a) out.push_back({'-', line});
    for (std::string_view line : b) out.push_back({'+', line});
    return;
  }
  std::vector<Edit> reversed;
  int x = n, y = m;
  for (int d = edits; d > 0; --d) {
    // Diagonals beyond the row's ends were not reached.
    auto before = [&](int k) {
      return std::abs(k) > d - 1 ? -1 : rows[size_t(d - 1)][size_t(k + d - 1)];
    };
    int k = x - y;
    bool isInsert = k == -d || (k != d && before(k - 1) < before(k + 1));
    int previousK = isInsert ? k + 1 : k - 1;
    int px = before(previousK), py = px - previousK;
    int sx = isInsert ? px : px + 1, sy = isInsert ? py + 1 : py;
    while (x > sx && y > sy) --x, --y, reversed.push_back({' ', a[size_t(x)]});
    reversed.push_back(isInsert ? Edit{'+', b[size_t(py)]} : Edit{'-', a[size_t(px)]});
    x = px, y = py;
  }
  while (x > 0) --x, reversed.push_back({' ', a[size_t(x)]});
  out.insert(out.end(), reversed.rbegin(), reversed.rend());
}

std::vector<Edit> editsOf(const Lines& a, const Lines& b) {
  size_t head = 0, tail = 0;
  while (head < a.size() && head < b.size() && a[head] == b[head]) ++head;
  while (tail < a.size() - head && tail < b.size() - head &&
         a[a.size() - 1 - tail] == b[b.size() - 1 - tail])
    ++tail;
  std::vector<Edit> edits;
  for (size_t i = 0; i < head; ++i) edits.push_back({' ', a[i]});
  findEdits({a.begin() + head, a.end() - tail}, {b.begin() + head, b.end() - tail}, edits);
  for (size_t i = a.size() - tail; i < a.size(); ++i) edits.push_back({' ', a[i]});
  return edits;
}

std::string range(size_t first, size_t count) {
  // By convention an empty range names the line before it.
  return count == 1 ? fmt::format("{}", first)
                    : fmt::format("{},{}", count == 0 ? first - 1 : first, count);
}

} // namespace

std::string unifiedDiff(std::string_view before, std::string_view after,
                        const std::string& beforeName, const std::string& afterName) {
  std::vector<Edit> edits = editsOf(splitLines(before), splitLines(after));
  std::string out;
  size_t lineBefore = 1, lineAfter = 1;
  for (size_t i = 0; i < edits.size();) {
    size_t change = i;
    while (change < edits.size() && edits[change].kind == ' ') ++change;
    if (change == edits.size()) break;
    size_t start = std::max(i, change - std::min(change, kContext));
    lineBefore += start - i, lineAfter += start - i;
    // The hunk goes on while less than two contexts of equal lines separate the changes.
    size_t end = change + 1, equal = 0;
    for (size_t j = change + 1; j < edits.size() && equal <= 2 * kContext; ++j) {
      equal = edits[j].kind == ' ' ? equal + 1 : 0;
      if (equal == 0) end = j + 1;
    }
    end = std::min(end + kContext, edits.size());
    size_t countBefore = 0, countAfter = 0;
    std::string body;
    for (size_t j = start; j < end; ++j) {
      countBefore += edits[j].kind != '+';
      countAfter += edits[j].kind != '-';
      body += fmt::format("{}{}\n", edits[j].kind, edits[j].line);
    }
    if (out.empty()) out = fmt::format("--- {}\n+++ {}\n", beforeName, afterName);
    out += fmt::format("@@ -{} +{} @@\n{}", range(lineBefore, countBefore),
                       range(lineAfter, countAfter), body);
    lineBefore += countBefore, lineAfter += countAfter;
    i = end;
  }
  return out;
}

std::string sideBySide(std::string_view before, std::string_view after, uint32_t columns) {
  constexpr std::string_view kTab = "  ";
  const size_t width = std::max<size_t>(columns, 23) / 2 - 2;
  const auto cut = [&](std::string_view line) {
    std::string text;
    for (char c : line) text += c == '\t' ? std::string(kTab) : std::string(1, c);
    if (text.size() > width) text.resize(width);
    return text;
  };
  std::string out;
  const auto add = [&](std::string_view left, char mark, std::string_view right) {
    std::string line = fmt::format("{:<{}} {} {}", cut(left), width, mark, cut(right));
    line.resize(line.find_last_not_of(' ') + 1);
    out += line + '\n';
  };
  const std::vector<Edit> edits = editsOf(splitLines(before), splitLines(after));
  for (size_t i = 0; i < edits.size();) {
    if (edits[i].kind == ' ') {
      add(edits[i].line, ' ', edits[i].line);
      ++i;
      continue;
    }
    Lines gone, come;
    for (; i < edits.size() && edits[i].kind != ' '; ++i)
      (edits[i].kind == '-' ? gone : come).push_back(edits[i].line);
    for (size_t n = 0; n < std::max(gone.size(), come.size()); ++n)
      add(n < gone.size() ? gone[n] : "",
          n >= come.size()   ? '<'
          : n >= gone.size() ? '>'
                             : '|',
          n < come.size() ? come[n] : "");
  }
  return out;
}

} // namespace lanewise::driver
