#include "isolated_plugins.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "kmux/log.h"
#include "kmux/plugin/plugin.hpp"
#include "kmux/plugin/word_list.h"
#include "kmux/registry.h"
#include "kmux/runtime.h"

#include "failed_calls.h"
#include "plugins/plugin_search.h"
#include "system/compile_scope.h"
#include "system/fork_guard.h"
#include "system/host_api.h"
#include "system/runtime_impl.h"
#include "system/trust.h"
#include "worker_confinement.h"
#include "worker_pool.h"

namespace kmux {
namespace {

namespace fs = std::filesystem;
using Limit = std::optional<std::chrono::milliseconds>;

Error invalid_isolation(std::string message) { return make_error(ErrorCode::kInvalidArgument, std::move(message)); }

/// Returns the error of an invalid limit, worded like TileLang's time-out.
Error no_limit(const std::string& name, const std::string& value) {
  return invalid_isolation(name + " must be empty or a non-negative number of seconds (it is '" + value +
                           "'). Correct it.");
}

Result<Limit> limit_of(double seconds, const std::string& name, const std::string& text) {
  if (!std::isfinite(seconds) || seconds < 0) return no_limit(name, text);
  constexpr double kMaxSeconds = 1e9;  // so that it fits any clock
  return Limit(std::chrono::ceil<Limit::value_type>(std::chrono::duration<double>(std::min(seconds, kMaxSeconds))));
}

Result<Limit> read_limit(const std::string& name, const std::string& text) {
  if (text.empty()) return Limit();
  double seconds = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), seconds);
  const bool is_number = error == std::errc() && end == text.data() + text.size();
  return is_number ? limit_of(seconds, name, text) : no_limit(name, text);
}

class IsolatedPlugin final : public Plugin {
 public:
  IsolatedPlugin(Registry& registry, const PluginEntry& entry, std::shared_ptr<WorkerPool> pool,
                 const IsolationSettings& isolation)
      : manifest_(entry.manifest),
        library_(library_of(entry)),
        backend_(registry, manifest_.name, std::move(pool), isolation) {}

  const Manifest& manifest() const override { return manifest_; }
  const std::filesystem::path& library() const override { return library_; }
  Backend& backend() const override { return backend_; }
  const kmux_plugin_api& api() const override { return backend_.api(); }
  const Result<ProbeReport>& probe() const override {
    std::call_once(probed_, [this] { report_ = backend_.probe(); });
    return report_;
  }

 private:
  Manifest manifest_;
  std::filesystem::path library_;
  mutable IsolatedBackend backend_;
  mutable std::once_flag probed_;
  mutable Result<ProbeReport> report_ = ProbeReport{};
};

constexpr std::chrono::seconds kTrialTime{10};  // a driver takes two to start on a busy machine

Error not_opened(const PluginEntry& entry, const std::string& why, const std::string& advice) {
  return make_error(ErrorCode::kUnavailable, "plugin \"" + library_of(entry).string() +
                                                 "\" is not opened (tried in a process of its own, " + why + "). " +
                                                 advice);
}

Error not_tried(const PluginEntry& entry, const Error& why) {
  return make_error(ErrorCode::kUnavailable,
                    "plugin \"" + library_of(entry).string() +
                        "\" is not opened, since it has to answer in a process of its own first: " + why.message +
                        " KMUX_PLUGIN_TRIAL=0 opens it untried.")
      .with(kTrialNote, kNotTried);
}

/// Returns the error of a plugin that did not reply in `step`.
Error trial_error(const PluginEntry& entry, const std::string& step, const WorkerFailure& failure,
                  Limit::value_type limit) {
  const std::string report = "Report it to the plugin's author; this process goes on without it.";
  switch (failure.kind) {
    case WorkerFailure::Kind::kEnded:
      if (failure.end == WorkerFailure::End::kCrashed)
        return not_opened(entry, "it crashed in " + step + ": " + failure.why, report);
      return not_opened(entry, "it was killed in " + step + ": " + failure.why,
                        "Check whether memory is short and try again.")
          .with(kTrialNote, kNotTried);
    case WorkerFailure::Kind::kTimeUp:
      return not_opened(entry, "it did not end " + step + " within " + std::to_string(limit.count()) + " ms",
                        "Allow more seconds by KMUX_PLUGIN_TRIAL, or report it to the plugin's author.");
    case WorkerFailure::Kind::kMalformed:
      return not_opened(entry, "it gave no answer in " + step + ": " + failure.why, report);
    case WorkerFailure::Kind::kStopped:
      break;
  }
  return cancellation("plugin \"" + library_of(entry).string() + "\" is not opened (the process ends).")
      .with(kTrialNote, kNotTried);
}

