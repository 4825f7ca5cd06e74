#include "verify/profile/profile.h"

#include "support/failure.h"
#include "support/files.h"
#include "support/progress_line.h"
#include "support/stopwatch.h"
#include "verify/compare/source_texts.h"
#include "verify/formats/scalars.h"
#include "verify/interpreter/lower/lower_program.h"
#include "verify/interpreter/run/machine.h"
#include "verify/profile/profile_observer.h"
#include "verify/scenario/fills.h"

#include <algorithm>
#include <cstring>
#include <fmt/format.h>
#include <memory>
#include <tuple>

namespace lanewise::driver {
namespace {

class Profiler {
public:
  Profiler(const Scenario& scenario, const Program& program, const ProfileOptions& options,
           std::span<const PackedBuffer> packed)
      : scenario_(scenario), program_(program), options_(options), packed_(packed) {}

  Result<Profile> run() {
    if (Status s = lower(); !s) return s.error();
    if (Status s = fillBuffers(); !s) return s.error();
    for (const ProgramDispatch& dispatch : program_.dispatches)
      profile_.shaders[dispatch.shader].allWorkgroups +=
          uint64_t(dispatch.groups[0]) * dispatch.groups[1] * dispatch.groups[2] * program_.repeat;
    for (uint32_t step = 0; step < program_.repeat && profile_.incomplete.empty(); ++step)
      for (uint32_t d = 0; d < program_.dispatches.size(); ++d) {
        // What comes after a stop would not see what it sees on a device.
        if (!profile_.incomplete.empty()) break;
        runCopies(d);
        if (Status s = runDispatch(program_.dispatches[d]); !s) return s.error();
      }
    for (uint32_t s = 0; s < shaders_.size(); ++s) collect(s);
    sort();
    return std::move(profile_);
  }

private:
  Status lower() {
    if (!isSubgroupSize(options_.target.subgroupSize))
      return failure(fmt::format("target `{}` has subgroups of {}; a profile needs 4 to {}, a "
                                 "power of two; choose another with --target",
                                 options_.target.name, options_.target.subgroupSize,
                                 kMaxSubgroupSize));
    for (const ProgramShader& shader : program_.shaders) {
      TargetProfile& target = targets_.emplace_back(options_.target);
      target.setSubgroupSize(shader.subgroupSize);
      Result<std::shared_ptr<const interpreter::Program>> code =
          interpreter::lowerProgram(shader.words, {shader.reflection.entry, shader.specConstants,
                                                   target.sharedRules(), target.subgroupSize});
      if (!code)
        return failure(
            fmt::format("shader `{}` cannot be profiled: {}", shader.name, code.error().message));
      ShaderProfile row;
      row.name = shader.name;
      row.workgroupSize = (*code)->workgroupSize;
      profile_.shaders.push_back(std::move(row));
      shaders_.push_back(std::move(*code));
    }
    counts_.resize(shaders_.size());
    return ok();
  }

  Status fillBuffers() {
    for (const ScenarioBuffer& buffer : scenario_.buffers) {
      std::string file;
      if (const auto* fill = std::get_if<FillFile>(&buffer.fill)) {
        Result<std::string> read = readFile(fill->path);
        if (!read) return failure(fill->path + ": " + read.error().message);
        if (read->size() != buffer.bytes())
          return failure(fmt::format("{}: buffer `{}` needs {} bytes, the file has {}", fill->path,
                                     buffer.name, buffer.bytes(), read->size()));
        file = std::move(*read);
      }
      buffers_.push_back(
          initialBytes(buffer, options_.seed, InputStyle::Seeded, Poison::Positive,
                       {reinterpret_cast<const uint8_t*>(file.data()), file.size()}));
      // A buffer that has only a pattern counts as one that nobody has written.
      bool isPoisoned = std::holds_alternative<FillPoison>(buffer.fill) && buffer.header.empty();
      written_.emplace_back(isPoisoned ? buffers_.back().size() : 0, uint8_t(0));
    }
    for (const PackedBuffer& packed : packed_) fillPacked(packed);
    return ok();
  }

