// Two ways. Tiles lie one after the other: they are read and written in order, and either side may
// be a pipe. Without tiles the runs of all groups grow at once: the packed side is read or written
// at several places, and stands in a scratch file where it is a pipe.
#include "layout/layout_files.h"

#include "layout/layout_codec.h"
#include "layout/layout_manifest.h"
#include "support/failure.h"
#include "support/files.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

namespace lanewise::driver {
namespace {

constexpr uint64_t kChunkBytes = 256 << 10;      ///< of elements; stays in the second cache
constexpr uint64_t kScatteredBytes = 4 << 20;    ///< the same where each run is written by itself
constexpr uint64_t kLargestTileBytes = 64 << 20; ///< that is kept in memory as a whole

/// Thrown inside this file only.
struct Failed {
  std::string message;
};

/// Bytes read; fewer than asked for at the end of the file only.
template <class Read>
uint64_t readFully(Read read, uint8_t* to, uint64_t bytes, const std::string& name) {
  uint64_t done = 0;
  while (done < bytes) {
    // Linux moves 2^31 bytes at once at most.
    const ssize_t n = read(to + done, std::min<uint64_t>(bytes - done, 1 << 30), done);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) throw Failed{fmt::format("{}: cannot read: {}", name, std::strerror(errno))};
    if (n == 0) break;
    done += uint64_t(n);
  }
  return done;
}

template <class Write>
void writeFully(Write write, const uint8_t* from, uint64_t bytes, const std::string& name) {
  for (uint64_t done = 0; done < bytes;) {
    const ssize_t n = write(from + done, std::min<uint64_t>(bytes - done, 1 << 30), done);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) throw Failed{fmt::format("{}: cannot write: {}", name, std::strerror(errno))};
    done += uint64_t(n);
  }
}

class Input {
public:
  explicit Input(const std::string& path) : name_(path == "-" ? "standard input" : path) {
    Result<Descriptor> opened = openForReading(path);
    if (!opened) throw Failed{fmt::format("{}: {}", name_, opened.error().message)};
    file_ = std::move(*opened);
    struct stat info {};
    const off_t at = ::lseek(file_.get(), 0, SEEK_CUR);
    if (::fstat(file_.get(), &info) == 0 && S_ISREG(info.st_mode) && at >= 0) {
      start_ = uint64_t(at);
      size_ = uint64_t(std::max<off_t>(info.st_size - at, 0));
      (void)::posix_fadvise(file_.get(), 0, 0, POSIX_FADV_SEQUENTIAL);
    }
  }

  const std::string& name() const { return name_; }
  /// Nothing for a pipe.
  const std::optional<uint64_t>& size() const { return size_; }

  uint64_t read(uint8_t* to, uint64_t bytes) const {
    return readFully([&](uint8_t* at, size_t n, uint64_t) { return ::read(file_.get(), at, n); },
                     to, bytes, name_);
  }
  /// Where the file has become shorter meanwhile, an error.
  void readAt(uint64_t offset, uint8_t* to, uint64_t bytes) const {
    const uint64_t got = readFully(
        [&](uint8_t* at, size_t n, uint64_t done) {
          return ::pread(file_.get(), at, n, off_t(start_ + offset + done));
        },
        to, bytes, name_);
    if (got != bytes) throw Failed{fmt::format("{}: unexpected end of file", name_)};
  }

  /// From here on it can be read anywhere, and has a size.
  void makeSeekable() {
    if (size_) return;
    Result<Descriptor> scratch = openScratchFile();
    if (!scratch) throw Failed{scratch.error().message};
    std::vector<uint8_t> chunk(kChunkBytes);
    uint64_t all = 0;
    while (uint64_t got = read(chunk.data(), chunk.size())) {
      writeFully(
          [&](const uint8_t* at, size_t n, uint64_t) { return ::write(scratch->get(), at, n); },
          chunk.data(), got, "scratch file");
      all += got;
    }
    file_ = std::move(*scratch);
    start_ = 0;
    size_ = all;
  }

private:
  std::string name_;
  Descriptor file_;
  uint64_t start_ = 0;
  std::optional<uint64_t> size_;
};

class Output {
public:
  explicit Output(const std::string& path)
      : name_(path == "-" ? "standard output" : path), file_(create(path)) {}