/// Returns the result of opening the plugin.
Status opened(const Frame& answer) {
  KMUX_ASSIGN(const WorkerReply reply, read_reply(answer));
  if (reply.code == KMUX_OK) return Ok{};
  return read_error(reply.code, reply.error);
}

void relay_log(std::int32_t level, std::string_view text) {
  try {
    log(static_cast<LogLevel>(std::clamp(level, std::int32_t{0}, std::int32_t{3})), text);
  } catch (...) {  // NOLINT(bugprone-empty-catch): by the application's sink, which may not spoil a compile
  }
}

}  // namespace

Result<IsolationSettings> isolation_of(const std::optional<Isolation>& asked, const std::optional<double>& limit_s,
                                       const Environment& environment) {
  IsolationSettings isolation;
  KMUX_ASSIGN(const std::optional<Isolation> where, asked ? asked : environment.isolation);
  isolation.is_free = !where;
  isolation.in_process_of_its_own = where == Isolation::kProcess;
  KMUX_ASSIGN(isolation.limit, limit_s ? limit_of(*limit_s, "compile_timeout", std::to_string(*limit_s))
                                       : read_limit("KMUX_COMPILE_TIMEOUT", environment.compile_timeout));
  if (isolation.limit && isolation.limit->count() == 0) isolation.limit.reset();
  if (isolation.limit && !isolation.in_process_of_its_own) {
    return invalid_isolation(
        std::string(limit_s ? "compile_timeout" : "KMUX_COMPILE_TIMEOUT") +
        " is given without isolation 'process' (a compiler inside the application cannot be stopped). Ask "
        "for that isolation, or leave the time-out out.");
  }
  const Result<Limit> trial = trial_limit(environment);
  if (isolation.in_process_of_its_own) KMUX_TRY(trial);
  if (trial) isolation.trial = *trial;
  return isolation;
}

Result<Limit> trial_limit(const Environment& environment) {
  KMUX_ASSIGN(const Limit limit, read_limit("KMUX_PLUGIN_TRIAL", environment.plugin_trial));
  if (limit && limit->count() == 0) return Limit();
  return limit ? limit : kTrialTime;
}

Status try_plugin(const PluginEntry& entry, const Options& options, Limit::value_type limit) {
  const auto program = find_worker(worker_places());
  if (!program) return not_tried(entry, program.error());
  const auto worker = WorkerProcess::start(*program, entry.path);
  if (!worker) return not_tried(entry, worker.error());
  const WorkerHost host{.log = [](std::int32_t, std::string_view) {},  // this process will log the same
                        .stopping = is_stopping};
  const Deadline deadline(limit);
  for (const Frame& question : {open_frame(options), call_frame(FrameKind::kProbe)}) {
    KMUX_ASSIGN(const std::string bytes, encode(question));
    const auto answer = (*worker)->call(bytes, deadline, host);
    if (const auto* failure = std::get_if<WorkerFailure>(&answer)) {
      Error error = trial_error(entry, std::string(to_string(question.kind)), *failure, limit);
      if (!failure->output.empty()) error.notes.push_back({"log", failure->output});
      return error;
    }
    if (question.kind == FrameKind::kOpen) KMUX_TRY(opened(std::get<Frame>(answer)));
  }
  return Ok{};
}

std::vector<fs::path> worker_places() {
  std::vector<fs::path> places;
  if (const fs::path& own = own_folder(); !own.empty()) places.push_back(own / KMUX_WORKER_FROM_LIBRARY);
  places.emplace_back(KMUX_WORKER_INSTALLED);
  return places;
}

Result<fs::path> find_worker(const std::vector<fs::path>& places) {
  std::vector<std::string> looked_at;
  for (const fs::path& place : places) {
    std::error_code missing;
    const fs::path program = fs::canonical(place, missing);
    looked_at.push_back(place.lexically_normal().string());
    if (missing) continue;
    KMUX_TRY(check_trusted_place(program.parent_path()));
    KMUX_TRY(check_trusted(program));
    return program;
  }
  return make_error(ErrorCode::kUnavailable,
                    "there is no kmux-worker (looked for " + join(looked_at) + "). Install kmux as a whole.");
}

