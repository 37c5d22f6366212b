#include "policy_choice.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <vector>

#include "kmux/dispatch_json.h"
#include "kmux/log.h"
#include "kmux/registry.h"

#include "artifact/choice.h"
#include "artifact/tier_build.h"
#include "backend_history.h"
#include "measurement.h"
#include "pinning.h"

namespace kmux {
namespace {

class PolicyChoice {
 public:
  PolicyChoice(const ResolveServices& services, const Inquiry& inquiry, const std::vector<const Manifest*>& manifests,
               Resolution& resolution)
      : services_(services),
        inquiry_(inquiry),
        manifests_(manifests),
        resolution_(resolution),
        candidates_(resolution.candidates) {}

  void keep_away_from_failures(Policy policy);
  void gather_times();
  void choose_quickest();
  void choose_measured(Policy policy);
  void choose_pinned();

 private:
  const std::string& digest_of_program() {
    if (digest_.empty()) digest_ = digest(inquiry_.program);
    return digest_;
  }
  CandidateKey key_of(const Candidate& candidate) {
    return {digest_of_program(), candidate.variant, candidate.backend, candidate.target};
  }
  std::optional<Quarantine> quarantine_of(const Candidate& candidate, bool in_background) {
    return services_.history.failures.find(key_of(candidate), in_background);
  }
  /// Returns true if another candidate must be chosen instead. The compiler's errors about the sources must reach the
  /// caller, so they do not count.
  bool is_avoided(const Candidate& candidate) {
    return candidate.quarantine && quarantine_of(candidate, false).has_value();
  }
  Result<TierPlan> tiers_of(const Candidate& candidate) const {
    return plan_tiers(*manifest_of(manifests_, candidate.backend), inquiry_.settings.options.options,
                      services_.plugins.registry().plugin_options(), Purpose::kRun);
  }
  struct Quickest {
    std::size_t index;
    std::string why;
  };
  std::optional<Quickest> quickest_of(const std::vector<std::size_t>& rivals) const;
  bool is_cached(const Candidate& candidate) const;
  std::optional<Tuning> measurement(const std::vector<std::size_t>& rivals);
  Result<Contest> contest(const std::vector<std::size_t>& rivals);
  void explain_measurement(const std::vector<std::size_t>& rivals, const Tuning& tuning);

