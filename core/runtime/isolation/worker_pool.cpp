#include "worker_pool.h"

#include <algorithm>

#include "kmux/plugin/plugin.hpp"
#include "kmux/plugin/sha256.h"

#include "system/compile_scope.h"

namespace kmux {
namespace {

using Kind = WorkerFailure::Kind;

/// How long what opening a plugin answered is believed: it may have been short of memory or descriptors. A start takes
/// some ten milliseconds, which every call would pay otherwise.
constexpr std::chrono::seconds kTimeOfReply{10};

Frame open_frame(const Options& options) {
  Frame frame{FrameKind::kOpen};
  for (const auto& [name, value] : options) frame.parts.insert(frame.parts.end(), {name, value});
  return frame;
}

Result<WorkerReply> read_reply(const Frame& frame) {
  if (frame.parts.size() != 4) {
    return make_error(ErrorCode::kInternal,
                      "a reply of kmux-worker has " + std::to_string(frame.parts.size()) + " parts instead of 4.");
  }
  KMUX_ASSIGN(const std::int64_t code, read_number(frame.parts[0]));
  KMUX_ASSIGN(const std::int64_t peak, read_number(frame.parts[3]));
  const auto peak_bytes = static_cast<std::uint64_t>(std::max<std::int64_t>(peak, 0));
  return WorkerReply{static_cast<kmux_code>(code), frame.parts[1], frame.parts[2], peak_bytes};
}

/// In wrap, build and standalone it was the program that the compiler stumbled over: nobody else is to be tried silently.
ErrorCode code_of(FrameKind call) {
  const bool compiles = call == FrameKind::kWrap || call == FrameKind::kBuild || call == FrameKind::kStandalone;
  return compiles ? ErrorCode::kCompileFailed : ErrorCode::kUnavailable;
}

bool has_ended(const std::variant<Frame, WorkerFailure>& answer) {
  const auto* failure = std::get_if<WorkerFailure>(&answer);
  return failure != nullptr && failure->kind == Kind::kEnded;
}

bool was_killed(const WorkerFailure& failure) {
  return failure.kind == Kind::kEnded && failure.end == WorkerFailure::End::kKilled;
}

}  // namespace

/// One of the workers that may be at work at the same time.
class WorkerPool::Lease {
 public:
  explicit Lease(WorkerPool& pool) : pool_(pool) {
    std::unique_lock lock(pool_.mutex_);
    pool_.freed_.wait(lock, [&] { return pool_.lent_ < kMostWorkers || CompileScope::current() != nullptr; });
    ++pool_.lent_;
  }
  ~Lease() {
    {
      const std::lock_guard lock(pool_.mutex_);
      --pool_.lent_;
    }
    pool_.freed_.notify_one();
  }
  Lease(const Lease&) = delete;
  Lease& operator=(const Lease&) = delete;

