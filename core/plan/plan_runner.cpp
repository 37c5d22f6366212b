#include "kmux/plugin/plan_runner.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <optional>
#include <span>
#include <string_view>

#include "fill_bounds.h"
#include "runner_code.h"
#include "single_code.h"

namespace kmux {
namespace {

using Outcome = ExprCode::Outcome;

// One launch in progress. Functions return 0 to continue, or the code of an error after writing its text.
class Run {
 public:
  template <class AnyFrame>
  Run(const RunnerCode& code, const kmux_slot* slots, const kmux_driver_env& env, kmux_sink error, AnyFrame& frame)
      : code_(code),
        slots_(slots),
        env_(env),
        error_(error),
        words_(frame.words.data()),
        addresses_(frame.addresses.data()),
        places_(frame.places.data()),
        maps_(frame.maps.data()),
        windows_(frame.windows.data()) {}
  Run(const Run&) = delete;
  Run& operator=(const Run&) = delete;
  ~Run() {
    while (allocated_ > 0) free(code_.workspaces[--allocated_]);
  }

  [[gnu::hot]] int run() {
    for (const RunnerBinding& binding : code_.bindings) {
      if (const int status = bind(binding)) return status;
    }
    if (code_.has_preparations) [[unlikely]] {
      if (const int status = prepare()) return status;
    }
    return run(code_.steps);
  }

 private:
  // Executes the preparations, which many plans lack.
  [[gnu::noinline]] int prepare() {
    for (const RunnerLet& let : code_.lets) {
      if (const int status = value(let.value, words_[let.word])) return status;
    }
    for (const RunnerAssert& check : code_.asserts) {
      if (const int status = hold(check)) return status;
    }
    for (const RunnerWorkspace& workspace : code_.workspaces) {
      if (const int status = allocate(workspace)) return status;
    }
    for (const RunnerMap& map : code_.maps) {
      if (const int status = encode(map)) return status;
    }
    return KMUX_OK;
  }

  // Values.
  std::span<const std::int64_t> values() const { return {words_, code_.values}; }

  int value(const RunnerChecked& checked, std::int64_t& out) const {
    const Outcome outcome = checked.number.evaluate(values());
    if (!outcome.ok()) [[unlikely]] {
      return fail_value(error_, *checked.what, outcome.fault);
    }
    out = outcome.value;
    return KMUX_OK;
  }

  // Evaluates a value that must lie in low..high.
  int ranged(const RunnerChecked& checked, std::int64_t low, std::int64_t high, std::int64_t& out) const {
    const Outcome outcome = checked.number.evaluate(values());
    if (!outcome.ok() || outcome.value < low || outcome.value > high) [[unlikely]] {
      return fail_value(error_, *checked.what, outcome.ok() ? kOutOfRange : outcome.fault);
    }
    out = outcome.value;
    return KMUX_OK;
  }

  int size(const RunnerChecked& checked, unsigned long long& out) const {
    std::int64_t bytes = 0;
    const int status = ranged(checked, 0, std::numeric_limits<std::int64_t>::max(), bytes);
    out = static_cast<unsigned long long>(bytes);
    return status;
  }

  int address(const RunnerAddress& from, void*& out) const {
    unsigned long long offset = 0;
    if (from.has_offset) {
      if (const int status = size(from.offset, offset)) return status;
    }
    const bool in_slot = from.source == PlanAddress::Source::kSlot;
    out = static_cast<char*>(in_slot ? slots_[from.index].ptr : addresses_[from.index]) + offset;
    return KMUX_OK;
  }

  // First pass.
  int bind(const RunnerBinding& binding) {
    const kmux_slot slot = slots_[binding.slot];
    std::int64_t& word = words_[binding.word];
    switch (binding.read) {
      case RunnerBinding::Read::kSigned:
        word = static_cast<std::int64_t>(slot.bits << binding.unused_bits) >> binding.unused_bits;
        return KMUX_OK;
      case RunnerBinding::Read::kUnsigned:
        word = static_cast<std::int64_t>(slot.bits << binding.unused_bits >> binding.unused_bits);
        return KMUX_OK;
      case RunnerBinding::Read::kTruth:
        word = slot.bits != 0 ? 1 : 0;
        return KMUX_OK;
      default:
        word = slot.i64;
        return word >= 0 ? KMUX_OK : fail_value(error_, *binding.what, kOutOfRange);
    }
  }