  void write(const uint8_t* from, uint64_t bytes) const {
    writeTo(file_.descriptor(), from, bytes);
  }

  /// From here on writeAt() works.
  void makeSeekable() {
    if (file_.isSeekable()) return;
    Result<Descriptor> scratch = openScratchFile();
    if (!scratch) throw Failed{scratch.error().message};
    scratch_ = std::move(*scratch);
  }
  void writeAt(uint64_t offset, const uint8_t* from, uint64_t bytes) const {
    writeFully([&](const uint8_t* at, size_t n,
                   uint64_t done) { return ::pwrite(seekable(), at, n, off_t(offset + done)); },
               from, bytes, name_);
  }
  /// What was not written is zero.
  void setSize(uint64_t bytes) const {
    if (::ftruncate(seekable(), off_t(bytes)) != 0)
      throw Failed{fmt::format("{}: cannot write: {}", name_, std::strerror(errno))};
  }

  void commit() {
    if (scratch_.get() >= 0) copyScratch();
    if (Status done = file_.commit(); !done)
      throw Failed{fmt::format("{}: {}", name_, done.error().message)};
  }

private:
  OutputFile create(const std::string& path) const {
    Result<OutputFile> file = OutputFile::create(path);
    if (!file) throw Failed{fmt::format("{}: {}", name_, file.error().message)};
    return std::move(*file);
  }
  int seekable() const { return scratch_.get() >= 0 ? scratch_.get() : file_.descriptor(); }
  void writeTo(int fd, const uint8_t* from, uint64_t bytes) const {
    writeFully([&](const uint8_t* at, size_t n, uint64_t) { return ::write(fd, at, n); }, from,
               bytes, name_);
  }
  void copyScratch() {
    std::vector<uint8_t> chunk(kChunkBytes);
    for (uint64_t offset = 0;;) {
      const uint64_t got = readFully(
          [&](uint8_t* at, size_t n, uint64_t done) {
            return ::pread(scratch_.get(), at, n, off_t(offset + done));
          },
          chunk.data(), chunk.size(), "scratch file");
      if (got == 0) return;
      writeTo(file_.descriptor(), chunk.data(), got);
      offset += got;
    }
  }

  std::string name_;
  OutputFile file_;
  Descriptor scratch_;
};

/// What packing and unpacking have in common.
class Conversion {
public:
  explicit Conversion(const LayoutConversion& asked)
      : asked_(asked), layout_(asked.layout), codec_(asked.layout), input_(asked.input),
        output_(asked.output) {}

protected:
  bool isSequential() const {
    return layout_.tile != 0 && layout_.tileStride(layout_.tile) <= kLargestTileBytes &&
           uint64_t(layout_.tile) * layout_.strideBefore <= kLargestTileBytes;
  }
  uint64_t tilesInChunk() const {
    const uint64_t before = uint64_t(layout_.tile) * layout_.strideBefore;
    return std::max<uint64_t>(1, kChunkBytes / std::max(before, layout_.tileStride(layout_.tile)));
  }
  uint64_t elementsInBlock() const {
    return std::max<uint64_t>(1, kScatteredBytes / layout_.strideBefore);
  }
  uint64_t tilesOf(uint64_t elements) const { return (elements + layout_.tile - 1) / layout_.tile; }
  [[noreturn]] void fail(std::string_view what) const {
    throw Failed{fmt::format("{}: {}", input_.name(), what)};
  }
  LayoutSizes sizes(uint64_t elements) const {
    std::optional<LayoutSizes> sizes = sizesFor(layout_, elements);
    if (!sizes) fail(fmt::format("{} elements exceed the largest buffer size", elements));
    return *sizes;
  }
  void checkCount(uint64_t elements) const {
    if (layout_.count && elements != *layout_.count)
      fail(fmt::format("it has {} elements, but `{}` has {}", elements, layout_.name,
                       *layout_.count));
    if (layout_.needsWholeTiles && layout_.tile && elements % layout_.tile != 0)
      fail(fmt::format("it has {} elements, but the shaders query the length of `{}`, so it must "
                       "be a multiple of {}; add elements",
                       elements, layout_.name, layout_.tile));
  }
  /// Calls with first element, number and tile for blocks that lie in one tile.
  template <class Move>
  void forBlocks(uint64_t elements, Move move) const {
    const uint64_t inTile = layout_.tileElements(elements);
    for (uint64_t first = 0; first < elements;) {
      const uint64_t left = inTile - first % inTile;
      const uint64_t n = std::min({elementsInBlock(), left, elements - first});
      move(first, n, first / inTile);
      first += n;
    }
  }