 private:
  WorkerPool& pool_;
};

Result<WorkerReply> WorkerPool::call(const Frame& request, const Limit& given) {
  KMUX_ASSIGN(const std::string bytes, encode(request));
  const Limit limit = limit_in_scope(given);
  const Question question{request.kind, sha256_hex(bytes), limit};
  const Lease lease(*this);
  if (auto known = recall(question)) return *std::move(known);
  if (auto worker = take_idle()) {
    Answer answer = worker->call(bytes, Deadline(limit), host());
    if (!has_ended(answer)) return conclude(question, std::move(worker), std::move(answer));
  }
  KMUX_ASSIGN(std::unique_ptr<WorkerProcess> worker, start(limit));
  Answer answer = worker->call(bytes, Deadline(limit), host());
  return conclude(question, std::move(worker), std::move(answer));
}

Result<WorkerReply> WorkerPool::conclude(const Question& question, std::unique_ptr<WorkerProcess> worker,
                                         Answer answer) {
  if (const auto* failure = std::get_if<WorkerFailure>(&answer)) return remember(question, *failure);
  KMUX_ASSIGN(WorkerReply reply, read_reply(std::get<Frame>(answer)));
  if (CompileScope* scope = CompileScope::current()) scope->took_memory(reply.peak_bytes);
  const std::lock_guard lock(mutex_);
  idle_.push_back(std::move(worker));
  return reply;
}

/// What a worker has of this application, while this thread calls it.
WorkerHost WorkerPool::host() const {
  const CompileScope* scope = CompileScope::current();
  if (scope == nullptr) return settings_.host;
  return {settings_.host.log, [scope, &outer = settings_.host] { return outer.stopping() || scope->is_cancelled(); }};
}

/// An idle worker that still lives, or null.
std::unique_ptr<WorkerProcess> WorkerPool::take_idle() {
  for (;;) {
    std::unique_ptr<WorkerProcess> worker;
    {
      const std::lock_guard lock(mutex_);
      if (idle_.empty()) return nullptr;
      worker = std::move(idle_.back());
      idle_.pop_back();
    }
    if (worker->is_ready()) return worker;
  }
}

void WorkerPool::end_idle() {
  const std::unique_lock lock(mutex_, std::try_to_lock);  // in a fork, a thread that is not there may hold it
  if (lock) idle_.clear();
}

void WorkerPool::end_surplus() {
  std::vector<std::unique_ptr<WorkerProcess>> surplus;  // to end takes long, so not under the lock
  const std::lock_guard lock(mutex_);
  while (idle_.size() > kMostWorkers) {
    surplus.push_back(std::move(idle_.back()));
    idle_.pop_back();
  }
}

Result<std::unique_ptr<WorkerProcess>> WorkerPool::start(const Limit& limit) {
  const Frame open = open_frame(settings_.options);
  KMUX_ASSIGN(const std::string bytes, encode(open));
  const Question question{open.kind, sha256_hex(bytes), limit};
  if (auto known = recall(question)) return *std::move(known);
  KMUX_ASSIGN(std::unique_ptr<WorkerProcess> worker, WorkerProcess::start(settings_.program, settings_.manifest));
  const Answer answer = worker->call(bytes, Deadline(limit), host());
  if (const auto* failure = std::get_if<WorkerFailure>(&answer)) return remember(question, *failure);
  KMUX_ASSIGN(const WorkerReply reply, read_reply(std::get<Frame>(answer)));
  if (reply.code == KMUX_OK) return worker;
  const Error error = read_error(reply.code, reply.error);
  const std::lock_guard lock(mutex_);
  failed_.add(question.key, error, std::nullopt, kTimeOfReply);
  return error;
}

/// Refuses a call that failed before, unless it was given less time then.
std::optional<Error> WorkerPool::recall(const Question& question) {
  const std::lock_guard lock(mutex_);
  std::optional<Error> error = failed_.find(question.key, question.limit);
  if (!error) return std::nullopt;
  return std::move(*error).with("remembered", "the same call failed before; it was not made again");
}

/// Not what was cancelled, nor a worker that was killed from outside: neither is the program's fault.
Error WorkerPool::remember(const Question& question, const WorkerFailure& failure) {
  Error error = error_of(question.call, failure, question.limit);
  if (failure.kind == Kind::kStopped || was_killed(failure)) return error;
  return remember(question, std::move(error), failure.kind == Kind::kTimeUp ? question.limit : std::nullopt);
}

Error WorkerPool::remember(const Question& question, Error error, const Limit& limit) {
  const std::lock_guard lock(mutex_);
  failed_.add(question.key, error, limit);
  return error;
}

namespace {

const char* word_of(const WorkerFailure& failure) {
  switch (failure.kind) {
    case WorkerFailure::Kind::kEnded:
      return was_killed(failure) ? kKilledWorker : "crashed";
    case WorkerFailure::Kind::kTimeUp:
      return "stopped";
    case WorkerFailure::Kind::kMalformed:
      return "malformed";
    case WorkerFailure::Kind::kStopped:
      return "cancelled";
  }
  return "";
}

}  // namespace

Error WorkerPool::error_of(FrameKind call, const WorkerFailure& failure, const Limit& limit) const {
  const std::string step = std::string(to_string(call));
  const std::string who = "backend \"" + settings_.plugin + "\" ";
  Error error;
  switch (failure.kind) {
    case Kind::kEnded:
      if (was_killed(failure)) {
        error = make_error(code_of(call), who + "was killed in " + step + " (" + failure.why +
                                              "). Check whether memory is short (KMUX_COMPILE_MEMORY limits compilers) "
                                              "and try again.");
        break;
      }
      error = make_error(code_of(call), who + "crashed in " + step + " (" + failure.why +
                                            "). Change the program or the options, or report it to the backend's "
                                            "author; the application goes on.");
      break;
    case Kind::kTimeUp:
      error = make_error(code_of(call), who + "did not end " + step + " within " +
                                            std::to_string(limit.value_or(Limit::value_type{}).count()) +
                                            " ms and was stopped (compile_timeout). Allow more time, or find out what "
                                            "its compiler waits for.");
      break;
    case Kind::kStopped:
      error = cancellation(who + "was stopped in " + step + " (" + failure.why + ").");
      break;
    case Kind::kMalformed:
      error = make_error(ErrorCode::kInternal, who + "gave no answer in " + step + " (" + failure.why +
                                                   "). Something in the plugin writes to the worker's socket; report "
                                                   "it to its author.");
      break;
  }
  if (!failure.output.empty()) error.notes.push_back({"log", failure.output});
  return std::move(error).with("worker", word_of(failure));  // it was not the sources that the compiler refused
}

}  // namespace kmux
