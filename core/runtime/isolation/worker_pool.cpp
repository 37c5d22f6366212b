#include "worker_pool.h"

#include <algorithm>
#include <tuple>

#include "kmux/plugin/plugin.hpp"
#include "kmux/plugin/sha256.h"

#include "system/compile_scope.h"
#include "worker_confinement.h"
#include "worker_frame.h"

namespace kmux {
namespace {

using Kind = WorkerFailure::Kind;

/// The time for which a plugin's error on opening is remembered: memory or descriptors may have been short. Starting a
/// worker takes some ten milliseconds, which every call would otherwise cost.
constexpr std::chrono::seconds kTimeOfReply{10};

/// Returns true for calls that compile. If they fail, no other backend is tried silently.
bool compiles(FrameKind call) {
  return call == FrameKind::kWrap || call == FrameKind::kBuild || call == FrameKind::kStandalone;
}

ErrorCode code_of(FrameKind call) { return compiles(call) ? ErrorCode::kCompileFailed : ErrorCode::kUnavailable; }

bool has_ended(const std::variant<Frame, WorkerFailure>& answer) {
  const auto* failure = std::get_if<WorkerFailure>(&answer);
  return failure != nullptr && failure->kind == Kind::kEnded;
}

bool was_killed(const WorkerFailure& failure) {
  return failure.kind == Kind::kEnded && failure.end == WorkerFailure::End::kKilled;
}

std::string text_of(kmux_bytes bytes) { return bytes.size == 0 ? std::string() : std::string(bytes.data, bytes.size); }

/// A function of the table that writes an error to its last argument, or does nothing if it returns void.
template <class Function>
struct Refused;
template <class... Arguments>
struct Refused<kmux_code (*)(Arguments...)> {
  static kmux_code call(Arguments... arguments) {
    return write_error(make_error(ErrorCode::kInternal,
                                  "a plugin in a worker process has no adapters and no devices. Ask the registry for "
                                  "the plugin."),
                       std::get<sizeof...(Arguments) - 1>(std::tie(arguments...)));
  }
};
template <class... Arguments>
struct Refused<void (*)(Arguments...)> {
  static void call(Arguments...) {}
};
template <class Function>
void refuse(Function& function) {
  function = Refused<Function>::call;
}

const kmux_device_api& no_devices() {
  static const kmux_device_api devices = [] {
    kmux_device_api api{};
    api.struct_size = sizeof api;
    refuse(api.count), refuse(api.properties), refuse(api.allocate), refuse(api.free), refuse(api.copy);
    refuse(api.memset), refuse(api.memory_info), refuse(api.stream_create), refuse(api.stream_destroy);
    refuse(api.stream_synchronize), refuse(api.event_create), refuse(api.event_destroy), refuse(api.event_record);
    refuse(api.event_elapsed), refuse(api.l2_flush), refuse(api.stream_wait_event), refuse(api.stream_capture);
    refuse(api.event_create_untimed), refuse(api.host_allocate), refuse(api.host_free);
    refuse(api.stream_create_with_priority), refuse(api.copy_peer);
    return api;
  }();
  return devices;
}

}  // namespace

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

/// The right to use one of the concurrent workers.
class WorkerPool::Lease {
 public:
  explicit Lease(WorkerPool& pool) : pool_(pool) {
    std::unique_lock lock(pool_.mutex_);
    pool_.freed_.wait(lock, [&] { return pool_.lent_ < kMaxWorkers || CompileScope::current() != nullptr; });
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

Result<WorkerReply> WorkerPool::call(const Frame& request, const Limit& given,
                                     const std::optional<Confinement>& confinement) {
  KMUX_ASSIGN(const std::string bytes, encode(request));
  const Limit limit = limit_in_scope(given);
  const Question question{request.kind, sha256_hex(bytes), limit};
  const Lease lease(*this);
  if (auto known = recall(question)) return *std::move(known);
  if (auto worker = take_idle(confinement)) {
    Answer answer = worker->call(bytes, Deadline(limit), host());
    if (!has_ended(answer)) return conclude(question, std::move(worker), std::move(answer));
  }
  KMUX_ASSIGN(std::unique_ptr<WorkerProcess> worker, start(limit, confinement));
  Answer answer = worker->call(bytes, Deadline(limit), host());
  return conclude(question, std::move(worker), std::move(answer));
}

Result<WorkerReply> WorkerPool::conclude(const Question& question, std::unique_ptr<WorkerProcess> worker,
                                         Answer answer) {
  if (const auto* failure = std::get_if<WorkerFailure>(&answer)) return remember(question, *failure);
  KMUX_ASSIGN(WorkerReply reply, read_reply(std::get<Frame>(answer)));
  if (CompileScope* scope = CompileScope::current()) scope->took_memory(reply.peak_bytes);
  keep(std::move(worker));
  return reply;
}

/// Keeps a worker. If confined workers are too many, ends the one that has been idle for longest.
void WorkerPool::keep(std::unique_ptr<WorkerProcess> worker) {
  std::unique_ptr<WorkerProcess> surplus;  // ended outside the lock, as this is slow
  const std::lock_guard lock(mutex_);
  if (worker->confinement() && idle_.size() >= kMaxWorkers) {
    surplus = std::move(idle_.front());
    idle_.erase(idle_.begin());
  }
  idle_.push_back(std::move(worker));
}

/// Returns the application's functions for a worker, while this thread calls it.
WorkerHost WorkerPool::host() const {
  const CompileScope* scope = CompileScope::current();
  if (scope == nullptr) return settings_.host;
  return {settings_.host.log, [scope, &outer = settings_.host] { return outer.stopping() || scope->is_cancelled(); }};
}

/// Returns a live idle worker with that confinement, or null.
std::unique_ptr<WorkerProcess> WorkerPool::take_idle(const std::optional<Confinement>& confinement) {
  const auto is_alike = [&](const auto& worker) { return worker->confinement() == confinement; };
  for (;;) {
    std::unique_ptr<WorkerProcess> worker;
    {
      const std::lock_guard lock(mutex_);
      const auto last = std::find_if(idle_.rbegin(), idle_.rend(), is_alike);
      if (last == idle_.rend()) return nullptr;
      worker = std::move(*last);
      idle_.erase(std::next(last).base());
    }
    if (worker->is_ready()) return worker;
  }
}

void WorkerPool::end_idle() {
  const std::unique_lock lock(mutex_, std::try_to_lock);  // in a forked child, a thread of the parent may hold it
  if (lock) idle_.clear();
}

void WorkerPool::end_surplus() {
  std::vector<std::unique_ptr<WorkerProcess>> surplus;  // ended outside the lock, as this is slow
  const std::lock_guard lock(mutex_);
  while (idle_.size() > kMaxWorkers) {
    surplus.push_back(std::move(idle_.back()));
    idle_.pop_back();
  }
}

Result<std::unique_ptr<WorkerProcess>> WorkerPool::start(const Limit& limit,
                                                         const std::optional<Confinement>& confinement) {
  const Frame open = open_frame(settings_.options);
  KMUX_ASSIGN(const std::string bytes, encode(open));
  const Question question{open.kind, sha256_hex(bytes), limit};
  if (auto known = recall(question)) return *std::move(known);
  KMUX_ASSIGN(std::unique_ptr<WorkerProcess> worker,
              WorkerProcess::start(settings_.program, settings_.manifest, confinement));
  const Answer answer = worker->call(bytes, Deadline(limit), host());
  if (const auto* failure = std::get_if<WorkerFailure>(&answer)) return remember(question, *failure);
  KMUX_ASSIGN(const WorkerReply reply, read_reply(std::get<Frame>(answer)));
  if (reply.code == KMUX_OK) return worker;
  const Error error = read_error(reply.code, reply.error);
  const std::lock_guard lock(mutex_);
  failed_.add(question.key, error, std::nullopt, kTimeOfReply);
  return error;
}

/// Returns the error of a call that failed before, unless it had less time then.
std::optional<Error> WorkerPool::recall(const Question& question) {
  const std::lock_guard lock(mutex_);
  std::optional<Error> error = failed_.find(question.key, question.limit);
  if (!error) return std::nullopt;
  return std::move(*error).with("remembered", "the same call failed before; it was not made again");
}

/// Remembers a failure. Skips cancelled calls and workers killed from outside, which are not the program's fault.
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
                                              "). Check whether memory is short, raise KMUX_COMPILE_MEMORY where it "
                                              "limits compilers, and try again.");
        break;
      }
      error = make_error(code_of(call), who + "crashed in " + step + " (" + failure.why +
                                            "). Change the program or the options, or report it to the backend's "
                                            "author; the application goes on.");
      break;
    case Kind::kTimeUp:
      error = make_error(compiles(call) ? ErrorCode::kTimedOut : ErrorCode::kUnavailable,
                         who + "did not end " + step + " within " +
                             std::to_string(limit.value_or(Limit::value_type{}).count()) +
                             " ms and was stopped (compile_timeout). Allow more time, or find out what "
                             "it waits for.");
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
  return std::move(error).with("worker", word_of(failure));  // marks that the sources were not rejected
}