  // Flattened: a call per number would cost more than the comparison.
  [[gnu::flatten]] int hold(const RunnerAssert& check) const {
    const Outcome outcome = check.condition.evaluate(values());
    if (!outcome.ok()) return fail_value(error_, *check.what, outcome.fault);
    return outcome.value != 0 ? KMUX_OK : fail_assert(error_, check, values());
  }

  [[gnu::noinline]] int allocate(const RunnerWorkspace& workspace) {
    unsigned long long bytes = 0;
    if (const int status = size(workspace.bytes, bytes)) return status;
    void*& whole = addresses_[workspace.whole];
    whole = nullptr;
    if (bytes != 0) {
      const int status = allocate(static_cast<std::int64_t>(bytes), workspace.alignment_bytes, whole);
      if (status != KMUX_OK) return fail_allocation(error_, workspace, bytes, env_.env.device, status);
    }
    if (workspace.is_rounded()) addresses_[workspace.address] = rounded_up(whole, workspace.alignment_bytes);
    ++allocated_;
    return KMUX_OK;
  }

  int allocate(std::int64_t bytes, std::int64_t alignment, void*& whole) const {
    const kmux_launch_env& env = env_.env;
    const std::int64_t granted = std::min(alignment, RunnerWorkspace::kGranted);
    std::int64_t wanted = 0;
    if (__builtin_add_overflow(bytes, alignment - granted, &wanted)) return KMUX_UNAVAILABLE;
    return env.allocator->allocate(env.allocator->self, env.device, env.stream, static_cast<std::size_t>(wanted),
                                   static_cast<std::size_t>(granted), &whole);
  }

  static void* rounded_up(void* whole, std::int64_t alignment) {
    const auto place = reinterpret_cast<std::uintptr_t>(whole);
    return static_cast<char*>(whole) + ((0 - place) & static_cast<std::uintptr_t>(alignment - 1));
  }

  void free(const RunnerWorkspace& workspace) const {
    const kmux_launch_env& env = env_.env;
    void* const whole = addresses_[workspace.whole];
    if (whole != nullptr) env.allocator->free(env.allocator->self, env.device, env.stream, whole);
  }

  using Dims = std::array<unsigned long long, 5>;

  // Points `out` to a patched copy of `ready` in `copy`; leaves `out` unchanged if there are no patches.
  int patched(const std::vector<unsigned long long>& ready, const std::vector<RunnerPatch>& patches, Dims& copy,
              const unsigned long long*& out) const {
    if (patches.empty()) return KMUX_OK;
    std::memcpy(copy.data(), ready.data(), ready.size() * sizeof ready[0]);
    for (const RunnerPatch& patch : patches) {
      if (const int status = size(patch.value, copy[patch.index])) return status;
    }
    out = copy.data();
    return KMUX_OK;
  }

  int encode(const RunnerMap& map) const {
    kmux_map_geometry geometry = map.ready;
    Dims dims, strides_bytes;
    if (const int status = address(map.base, geometry.base)) return status;
    if (const int status = patched(map.dims, map.dim_patches, dims, geometry.dims)) return status;
    if (const int status = patched(map.strides_bytes, map.stride_patches, strides_bytes, geometry.strides_bytes)) {
      return status;
    }
    kmux_tensor_map* const target = maps_ + geometry.index;
    if (map.is_tiled) return env_.driver->encode_tiled(&env_, target, &geometry, map.box.data(), error_);
    return env_.driver->encode_im2col(&env_, target, &geometry, map.lower_corner.data(), map.upper_corner.data(),
                                      map.channels_per_pixel, map.pixels_per_column, error_);
  }

  // Second pass.
  [[gnu::hot]] int run(const RunnerSteps& steps) {
    for (const RunnerStep& step : steps) {
      if (const int status = run(step)) [[unlikely]] {
        return status;
      }
    }
    return KMUX_OK;
  }

