#include "tuner.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <utility>

#include "kmux/dispatch_json.h"
#include "kmux/interval.h"
#include "kmux/log.h"
#include "kmux/registry.h"

#include "artifact/choice.h"
#include "artifact/tier_build.h"
#include "cache/kernel_headers.h"
#include "isolation/isolated_plugins.h"
#include "kernel/kernel_impl.h"
#include "system/background.h"
#include "system/compile_scope.h"

namespace kmux {
namespace {

/// Converts to nanoseconds; limits `seconds` to about a year.
std::chrono::nanoseconds nanoseconds_of(double seconds) {
  constexpr double kMax = 3e7;
  return std::chrono::nanoseconds(seconds > 0 ? static_cast<std::int64_t>(1e9 * std::min(seconds, kMax)) : 0);
}

std::chrono::nanoseconds now() { return std::chrono::steady_clock::now().time_since_epoch(); }

/// Returns true if the problem would occur again, so that a measurement without that candidate can be cached.
bool is_lasting(const Error& problem) { return blame_of(problem) != Blame::kBackend; }

/// Returns ok, or the error of a measurement that was cancelled.
Status check_wanted() {
  const CompileScope* const scope = CompileScope::current();
  if (scope == nullptr || !scope->is_cancelled()) return Ok{};
  return cancellation("the kernel was not measured (its runtime ended).");
}

/// Reports the first call that succeeds, and leaves the slot.
///
/// Lifetime: owned by its slot.
class FirstCall final : public Interceptor {
 public:
  FirstCall(AdapterSlot& slot, Signature signature, std::function<void(CallSample)> tell)
      : slot_(slot), signature_(std::move(signature)), tell_(std::move(tell)) {}

  kmux_code launch(const kmux_slot* slots, const kmux_launch_env& env, kmux_sink error) noexcept override {
    const kmux_code code = next()(slots, env, error);
    if (code != KMUX_OK) return code;
    try {
      see(slots);
    } catch (...) {  // NOLINT(bugprone-empty-catch): out of memory; the call itself has succeeded
    }
    return code;
  }

 private:
  void see(const kmux_slot* slots) {
    if (told_.exchange(true)) return;
    slot_.leave(*this);
    Result<CallSample> sample = sample_of(signature_, slots);
    if (sample) tell_(*std::move(sample));
  }

