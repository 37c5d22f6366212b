#include "open_adapter.h"

#include <utility>

#include "kmux/trace.h"

#include "system/trace_log.h"

namespace kmux {
namespace {

/// Another adapter whose calls are recorded.
class TracedAdapter final : public Adapter {
 public:
  TracedAdapter(std::unique_ptr<Adapter> adapter, std::string kernel)
      : adapter_(std::move(adapter)), entry_(adapter_->entry()), kernel_(std::move(kernel)) {}

  Status prepare(int device) override {
    const TraceSpan span("prepare", kernel_);
    return adapter_->prepare(device);
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

}  // namespace

Result<std::shared_ptr<Adapter>> open_adapter(Backend& backend, const Artifact& artifact, int device,
                                              const std::string& kernel) {
  const TraceSpan span("load", kernel);
  KMUX_ASSIGN(std::unique_ptr<Adapter> adapter, backend.load(artifact, device));
  if (!is_tracing()) return std::shared_ptr<Adapter>(std::move(adapter));
  return std::shared_ptr<Adapter>(std::make_shared<TracedAdapter>(std::move(adapter), kernel));
}

}  // namespace kmux