  [[gnu::hot]] int run(const RunnerStep& step) {
    switch (step.kind) {
      case RunnerStep::Kind::kLaunch:
        return launch(code_.launches[step.index]);
      case RunnerStep::Kind::kFill:
        return fill(code_.fills[step.index]);
      case RunnerStep::Kind::kIf:
        return choose(code_.ifs[step.index]);
      default:
        return loop(code_.fors[step.index]);
    }
  }

  [[gnu::noinline]] int choose(const RunnerIf& guard) {
    std::int64_t holds = 0;
    if (const int status = value(guard.condition, holds)) return status;
    return run(holds != 0 ? guard.then_steps : guard.else_steps);
  }

  [[gnu::noinline]] int loop(const RunnerFor& loop) {
    std::int64_t begin = 0;
    std::int64_t end = 0;
    if (const int status = value(loop.begin, begin)) return status;
    if (const int status = value(loop.end, end)) return status;
    for (std::int64_t i = begin; i < end; ++i) {
      words_[loop.word] = i;
      if (const int status = run(loop.steps)) return status;
    }
    return KMUX_OK;
  }

  int fill(const RunnerFill& fill) const {
    for (const RunnerAssert& bounds : fill.bounds) {
      if (const int status = hold(bounds)) return status;
    }
    kmux_driver_fill call{fill.step, fill.value, nullptr, 0};
    if (const int status = address(fill.target, call.target)) return status;
    if (const int status = size(fill.bytes, call.bytes)) return status;
    return env_.driver->fill(&env_, &call, error_);
  }

  [[gnu::hot]] int launch(const RunnerLaunch& launch) {
    kmux_driver_launch call = launch.ready;
    if (const int status = extents(launch.grid, 0, call.grid)) return status;
    if (call.grid[0] == 0 || call.grid[1] == 0 || call.grid[2] == 0) return KMUX_OK;
    if (const int status = extents(launch.block, 1, call.block)) return status;
    if (const int status = extents(launch.cluster, 1, call.cluster)) return status;
    for (const RunnerPatch& smem : launch.dynamic_smem) {
      if (const int status = size(smem.value, call.dynamic_smem_bytes)) return status;
    }
    if (const int status = compute(launch.arguments)) return status;
    if (!launch.copies.empty()) [[unlikely]] {
      place_members(launch);
    }
    if (!launch.windows.empty()) [[unlikely]] {
      if (const int status = place_windows(launch.windows)) return status;
      call.windows = windows_;
    }
    if (!launch.places.empty()) [[likely]] {
      call.args = place(launch.places);
    }
    return env_.driver->launch(&env_, &call, error_);
  }

  [[gnu::hot]] int extents(const std::vector<RunnerPatch>& patches, std::int64_t low, unsigned* out) const {
    for (const RunnerPatch& patch : patches) {
      std::int64_t extent = 0;
      if (const int status = ranged(patch.value, low, kMaxExtent, extent)) return status;
      out[patch.index] = static_cast<unsigned>(extent);
    }
    return KMUX_OK;
  }

  [[gnu::hot]] int compute(const std::vector<RunnerArgument>& arguments) const {
    for (const RunnerArgument& argument : arguments) {
      if (const int status = compute(argument)) return status;
    }
    return KMUX_OK;
  }

  int compute(const RunnerArgument& argument) const {
    switch (argument.kind) {
      case RunnerArgument::Kind::kNumber:
        return value(argument.number, words_[argument.target]);
      case RunnerArgument::Kind::kTruth:
        words_[argument.target] = slots_[argument.slot].bits != 0 ? 1 : 0;
        return KMUX_OK;
      default:
        return address(argument.address, addresses_[argument.target]);
    }
  }

  // Returns the base address of each kind of place.
  std::array<char*, 4> bases() const {
    return {reinterpret_cast<char*>(const_cast<kmux_slot*>(slots_)), reinterpret_cast<char*>(words_),
            reinterpret_cast<char*>(addresses_), reinterpret_cast<char*>(maps_)};
  }

  void** place(const std::vector<RunnerPlace>& places) const {
    const auto bases = this->bases();
    void** next = places_;
    for (const RunnerPlace& place : places) *next++ = bases[static_cast<std::size_t>(place.base)] + place.offset_bytes;
    return places_;
  }