  AdapterSlot& slot_;
  const Signature signature_;
  const std::function<void(CallSample)> tell_;
  std::atomic<bool> told_ = false;
};

}  // namespace

void watch_first_call(AdapterSlot& slot, const Signature& signature, std::function<void(CallSample)> tell) {
  slot.intercept(std::make_shared<FirstCall>(slot, signature, std::move(tell)));
}

namespace {

Result<Tensor> make_tensor(const SampleTensor& sample, const Device& device) {
  if (sample.strides.empty()) return Tensor::zeros(sample.shape, sample.dtype, device);
  if (std::ranges::any_of(sample.strides, [](std::int64_t stride) { return stride < 0; })) {
    return make_error(ErrorCode::kUnsupported,
                      "a call with negative strides cannot be measured. Pass contiguous tensors to tune.");
  }
  KMUX_ASSIGN(const Tensor memory, Tensor::zeros({element_span(sample.shape, sample.strides)}, sample.dtype, device));
  return memory.as_strided(sample.shape, sample.strides);
}

}  // namespace

Result<CallCopy> CallCopy::make(const CallSample& sample, const Device& device) {
  CallCopy copy;
  for (const auto& param : sample) {
    if (const Arg* arg = std::get_if<Arg>(&param)) {
      copy.args_.push_back(*arg);
      continue;
    }
    KMUX_ASSIGN(Tensor tensor, make_tensor(std::get<SampleTensor>(param), device));
    copy.args_.emplace_back(tensor.dl());  // a view: timed launches do not record the memory that they use
    copy.tensors_.push_back(std::move(tensor));
  }
  return copy;
}

Result<std::shared_ptr<Tuner>> Tuner::make(IsolatedPlugins& plugins, std::shared_ptr<BackendHistory> history,
                                           std::shared_ptr<ArtifactCache> cache, std::shared_ptr<const Program> program,
                                           const CompileSettings& settings, const KernelParts& parts) {
  const std::shared_ptr<Tuner> tuner(new Tuner);
  tuner->program_ = std::move(program);
  tuner->signature_ = parts.signature;
  tuner->name_ = parts.name;
  tuner->out_idx_ = parts.out_idx;
  tuner->home_ = parts.plugin;
  tuner->device_ = parts.device;
  tuner->history_ = std::move(history);
  tuner->cache_ = std::move(cache);
  tuner->slot_ = parts.adapters;
  tuner->headers_ = parts.headers;
  tuner->contest_.program = digest(*tuner->program_);
  KMUX_ASSIGN(tuner->contest_.options, compiler_options(settings.options));
  KMUX_ASSIGN(const Json properties, parts.plugin->backend().devices().properties(parts.device));
  tuner->contest_.device = device_mark(properties);
  const std::vector<Manifest>& all = plugins.registry().manifests();
  std::vector<const Manifest*> manifests;
  manifests.reserve(all.size());
  for (const Manifest& manifest : all) manifests.push_back(&manifest);
  for (const std::size_t i : contestants(parts.resolution.candidates, manifests)) {
    KMUX_TRY(tuner->add(plugins, settings, parts.resolution.candidates[i]));
  }
  return tuner;
}

Status Tuner::add(IsolatedPlugins& plugins, const CompileSettings& settings, const Candidate& candidate) {
  KMUX_ASSIGN(Choice choice, choose(plugins, background_settings(plugins, settings, candidate.backend),
                                    candidate.backend, *program_, candidate.variant, candidate.target));
  auto origin = std::make_shared<const Origin>(
      Origin{choice.plugin, candidate.variant, shared_variant(program_, candidate.variant), choice.request.target});
  contest_.candidates.push_back(
      {candidate.backend, candidate.variant, candidate.target, choice.plugin->manifest().build_id});
  contestants_.push_back({std::move(choice), std::move(origin)});
  return Ok{};
}

bool Tuner::compiles_isolated() const {
  return std::ranges::any_of(contestants_, [](const Contestant& one) { return one.choice.isolated; });
}

bool Tuner::uses(std::string_view backend) const {
  return std::ranges::find(contest_.candidates, backend, &TunedCandidate::backend) != contest_.candidates.end();
}

CandidateKey Tuner::key_of(std::size_t index) const {
  const TunedCandidate& candidate = contest_.candidates[index];
  return {contest_.program, candidate.variant, candidate.backend, candidate.target};
}

Result<LoadedArtifact> Tuner::load(const Contestant& contestant) {
  KMUX_ASSIGN(TierBuild built, build_tier(contestant.choice, contestant.choice.tiers.best, cache_.get()));
  if (headers_ != nullptr) KMUX_TRY(headers_->add(built.artifact));  // all candidates must share their headers
  KMUX_ASSIGN(auto adapter,
              open_adapter(contestant.choice.plugin, built.artifact, device_, *program_, contestant.choice.trial));
  KMUX_TRY(adapter->prepare(device_));
  return LoadedArtifact{contestant.origin, std::move(adapter), std::move(built.artifact), std::move(built.launcher),
                        contestant.choice.tiers.best};
}

Tuner::Entrant Tuner::prepare(std::size_t index) {
  const Contestant& contestant = contestants_[index];
  const TunedCandidate& candidate = contest_.candidates[index];
  if (const auto slot = slot_.lock()) {
    if (const LoadedArtifact* known = slot->find(candidate.backend, candidate.variant, contestant.choice.tiers.best))
      return {*known};
  }
  if (const auto quarantine = history_->failures.find(key_of(index), true)) {
    return {{}, make_error(ErrorCode::kUnavailable, "in quarantine: " + quarantine->reason)};
  }
  Result<LoadedArtifact> loaded = load(contestant);
  if (loaded) return {*std::move(loaded)};
  const bool is_its_own = headers_ == nullptr || headers_->are_unchanged();
  if (is_its_own && check_wanted()) history_->failures.note(key_of(index), loaded.error());
  return {{}, std::move(loaded).error()};
}

/// Returns a separate kernel over `loaded`, so that it is called like the real one.
Result<Kernel> Tuner::kernel_of(const LoadedArtifact& loaded) const {
  return make_kernel({.name = name_,
                      .signature = signature_,
                      .out_idx = out_idx_,
                      .plugin = home_,
                      .adapters = std::make_shared<AdapterSlot>(loaded),
                      .device = device_});
}

Result<TimedRounds> Tuner::time(const CallSample& sample, std::vector<Entrant>& entrants, const TuneOptions& options,
                                bool& is_cold) {
  const Device device(home_, device_);
  KMUX_ASSIGN(const CallCopy copy, CallCopy::make(sample, device));
  KMUX_ASSIGN(LaunchTimer timer, LaunchTimer::make(device));
  std::vector<TimeOnce> able;
  std::vector<std::size_t> indices;
  for (std::size_t i = 0; i < entrants.size(); ++i) {
    if (entrants[i].problem) continue;
    KMUX_ASSIGN(const Kernel kernel, kernel_of(entrants[i].loaded));
    const auto once = [&timer, &copy, kernel] { return timer.time(kernel, copy.args()); };
    if (Result<double> tried = once(); !tried) {
      if (tried.error().code == ErrorCode::kCancelled) return std::move(tried).error();  // by the application
      entrants[i].problem = std::move(tried).error();
      continue;
    }
    able.emplace_back(once);
    indices.push_back(i);
  }
  const auto is_decided = [](const std::vector<std::vector<double>>& samples, std::size_t look) {
    const Standing standing = standing_of(samples, look);
    return standing.is_sure && is_fit_to_show(standing, samples);
  };
  if (able.empty()) return TimedRounds{std::vector<std::vector<double>>(entrants.size())};
  KMUX_ASSIGN(TimedRounds timed, time_in_rounds(able, {.time = nanoseconds_of(options.time_s)}, now, is_decided));
  std::vector<std::vector<double>> all(entrants.size());
  for (std::size_t i = 0; i < indices.size(); ++i) all[indices[i]] = std::move(timed.samples[i]);
  timed.samples = std::move(all);
  is_cold = timer.is_cold();
  return timed;
}

/// Writes the times into the table, with the winner.
void Tuner::judge(const TimedRounds& timed, Tuning& tuning) {
  const Standing standing = standing_of(timed.samples, timed.looks);
  tuning.winner = standing.winner;
  tuning.is_sure = standing.is_sure;
  for (std::size_t i = 0; i < timed.samples.size(); ++i) {
    if (!timed.samples[i].empty()) tuning.candidates[i].run_us = median_interval(timed.samples[i]);
    tuning.candidates[i].ratio = standing.ratios[i];
  }
}

Result<Tuning> Tuner::measure(const CallSample& sample, const TuneOptions& options) {
  std::vector<Entrant> entrants;
  entrants.reserve(contestants_.size());
  for (std::size_t i = 0; i < contestants_.size(); ++i) entrants.push_back(prepare(i));
  Tuning tuning{.shapes = bucket_of(sample), .device = device_text(contest_.device), .candidates = contest_.candidates};
  const std::lock_guard lock(history_->measuring);
  KMUX_TRY(check_wanted());
  tuning.time_s = options.time_s;
  KMUX_ASSIGN(const TimedRounds timed, time(sample, entrants, options, tuning.is_cold));
  bool lasts = true;
  for (std::size_t i = 0; i < entrants.size(); ++i) {
    if (entrants[i].problem) tuning.candidates[i].problem = entrants[i].problem->message;
    lasts = lasts && (!entrants[i].problem || is_lasting(*entrants[i].problem));
  }
  if (std::ranges::all_of(timed.samples, &std::vector<double>::empty)) return *entrants.front().problem;
  judge(timed, tuning);
  if (lasts) keep_measurement(cache_.get(), measurement_key(contest_, tuning.shapes), tuning);
  if (const auto slot = slot_.lock()) {
    const Entrant& best = entrants[tuning.winner];
    const bool is_known = slot->launch_again(tuning.best().backend, tuning.best().variant, best.loaded.tier);
    if (!is_known) slot->replace(best.loaded);
  }
  return tuning;
}

/// Makes the kernel launch the winner of an earlier measurement.
Status Tuner::launch(const TunedCandidate& winner, std::size_t index) {
  const auto slot = slot_.lock();
  if (slot == nullptr || slot->launch_again(winner.backend, winner.variant, contestants_[index].choice.tiers.best))
    return Ok{};
  const Origin& now_launched = *slot->loaded().origin;
  const bool is_on_its_way =
      now_launched.plugin->manifest().name == winner.backend && now_launched.index == winner.variant;
  if (is_on_its_way) return Ok{};  // in a lesser tier; `improve` does the rest
  KMUX_ASSIGN(LoadedArtifact loaded, load(contestants_[index]));
  slot->replace(std::move(loaded));
  return Ok{};
}

Result<Tuning> Tuner::tune(std::span<const Arg> args, const TuneOptions& options) {
  KMUX_ASSIGN(const CallSample sample, sample_of(signature_, args));
  return tune(sample, options);
}

Result<Tuning> Tuner::tune(const CallSample& sample, const TuneOptions& options) {
  if (generation_ != fork_generation()) {  // a thread of the parent may have been measuring
    return make_error(ErrorCode::kUnavailable,
                      "kernel \"" + name_ + "\" cannot be tuned (it was compiled before fork()). Compile it again.");
  }
  const std::lock_guard lock(mutex_);
  if (!options.again) {
    std::optional<Tuning> known = find_measurement(cache_.get(), measurement_key(contest_, bucket_of(sample)));
    const bool is_enough = known && (known->is_sure || known->time_s >= options.time_s);
    if (is_enough && known->candidates.size() == contestants_.size()) {
      KMUX_TRY(launch(known->best(), known->winner));
      return *std::move(known);
    }
  }
  return measure(sample, options);
}

namespace {

constexpr double kTimeInBackground = 0.5;  // seconds, which calls in the foreground share

/// The background job that tunes for a call.
struct BackgroundTuning {
  std::shared_ptr<Tuner> tuner;
  CallSample sample;
  AdapterSlot::Promise promise;

