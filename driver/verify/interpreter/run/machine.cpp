#include "verify/interpreter/run/machine.h"

#include "support/failure.h"
#include "verify/interpreter/run/execute.h"

#include <algorithm>
#include <condition_variable>
#include <fmt/format.h>
#include <mutex>
#include <numeric>
#include <random>
#include <thread>

namespace lanewise::driver::interpreter {
namespace {

// The bounded draw of std::uniform_int_distribution differs between libraries.
void shuffle(std::vector<uint32_t>& all, uint64_t seed) {
  std::mt19937_64 random(seed);
  for (size_t n = all.size(); n > 1; --n) std::swap(all[n - 1], all[random() % n]);
}

std::vector<uint32_t> ordered(uint32_t count, const MachineOptions& options, uint32_t subgroup) {
  std::vector<uint32_t> order(count);
  std::iota(order.begin(), order.end(), 0);
  if (options.order == LaneOrder::Reverse) std::reverse(order.begin(), order.end());
  if (options.order == LaneOrder::Random) shuffle(order, options.seed);
  if (options.order == LaneOrder::Interleaved)
    std::stable_sort(order.begin(), order.end(),
                     [=](uint32_t x, uint32_t y) { return x % subgroup < y % subgroup; });
  return order;
}

// One dispatch under way.
class Machine {
public:
  Machine(const Dispatch& what, std::span<BufferMemory> buffers, const MachineOptions& options)
      : what_(what), buffers_(buffers), options_(options), program_(*what.program),
        edges_(program_.edgeCount) {}

  Result<DispatchResult> run() {
    if (Status status = check(); !status) return status.error();
    addObjects();
    if (Status status = bind(); !status) return status.error();
    const std::array<uint32_t, 3>& size = program_.workgroupSize;
    lanes_ = ordered(size[0] * size[1] * size[2], options_, options_.subgroupSize);
    const std::span<const uint32_t> chosen = options_.workgroups;
    workgroupCount_ = chosen.empty() ? state_.workgroupCount() : uint32_t(chosen.size());
    if (workgroupOrder() == LaneOrder::Random) shuffled_ = ordered(workgroupCount_, options_, 1);
    runAll();
    return finish();
  }

private:
  Status check() {
    uint32_t s = options_.subgroupSize;
    if (!isSubgroupSize(s))
      return failure(fmt::format("a subgroup has 4 to {} invocations, a power of two, not {}",
                                 kMaxSubgroupSize, s));
    const std::array<uint32_t, 3>& size = program_.workgroupSize;
    uint64_t lanes = uint64_t(size[0]) * size[1] * size[2];
    if (lanes > kMaxLanes)
      return failure(fmt::format("the interpreter runs workgroups of up to {} invocations, not {}",
                                 kMaxLanes, lanes));
    if (program_.sites.size() >= kMaxSites)
      return failure(
          fmt::format("the interpreter runs modules of up to {} instructions", kMaxSites));
    uint64_t groups = uint64_t(what_.groups[0]) * what_.groups[1] * what_.groups[2];
    if (groups > UINT32_MAX) return failure("the interpreter runs up to 2^32 workgroups");
    for (uint32_t workgroup : options_.workgroups)
      if (workgroup >= groups)
        return failure(fmt::format("no workgroup {} of {}", workgroup, groups));
    return ok();
  }

  // Two texels that are two locations must not share a granule, where either may be written.
  uint32_t granuleBytes() const {
    uint32_t bytes = std::min(program_.granuleBytes, 4u);
    auto consider = [&](const BufferMemory& buffer) {
      if (buffer.image) bytes = std::min(bytes, infoOf(buffer.image->format).bytes);
    };
    for (const BufferMemory& buffer : buffers_)
      if (!buffer.written.empty()) consider(buffer);
    for (const VariableInfo& variable : program_.variables)
      for (const BufferBinding& bound : what_.bindings)
        if (variable.isWritten && bound.set == variable.set && bound.binding == variable.binding)
          consider(buffers_[bound.buffer]);
    return bytes;
  }