  const LayoutConversion& asked_;
  const BufferLayout& layout_;
  LayoutCodec codec_;
  Input input_;
  Output output_;
  ConversionOutcome outcome_;
};

class Packing : Conversion {
public:
  using Conversion::Conversion;

  ConversionOutcome run() {
    if (input_.size()) (void)countOf(*input_.size()); // before anything is written to a pipe
    if (isSequential())
      packInOrder();
    else
      packScattered();
    if (paddingElement_)
      outcome_.notes.push_back(
          fmt::format("{}: the padding of element {} is not zero; padding is not preserved",
                      input_.name(), *paddingElement_));
    output_.commit();
    return std::move(outcome_);
  }

private:
  uint64_t countOf(uint64_t bytes) const {
    if (bytes < layout_.arrayOffsetBefore)
      fail(fmt::format("{} bytes are too few for the header of {}", bytes,
                       layout_.arrayOffsetBefore));
    const uint64_t array = bytes - layout_.arrayOffsetBefore;
    if (array % layout_.strideBefore != 0)
      fail(fmt::format(
          "{} bytes are not a whole number of elements: {}elements of {} bytes, {} bytes left over",
          bytes,
          layout_.arrayOffsetBefore
              ? fmt::format("a header of {} bytes, ", layout_.arrayOffsetBefore)
              : "",
          layout_.strideBefore, array % layout_.strideBefore));
    checkCount(array / layout_.strideBefore);
    return array / layout_.strideBefore;
  }

  void writeHeader() {
    std::vector<uint8_t> header(layout_.arrayOffsetAfter);
    const uint64_t got = input_.read(header.data(), layout_.arrayOffsetBefore);
    if (got != layout_.arrayOffsetBefore) (void)countOf(got);
    output_.write(header.data(), header.size());
  }

  void check(const uint8_t* elements, uint64_t first, uint64_t n) {
    if (std::optional<NarrowMisfit> misfit = codec_.findMisfit(elements, n)) {
      misfit->element += first;
      fail(describe(layout_, *misfit));
    }
    if (paddingElement_ || !codec_.hasPadding()) return;
    paddingElement_ = codec_.findPadding(elements, n);
    if (paddingElement_) *paddingElement_ += first;
  }

  void packInOrder() {
    writeHeader();
    const LayoutCodec::Tile tile = codec_.tileOf(layout_.tile);
    const uint64_t tiles = tilesInChunk(), most = tiles * layout_.tile;
    std::vector<uint8_t> from(most * layout_.strideBefore), to(tiles * tile.bytes);
    uint64_t n = 0, lastTiles = 0;
    do {
      const uint64_t got = input_.read(from.data(), from.size());
      n = got / layout_.strideBefore;
      if (got % layout_.strideBefore != 0)
        (void)countOf(layout_.arrayOffsetBefore + outcome_.elements * layout_.strideBefore + got);
      if (n == 0) break;
      check(from.data(), outcome_.elements, n);
      codec_.packTiles(tile, from.data(), n, to.data());
      lastTiles = tilesOf(n);
      output_.write(to.data(), lastTiles * tile.bytes);
      outcome_.elements += n;
    } while (n == most);
    checkCount(outcome_.elements);
    if (lastTiles != 0) checkFill(tile, &to[(lastTiles - 1) * tile.bytes]);
  }

  /// Would unpack find the right count in the last tile?
  void checkFill(const LayoutCodec::Tile& tile, const uint8_t* last) {
    if (layout_.count || layout_.needsWholeTiles) return;
    const uint64_t fill = tilesOf(outcome_.elements) * layout_.tile - outcome_.elements;
    if (codec_.trailingFill(tile, last) == fill) return;
    outcome_.notes.push_back(
        fmt::format("{}: its last elements look like tile padding; unpack with --count={}",
                    input_.name(), outcome_.elements));
  }