const PluginEntry* IsolatedPlugins::entry_of(const std::string& name) const {
  const std::vector<PluginEntry>& entries = registry_.entries();
  const auto found = std::ranges::find_if(
      entries, [&](const PluginEntry& entry) { return entry.manifest.name == name && entry.status.ok(); });
  return found == entries.end() ? nullptr : &*found;
}

Result<std::shared_ptr<WorkerPool>> IsolatedPlugins::pool_of(const PluginEntry& entry) {
  const std::lock_guard lock(mutex_);
  std::shared_ptr<WorkerPool>& pool = pools_[entry.manifest.name];
  if (pool != nullptr) return pool;
  KMUX_ASSIGN(std::filesystem::path program, find_worker(worker_places()));
  const Options options = registry_.plugin_options();
  std::optional<Confinement> confinement;
  if (entry.manifest.builds == kConfinedBuilds) confinement = confinement_of_plugin(entry.path, options);
  pool = std::make_shared<WorkerPool>(WorkerPool::Settings{.plugin = entry.manifest.name,
                                                           .program = std::move(program),
                                                           .manifest = entry.path,
                                                           .options = options,
                                                           .confinement = std::move(confinement),
                                                           .host = {.log = relay_log, .stopping = is_stopping},
                                                           .failure_time = kFailureTime});
  return pool;
}

Result<Shared<Plugin>> IsolatedPlugins::plugin(const std::string& name, const IsolationSettings& isolation) {
  if (!runs_isolated(name, isolation)) return registry_.plugin(name);
  const PluginEntry* const entry = entry_of(name);
  if (entry == nullptr) return registry_.plugin(name);  // returns the reason and opens nothing
  KMUX_ASSIGN(std::shared_ptr<WorkerPool> pool, pool_of(*entry));
  return Shared<Plugin>(Shared<IsolatedPlugin>::make(registry_, *entry, std::move(pool), isolation));
}

void IsolatedPlugins::end_surplus() {
  const std::lock_guard lock(mutex_);
  for (const auto& [name, pool] : pools_)
    if (pool != nullptr) pool->end_surplus();
}

void IsolatedPlugins::end_idle() {
  const std::unique_lock lock(mutex_, std::try_to_lock);  // in a forked child, a thread of the parent may hold it
  if (!lock) return;
  for (const auto& [name, pool] : pools_)
    if (pool != nullptr) pool->end_idle();
}

bool IsolatedPlugins::runs_isolated(const std::string& name, const IsolationSettings& isolation) const {
  if (isolation.in_process_of_its_own) return true;
  // A thread of the parent may have held a lock inside a compiler, which a child would wait for forever.
  if (isolation.is_free && fork_generation() != 0 && find_worker(worker_places()).ok()) return true;
  const CompileScope* scope = CompileScope::current();
  if (!isolation.is_free || scope == nullptr || !scope->has_neighbours()) return false;
  const PluginEntry* const entry = entry_of(name);
  const bool would_wait = entry != nullptr && entry->manifest.parallel == kParallelProcess;
  return would_wait && find_worker(worker_places()).ok();
}

IsolatedBackend::IsolatedBackend(Registry& registry, const std::string& plugin, std::shared_ptr<WorkerPool> pool,
                                 const IsolationSettings& isolation)
    : registry_(registry),
      table_(plugin, std::move(pool), isolation.limit, isolation.in_process_of_its_own),
      remote_(table_.api(), table_.instance()) {}

Result<Backend*> IsolatedBackend::local() {
  const std::lock_guard lock(mutex_);
  if (local_ == nullptr) {
    KMUX_ASSIGN(local_, registry_.plugin(table_.api().name));
  }
  return &local_->backend();
}

Result<std::unique_ptr<Adapter>> IsolatedBackend::load(const Artifact& artifact, int device) {
  KMUX_ASSIGN(Backend* const backend, local());
  return backend->load(artifact, device);
}

DeviceApi& IsolatedBackend::devices() {
  const Result<Backend*> backend = local();
  return backend ? (*backend)->devices() : remote_.devices();  // the latter refuses every call
}

}  // namespace kmux
