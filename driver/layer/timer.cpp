#include "layer/timer.h"

#include "layer/log.h"

#include <algorithm>
#include <utility>

namespace lanewise::layer {

namespace {

constexpr uint32_t kQueries = 2 * QueryChunk::kDispatches;
/// A copy that is the next thing behind work known to be done takes microseconds; this is for a
/// machine that has other things to do.
constexpr uint64_t kCopyNanoseconds = 100'000'000;

} // namespace

Timer::Timer(VkDevice device, const DeviceFunctions& next, PFN_vkSetDeviceLoaderData setLoaderData,
             std::vector<uint32_t> validBits, double nanosecondsPerTick,
             const VkPhysicalDeviceMemoryProperties& memory)
    : device_(device), next_(next), setLoaderData_(setLoaderData), validBits_(std::move(validBits)),
      nanosecondsPerTick_(nanosecondsPerTick), memory_(memory) {}

// ---- recording ----

std::shared_ptr<QueryChunk> Timer::takeChunk() {
  VkQueryPool pool = VK_NULL_HANDLE;
  {
    std::lock_guard lock(chunkMutex_);
    if (!freeChunks_.empty()) {
      pool = freeChunks_.back();
      freeChunks_.pop_back();
    }
  }
  if (pool == VK_NULL_HANDLE) {
    VkQueryPoolCreateInfo info{};
    info.sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO;
    info.queryType = VK_QUERY_TYPE_TIMESTAMP;
    info.queryCount = kQueries;
    if (next_.CreateQueryPool(device_, &info, nullptr, &pool) != VK_SUCCESS) return nullptr;
  }
  return {new QueryChunk{pool, 0}, [this](QueryChunk* chunk) {
            std::lock_guard lock(chunkMutex_);
            freeChunks_.push_back(chunk->pool);
            delete chunk;
          }};
}

void Timer::writeBegin(CommandBuffer& buffer, RecordedItem& item) {
  std::vector<std::shared_ptr<QueryChunk>>& chunks = buffer.recording->chunks;
  if (chunks.empty() || chunks.back()->used == QueryChunk::kDispatches) {
    std::shared_ptr<QueryChunk> chunk = takeChunk();
    if (!chunk) return;
    if (!buffer.recording->isResetAhead)
      next_.CmdResetQueryPool(buffer.handle, chunk->pool, 0, kQueries);
    chunks.push_back(std::move(chunk));
  }
  QueryChunk& chunk = *chunks.back();
  item.query = int32_t((chunks.size() - 1) * QueryChunk::kDispatches + chunk.used);
  // At the top: after barriers that stand before it, but not after dispatches that still run.
  next_.CmdWriteTimestamp(buffer.handle, VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT, chunk.pool,
                          2 * chunk.used++);
}

void Timer::writeEnd(CommandBuffer& buffer, const RecordedItem& item) {
  if (item.query < 0) return;
  const uint32_t query = uint32_t(item.query) % QueryChunk::kDispatches;
  next_.CmdWriteTimestamp(buffer.handle, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT,
                          buffer.recording->chunks.back()->pool, 2 * query + 1);
}

// ---- submitting ----

/// Gives each recording that the submission executes, secondary ones included, a place for its
/// values.
void Timer::place(Recording& recording, TimedSubmission& submission) {
  if (!submission.places.try_emplace(&recording, submission.values).second) return;
  for (const std::shared_ptr<QueryChunk>& chunk : recording.chunks)
    submission.values += 2 * uint64_t(chunk->used);
  for (const RecordedItem& item : recording.items)
    if (item.executed) place(*item.executed, submission);
}

namespace {

void countDispatches(const Recording& recording, std::map<uint32_t, uint64_t>& counts) {
  for (const RecordedItem& item : recording.items)
    if (item.executed)
      countDispatches(*item.executed, counts);
    else
      ++counts[item.pipeline];
}

} // namespace

std::unique_ptr<TimedSubmission>
Timer::announce(const Queue& queue, std::span<const std::shared_ptr<Recording>> recordings,
                VkFence fence) {
  auto submission = std::make_unique<TimedSubmission>();
  submission->queue = queue.handle;
  submission->family = queue.family;
  submission->programsFence = fence;
  for (const std::shared_ptr<Recording>& recording : recordings) {
    const uint64_t dispatches = recording->dispatches();
    if (dispatches == 0) continue;
    submission->dispatches += dispatches;
    submission->recordings.push_back(recording);
    place(*recording, *submission);
  }
  if (submission->recordings.empty()) return nullptr;
  std::lock_guard lock(mutex_);
  for (auto& [recording, at] : submission->places) {
    const VkQueue before = recording->queue.exchange(queue.handle);
    if (recording->pending++ > 0 && before != queue.handle) recording->isMixed = true;
  }
  if (submission->values == 0) return submission;
  submission->readback = takeReadback(submission->family, submission->values);
  if (submission->readback && !submitResets(*submission))
    abandonedReadbacks_.push_back(std::move(submission->readback));
  return submission;
}

void Timer::submitted(std::unique_ptr<TimedSubmission> submission, bool isAccepted) {
  std::lock_guard lock(mutex_);
  if (!isAccepted) {
    submission->dispatches = 0;
    for (const auto& [recording, at] : submission->places) --recording->pending;
    submission->places.clear();
    submission->recordings.clear();
  }
  if (submission->readback && !submitCopies(*submission))
    abandonedReadbacks_.push_back(std::move(submission->readback));
  std::map<uint32_t, uint64_t> counts;
  for (const std::shared_ptr<Recording>& recording : submission->recordings)
    countDispatches(*recording, counts);
  if (isAccepted) Log::get().submitted(counts, !submission->readback);
  if (submission->readback)
    pending_.push_back(std::move(submission));
  else
    finish(*submission);
}

bool Timer::begin(VkCommandBuffer commands) {
  VkCommandBufferBeginInfo begin{};
  begin.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO;
  begin.flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT;
  return next_.BeginCommandBuffer(commands, &begin) == VK_SUCCESS;
}

namespace {

VkSubmitInfo submitInfo(const VkCommandBuffer& commands) {
  VkSubmitInfo info{};
  info.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO;
  info.commandBufferCount = 1;
  info.pCommandBuffers = &commands;
  return info;
}

/// On two queues at once: a reset in front of the second could come before the copy behind the
/// first, which would wait for the second.
bool isCopied(const Recording& recording) {
  return !recording.isResetAhead || !recording.isMixed;
}

} // namespace

/// Behind the copies of submissions before, on the same queue.
bool Timer::submitResets(const TimedSubmission& submission) {
  std::vector<const QueryChunk*> chunks;
  for (const auto& [recording, first] : submission.places)
    if (recording->isResetAhead && !recording->isMixed)
      for (const std::shared_ptr<QueryChunk>& chunk : recording->chunks)
        chunks.push_back(chunk.get());
  if (chunks.empty()) return true;
  const VkCommandBuffer& to = submission.readback->resets;
  if (!begin(to)) return false;
  for (const QueryChunk* chunk : chunks)
    next_.CmdResetQueryPool(to, chunk->pool, 0, 2 * chunk->used);
  if (next_.EndCommandBuffer(to) != VK_SUCCESS) return false;
  const VkSubmitInfo info = submitInfo(to);
  return next_.QueueSubmit(submission.queue, 1, &info, VK_NULL_HANDLE) == VK_SUCCESS;
}

/// Behind what was submitted, on the same queue: so no later submission that resets the queries
/// comes before it.
bool Timer::submitCopies(const TimedSubmission& submission) {
  const Readback& to = *submission.readback;
  if (!begin(to.copies)) return false;
  for (const auto& [recording, first] : submission.places) {
    if (!isCopied(*recording)) continue;
    uint64_t at = first;
    for (const std::shared_ptr<QueryChunk>& chunk : recording->chunks) {
      next_.CmdCopyQueryPoolResults(to.copies, chunk->pool, 0, 2 * chunk->used, to.buffer,
                                    at * sizeof(uint64_t), sizeof(uint64_t),
                                    VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WAIT_BIT);
      at += 2 * uint64_t(chunk->used);
    }
  }
  VkMemoryBarrier barrier{};
  barrier.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER;
  barrier.srcAccessMask = VK_ACCESS_TRANSFER_WRITE_BIT;
  barrier.dstAccessMask = VK_ACCESS_HOST_READ_BIT;
  next_.CmdPipelineBarrier(to.copies, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_PIPELINE_STAGE_HOST_BIT, 0,
                           1, &barrier, 0, nullptr, 0, nullptr);
  if (next_.EndCommandBuffer(to.copies) != VK_SUCCESS) return false;
  const VkSubmitInfo info = submitInfo(to.copies);
  return next_.QueueSubmit(submission.queue, 1, &info, to.fence) == VK_SUCCESS;
}

// ---- memory for the copies ----

std::unique_ptr<Readback> Timer::takeReadback(uint32_t family, uint64_t values) {
  std::unique_ptr<Readback> readback;
  for (auto at = freeReadbacks_.begin(); at != freeReadbacks_.end(); ++at)
    if ((*at)->family == family) {
      readback = std::move(*at);
      freeReadbacks_.erase(at);
      break;
    }
  if (!readback) {
    readback = std::make_unique<Readback>();
    if (!create(*readback, family)) {
      destroy(*readback);
      return nullptr;
    }
  }
  if (readback->capacity >= values || allocate(*readback, values)) return readback;
  destroy(*readback);
  return nullptr;
}

bool Timer::create(Readback& readback, uint32_t family) {
  readback.family = family;
  VkCommandPoolCreateInfo pool{};
  pool.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO;
  pool.flags = VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT;
  pool.queueFamilyIndex = family;
  VkFenceCreateInfo fence{};
  fence.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO;
  if (next_.CreateCommandPool(device_, &pool, nullptr, &readback.pool) != VK_SUCCESS) return false;
  VkCommandBufferAllocateInfo commands{};
  commands.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO;
  commands.commandPool = readback.pool;
  commands.commandBufferCount = 2;
  VkCommandBuffer made[2]{};
  if (next_.AllocateCommandBuffers(device_, &commands, made) != VK_SUCCESS) return false;
  readback.resets = made[0];
  readback.copies = made[1];
  return setLoaderData_(device_, readback.resets) == VK_SUCCESS &&
         setLoaderData_(device_, readback.copies) == VK_SUCCESS &&
         next_.CreateFence(device_, &fence, nullptr, &readback.fence) == VK_SUCCESS;
}

bool Timer::allocate(Readback& readback, uint64_t values) {
  next_.DestroyBuffer(device_, std::exchange(readback.buffer, VK_NULL_HANDLE), nullptr);
  next_.FreeMemory(device_, std::exchange(readback.memory, VK_NULL_HANDLE), nullptr);
  readback.capacity = std::max<uint64_t>(values * 2, kQueries);
  VkBufferCreateInfo buffer{};
  buffer.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO;
  buffer.size = readback.capacity * sizeof(uint64_t);
  buffer.usage = VK_BUFFER_USAGE_TRANSFER_DST_BIT;
  if (next_.CreateBuffer(device_, &buffer, nullptr, &readback.buffer) != VK_SUCCESS) return false;
  VkMemoryRequirements needs{};
  next_.GetBufferMemoryRequirements(device_, readback.buffer, &needs);
  VkMemoryAllocateInfo memory{};
  memory.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO;
  memory.allocationSize = needs.size;
  // Every device has a type that is both (Vulkan, "Device Memory").
  constexpr VkMemoryPropertyFlags kWanted =
      VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
  for (uint32_t type = memory_.memoryTypeCount; type-- > 0;)
    if ((needs.memoryTypeBits >> type & 1) != 0 &&
        (memory_.memoryTypes[type].propertyFlags & kWanted) == kWanted)
      memory.memoryTypeIndex = type;
  void* mapped = nullptr;
  if (next_.AllocateMemory(device_, &memory, nullptr, &readback.memory) != VK_SUCCESS ||
      next_.BindBufferMemory(device_, readback.buffer, readback.memory, 0) != VK_SUCCESS ||
      next_.MapMemory(device_, readback.memory, 0, VK_WHOLE_SIZE, 0, &mapped) != VK_SUCCESS)
    return false;
  readback.values = static_cast<const uint64_t*>(mapped);
  return true;
}

void Timer::destroy(Readback& readback) {
  next_.DestroyBuffer(device_, readback.buffer, nullptr);
  next_.FreeMemory(device_, readback.memory, nullptr);
  next_.DestroyFence(device_, readback.fence, nullptr);
  next_.DestroyCommandPool(device_, readback.pool, nullptr);
}

// ---- reading ----

void Timer::collect(std::span<const VkFence> fences) {
  std::lock_guard lock(mutex_);
  std::vector<VkQueue> busy; // in the order of a queue
  for (auto at = pending_.begin(); at != pending_.end();) {
    TimedSubmission& submission = **at;
    const bool isNear =
        submission.programsFence != VK_NULL_HANDLE &&
        std::find(fences.begin(), fences.end(), submission.programsFence) != fences.end();
    VkResult result = VK_NOT_READY;
    if (std::find(busy.begin(), busy.end(), submission.queue) == busy.end())
      result = isNear ? next_.WaitForFences(device_, 1, &submission.readback->fence, VK_TRUE,
                                            kCopyNanoseconds)
                      : next_.GetFenceStatus(device_, submission.readback->fence);
    if (result == VK_NOT_READY || result == VK_TIMEOUT) {
      busy.push_back(submission.queue);
      ++at;
      continue;
    }
    if (result == VK_SUCCESS) read(submission);
    // A device that is lost has no results any more.
    finish(submission);
    at = pending_.erase(at);
  }
}

/// What readItems() needs of a submission.
struct Timer::Reading {
  const TimedSubmission& submission;
  std::map<const Recording*, uint32_t> left; ///< executions that are still to come
  uint64_t mask = 0;
  Clock& clock;
  size_t latest = SIZE_MAX; ///< the result that ends last
  std::vector<DispatchResult> results;
};

void Timer::readItems(Recording& recording, Reading& reading) {
  // Of several executions the last one's results are in the queries.
  const bool isLast = --reading.left[&recording] == 0 && !recording.isMixed;
  const uint64_t* values =
      reading.submission.readback->values + reading.submission.places.at(&recording);
  for (const RecordedItem& item : recording.items) {
    reading.clock.isBehindBarrier |= item.isBehindBarrier;
    if (item.executed)
      readItems(*item.executed, reading);
    else
      readDispatch(item, isLast && item.query >= 0 ? values + 2 * uint64_t(item.query) : nullptr,
                   reading);
  }
  reading.clock.isBehindBarrier |= recording.endsInBarrier;
}

/// `stamps` are its two values, or null.
void Timer::readDispatch(const RecordedItem& item, const uint64_t* stamps, Reading& reading) {
  DispatchResult& result = reading.results.emplace_back();
  result.pipeline = item.pipeline;
  result.groups = item.groups;
  result.isUnordered = item.isUnordered;
  result.isTimable = item.isTimable;
  const bool isBehindBarrier = std::exchange(reading.clock.isBehindBarrier, false);
  if (!stamps) return;
  uint64_t begin = stamps[0] & reading.mask;
  const uint64_t end = stamps[1] & reading.mask;
  uint64_t& lastEnd = reading.clock.lastEnd;
  // The numbers go round; what is half a round ahead is behind.
  auto isBefore = [&](uint64_t a, uint64_t b) { return a < b && b - a < reading.mask / 2; };
  if (end < begin) return;
  if (isBefore(begin, lastEnd)) {
    // Behind a barrier it cannot have begun before: the queue has only come by early.
    if (isBehindBarrier)
      begin = std::min(end, lastEnd);
    else
      result.overlaps = true;
  }
  if (result.overlaps && reading.latest != SIZE_MAX)
    reading.results[reading.latest].overlaps = true;
  result.nanoseconds = double(end - begin) * nanosecondsPerTick_;
  if (isBefore(end, lastEnd)) return;
  lastEnd = end;
  reading.latest = reading.results.size() - 1;
}

namespace {

void countExecutions(const Recording& recording, std::map<const Recording*, uint32_t>& counts) {
  ++counts[&recording];
  for (const RecordedItem& item : recording.items)
    if (item.executed) countExecutions(*item.executed, counts);
}

} // namespace

void Timer::read(TimedSubmission& submission) {
  const uint32_t bits = validBits_[submission.family];
  Reading reading{submission,
                  {},
                  bits >= 64 ? UINT64_MAX : (uint64_t(1) << bits) - 1,
                  clocks_[submission.queue],
                  SIZE_MAX,
                  {}};
  for (const std::shared_ptr<Recording>& recording : submission.recordings)
    countExecutions(*recording, reading.left);
  for (const std::shared_ptr<Recording>& recording : submission.recordings)
    readItems(*recording, reading);
  Log::get().add(reading.results);
  submission.dispatches = 0; // they are told
}

namespace {

void listDispatches(const Recording& recording, std::vector<DispatchResult>& results) {
  for (const RecordedItem& item : recording.items)
    if (item.executed)
      listDispatches(*item.executed, results);
    else
      results.push_back({item.pipeline, item.groups, {}, false, item.isUnordered, item.isTimable});
}

} // namespace

/// Counts what could not be read, and gives back what the submission held.
void Timer::finish(TimedSubmission& submission) {
  if (submission.dispatches > 0) {
    std::vector<DispatchResult> results;
    for (const std::shared_ptr<Recording>& recording : submission.recordings)
      listDispatches(*recording, results);
    Log::get().add(results);
  }
  for (const auto& [recording, at] : submission.places) --recording->pending;
  if (!submission.readback) return;
  next_.ResetFences(device_, 1, &submission.readback->fence);
  freeReadbacks_.push_back(std::move(submission.readback));
}

void Timer::destroy() {
  next_.DeviceWaitIdle(device_);
  collect();
  std::lock_guard lock(mutex_);
  for (const std::unique_ptr<TimedSubmission>& submission : pending_) finish(*submission);
  pending_.clear();
  for (std::vector<std::unique_ptr<Readback>>* all : {&freeReadbacks_, &abandonedReadbacks_}) {
    for (const std::unique_ptr<Readback>& readback : *all) destroy(*readback);
    all->clear();
  }
  std::lock_guard chunks(chunkMutex_);
  for (const VkQueryPool pool : freeChunks_) next_.DestroyQueryPool(device_, pool, nullptr);
  freeChunks_.clear();
}

} // namespace lanewise::layer