  void packScattered() {
    input_.makeSeekable();
    output_.makeSeekable();
    const uint64_t elements = countOf(*input_.size());
    const uint64_t size = sizes(elements).after;
    std::vector<uint8_t> header(layout_.arrayOffsetBefore);
    input_.readAt(0, header.data(), header.size());
    output_.writeAt(0, header.data(), header.size());
    const LayoutCodec::Tile tile = codec_.tileOf(layout_.tileElements(elements));
    std::vector<uint8_t> from(std::min(elementsInBlock(), elements) * layout_.strideBefore), run;
    forBlocks(elements, [&](uint64_t first, uint64_t n, uint64_t t) {
      input_.readAt(layout_.arrayOffsetBefore + first * layout_.strideBefore, from.data(),
                    n * layout_.strideBefore);
      check(from.data(), first, n);
      for (uint32_t g = 0; g < codec_.groups(); ++g) {
        const uint64_t stride = layout_.groups[g].stride;
        run.resize(n * stride);
        codec_.packRun(g, from.data(), n, run.data());
        output_.writeAt(runStart(tile, g, t) + first % tile.elements * stride, run.data(),
                        run.size());
      }
    });
    if (elements != 0) fillLastTile(tile, elements);
    output_.setSize(size);
    outcome_.elements = elements;
  }

  uint64_t runStart(const LayoutCodec::Tile& tile, uint32_t group, uint64_t t) const {
    return layout_.arrayOffsetAfter + t * tile.bytes + tile.starts[group];
  }

  void fillLastTile(const LayoutCodec::Tile& tile, uint64_t elements) const {
    const uint64_t last = (elements - 1) / tile.elements, used = (elements - 1) % tile.elements + 1;
    const std::vector<uint8_t> fill(kChunkBytes, kFillByte);
    for (uint32_t g = 0; g < codec_.groups(); ++g) {
      const uint64_t stride = layout_.groups[g].stride;
      uint64_t at = runStart(tile, g, last) + used * stride;
      for (uint64_t left = (tile.elements - used) * stride; left != 0;) {
        const uint64_t n = std::min<uint64_t>(left, fill.size());
        output_.writeAt(at, fill.data(), n);
        at += n, left -= n;
      }
    }
  }

  std::optional<uint64_t> paddingElement_;
};

class Unpacking : Conversion {
public:
  using Conversion::Conversion;

  ConversionOutcome run() {
    known_ = asked_.count ? asked_.count : layout_.count;
    if (known_) {
      checkCount(*known_);
      if (input_.size()) checkSize(*input_.size());
    }
    if (isSequential())
      unpackInOrder();
    else
      unpackScattered();
    output_.commit();
    return std::move(outcome_);
  }

private:
  /// Of a whole file, where the count is known.
  void checkSize(uint64_t bytes) const {
    const uint64_t expected = sizes(*known_).after;
    if (bytes != expected)
      fail(fmt::format("it has {} bytes, but {} elements take {}", bytes, *known_, expected));
  }
  [[noreturn]] void failSize(uint64_t bytes) const {
    fail(fmt::format("{} bytes are not a whole number of elements; it must be {}", bytes,
                     sizeFormula(layout_)));
  }

  void writeHeader() {
    std::vector<uint8_t> header(layout_.arrayOffsetAfter);
    const uint64_t got = input_.read(header.data(), header.size());
    if (got != header.size()) failSize(got);
    output_.write(header.data(), layout_.arrayOffsetBefore);
  }

