#include <algorithm>
#include <atomic>
#include <mutex>
#include <utility>

#include "kmux/guarded.h"
#include "kmux/log.h"
#include "kmux/plugin/plugin.hpp"
#include "kmux/tensor.h"
#include "kmux/trace.h"

#include "adapter_slot.h"
#include "isolation/code_trial.h"
#include "resolve/measurement.h"
#include "system/trace_log.h"

namespace kmux {
namespace {

/// A wrapper of an adapter that records its calls in a trace.
class TracedAdapter final : public Adapter {
 public:
  TracedAdapter(std::unique_ptr<Adapter> adapter, std::string kernel)
      : adapter_(std::move(adapter)), entry_(adapter_->entry()), kernel_(std::move(kernel)) {}

  Status prepare(int device) override {
    const TraceSpan span("prepare", kernel_);
    return adapter_->prepare(device);
  }
  Result<ConstantPlace> constant(int device, std::string_view name) override {
    return adapter_->constant(device, name);
  }
  kmux_code launch(const kmux_slot* slots, const kmux_launch_env& env, kmux_sink error) noexcept override {
    const std::int64_t begin = trace_clock_ns();
    const kmux_code code = entry_(slots, env, error);
    add_call(kernel_, begin);
    return code;
  }

 private:
  std::unique_ptr<Adapter> adapter_;
  LaunchEntry entry_;
  std::string kernel_;
};

/// Returns the size of a tensor's memory, from its first element on. Units: bytes.
std::int64_t size_of(const SampleTensor& tensor) {
  return packed_bytes(tensor.dtype, element_span(tensor.shape, tensor.strides));
}

bool has_known_memory(const std::variant<SampleTensor, Arg>& param) {
  const auto* const tensor = std::get_if<SampleTensor>(&param);
  return tensor == nullptr || std::ranges::all_of(tensor->strides, [](std::int64_t stride) { return stride >= 0; });
}

/// A wrapper of an adapter that has a worker make the first call before it is launched here.
class TriedAdapter final : public Adapter {
 public:
  TriedAdapter(std::unique_ptr<Adapter> adapter, std::shared_ptr<const CodeTrial> trial, DeviceApi& devices,
               Artifact artifact, const Program& program)
      : adapter_(std::move(adapter)),
        entry_(adapter_->entry()),
        trial_(std::move(trial)),
        devices_(devices),
        artifact_(std::move(artifact)),
        program_{.name = program.name, .signature = program.signature, .constants = program.constants} {}

  Status prepare(int device) override { return adapter_->prepare(device); }
  Result<ConstantPlace> constant(int device, std::string_view name) override {
    return adapter_->constant(device, name);
  }
  kmux_code launch(const kmux_slot* slots, const kmux_launch_env& env, kmux_sink error) noexcept override {
    if (!is_tried_.load(std::memory_order_acquire)) [[unlikely]] {
      const Status tried = guarded([&] { return try_first(slots, env); });
      if (!tried) return write_error(tried.error(), error);
    }
    return entry_(slots, env, error);
  }

 private:
  Status try_first(const kmux_slot* slots, const kmux_launch_env& env) {
    const std::lock_guard lock(mutex_);
    if (is_tried_.load(std::memory_order_relaxed)) return Ok{};
    const Result<CallSample> sample = sample_of(program_.signature, slots);
    if (const auto why = why_not(sample)) {
      log(LogLevel::kWarning, "kernel \"" + program_.name + "\" is launched untried (" + *why + ").");
    } else {
      KMUX_ASSIGN(LaunchCopy copy, copy_of(*sample, slots, env));
      KMUX_TRY(trial_->launch(artifact_, env.device, std::move(copy)));
    }
    trial_.reset();
    artifact_ = {};
    is_tried_.store(true, std::memory_order_release);
    return Ok{};
  }

  /// Returns why a worker cannot get the call's arguments, or nothing.
  static std::optional<std::string> why_not(const Result<CallSample>& sample) {
    if (!sample || !std::ranges::all_of(*sample, has_known_memory)) return "the extent of its memory is not known";
    std::uint64_t bytes = 0;
    for (const auto& param : *sample) {
      const auto* const tensor = std::get_if<SampleTensor>(&param);
      if (tensor != nullptr) bytes += static_cast<std::uint64_t>(size_of(*tensor));
    }
    if (bytes <= kMaxFrameBytes / 2) return std::nullopt;
    return std::to_string(bytes) + " bytes are too many for a worker";
  }

  Result<LaunchCopy> copy_of(const CallSample& sample, const kmux_slot* slots, const kmux_launch_env& env) const {
    KMUX_TRY(check_no_capture(env));
    const std::size_t count = slots_of(program_.signature).size();
    LaunchCopy copy;
    for (std::size_t i = 0; i < count; ++i) {
      copy.slots.push_back({slots[i].bits});
      const auto* const tensor = i < sample.size() ? std::get_if<SampleTensor>(&sample[i]) : nullptr;
      if (tensor == nullptr) continue;
      KMUX_ASSIGN(copy.slots.back().memory, bytes_at(slots[i].ptr, static_cast<std::uint64_t>(size_of(*tensor)), env));
    }
    for (const Constant& constant : program_.constants) {
      KMUX_ASSIGN(const ConstantPlace place, adapter_->constant(env.device, constant.name));
      KMUX_ASSIGN(std::string bytes, bytes_at(place.address, place.bytes, env));
      copy.constants.emplace_back(constant.name, std::move(bytes));
    }
    return copy;
  }

  Status check_no_capture(const kmux_launch_env& env) const {
    KMUX_ASSIGN(const std::uint64_t capture, devices_.stream_capture(env.device, env.stream));
    if (capture == 0) return Ok{};
    return make_error(
        ErrorCode::kUnsupported,
        "the first call cannot be captured (isolation 'process' has it tried in a worker, with copies of its "
        "tensors). Call the kernel once before the capture.");
  }

  Result<std::string> bytes_at(const void* address, std::uint64_t count, const kmux_launch_env& env) const {
    std::string bytes(static_cast<std::size_t>(count), '\0');
    if (bytes.empty()) return bytes;
    KMUX_TRY(devices_.copy(env.device, env.stream, bytes.data(), address, bytes.size(), KMUX_COPY_DEVICE_TO_HOST));
    KMUX_TRY(devices_.stream_synchronize(env.device, env.stream));
    return bytes;
  }

  std::unique_ptr<Adapter> adapter_;
  LaunchEntry entry_;
  std::atomic<bool> is_tried_ = false;
  std::mutex mutex_;
  std::shared_ptr<const CodeTrial> trial_;  // null once the trial was made
  DeviceApi& devices_;
  Artifact artifact_;  // likewise
  const Program program_;  // without its variants
};

}  // namespace

Result<std::shared_ptr<Adapter>> open_adapter(const Shared<Plugin>& plugin, const Artifact& artifact, int device,
                                              const Program& program, std::shared_ptr<const CodeTrial> trial) {
  const TraceSpan span("load", program.name);
  if (trial != nullptr) KMUX_TRY(trial->load(artifact, device));
  Backend& backend = plugin->backend();
  KMUX_ASSIGN(std::unique_ptr<Adapter> adapter, backend.load(artifact, device));
  if (trial != nullptr)
    adapter =
        std::make_unique<TriedAdapter>(std::move(adapter), std::move(trial), backend.devices(), artifact, program);
  if (!is_tracing()) return std::shared_ptr<Adapter>(std::move(adapter));
  return std::shared_ptr<Adapter>(std::make_shared<TracedAdapter>(std::move(adapter), program.name));
}

}  // namespace kmux
