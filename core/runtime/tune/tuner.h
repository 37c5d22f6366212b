#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kmux/compile_options.h"
#include "kmux/registry.h"
#include "kmux/tune.h"

#include "artifact/choice.h"
#include "kernel/adapter_slot.h"
#include "kernel/kernel_impl.h"
#include "launch_timer.h"
#include "resolve/backend_history.h"
#include "resolve/measurement.h"
#include "system/fork_guard.h"

namespace kmux {

class Background;
class KernelHeaders;

/// Passes the shapes of the first successful call of `slot` to `tell`, after its launch. Later calls have no extra
/// cost.
///
/// `tell` runs on the thread of that call.
void watch_first_call(AdapterSlot& slot, const Signature& signature, std::function<void(CallSample)> tell);

/// Arguments like those of a call, over separate memory, which is zero.
///
/// Lifetime: must outlive the launches that use it.
class CallCopy {
 public:
  /// Returns arguments like `sample` on `device`.
  ///
  /// Errors: unavailable if the device has not enough memory; unsupported for negative strides.
  static Result<CallCopy> make(const CallSample& sample, const Device& device);
  std::span<const Arg> args() const { return args_; }

 private:
  std::vector<Tensor> tensors_;
  std::vector<Arg> args_;
};

/// Measures the candidates of one kernel against each other, and lets the kernel launch the winner.
///
/// Threads:  any; one thread measures at a time.
/// Lifetime: owned by its kernel and by a measurement in the background; needs no runtime.
class Tuner final : public KernelTuner, public std::enable_shared_from_this<Tuner> {
 public:
  /// Returns the tuner of the kernel of `parts`, whose resolution determines the candidates.
  ///
  /// Errors: those of opening a plugin, of its device, and of the options.
  static Result<std::shared_ptr<Tuner>> make(IsolatedPlugins& plugins, std::shared_ptr<BackendHistory> history,
                                             std::shared_ptr<ArtifactCache> cache,
                                             std::shared_ptr<const Program> program, const CompileSettings& settings,
                                             const KernelParts& parts);

  /// Finds or makes the measurement for calls like `sample`, and makes the kernel launch its winner from then on.
  ///
  /// Errors: if no candidate can be timed, the first one's error.
  Result<Tuning> tune(const CallSample& sample, const TuneOptions& options);

  /// Tunes in the background for the shapes of the kernel's first call, unless a measurement for them is cached.
  void tune_at_first_call(const std::shared_ptr<Background>& background, AdapterSlot& slot);

  /// Returns true if any candidate is compiled in a separate process.
  bool compiles_isolated() const;
  Result<Tuning> tune(std::span<const Arg> args, const TuneOptions& options) override;
  bool uses(std::string_view backend) const override;

 private:
  struct Contestant {
    Choice choice;
    std::shared_ptr<const Origin> origin;
  };
  /// A contestant that can be called, or why it cannot.
  struct Entrant {
    LoadedArtifact loaded = {};
    std::optional<Error> problem = {};
  };

  Tuner() = default;
  Status add(IsolatedPlugins& plugins, const CompileSettings& settings, const Candidate& candidate);
  Entrant prepare(std::size_t index);
  Result<LoadedArtifact> load(const Contestant& contestant);
  Result<Kernel> kernel_of(const LoadedArtifact& loaded) const;
  CandidateKey key_of(std::size_t index) const;
  Result<Tuning> measure(const CallSample& sample, const TuneOptions& options);
  Result<TimedRounds> time(const CallSample& sample, std::vector<Entrant>& entrants, const TuneOptions& options,
                           bool& is_cold);
  static void judge(const TimedRounds& timed, Tuning& tuning);
  Status launch(const TunedCandidate& winner, std::size_t index);

  std::shared_ptr<const Program> program_;  // the choices borrow it
  Signature signature_;
  std::string name_;
  std::vector<int> out_idx_;
  Shared<Plugin> home_;
  int device_ = 0;
  std::shared_ptr<BackendHistory> history_;
  std::shared_ptr<ArtifactCache> cache_;
  std::weak_ptr<AdapterSlot> slot_;
  std::shared_ptr<KernelHeaders> headers_;  // of the kernel; null: it depends on none
  Contest contest_;
  std::vector<Contestant> contestants_;
  std::mutex mutex_;
  const std::uint64_t generation_ = fork_generation();
};

}  // namespace kmux