  void fillPacked(const PackedBuffer& packed) {
    const ScenarioBuffer& source = scenario_.buffers[packed.source];
    const bool isPoisoned = std::holds_alternative<FillPoison>(source.fill);
    if (isPoisoned && source.header.empty()) return; // as it is
    buffers_[packed.packed] =
        isPoisoned ? packPoisoned(packed, buffers_[packed.source], poisonByte(Poison::Positive))
                   : packInput(packed, buffers_[packed.source]);
    written_[packed.packed].clear();
  }

  double secondsLeft() const { return options_.timeoutSeconds - running_.seconds(); }

  // Those in front of a dispatch; what is behind the last one, nothing counts.
  void runCopies(uint32_t before) {
    for (const auto& [at, copy] : program_.copies) {
      if (at != before) continue;
      std::memmove(buffers_[copy.to].data() + copy.toOffset,
                   buffers_[copy.from].data() + copy.fromOffset, copy.bytes);
      const std::vector<uint8_t>& known = written_[copy.from];
      for (uint64_t n = 0; n < copy.bytes && !written_[copy.to].empty(); ++n)
        written_[copy.to][copy.toOffset + n] = known.empty() ? 1 : known[copy.fromOffset + n];
    }
  }

  Status runDispatch(const ProgramDispatch& step) {
    ShaderProfile& row = profile_.shaders[step.shader];
    ++row.dispatches;
    const interpreter::Program& program = *shaders_[step.shader];
    std::vector<interpreter::BufferMemory> memory;
    std::vector<bool> isStorage;
    for (size_t b = 0; b < buffers_.size(); ++b) {
      const std::optional<ImageShape>& image = scenario_.buffers[b].image;
      memory.push_back(
          {buffers_[b], scenario_.buffers[b].name, written_[b], {}, image ? &*image : nullptr});
      isStorage.push_back(!scenario_.buffers[b].isUniform);
    }
    std::vector<interpreter::BufferBinding> bindings;
    for (const ProgramDispatch::Binding& bound : step.bindings)
      bindings.push_back({bound.set, bound.binding, bound.element, bound.buffer});
    const TargetProfile& target = targets_[step.shader];
    ProfileObserver observer(program, target, std::move(isStorage), counts_[step.shader]);
    interpreter::MachineOptions options;
    options.subgroupSize = target.subgroupSize;
    options.observer = &observer;
    options.timeoutSeconds = std::max(secondsLeft(), 1e-9);
    std::array<uint32_t, 3> groups = step.groups;
    if (step.indirect) {
      groups = decodeGroups(buffers_[step.indirect->buffer], step.indirect->offset);
      row.allWorkgroups += uint64_t(groups[0]) * groups[1] * groups[2];
    }
    if (groups[0] == 0 || groups[1] == 0 || groups[2] == 0) return ok();
    ProgressLine::tell(ProgressLine::Level::Detail,
                       fmt::format("{}: {} of {} workgroups", program_.shaders[step.shader].name,
                                   row.workgroups, row.allWorkgroups));
    Result<interpreter::DispatchResult> done =
        interpreter::dispatch({&program, groups, bindings, step.pushConstants}, memory, options);
    const std::string& name = program_.shaders[step.shader].name;
    if (!done)
      return failure(fmt::format("shader `{}` cannot be profiled: {}", name, done.error().message));
    row.workgroups += observer.workgroups();
    addFindings(program, name, done->findings);
    if (done->timedOut)
      profile_.incomplete = fmt::format(
          "stopped after {} s, with {} of {} workgroups of shader `{}` counted; choose a smaller "
          "size, or a longer --timeout",
          options_.timeoutSeconds, row.workgroups, row.allWorkgroups, name);
    else if (!done->ended)
      profile_.incomplete = fmt::format("shader `{}` does not terminate", name);
    return ok();
  }

