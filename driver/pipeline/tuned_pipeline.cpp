#include "pipeline/tuned_pipeline.h"

#include "recorded/pipeline_sets.h"
#include "support/failure.h"
#include "support/files.h"
#include "support/sha256.h"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>

namespace lanewise::driver {

namespace {

Remark remarkOf(Remark::Kind kind, std::string name, std::string message) {
  Remark r;
  r.kind = kind;
  r.pass = "tuning";
  r.name = std::move(name);
  r.message = std::move(message);
  return r;
}

std::string flagsText(const TunedChoice& choice) {
  std::string text;
  for (const std::string& flag : choice.passes) text += (text.empty() ? "" : " ") + flag;
  for (const std::string& site : choice.skip) text += " --skip=" + site;
  return text.empty() ? "left as it is" : text;
}

} // namespace

Result<TunedPasses> parseTuned(const std::vector<std::string>& passes,
                               const std::vector<std::string>& skip) {
  TunedPasses parsed;
  for (const std::string& flag : passes) {
    Result<std::vector<PipelineStep>> steps = parseSteps(flag);
    if (!steps) return steps.error();
    if (steps->empty()) return failure(fmt::format("there is no pass '{}'", flag));
    appendSteps(parsed.steps, std::move(*steps));
  }
  for (const std::string& site : skip) {
    const size_t colon = site.find(':');
    const std::string pass = site.substr(0, colon);
    if (colon == std::string::npos || !findPass(pass))
      return failure(fmt::format("skip '{}' is no PASS:GLOB of a pass of Lanewise's", site));
    parsed.skip.push_back({pass, site.substr(colon + 1)});
  }
  return parsed;
}

Result<TunedPipeline> tunedPipeline(const TuningChoice& tuning, std::span<const uint32_t> written,
                                    const Module& module, PipelineOptions& pipeline) {
  TunedPipeline tuned;
  TunedMatch match = findTuned(tuning, written);
  if (!match.choice) {
    tuned.remark = remarkOf(Remark::Kind::Note, "no-choice", std::move(match.why));
    return tuned;
  }
  const TunedChoice& choice = *match.choice;
  Result<TunedPasses> parsed = parseTuned(choice.passes, choice.skip);
  if (!parsed) return failure(fmt::format("{}: {}", tuning.path, parsed.error().message));
  tuned.steps = std::move(parsed->steps);
  std::ranges::move(parsed->skip, std::back_inserter(pipeline.skip));
  if (const auto target = tuning.targets.find(choice.target); target != tuning.targets.end())
    pipeline.target = target->second;
  pipeline.target.setSubgroupSize(choice.subgroupSize);
  for (const auto& [id, bits] : choice.constants)
    pipeline.assumptions.specConstants.try_emplace(id, bits);
  if (choice.freezes) {
    PipelineSet set;
    set.assumptions.specConstants = choice.constants;
    Result<Words> frozen = frozenFor(set, module);
    if (!frozen) return frozen.error();
    tuned.frozen = std::move(*frozen);
  }
  tuned.output = choice.output;
  tuned.remark =
      remarkOf(Remark::Kind::Note, "choice", fmt::format("{}: {}", flagsText(choice), match.why));
  return tuned;
}

std::optional<Remark> notAsMeasured(const TunedPipeline& tuned, std::span<const uint32_t> words) {
  if (tuned.output.empty() || hexOf(sha256(bytesOf(words))) == tuned.output) return std::nullopt;
  return remarkOf(Remark::Kind::Warning, "not-as-measured",
                  "the passes did not make the module that was measured: another version of "
                  "Lanewise, or other options; run 'lanewise tune' again");
}

} // namespace lanewise::driver