  void addObjects() {
    state_.program = &program_;
    state_.granuleBytes = granuleBytes();
    state_.groups = what_.groups;
    state_.subgroupSize = options_.subgroupSize;
    state_.stepLimit = options_.stepLimit;
    state_.instructionLimit = options_.instructionLimit;
    state_.yieldsAtAtomics = options_.order == LaneOrder::Alternating;
    state_.observer = options_.observer;
    if (options_.timeoutSeconds != 0)
      state_.timeoutSeconds = std::max(options_.timeoutSeconds, 0.0);
    state_.objects.resize(buffers_.size() + 2);
    for (size_t n = 0; n < buffers_.size(); ++n) {
      Object& object = state_.objects[n + 1];
      object.data = buffers_[n].bytes.data();
      object.bytes = buffers_[n].bytes.size();
      object.name = buffers_[n].name;
      object.image = buffers_[n].image;
      if (object.image) object.memoryClass = kImageClass;
      if (!buffers_[n].dirty.empty()) object.dirty = buffers_[n].dirty.data();
      if (!buffers_[n].written.empty()) addWritten(object, buffers_[n]);
    }
    pushConstants_.assign(what_.pushConstants.begin(), what_.pushConstants.end());
    Object& object = state_.objects.back();
    object.data = pushConstants_.data();
    object.bytes = pushConstants_.size();
    object.isReadOnly = true;
    object.name = "push constants";
    state_.foreign.resize(state_.objects.size());
    state_.histories.resize(state_.objects.size());
    state_.mostRuns = options_.mostRuns;
  }

  static bool mayBeWritten(const BufferMemory& buffer, size_t at) {
    return buffer.dirty.empty() || buffer.dirty[at >> kDirtyShift];
  }

  // The machine keeps its flags by granule.
  void addWritten(Object& object, const BufferMemory& buffer) {
    uint32_t granule = state_.granuleBytes;
    std::vector<uint8_t> flags(object.bytes / granule + 1);
    for (size_t g = 0; g < flags.size(); ++g) {
      if (!mayBeWritten(buffer, g * granule)) {
        g = (((g * granule >> kDirtyShift) + 1) << kDirtyShift) / granule - 1;
        continue;
      }
      flags[g] = 1;
      for (size_t at = g * granule; at < std::min<size_t>((g + 1) * granule, object.bytes); ++at)
        flags[g] &= buffer.written[at];
    }
    written_.push_back(std::move(flags));
    object.written = written_.back().data();
  }

  static std::string whyNot(const VariableInfo& variable, const BufferMemory& bound) {
    bool isImage = variable.kind != VariableInfo::Kind::Buffer;
    if (isImage != (bound.image != nullptr))
      return isImage ? "is an image or a sampler, but a buffer is bound"
                     : "is a buffer, but an image is bound";
    if (variable.kind == VariableInfo::Kind::Image &&
        (variable.dimension != bound.image->dimension ||
         variable.isArrayed != bound.image->isArray))
      return fmt::format("is an image of dimension {}{}, but another kind of image is bound",
                         nameOf(variable.dimension), variable.isArrayed ? " with layers" : "");
    return {};
  }

  Status bind() {
    state_.descriptors.resize(program_.variables.size());
    for (size_t v = 0; v < program_.variables.size(); ++v) {
      const VariableInfo& variable = program_.variables[v];
      std::vector<uint64_t>& to = state_.descriptors[v];
      if (variable.storage == spv::StorageClass::Workgroup) continue;
      if (variable.storage == spv::StorageClass::PushConstant) {
        to.push_back(addressOf(uint32_t(state_.objects.size() - 1)));
        continue;
      }
      if (variable.isDescriptorArray) to.resize(variable.descriptors);
      for (const BufferBinding& bound : what_.bindings) {
        if (bound.set != variable.set || bound.binding != variable.binding) continue;
        if (std::string problem = whyNot(variable, buffers_[bound.buffer]); !problem.empty())
          return failure(fmt::format("binding {}.{} {}", variable.set, variable.binding, problem));
        if (to.size() <= bound.element) to.resize(bound.element + 1);
        to[bound.element] = addressOf(bound.buffer + 1);
        if (variable.isWritten) state_.objects[bound.buffer + 1].isShadowed = true;
      }
      if (to.empty())
        return failure(
            fmt::format("nothing is bound to binding {}.{}", variable.set, variable.binding));
    }
    for (size_t n = 1; n + 1 < state_.objects.size(); ++n) {
      Object& object = state_.objects[n];
      object.isShadowed |= program_.hasPhysicalPointers;
      if (!object.isShadowed) continue;
      const uint64_t granules = object.bytes / state_.granuleBytes;
      if (program_.tracking[classIndex(object.memoryClass)] == Tracking::Workgroups)
        state_.histories[n].resize(granules);
      else
        state_.foreign[n].resize(granules);
    }
    return ok();
  }

