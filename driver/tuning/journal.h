// What was measured, kept as it comes in, so that a run that was killed goes on where it was.
#pragma once

#include "tuning/measurer.h"

#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace lanewise::driver {

/// A measurement as bytes, and back; an error for bytes that pack() did not make.
std::string pack(const Measurement& measured);
Result<Measurement> unpackMeasurement(std::string_view bytes);

/// Measurements by what was asked, in the order of asking, as lines of text. The search is a matter
/// of its input and of these alone (search.h): with the same ones it goes the same way.
class Journal {
public:
  /// `key` says what all of them are about.
  explicit Journal(std::string key) : key_(std::move(key)) {}
  /// Nothing where the text is of another key. A last line that is not whole is left out.
  static std::optional<Journal> read(std::string_view text, std::string key);

  /// The next one, where it answers this question.
  std::optional<Measurement> next(const std::string& question);
  void add(const std::string& question, const Measurement& measured);
  /// All of it.
  const std::string& text() const { return text_; }

private:
  struct Entry {
    std::string question;
    Measurement measured;
  };
  std::string key_, text_;
  std::deque<Entry> waiting_;
};

/// Answers from the journal as far as that goes, then from another, which `open` makes when it is
/// needed first. `keep` is called with each line that is new. What the search does from one answer
/// to the next question, which is making candidates, counts as part of the answer to that.
class KeptMeasurer : public Measurer {
public:
  using Open = std::function<Result<std::unique_ptr<Measurer>>()>;
  using Keep = std::function<Status(const Journal&)>;
  using Clock = std::function<double()>; ///< seconds
  KeptMeasurer(Journal& journal, Open open, Keep keep, Clock clock)
      : journal_(journal), open_(std::move(open)), keep_(std::move(keep)), clock_(std::move(clock)),
        answered_(clock_()) {}

  Result<Measurement> measure(std::span<const BuiltProgram* const> programs, Rigour rigour,
                              double seconds) override;

private:
  Journal& journal_;
  Open open_;
  Keep keep_;
  Clock clock_;
  double answered_; ///< when the last answer was given
  std::unique_ptr<Measurer> device_;
};

} // namespace lanewise::driver
