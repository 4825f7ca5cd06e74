#include "tuning/journal.h"

#include "support/failure.h"
#include "support/sha256.h"

#include <nlohmann/json.hpp>

namespace lanewise::driver {

namespace {

using Json = nlohmann::json;

std::string lineOf(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

Json asJson(const Measurement& measured) {
  Json programs = Json::array();
  for (const MeasuredProgram& p : measured.programs)
    programs.push_back({{"equal", p.isEqual},
                        {"reason", p.reason},
                        {"left out", p.isLeftOut},
                        {"samples", p.samples}});
  return {{"programs", std::move(programs)},
          {"failure", measured.failure},
          {"seconds", measured.seconds},
          {"seconds each", measured.secondsEach}};
}

Measurement measurementOf(const Json& json) {
  Measurement measured;
  for (const Json& p : json.at("programs"))
    measured.programs.push_back({p.at("equal").get<bool>(), p.at("reason").get<std::string>(),
                                 p.at("left out").get<bool>(),
                                 p.at("samples").get<std::vector<double>>()});
  measured.failure = json.at("failure").get<std::string>();
  measured.seconds = json.at("seconds").get<double>();
  measured.secondsEach = json.at("seconds each").get<double>();
  return measured;
}

Json asJson(const std::string& question, const Measurement& measured) {
  Json json = asJson(measured);
  json["question"] = question;
  return json;
}

std::string questionOf(std::span<const BuiltProgram* const> programs, Rigour rigour) {
  Sha256 hash;
  hash.addField(std::to_string(int(rigour)));
  for (const BuiltProgram* program : programs) hash.addField(program->digest);
  return hexOf(hash.finish());
}

} // namespace

std::string pack(const Measurement& measured) {
  return lineOf(asJson(measured));
}

Result<Measurement> unpackMeasurement(std::string_view bytes) {
  try {
    return measurementOf(Json::parse(bytes));
  } catch (const Json::exception& e) {
    return failure(e.what());
  }
}

std::optional<Journal> Journal::read(std::string_view text, std::string key) {
  Journal journal(std::move(key));
  bool isFirst = true;
  while (!text.empty()) {
    const size_t end = text.find('\n');
    if (end == std::string_view::npos) break; // killed while it was written
    const std::string_view line = text.substr(0, end + 1);
    text.remove_prefix(end + 1);
    try {
      const Json json = Json::parse(line);
      if (isFirst && json.at("key").get<std::string>() != journal.key_) return std::nullopt;
      if (!isFirst)
        journal.waiting_.push_back({json.at("question").get<std::string>(), measurementOf(json)});
    } catch (const Json::exception&) {
      break;
    }
    isFirst = false;
  }
  if (isFirst) return std::nullopt;
  return journal;
}

std::optional<Measurement> Journal::next(const std::string& question) {
  if (waiting_.empty() || waiting_.front().question != question) {
    waiting_.clear(); // the search went another way
    return std::nullopt;
  }
  Measurement measured = std::move(waiting_.front().measured);
  waiting_.pop_front();
  add(question, measured);
  return measured;
}

void Journal::add(const std::string& question, const Measurement& measured) {
  if (text_.empty()) text_ = lineOf({{"key", key_}});
  text_ += lineOf(asJson(question, measured));
}

Result<Measurement> KeptMeasurer::measure(std::span<const BuiltProgram* const> programs,
                                          Rigour rigour, double seconds) {
  const std::string question = questionOf(programs, rigour);
  const double making = clock_() - answered_;
  if (std::optional<Measurement> kept = journal_.next(question)) {
    answered_ = clock_();
    return std::move(*kept);
  }
  if (!device_) {
    Result<std::unique_ptr<Measurer>> opened = open_();
    if (!opened) return opened.error();
    device_ = std::move(*opened);
  }
  Result<Measurement> measured = device_->measure(programs, rigour, seconds - making);
  if (!measured) return measured;
  measured->seconds += making;
  answered_ = clock_();
  journal_.add(question, *measured);
  if (Status s = keep_(journal_); !s) return s.error();
  return measured;
}

} // namespace lanewise::driver
