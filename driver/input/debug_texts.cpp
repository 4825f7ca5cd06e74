#include "input/debug_texts.h"

#include "ir/newer_enumerants.h"

#include <algorithm>
#include <string_view>
#include <vector>

namespace lanewise::driver {

namespace {

constexpr size_t kHeaderWords = 5, kWordBytes = 4;
constexpr char kOnes = char(0xFF);

bool isAscii(std::string_view text) {
  return std::ranges::all_of(text, [](char c) { return uint8_t(c) < 128; });
}

/// A string in the words of one instruction, or of several that go on with it.
class StringWords {
public:
  explicit StringWords(std::span<uint32_t> words) { add(words); }
  void add(std::span<uint32_t> words) { pieces_.push_back(words); }

  /// Becomes one of the texts, behind what stands before it, where all is what glslang makes of
  /// that.
  void mend(std::span<const std::string_view> texts) {
    const std::string bytes = read();
    for (std::string_view text : texts)
      // The zero at the end is anywhere in the last word, and may be gone.
      for (size_t padding = 1; padding <= kWordBytes && padding <= bytes.size(); ++padding) {
        const std::string_view found = std::string_view(bytes).substr(0, bytes.size() - padding);
        if (found.size() < text.size()) break;
        const std::string_view before = found.substr(0, found.size() - text.size());
        const bool isWhole = before.empty() || before.ends_with("#line 1\n");
        if (isWhole && isMadeOf(found.substr(before.size()), text))
          return write(std::string(before) + std::string(text));
      }
  }

private:
  static bool isMadeOf(std::string_view found, std::string_view text) {
    return std::equal(found.begin(), found.end(), text.begin(),
                      [](char f, char t) { return f == t || f == kOnes; });
  }

  /// Each piece but the last is full, and has a zero at its end.
  std::string read() const {
    std::string bytes;
    for (const std::span<uint32_t>& piece : pieces_) {
      if (!bytes.empty()) bytes.pop_back();
      for (uint32_t word : piece)
        for (size_t b = 0; b < kWordBytes; ++b) bytes += char(word >> 8 * b);
    }
    return bytes;
  }

  void write(std::string_view text) {
    for (std::span<uint32_t> piece : pieces_) {
      const size_t room = piece.size() * kWordBytes - 1;
      const std::string_view part = text.substr(0, room);
      text.remove_prefix(part.size());
      std::ranges::fill(piece, 0u);
      for (size_t i = 0; i < part.size(); ++i)
        piece[i / kWordBytes] |= uint32_t(uint8_t(part[i])) << 8 * (i % kWordBytes);
    }
  }

  std::vector<std::span<uint32_t>> pieces_;
};

} // namespace

void mendDebugTexts(Words& words, std::span<const SourceText> files) {
  constexpr size_t kStringWord = 2, kSourceWord = 4, kContinuedWord = 1;
  const bool isNeeded = std::ranges::any_of(
      files, [](const SourceText& file) { return !isAscii(file.name) || !isAscii(file.text); });
  if (!isNeeded) return;
  std::vector<std::string_view> names, texts;
  for (const SourceText& file : files) names.push_back(file.name), texts.push_back(file.text);
  const std::span<uint32_t> all(words);
  const auto sizeAt = [&](size_t at) {
    const size_t size = at < all.size() ? all[at] >> 16 : 0;
    return size > 0 && at + size <= all.size() ? size : 0;
  };
  const auto opcodeAt = [&](size_t at) { return spv::Op(all[at] & 0xFFFF); };
  for (size_t at = kHeaderWords; size_t size = sizeAt(at); at += size) {
    if (opcodeAt(at) == spv::Op::OpFunction) return;
    if (opcodeAt(at) == spv::Op::OpString && size > kStringWord) {
      StringWords(all.subspan(at + kStringWord, size - kStringWord)).mend(names);
    } else if (opcodeAt(at) == spv::Op::OpSource && size > kSourceWord) {
      StringWords string(all.subspan(at + kSourceWord, size - kSourceWord));
      for (size_t next = at + size; size_t more = sizeAt(next); next += more) {
        if (opcodeAt(next) != spv::Op::OpSourceContinued) break;
        string.add(all.subspan(next + kContinuedWord, more - kContinuedWord));
      }
      string.mend(texts);
    }
  }
}

} // namespace lanewise::driver