  // Builds structures from their members. Most members have 4 or 8 bytes, which are copied without a call.
  [[gnu::noinline]] void place_members(const RunnerLaunch& launch) const {
    const auto bases = this->bases();
    for (const RunnerZeros& zeros : launch.zeros) std::fill_n(words_ + zeros.first, zeros.count, 0);
    for (const RunnerCopy& copy : launch.copies) {
      const char* const from = bases[static_cast<std::size_t>(copy.from.base)] + copy.from.offset_bytes;
      char* const to = reinterpret_cast<char*>(words_) + copy.offset_bytes;
      if (copy.bytes == 4) {
        std::memcpy(to, from, 4);
      } else if (copy.bytes == 8) {
        std::memcpy(to, from, 8);
      } else {
        std::memcpy(to, from, copy.bytes);
      }
    }
  }

  [[gnu::noinline]] int place_windows(const std::vector<RunnerWindow>& windows) const {
    kmux_driver_window* next = windows_;
    for (const RunnerWindow& window : windows) {
      if (const int status = address(window.base, next->base)) return status;
      if (const int status = size(window.bytes, next->bytes)) return status;
      next++->hit_ratio = window.hit_ratio;
    }
    return KMUX_OK;
  }

  const RunnerCode& code_;
  const kmux_slot* slots_;
  const kmux_driver_env& env_;
  kmux_sink error_;
  std::int64_t* words_;
  void** addresses_;
  void** places_;
  kmux_tensor_map* maps_;
  kmux_driver_window* windows_;
  std::size_t allocated_ = 0;  // workspaces, including empty ones
};

template <class AnyFrame>
[[gnu::hot, gnu::noinline]] int run_framed(const RunnerCode& code, const kmux_slot* slots, const kmux_driver_env& env,
                                           kmux_sink error) {
  code.prefetch();
  AnyFrame frame;
  return Run(code, slots, env, error, frame).run();
}

Error too_large(const Plan& plan, const RunnerFrameSize& size) {
  return make_error(ErrorCode::kInvalidArgument,
                    "program \"" + plan.name + "\" needs " + std::to_string(size.words) + " values, " +
                        std::to_string(size.addresses) + " addresses, " + std::to_string(size.places) + " arguments, " +
                        std::to_string(size.maps) + " tensor maps and " + std::to_string(size.windows) +
                        " L2 windows in one launch (at most 4096, 4096, 4096, 256 and 64 fit). Pass arrays of them as "
                        "tensors or divide the program.");
}

}  // namespace

struct PlanRunner::Impl {
  std::unique_ptr<const RunnerCode> code;
  bool is_small;
  std::optional<SingleCode> single;
};

PlanRunner::PlanRunner(std::unique_ptr<const Impl> impl)
    : impl_(std::move(impl)), single_(impl_->single ? &*impl_->single : nullptr) {}
PlanRunner::PlanRunner(PlanRunner&& other) noexcept = default;
PlanRunner& PlanRunner::operator=(PlanRunner&& other) noexcept = default;
PlanRunner::~PlanRunner() = default;

Result<PlanRunner> PlanRunner::compile(const Plan& plan) {
  KMUX_ASSIGN(std::unique_ptr<const RunnerCode> code, compile_runner(plan));
  if (!LargeRunnerFrame::fits(code->size)) return too_large(plan, code->size);
  const bool is_small = SmallRunnerFrame::fits(code->size);
  std::optional<SingleCode> single = SingleCode::of(*code);
  return PlanRunner(std::make_unique<const Impl>(Impl{std::move(code), is_small, std::move(single)}));
}

std::span<const SingleMap> PlanRunner::single_maps() const noexcept { return single_->maps(); }

[[gnu::hot]] bool PlanRunner::evaluate(const kmux_slot* slots, SingleLaunch& out) const noexcept {
  return single_->evaluate(slots, out);
}

[[gnu::hot]] int PlanRunner::launch(const kmux_slot* slots, const kmux_driver_env& env,
                                    kmux_sink error) const noexcept {
  const auto run = impl_->is_small ? &run_framed<SmallRunnerFrame> : &run_framed<LargeRunnerFrame>;
  return run(*impl_->code, slots, env, error);
}

}  // namespace kmux