  // Workgroups that speak to one another through atomics run one after the other, each to its end:
  // what they find then does not depend on the host's threads.
  uint32_t threadCount() const {
    if (program_.hasStorageAtomics || options_.observer) return 1;
    uint32_t wanted = options_.threads ? options_.threads : std::thread::hardware_concurrency();
    return std::clamp(wanted, 1u, std::max(workgroupCount_, 1u));
  }

  // Which workgroup comes first shows only where they speak to one another.
  LaneOrder workgroupOrder() const {
    return options_.keepsWorkgroupOrder ? LaneOrder::Forward : options_.order;
  }

  // Without a list of them: there may be more than can be run in any time.
  uint32_t workgroupAt(uint32_t turn) const {
    const uint32_t n = !shuffled_.empty()                       ? shuffled_[turn]
                       : workgroupOrder() == LaneOrder::Reverse ? workgroupCount_ - 1 - turn
                                                                : turn;
    return options_.workgroups.empty() ? n : options_.workgroups[n];
  }

  void runAll() {
    uint32_t threads = threadCount();
    std::vector<std::thread> others;
    for (uint32_t n = 1; n < threads; ++n) others.emplace_back([this] { work(); });
    work();
    for (std::thread& other : others) other.join();
  }

  bool isLate() {
    timedOut_ |= state_.isLate();
    return timedOut_;
  }

  void work() {
    WorkgroupRunner runner(state_);
    for (;;) {
      uint32_t rank;
      {
        std::lock_guard lock(mutex_);
        if (next_ == workgroupCount_ || !ended_ || isLate()) break;
        rank = next_++;
      }
      runner.run(workgroupAt(rank), lanes_);
      std::unique_lock lock(mutex_);
      isTurn_.wait(lock, [&] { return committed_ == rank; });
      // What comes after an endless loop does not count, so that it is the same on every host.
      timedOut_ |= runner.isLate();
      if (ended_ && !runner.isLate()) {
        runner.commit();
        log_.merge(runner.log());
      }
      runner.log() = {};
      ended_ &= !runner.gaveUp();
      ++committed_;
      isTurn_.notify_all();
    }
    std::lock_guard lock(mutex_);
    instructions_ += runner.instructions();
    for (size_t n = 0; n < edges_.size(); ++n) edges_[n] |= runner.edges()[n];
  }

  DispatchResult finish() {
    uint32_t granule = state_.granuleBytes;
    size_t at = 0;
    for (BufferMemory& buffer : buffers_) {
      if (buffer.written.empty()) continue;
      const std::vector<uint8_t>& flags = written_[at++];
      for (size_t byte = 0; byte < buffer.written.size(); ++byte)
        if (mayBeWritten(buffer, byte))
          buffer.written[byte] |= flags[byte / granule];
        else
          byte |= kDirtyBytes - 1; // the last of its page
    }
    // Where a loop did not end, the host's threads decide what ran beside it.
    if (!ended_ || timedOut_) edges_.clear();
    return {log_.sorted(), instructions_, ended_, timedOut_, std::move(edges_)};
  }

  const Dispatch& what_;
  std::span<BufferMemory> buffers_;
  const MachineOptions& options_;
  const Program& program_;
  DispatchState state_;
  std::vector<uint8_t> pushConstants_;
  std::vector<std::vector<uint8_t>> written_;
  std::vector<uint32_t> lanes_;
  uint32_t workgroupCount_ = 0;
  std::vector<uint32_t> shuffled_; ///< workgroups in the order of their turns, where it is random
  std::mutex mutex_;
  std::condition_variable isTurn_;
  uint32_t next_ = 0, committed_ = 0; ///< ranks
  bool ended_ = true, timedOut_ = false;
  FindingLog log_;
  uint64_t instructions_ = 0;
  std::vector<uint8_t> edges_;
};

} // namespace

uint64_t deviceAddress(uint32_t buffer) {
  return addressOf(buffer + 1);
}

Result<DispatchResult> dispatch(const Dispatch& what, std::span<BufferMemory> buffers,
                                const MachineOptions& options) {
  return Machine(what, buffers, options).run();
}

} // namespace lanewise::driver::interpreter