  const ResolveServices& services_;
  const Inquiry& inquiry_;
  const std::vector<const Manifest*>& manifests_;
  Resolution& resolution_;
  std::vector<Candidate>& candidates_;
  std::string digest_;
};

/// Avoids candidates in quarantine. A backend's name is exact: only `auto` or an alias can stand for another candidate.
void PolicyChoice::keep_away_from_failures(Policy policy) {
  if (services_.history.failures.empty() || inquiry_.backend.kind() == BackendName::Kind::kName) return;
  for (Candidate& candidate : candidates_) {
    if (candidate.verdict != Verdict::kRefused)
      candidate.quarantine = quarantine_of(candidate, policy != Policy::kPriority);
  }
  if (!is_avoided(candidates_.front())) return;
  const auto sound = std::ranges::find_if(candidates_, [&](const Candidate& one) {
    return one.verdict == Verdict::kPossible && one.reach == candidates_.front().reach && !is_avoided(one);
  });
  if (sound == candidates_.end()) return;  // a candidate that failed is better than none
  const std::string failed = "'" + candidates_.front().backend + "' is in quarantine";
  log(LogLevel::kWarning, "backend " + failed + " for program '" + inquiry_.program.name +
                              "' and another one is taken: " + candidates_.front().quarantine->reason);
  choose_candidate(candidates_, static_cast<std::size_t>(sound - candidates_.begin()), failed);
}

void PolicyChoice::gather_times() {
  for (Candidate& candidate : candidates_) {
    if (candidate.verdict == Verdict::kRefused) continue;
    const auto tiers = tiers_of(candidate);
    if (!tiers) continue;
    const Manifest& manifest = *manifest_of(manifests_, candidate.backend);
    candidate.compile_ms = services_.history.compile_times.expected(manifest, tiers->first);
  }
  const std::vector<std::size_t> rivals = contestants(candidates_, manifests_);
  if (const auto tuning = measurement(rivals)) explain_measurement(rivals, *tuning);
}

void PolicyChoice::explain_measurement(const std::vector<std::size_t>& rivals, const Tuning& tuning) {
  for (std::size_t i = 0; i < rivals.size(); ++i) candidates_[rivals[i]].run_us = tuning.candidates[i].run_us;
}

bool PolicyChoice::is_cached(const Candidate& candidate) const {
  if (!inquiry_.settings.options.use_cache || services_.cache == nullptr) return false;
  const auto choice = choose(services_.plugins, inquiry_.settings, candidate.backend, inquiry_.program,
                             candidate.variant, candidate.target);
  return choice && (find_tier(*choice, choice->tiers.best, services_.cache) ||
                    find_tier(*choice, choice->tiers.first, services_.cache));
}

/// Returns a cached candidate, which takes no time; else the one with the least known time; nothing if no time is
/// known.
std::optional<PolicyChoice::Quickest> PolicyChoice::quickest_of(const std::vector<std::size_t>& rivals) const {
  const auto cached = std::ranges::find_if(rivals, [&](std::size_t i) { return is_cached(candidates_[i]); });
  if (cached != rivals.end()) return Quickest{*cached, "its artifact is in the cache"};
  const auto quickest = std::ranges::min_element(rivals, {}, [&](std::size_t i) {
    return candidates_[i].compile_ms.value_or(std::numeric_limits<double>::infinity());
  });
  if (quickest == rivals.end() || !candidates_[*quickest].compile_ms) return std::nullopt;
  return Quickest{*quickest, "quickest to compile (" + milliseconds_text(*candidates_[*quickest].compile_ms) + ")"};
}

void PolicyChoice::choose_quickest() {
  gather_times();
  std::vector<std::size_t> rivals = contestants(candidates_, manifests_);
  const std::optional<Tuning> tuning = measurement(rivals);
  const Candidate best = tuning ? candidates_[rivals[tuning->winner]] : candidates_.front();
  std::erase_if(rivals, [&](std::size_t i) { return is_avoided(candidates_[i]); });
  const std::optional<Quickest> quickest = quickest_of(rivals);
  if (!quickest) return;
  choose_candidate(candidates_, quickest->index, quickest->why);
  const auto successor = std::ranges::find_if(
      candidates_, [&](const Candidate& one) { return one.backend == best.backend && one.variant == best.variant; });
  if (successor == candidates_.begin() || quarantine_of(*successor, true)) return;
  resolution_.successor = static_cast<std::size_t>(successor - candidates_.begin());
  successor->reason = "takes over once it is compiled";
}

Result<Contest> PolicyChoice::contest(const std::vector<std::size_t>& rivals) {
  Contest contest{.program = digest_of_program(), .options = {}, .device = {}, .candidates = {}};
  KMUX_ASSIGN(contest.options, compiler_options(inquiry_.settings.options));
  KMUX_ASSIGN(const auto home, services_.plugins.registry().plugin(candidates_[rivals.front()].backend));
  KMUX_ASSIGN(const Json properties,
              home->backend().devices().properties(inquiry_.settings.options.device.value_or(0)));
  contest.device = device_mark(properties);
  const Options settings = services_.plugins.registry().plugin_options();
  for (const std::size_t i : rivals) {
    const Candidate& one = candidates_[i];
    const Manifest& plugin = *manifest_of(manifests_, one.backend);
    contest.candidates.push_back({one.backend, one.variant, one.target, plugin.build_id});
    for (const auto& [name, value] : settings_of(plugin, settings)) contest.options[one.backend + "." + name] = value;
  }
  return contest;
}

std::optional<Tuning> PolicyChoice::measurement(const std::vector<std::size_t>& rivals) {
  const std::optional<CallSample> example = example_of(inquiry_.program);
  if (rivals.empty() || !example || !inquiry_.settings.options.use_cache) return std::nullopt;
  const Result<Contest> what = contest(rivals);
  if (!what) return std::nullopt;
  auto tuning = find_measurement(services_.cache, measurement_key(*what, bucket_of(*example)));
  return tuning && tuning->candidates.size() == rivals.size() ? std::move(tuning) : std::nullopt;
}

void PolicyChoice::choose_measured(Policy policy) {
  const std::vector<std::size_t> rivals = contestants(candidates_, manifests_);
  const std::optional<Tuning> tuning = measurement(rivals);
  if (!tuning) {
    if (policy == Policy::kMeasured) candidates_.front().reason += "; not measured yet";
    return;
  }
  explain_measurement(rivals, *tuning);
  const std::size_t best = rivals[tuning->winner];
  if (candidates_[best].verdict == Verdict::kRefused || is_avoided(candidates_[best])) return;
  const char* const none_faster = tuning->is_sure ? "measured; nothing is surely faster" : "measured; undecided";
  choose_candidate(candidates_, best, tuning->winner == 0 ? none_faster : "measured; surely faster");
}

void PolicyChoice::choose_pinned() {
  const std::filesystem::path file = inquiry_.settings.options.lock_file;
  const auto choose_from = [&]() -> Result<std::size_t> {
    if (file.empty()) {
      return make_error(ErrorCode::kInvalidArgument,
                        "policy pinned has no lock file (neither lock_file nor KMUX_LOCK_FILE is set). Write one with "
                        "`kmux tune PROGRAM --lock FILE` and name it.");
    }
    KMUX_ASSIGN(const auto pins, services_.lock_files.at(file));
    return pinned_candidate(pins->of(digest_of_program()), file, inquiry_.program.name, digest_of_program(),
                            candidates_, manifests_);
  };
  const Result<std::size_t> pinned = choose_from();
  if (pinned) return choose_candidate(candidates_, *pinned, "pinned in '" + file.string() + "'");
  resolution_.policy_error = pinned.error();
  for (Candidate& candidate : candidates_) {
    if (candidate.verdict == Verdict::kChosen) candidate.verdict = Verdict::kPossible;
    if (candidate.verdict == Verdict::kPossible) candidate.reason = "can, but policy pinned could not choose";
  }
}

}  // namespace

void choose_by_policy(const ResolveServices& services, const Inquiry& inquiry,
                      const std::vector<const Manifest*>& manifests, Resolution& resolution) {
  const Policy policy = inquiry.settings.policy;
  PolicyChoice choice(services, inquiry, manifests, resolution);
  if (policy == Policy::kPinned) return choice.choose_pinned();
  if (resolution.chosen() == nullptr) return;
  choice.keep_away_from_failures(policy);
  if (resolution.chosen()->reach != Purpose::kRun) return;  // a measurement needs a device
  const bool swaps = inquiry.settings.purpose == Purpose::kRun;  // a kernel that is only built cannot be replaced later
  if (inquiry.settings.gathers_times && swaps) choice.gather_times();
  if (policy == Policy::kFastStart && swaps) return choice.choose_quickest();
  if (policy != Policy::kPriority) choice.choose_measured(policy);
}

}  // namespace kmux