WorkerTable::WorkerTable(std::string name, std::shared_ptr<WorkerPool> pool,
                         std::optional<std::chrono::milliseconds> limit, bool is_confined)
    : name_(std::move(name)), pool_(std::move(pool)), limit_(limit), is_confined_(is_confined) {
  api_.struct_size = sizeof api_;
  api_.abi_version = KMUX_PLUGIN_ABI_VERSION;
  api_.name = name_.c_str();
  api_.version = "";
  api_.devices = &no_devices();
  refuse(api_.load), refuse(api_.prepare), refuse(api_.launch), refuse(api_.unload), refuse(api_.destroy);
  api_.create = [](const kmux_host_api*, void**, kmux_sink error) {
    return Refused<decltype(kmux_plugin_api::prepare)>::call(nullptr, 0, error);
  };
  api_.probe = [](void* self, kmux_sink report, kmux_sink error) {
    return forward(self, call_frame(FrameKind::kProbe), report, error);
  };
  api_.resolve_target = [](void* self, kmux_bytes request, std::int32_t device, kmux_sink target, kmux_sink error) {
    return forward(self, call_frame(FrameKind::kResolveTarget, {text_of(request), std::to_string(device)}), target,
                   error);
  };
  api_.supports = [](void* self, const kmux_build_request* request, kmux_sink missing, kmux_sink error) {
    Frame frame = call_frame(FrameKind::kSupports);
    append_request(frame, *request);
    return forward(self, frame, missing, error);
  };
  api_.toolchain = [](void* self, kmux_bytes target, kmux_bytes options, kmux_sink identity, kmux_sink error) {
    return forward(self, call_frame(FrameKind::kToolchain, {text_of(target), text_of(options)}), identity, error);
  };
  api_.wrap = [](void* self, const kmux_build_request* request, kmux_sink launcher, kmux_sink error) {
    return compile(self, FrameKind::kWrap, *request, launcher, error);
  };
  api_.build = [](void* self, const kmux_build_request* request, kmux_sink artifact, kmux_sink error) {
    return compile(self, FrameKind::kBuild, *request, artifact, error);
  };
  api_.standalone = [](void* self, const kmux_build_request* request, kmux_sink parts, kmux_sink error) {
    return compile(self, FrameKind::kStandalone, *request, parts, error);
  };
}

kmux_code WorkerTable::compile(void* self, FrameKind kind, const kmux_build_request& request, kmux_sink output,
                               kmux_sink error) {
  const auto* table = static_cast<const WorkerTable*>(self);
  Frame frame = call_frame(kind);
  append_request(frame, request);
  std::optional<Confinement> confinement;
  if (table->is_confined_ && table->pool_->confinement())
    confinement = with_request(*table->pool_->confinement(), request);
  return forward(self, frame, output, error, confinement);
}

kmux_code WorkerTable::forward(void* self, const Frame& frame, kmux_sink output, kmux_sink error,
                               const std::optional<Confinement>& confinement) {
  const auto* table = static_cast<const WorkerTable*>(self);
  const Result<WorkerReply> reply = table->pool_->call(frame, table->limit_, confinement);
  if (!reply) return write_error(reply.error(), error);
  output.write(output.self, reply->output.data(), reply->output.size());
  error.write(error.self, reply->error.data(), reply->error.size());
  return reply->code;
}

}  // namespace kmux
