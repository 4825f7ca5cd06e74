// Reads the queues of a scenario. Submissions are read once for each frame, with `frame` as a
// parameter of their expressions.
#include "verify/scenario/queue_keys.h"

#include "verify/queues/happens_before.h"
#include "verify/queues/hazards.h"

#include <set>
#include <utility>

namespace lanewise::driver {
namespace {

// More than any frame graph has; the order of so many is still found in seconds.
constexpr uint32_t kMostCommands = 4096;
constexpr uint32_t kMostQueues = 64; // more than any device has

TextPlace placeOf(const toml::source_region& at) {
  return {uint32_t(at.begin.line), uint32_t(at.begin.column)};
}
TextPlace placeOf(const toml::node& node) {
  return placeOf(node.source());
}

bool hasKey(const toml::table& table, const char* key) {
  return table.get(key) != nullptr;
}

} // namespace

void QueueKeys::readQueues(const toml::table& root, bool keepsFaults) {
  for (const char* key : {"semaphore", "submit", "frames_in_flight"})
    if (hasKey(root, key) && !hasKey(root, "queue"))
      return fail(*root.get(key), fmt::format("`{}` needs a [[queue]] to submit to", key));
  if (!hasKey(root, "queue") || error_) return;
  if (const toml::node* dispatch = root.get("dispatch"))
    return fail(*dispatch, "a scenario with a [[queue]] has its dispatches in [[submit]]: write "
                           "[[submit.dispatch]]");
  if (const toml::node* variant = root.get("variant"))
    return fail(*variant, "a scenario with a [[queue]] has no [[variant]]");
  if (!hasKey(root, "submit")) return fail(root, "a [[queue]] but no [[submit]]");
  if (parameters_.count("frame"))
    return fail(*root.get("parameters"),
                "`frame` is the number of the frame in a scenario with a [[queue]]; give the "
                "parameter another name");
  forEachTable(root, "queue", "queue", [&](const toml::table& t) { readQueue(t); });
  forEachTable(root, "semaphore", "semaphore", [&](const toml::table& t) { readSemaphore(t); });
  readFrames(root);
  isInSubmission_ = true;
  for (frame_ = 0; frame_ < plan_.frames && !error_; ++frame_) {
    parameters_["frame"] = frame_;
    uint32_t number = 0;
    forEachTable(root, "submit", "submit",
                 [&](const toml::table& t) { readSubmission(t, number++); });
  }
  isInSubmission_ = false;
  parameters_.erase("frame");
  if (!error_) checkQueues(root, keepsFaults);
  if (error_) return;
  putInOrder();
  scenario_.queues = std::move(plan_);
}

void QueueKeys::readFrames(const toml::table& root) {
  plan_.frames = std::exchange(scenario_.repeat, 1);
  const toml::node* inFlight = root.get("frames_in_flight");
  if (inFlight)
    plan_.framesInFlight = uint32_t(integer(*inFlight, "frames_in_flight", 1, UINT32_MAX));
  else if (plan_.frames > 1)
    fail(*root.get("repeat"), "`repeat` with a [[queue]] needs `frames_in_flight`: how many frames "
                              "the host submits before it waits for the first of them");
}

void QueueKeys::readQueue(const toml::table& table) {
  checkKeys(table, "in [[queue]]", {"name", "kind", "family"});
  if (plan_.queues.size() == kMostQueues)
    fail(table, fmt::format("more than {} queues", kMostQueues));
  PlannedQueue queue;
  queue.at = placeOf(table);
  queue.name = requiredString(table, "name", "[[queue]]");
  for (const PlannedQueue& other : plan_.queues)
    if (other.name == queue.name)
      fail(*table.get("name"), fmt::format("duplicate queue name `{}`", queue.name));
  if (const toml::node* kind = table.get("kind"))
    queue.kind =
        QueueKind(numberOf(*kind, "kind", "queue kind", {"compute", "transfer", "graphics"}));
  if (const toml::node* family = table.get("family"))
    queue.family = uint32_t(integer(*family, "family", 0, 255));
  plan_.queues.push_back(std::move(queue));
}

void QueueKeys::readSemaphore(const toml::table& table) {
  checkKeys(table, "in [[semaphore]]", {"name", "initial"});
  PlannedSemaphore semaphore;
  semaphore.at = placeOf(table);
  semaphore.name = requiredString(table, "name", "[[semaphore]]");
  for (const PlannedSemaphore& other : plan_.semaphores)
    if (other.name == semaphore.name)
      fail(*table.get("name"), fmt::format("duplicate semaphore name `{}`", semaphore.name));
  if (const toml::node* initial = table.get("initial"))
    semaphore.initial = uint64_t(integer(*initial, "initial", 0, INT64_MAX));
  plan_.semaphores.push_back(std::move(semaphore));
}

uint32_t QueueKeys::numberOf(const toml::node& node, std::string_view key, std::string_view kind,
                             const std::vector<std::string>& names) {
  const std::string name = string(node, key);
  const auto found = std::find(names.begin(), names.end(), name);
  if (found != names.end()) return uint32_t(found - names.begin());
  if (!error_) failUnknown(node.source(), kind, name, names);
  return 0;
}

std::vector<std::string> QueueKeys::queueNames() const {
  std::vector<std::string> names;
  for (const PlannedQueue& queue : plan_.queues) names.push_back(queue.name);
  return names;
}

std::vector<std::string> QueueKeys::semaphoreNames() const {
  std::vector<std::string> names;
  for (const PlannedSemaphore& semaphore : plan_.semaphores) names.push_back(semaphore.name);
  return names;
}

// ----- submissions -----

void QueueKeys::readSubmission(const toml::table& table, uint32_t number) {
  checkKeys(table, "in [[submit]]",
            {"name", "queue", "wait", "signal", "fence", "host_wait", "frames", "dispatch", "copy",
             "release", "acquire"});
  if (!isOfThisFrame(table)) return;
  PlannedSubmission submission;
  submission.at = placeOf(table);
  submission.frame = frame_;
  submission.name = hasKey(table, "name") ? requiredString(table, "name", "[[submit]]")
                                          : fmt::format("submission {}", number + 1);
  if (const toml::node* queue = required(table, "queue", "[[submit]]"))
    submission.queue = numberOf(*queue, "queue", "queue", queueNames());
  readHostWaits(table, submission);
  readUses(table, "wait", submission.waits);
  readUses(table, "signal", submission.signals);
  for (size_t i = 0; i < submission.signals.size() && !error_; ++i)
    for (size_t j = 0; j < i; ++j)
      if (submission.signals[i].semaphore == submission.signals[j].semaphore)
        fail(*table.get("signal"), "one submission signals a semaphore once");
  if (const toml::node* fence = table.get("fence")) submission.fence = string(*fence, "fence");
  readCommands(table, submission);
  plan_.submissions.push_back(std::move(submission));
}

// `frames = [0, 3]`: of these alone.
bool QueueKeys::isOfThisFrame(const toml::table& table) {
  const toml::node* node = table.get("frames");
  if (!node || error_) return true;
  const toml::array* list = node->as_array();
  if (!list || list->empty())
    return fail(*node, "`frames` must be a list of the frames in which this is submitted"), false;
  std::set<int64_t> frames;
  for (const toml::node& frame : *list)
    if (const int64_t number = integer(frame, "frames", 0, plan_.frames - 1);
        !frames.insert(number).second)
      fail(frame, fmt::format("`frames` has {} twice", number));
  return frames.contains(frame_);
}

// Commands of several kinds stand in arrays of their own; their lines say in which order they come.
void QueueKeys::readCommands(const toml::table& table, PlannedSubmission& submission) {
  std::vector<std::pair<std::string_view, const toml::table*>> commands;
  for (const char* kind : {"dispatch", "copy", "release", "acquire"})
    forEachTable(table, kind, fmt::format("submit.{}", kind),
                 [&](const toml::table& t) { commands.emplace_back(kind, &t); });
  std::stable_sort(commands.begin(), commands.end(), [](const auto& a, const auto& b) {
    return placeOf(*a.second) < placeOf(*b.second);
  });
  for (const auto& [kind, command] : commands) {
    readCommand(kind, *command, submission);
    if (error_) return;
  }
  size_t count = 0;
  for (const PlannedSubmission& other : plan_.submissions)
    count += std::max<size_t>(other.commands.size(), 1);
  if (count + submission.commands.size() > kMostCommands)
    fail(table, fmt::format("more than {} commands over all frames; take a smaller `repeat`",
                            kMostCommands));
}

void QueueKeys::readCommand(std::string_view kind, const toml::table& table,
                            PlannedSubmission& submission) {
  PlannedCommand command;
  command.at = placeOf(table);
  if (kind == "dispatch")
    readDispatchCommand(table, command);
  else if (kind == "copy")
    readCopy(table, command);
  else
    readOwnership(table, kind == "release", command);
  if (error_) return;
  if (command.kind == PlannedCommand::Kind::Dispatch &&
      plan_.queues[submission.queue].kind == QueueKind::Transfer)
    return fail(table, fmt::format("queue `{}` is of kind transfer and cannot dispatch",
                                   plan_.queues[submission.queue].name));
  readBarrier(table, submission.commands.empty(), command);
  if (const toml::node* name = table.get("name")) command.name = string(*name, "name");
  submission.commands.push_back(std::move(command));
}

void QueueKeys::readDispatchCommand(const toml::table& table, PlannedCommand& command) {
  ScenarioDispatch dispatch = readDispatch(table);
  command.name = dispatch.shader;
  command.isIndirect = dispatch.indirect.has_value();
  command.dispatch = uint32_t(dispatches_.size());
  dispatches_.push_back(std::move(dispatch));
}

uint32_t QueueKeys::bufferOf(const toml::node& node) {
  const std::string name = boundName(node);
  if (error_) return 0;
  uint32_t number = 0;
  while (scenario_.buffers[number].name != name) ++number;
  if (scenario_.buffers[number].image)
    fail(node, fmt::format("`{}` is an image; only buffers can be copied and owned here", name));
  return number;
}

void QueueKeys::readCopy(const toml::table& table, PlannedCommand& command) {
  checkKeys(table, "in [[submit.copy]]",
            {"name", "from", "to", "from_offset", "to_offset", "bytes", "barrier"});
  command.kind = PlannedCommand::Kind::Copy;
  PlannedCopy& copy = command.copy;
  if (const toml::node* from = required(table, "from", "[[submit.copy]]"))
    copy.from = bufferOf(*from);
  if (const toml::node* to = required(table, "to", "[[submit.copy]]")) copy.to = bufferOf(*to);
  if (error_) return;
  const ScenarioBuffer &source = scenario_.buffers[copy.from], &target = scenario_.buffers[copy.to];
  auto offset = [&](const char* key, const ScenarioBuffer& of) -> uint64_t {
    const toml::node* node = table.get(key);
    return node ? uint64_t(integer(*node, key, 0, int64_t(of.bytes()) - 1)) : 0;
  };
  copy.fromOffset = offset("from_offset", source);
  copy.toOffset = offset("to_offset", target);
  if (error_) return;
  const uint64_t most = std::min(source.bytes() - copy.fromOffset, target.bytes() - copy.toOffset);
  const toml::node* bytes = table.get("bytes");
  copy.bytes = bytes ? uint64_t(integer(*bytes, "bytes", 1, int64_t(most))) : most;
  if (error_) return;
  if (copy.from == copy.to && copy.fromOffset < copy.toOffset + copy.bytes &&
      copy.toOffset < copy.fromOffset + copy.bytes)
    fail(table, "a copy within one buffer must not overlap itself");
  command.name = fmt::format("copy of {} to {}", source.name, target.name);
}

void QueueKeys::readOwnership(const toml::table& table, bool isRelease, PlannedCommand& command) {
  const char* where = isRelease ? "[[submit.release]]" : "[[submit.acquire]]";
  const char* other = isRelease ? "to" : "from";
  checkKeys(table, fmt::format("in {}", where), {"buffer", other});
  command.kind = PlannedCommand::Kind::Ownership;
  command.ownership.isRelease = isRelease;
  if (const toml::node* buffer = required(table, "buffer", where))
    command.ownership.buffer = bufferOf(*buffer);
  if (const toml::node* queue = required(table, other, where))
    command.ownership.otherQueue = numberOf(*queue, other, "queue", queueNames());
  if (error_) return;
  const ScenarioBuffer& buffer = scenario_.buffers[command.ownership.buffer];
  if (!buffer.isExclusive)
    fail(table, fmt::format("buffer `{}` has no owner: give it `sharing = \"exclusive\"`, or leave "
                            "this away",
                            buffer.name));
  command.name = fmt::format("{} of {}", isRelease ? "release" : "acquire", buffer.name);
}

// As in a scenario without queues, a barrier stands between the commands of a submission unless it
// is taken away. Between submissions there is none unless it is asked for.
void QueueKeys::readBarrier(const toml::table& table, bool isFirst, PlannedCommand& command) {
  if (!isFirst) command.barrier = PlannedBarrier{};
  const toml::node* barrier = table.get("barrier");
  if (!barrier) return;
  if (std::optional<bool> is = barrier->value_exact<bool>()) {
    command.barrier = *is ? std::optional(PlannedBarrier{}) : std::nullopt;
    return;
  }
  const toml::table* stages = barrier->as_table();
  if (!stages)
    return fail(*barrier,
                fmt::format("`barrier` must be true, false or {{ from = \"compute\", to = "
                            "\"transfer\" }}, not {}",
                            typeName(*barrier)));
  checkKeys(*stages, "in `barrier`", {"from", "to"});
  command.barrier = PlannedBarrier{};
  if (const toml::node* from = stages->get("from"))
    command.barrier->from = readStages(*from, "from");
  if (const toml::node* to = stages->get("to")) command.barrier->to = readStages(*to, "to");
}

// ----- waits and signals -----

void QueueKeys::readUses(const toml::table& table, const char* key, std::vector<SemaphoreUse>& to) {
  const toml::node* node = table.get(key);
  if (!node || error_) return;
  const toml::array* list = node->as_array();
  for (size_t n = 0; n < (list ? list->size() : 1) && !error_; ++n) {
    const SemaphoreUse use = readUse(list ? *list->get(n) : *node, key);
    if (!error_) to.push_back(use);
  }
}

SemaphoreUse QueueKeys::readUse(const toml::node& node, std::string_view key) {
  SemaphoreUse use;
  use.at = placeOf(node);
  const toml::table* table = node.as_table();
  if (!table) {
    fail(node,
         fmt::format("`{}` must be a table such as {{ semaphore = \"done\", value = 1 }}, not "
                     "{}: a timeline semaphore is no binary one",
                     key, typeName(node)));
    return use;
  }
  checkKeys(*table, fmt::format("in `{}`", key), {"semaphore", "value", "stage"});
  const toml::node* semaphore = required(*table, "semaphore", fmt::format("`{}`", key));
  if (!semaphore || error_) return use;
  use.semaphore = numberOf(*semaphore, "semaphore", "semaphore", semaphoreNames());
  if (!error_ && !hasKey(*table, "value"))
    fail(node, fmt::format("`{}` of timeline semaphore `{}` needs a `value`: it is no binary one",
                           key, plan_.semaphores[use.semaphore].name));
  if (error_) return use;
  use.value = readValue(*table, "value");
  if (!error_ && key == "signal" && use.value == 0)
    fail(*table->get("value"),
         "a signal's `value` must be at least 1, and above what was signalled "
         "before");
  if (const toml::node* stage = table->get("stage")) use.stages = readStages(*stage, "stage");
  return use;
}

// "frame - 2" is below 0 in the first frames: nothing to wait for.
uint64_t QueueKeys::readValue(const toml::table& table, const char* key) {
  const int64_t value = integer(*table.get(key), key, INT64_MIN, INT64_MAX);
  return uint64_t(std::max<int64_t>(value, 0));
}

Stages QueueKeys::readStages(const toml::node& node, std::string_view key) {
  static const std::vector<std::string> names{"compute", "transfer", "indirect", "all"};
  auto one = [&](const toml::node& name) -> Stages {
    const uint32_t number = numberOf(name, key, "stage", names);
    return number == 3 ? kAllStages : Stages(1 << number);
  };
  const toml::array* list = node.as_array();
  if (!list) return one(node);
  Stages stages = 0;
  for (const toml::node& name : *list) stages |= one(name);
  if (stages == 0) fail(node, fmt::format("`{}` must not be an empty list", key));
  return stages;
}

void QueueKeys::readHostWaits(const toml::table& table, PlannedSubmission& submission) {
  const toml::node* node = table.get("host_wait");
  if (!node || error_) return;
  const toml::array* list = node->as_array();
  for (size_t n = 0; n < (list ? list->size() : 1) && !error_; ++n) {
    const toml::node& entry = list ? *list->get(n) : *node;
    HostWait wait = readHostWait(entry);
    if (!error_ && (wait.fence || wait.value != 0)) submission.hostWaits.push_back(wait);
  }
}

// "fence", { fence = "done", frame = "frame-2" } or { semaphore = "s", value = 3 }.
HostWait QueueKeys::readHostWait(const toml::node& node) {
  HostWait wait;
  if (node.is_string()) {
    toml::table named;
    named.insert("fence", string(node, "host_wait"));
    wait = readFenceWait(named);
    if (!wait.fence && !error_)
      fail(node, fmt::format("no [[submit]] before this one signals fence `{}`",
                             string(node, "host_wait")));
  } else if (const toml::table* table = node.as_table()) {
    checkKeys(*table, "in `host_wait`", {"fence", "frame", "semaphore", "value"});
    checkHostWait(*table);
    if (error_) return wait;
    if (hasKey(*table, "fence")) {
      wait = readFenceWait(*table);
    } else {
      const SemaphoreUse use = readUse(node, "host_wait");
      wait.semaphore = use.semaphore, wait.value = use.value;
    }
  } else {
    fail(node, fmt::format("`host_wait` must be the name of a fence, or a table such as {{ "
                           "semaphore = \"done\", value = 1 }}, not {}",
                           typeName(node)));
  }
  wait.at = placeOf(node);
  return wait;
}

// A fence, of a frame; or a semaphore, with a value.
void QueueKeys::checkHostWait(const toml::table& table) {
  for (auto [one, other] : {std::pair("fence", "semaphore"), std::pair("fence", "value"),
                            std::pair("semaphore", "frame")})
    if (hasKey(table, one) && hasKey(table, other))
      fail(*table.get(other), fmt::format("`host_wait` has `{}`, to which `{}` does not belong: it "
                                          "is for a `fence`, of a `frame`, or for a `semaphore` "
                                          "and its `value`",
                                          one, other));
  if (!hasKey(table, "fence") && !hasKey(table, "semaphore"))
    fail(table, "`host_wait` needs a `fence`, with or without its `frame`, or a `semaphore` and "
                "its `value`");
}

// The last submission so far, or of that frame, which signals it. Of a frame below 0 there is none.
HostWait QueueKeys::readFenceWait(const toml::table& table) {
  HostWait wait;
  const std::string name = string(*table.get("fence"), "fence");
  int64_t frame = -1;
  const toml::node* ofFrame = table.get("frame");
  if (ofFrame) {
    frame = integer(*ofFrame, "frame", INT64_MIN, INT64_MAX);
    if (frame > frame_)
      fail(*ofFrame, fmt::format("`frame` is {}, and the host can wait for frames no later than "
                                 "this frame, {}",
                                 frame, frame_));
    if (frame < 0 || error_) return wait;
  }
  for (uint32_t s = 0; s < plan_.submissions.size(); ++s)
    if (plan_.submissions[s].fence == name && (!ofFrame || plan_.submissions[s].frame == frame))
      wait.fence = s;
  if (ofFrame && !wait.fence && !error_)
    fail(*table.get("fence"), fmt::format("no [[submit]] before this one signals fence `{}` in "
                                          "frame {}",
                                          name, frame));
  return wait;
}

// ----- the whole -----

void QueueKeys::checkQueues(const toml::table& root, bool keepsFaults) {
  if (dispatches_.empty()) return fail(root, "no [[submit.dispatch]]");
  std::set<uint32_t> queues, semaphores;
  for (const PlannedSubmission& submission : plan_.submissions) {
    queues.insert(submission.queue);
    for (const auto* uses : {&submission.waits, &submission.signals})
      for (const SemaphoreUse& use : *uses) semaphores.insert(use.semaphore);
    for (const HostWait& wait : submission.hostWaits)
      if (!wait.fence) semaphores.insert(wait.semaphore);
  }
  for (uint32_t n = 0; n < plan_.queues.size(); ++n)
    if (!queues.count(n))
      fail(*root.get("queue")->as_array()->get(n),
           fmt::format("queue `{}` gets no [[submit]]", plan_.queues[n].name));
  for (uint32_t n = 0; n < plan_.semaphores.size(); ++n)
    if (!semaphores.count(n))
      fail(*root.get("semaphore")->as_array()->get(n),
           fmt::format("semaphore `{}` is used by no [[submit]]", plan_.semaphores[n].name));
  for (uint32_t b = 0; b < scenario_.buffers.size(); ++b)
    if (scenario_.buffers[b].isExclusive) plan_.exclusive.push_back(b);
  if (error_ || keepsFaults) return;
  const HappensBefore order(plan_);
  if (order.faults().empty()) return;
  const QueueFinding found = findingOf(plan_, order.faults()[0]);
  toml::source_region at;
  at.begin = {found.at.line, found.at.column};
  fail(at, found.message);
}

// One sequence of dispatches and copies for all that knows no queues.
void QueueKeys::putInOrder() {
  for (CommandRef at : HappensBefore(plan_).serialOrder()) {
    PlannedCommand& command = plan_.submissions[at.submission].commands[at.command];
    if (command.kind == PlannedCommand::Kind::Copy)
      scenario_.copies.push_back({uint32_t(scenario_.dispatches.size()), command.copy});
    if (command.kind != PlannedCommand::Kind::Dispatch) continue;
    scenario_.dispatches.push_back(std::move(dispatches_[command.dispatch]));
    command.dispatch = uint32_t(scenario_.dispatches.size() - 1);
  }
}

} // namespace lanewise::driver