  void addFindings(const interpreter::Program& program, const std::string& shader,
                   const std::vector<interpreter::Finding>& all) {
    for (const interpreter::Finding& finding : all) {
      if (finding.kind == interpreter::FindingKind::RaceIncomplete) continue;
      RunFinding found;
      found.kind = interpreter::nameOf(finding.kind);
      found.text = interpreter::describe(program, finding);
      found.shader = shader;
      SourceLocation at = program.location(finding.at.site);
      found.file = at.file, found.line = at.line, found.variable = finding.variable;
      bool isKnown = std::any_of(
          profile_.findings.begin(), profile_.findings.end(), [&](const RunFinding& other) {
            return std::tie(other.kind, other.shader, other.file, other.line, other.variable) ==
                   std::tie(found.kind, found.shader, found.file, found.line, found.variable);
          });
      if (!isKnown) profile_.findings.push_back(std::move(found));
    }
  }

  // ----- the lists -----

  void collect(uint32_t shader) {
    const interpreter::Program& program = *shaders_[shader];
    SourceTexts texts; // shaders may have compiled one file differently
    texts.add(program.module());
    for (auto& [site, counts] : counts_[shader]) {
      ProfilePlace place;
      place.shader = program_.shaders[shader].name;
      place.source = program.location(site);
      place.text = texts.line(place.source);
      place.inst = program.sites[site].inst;
      place.opcode = program.facts(site).name;
      place.id = interpreter::listedId(program, site);
      bool isAtomic = lanewise::isAtomic(program.facts(site));
      counts.loads.kind = isAtomic ? AccessProfile::Kind::Atomic : AccessProfile::Kind::Load;
      counts.stores.kind = isAtomic ? AccessProfile::Kind::Atomic : AccessProfile::Kind::Store;
      for (AccessProfile* access : {&counts.loads, &counts.stores}) {
        if (access->lanes.count == 0) continue;
        access->place = place;
        access->variable = program.variableName(site);
        (access->degree.count != 0 ? profile_.workgroup : profile_.storage)
            .push_back(std::move(*access));
      }
      if (counts.branch.lanes.count != 0) {
        counts.branch.place = place;
        profile_.branches.push_back(std::move(counts.branch));
      }
      if (counts.barrier.arrivals.count != 0) {
        counts.barrier.place = std::move(place);
        profile_.barriers.push_back(std::move(counts.barrier));
      }
    }
  }

  // Stable: what is equally hot stays in the order of the module.
  void sort() {
    auto by = [](auto& list, auto&& heat) {
      std::stable_sort(list.begin(), list.end(),
                       [&](const auto& a, const auto& b) { return heat(a) > heat(b); });
    };
    by(profile_.workgroup, [](const AccessProfile& a) { return a.cycles; });
    by(profile_.storage, [](const AccessProfile& a) { return a.sectors.total; });
    by(profile_.branches,
       [](const BranchProfile& b) { return std::pair(b.divergent, b.lanes.count); });
    by(profile_.barriers, [](const BarrierProfile& b) { return b.arrivals.count; });
  }

  const Scenario& scenario_;
  const Program& program_;
  const ProfileOptions& options_;
  std::span<const PackedBuffer> packed_;
  Profile profile_;
  std::vector<TargetProfile> targets_; // by shader: one may require another subgroup size
  std::vector<std::shared_ptr<const interpreter::Program>> shaders_;
  std::vector<std::map<uint32_t, SiteCounts>> counts_; ///< by shader and site
  std::vector<std::vector<uint8_t>> buffers_, written_;
  Stopwatch running_;
};

} // namespace

Result<Profile> profileProgram(const Scenario& scenario, const Program& program,
                               const ProfileOptions& options,
                               std::span<const PackedBuffer> packed) {
  return Profiler(scenario, program, options, packed).run();
}

} // namespace lanewise::driver