  void run() {
    if (promise.is_pointless()) return;
    Result<Tuning> tuned = tuner->tune(sample, {.time_s = kTimeInBackground});
    if (tuned) return promise.fulfil();
    if (CompileScope::current()->is_cancelled()) return promise.give_up(std::move(tuned).error());
    log(LogLevel::kWarning, "a kernel is not measured: " + tuned.error().message);
    promise.give_up(std::move(tuned).error());
  }
};

/// Returns a function that abandons a running measurement, or none if a compiler is isolated: see `improve`.
Background::Abandon abandon_of(const std::shared_ptr<BackgroundTuning>& job) {
  if (job->tuner->compiles_isolated()) return {};
  return [job](const Error& why) { job->promise.give_up(why); };
}

}  // namespace

void Tuner::tune_at_first_call(const std::shared_ptr<Background>& background, AdapterSlot& slot) {
  if (contestants_.size() < 2 || background == nullptr) return;
  watch_first_call(slot, signature_, [this, &slot, weak = std::weak_ptr(background)](CallSample sample) {
    const auto alive = weak.lock();
    if (alive == nullptr) return;
    auto job = std::make_shared<BackgroundTuning>(
        BackgroundTuning{shared_from_this(), std::move(sample), slot.expect_better(alive->hurry_for(&slot))});
    alive->post([job] { job->run(); }, abandon_of(job), &slot);
  });
}

}  // namespace kmux