  void unpackInOrder() {
    if (input_.size()) checkTiles(*input_.size());
    writeHeader();
    const LayoutCodec::Tile tile = codec_.tileOf(layout_.tile);
    const uint64_t tiles = tilesInChunk();
    // One tile more: the last of a file is known only once nothing comes behind it.
    std::vector<uint8_t> from((tiles + 1) * tile.bytes);
    std::vector<uint8_t> to((tiles + 1) * layout_.tile * layout_.strideBefore);
    uint64_t kept = 0, tilesRead = 0;
    for (bool isLast = false; !isLast;) {
      const uint64_t got = input_.read(&from[kept * tile.bytes], tiles * tile.bytes);
      if (got % tile.bytes != 0) failSize(layout_.arrayOffsetAfter + tilesRead * tile.bytes + got);
      tilesRead += got / tile.bytes;
      isLast = got < tiles * tile.bytes;
      const uint64_t have = kept + got / tile.bytes;
      kept = isLast ? 0 : 1;
      uint64_t n = (have - kept) * layout_.tile;
      if (isLast && have != 0) n -= fillOf(tile, &from[(have - 1) * tile.bytes], tilesRead);
      codec_.unpackTiles(tile, from.data(), n, to.data());
      output_.write(to.data(), n * layout_.strideBefore);
      outcome_.elements += n;
      if (kept != 0) std::memcpy(from.data(), &from[(have - 1) * tile.bytes], tile.bytes);
    }
    if (known_ && outcome_.elements != *known_)
      checkSize(layout_.arrayOffsetAfter + tilesRead * tile.bytes);
  }

  void checkTiles(uint64_t bytes) const {
    if (bytes < layout_.arrayOffsetAfter ||
        (bytes - layout_.arrayOffsetAfter) % layout_.tileStride(layout_.tile) != 0)
      failSize(bytes);
  }

  /// Elements at the end of the last tile that only fill it up.
  uint64_t fillOf(const LayoutCodec::Tile& tile, const uint8_t* last, uint64_t tiles) const {
    if (layout_.needsWholeTiles) return 0;
    if (!known_) return codec_.trailingFill(tile, last);
    checkSize(layout_.arrayOffsetAfter + tiles * tile.bytes);
    return tiles * layout_.tile - *known_;
  }

  void unpackScattered() {
    input_.makeSeekable();
    const uint64_t elements = countOf(*input_.size());
    const LayoutCodec::Tile tile = codec_.tileOf(layout_.tileElements(elements));
    std::vector<uint8_t> header(layout_.arrayOffsetBefore), run;
    input_.readAt(0, header.data(), header.size());
    output_.write(header.data(), header.size());
    std::vector<uint8_t> to(std::min(elementsInBlock(), elements) * layout_.strideBefore);
    forBlocks(elements, [&](uint64_t first, uint64_t n, uint64_t t) {
      for (uint32_t g = 0; g < codec_.groups(); ++g) {
        const uint64_t stride = layout_.groups[g].stride;
        run.resize(n * stride);
        input_.readAt(layout_.arrayOffsetAfter + t * tile.bytes + tile.starts[g] +
                          first % tile.elements * stride,
                      run.data(), run.size());
        codec_.unpackRun(g, run.data(), n, to.data());
      }
      output_.write(to.data(), n * layout_.strideBefore);
    });
    outcome_.elements = elements;
  }

  uint64_t countOf(uint64_t bytes) const {
    if (known_) return checkSize(bytes), *known_;
    if (layout_.tile != 0) {
      checkTiles(bytes);
      if (!layout_.needsWholeTiles)
        fail("the number of elements does not follow from the file size with tiles of this size; "
             "give --count=N");
      return (bytes - layout_.arrayOffsetAfter) / layout_.tileStride(layout_.tile) * layout_.tile;
    }
    // The size grows with the count.
    uint64_t low = 0, high = bytes;
    while (low < high) {
      const uint64_t middle = low + (high - low) / 2;
      std::optional<LayoutSizes> at = sizesFor(layout_, middle);
      if (at && at->after < bytes)
        low = middle + 1;
      else
        high = middle;
    }
    if (sizes(low).after != bytes) failSize(bytes);
    if (sizes(low + 1).after == bytes)
      fail(fmt::format(
          "{} elements take as many bytes as {}, so the count is ambiguous; give --count=N", low,
          low + 1));
    return low;
  }

  std::optional<uint64_t> known_;
};

} // namespace

Result<ConversionOutcome> packFile(const LayoutConversion& conversion) {
  try {
    return Packing(conversion).run();
  } catch (const Failed& failed) {
    return failure(failed.message);
  }
}

Result<ConversionOutcome> unpackFile(const LayoutConversion& conversion) {
  try {
    return Unpacking(conversion).run();
  } catch (const Failed& failed) {
    return failure(failed.message);
  }
}

} // namespace lanewise::driver
