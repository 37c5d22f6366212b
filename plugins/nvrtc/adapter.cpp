#include "adapter.h"

#include <utility>

#include "meta.h"
#include "nvidia/failure_text.h"
#include "nvidia/host_log.h"
#include "plan_part.h"

namespace kmux::nvrtc {
namespace {

Error incomplete(const std::string& part) {
  return make_error(ErrorCode::kInvalidArgument,
                    "the artifact has no part \"" + part + "\" (backend nvrtc did not make it whole). Build it again.");
}

Result<const std::string*> part_of(const Artifact& artifact, const char* name) {
  const std::string* part = artifact.find(name);
  if (!part) return incomplete(name);
  return part;
}

Result<std::vector<std::string>> symbols_of(const Plan& plan, const Meta& meta) {
  std::vector<std::string> symbols;
  for (const std::string& kernel : plan.kernels) {
    const auto found = meta.symbols.find(kernel);
    if (found == meta.symbols.end()) {
      return make_error(ErrorCode::kInvalidArgument, "the artifact's meta.json has no symbol of kernel \"" + kernel +
                                                         "\" (backend nvrtc). Build it again.");
    }
    symbols.push_back(found->second);
  }
  return symbols;
}

}  // namespace

NvrtcAdapter::NvrtcAdapter(Host host, std::string code, nvidia::Facts facts, PlanRunner runner)
    : host_(host),
      code_(std::move(code)),
      facts_(std::move(facts)),
      runner_(std::move(runner)),
      launcher_(code_.c_str(), facts_.view(), nvidia::log_to(host_)) {}

Status NvrtcAdapter::prepare(int device) {
  nvidia::FailureText failure;
  return failure.status(launcher_.prepare(device, failure.sink()));
}

[[gnu::hot]] kmux_code NvrtcAdapter::launch(const kmux_slot* slots, const kmux_launch_env& env,
                                            kmux_sink error) noexcept {
  const auto body = [&](const kmux_driver_env& driver_env, kmux_sink sink) {
    return runner_.launch(slots, driver_env, sink);
  };
  return static_cast<kmux_code>(launcher_.call(env, error, body));
}

Result<std::unique_ptr<Adapter>> load_artifact(const Artifact& artifact, Host host) {
  KMUX_ASSIGN(const std::string* const code, part_of(artifact, kCodePart));
  KMUX_ASSIGN(const std::string* const plan_text, part_of(artifact, kPlanPart));
  KMUX_ASSIGN(const std::string* const meta_text, part_of(artifact, kMetaPart));
  KMUX_ASSIGN(const Meta meta, parse_meta(*meta_text));
  KMUX_ASSIGN(const Plan plan, read_plan(*plan_text));
  KMUX_ASSIGN(std::vector<std::string> symbols, symbols_of(plan, meta));
  KMUX_ASSIGN(PlanRunner runner, PlanRunner::compile(plan));
  nvidia::Facts facts(plan, std::move(symbols), {meta.graph, nvidia::shows_ranges(host)});
  return std::unique_ptr<Adapter>(std::make_unique<NvrtcAdapter>(host, *code, std::move(facts), std::move(runner)));
}

}  // namespace kmux::nvrtc
