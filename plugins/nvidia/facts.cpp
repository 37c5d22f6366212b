#include "nvidia/facts.h"

#include <algorithm>

#include "kmux/plugin/launch_check.h"

namespace kmux::nvidia {
namespace {

// The most blocks in a portable cluster. Source: CUDA C++ Programming Guide, "Thread Block Clusters".
constexpr std::int64_t kPortableCluster = 8;

bool may_be_large(const std::optional<std::array<Expr, 3>>& cluster) {
  if (!cluster) return false;
  std::int64_t blocks = 1;
  for (const Expr& extent : *cluster) {
    if (!extent.is_constant() || extent.constant() > kPortableCluster) return true;
    blocks *= std::max<std::int64_t>(extent.constant(), 1);
  }
  return blocks > kPortableCluster;
}

unsigned long long constant_or(const Expr& bytes, unsigned long long otherwise) {
  if (!bytes.is_constant()) return otherwise;
  return bytes.constant() > 0 ? static_cast<unsigned long long>(bytes.constant()) : 0;
}

void collect(KernelFacts& facts, const PlanLaunch& launch) {
  facts.dynamic_smem_bytes = std::max(facts.dynamic_smem_bytes, constant_or(launch.dynamic_smem_bytes, 0));
  facts.large_cluster = facts.large_cluster || may_be_large(launch.cluster);
}

bool has_fill(const std::vector<PlanStep>& steps) {
  return std::any_of(steps.begin(), steps.end(), [](const PlanStep& step) {
    if (const auto* loop = std::get_if<PlanFor>(&step)) return has_fill(loop->steps);
    if (const auto* guard = std::get_if<PlanIf>(&step))
      return has_fill(guard->then_steps) || has_fill(guard->else_steps);
    return std::holds_alternative<PlanFill>(step);
  });
}

// Collects the largest window. A window of variable size may be as large as the device allows.
void collect_windows(PlanFacts& facts, const PlanLaunch& launch, bool& all_constant) {
  for (const PlanWindow& window : launch.l2_windows) {
    all_constant = all_constant && window.bytes.is_constant();
    facts.window_bytes = std::max(facts.window_bytes, constant_or(window.bytes, 0));
  }
}

}  // namespace

ArgumentPack argument_sizes(const PlanLaunch& launch) { return {passed_bytes(launch)}; }

Facts::Facts(const Plan& plan, std::vector<std::string> symbols, const LaunchChoices& choices,
             const ArgumentSizes& sizes)
    : name_(std::make_unique<const std::string>(plan.name)), symbols_(std::move(symbols)) {
  for (const std::string& symbol : symbols_) kernels_.push_back({symbol.c_str(), 0, false});
  bool windows_are_constant = true;
  for_each_launch(plan.steps, [&](const PlanLaunch& launch) {
    if (calls_host_function(plan, launch)) return;
    collect(kernels_[launch.kernel], launch);
    collect_pack(static_cast<unsigned>(launch.kernel), sizes(launch));
    collect_windows(facts_, launch, windows_are_constant);
  });
  if (!windows_are_constant) facts_.window_bytes = 1;
  facts_.kernels = kernels_.data();
  facts_.kernel_count = static_cast<unsigned>(kernels_.size());
  facts_.map_count = static_cast<unsigned>(plan.maps.size());
  facts_.step_count = static_cast<unsigned>(plan.step_count);
  facts_.replay = choices.graph && can_replay(plan);
  facts_.name = name_->c_str();
  facts_.ranges = choices.ranges;
  facts_.blocking = choices.blocking;
  facts_.shared_carveout = choices.shared_carveout;
  facts_.needs_context = !plan.workspaces.empty();
  facts_.packs = packs_.data();
  facts_.pack_count = static_cast<unsigned>(packs_.size());
  facts_.only_launches = plan.workspaces.empty() && plan.maps.empty() && !has_fill(plan.steps);
}

void Facts::collect_pack(unsigned kernel, ArgumentPack pack) {
  for (std::size_t i = 0; i < packs_.size(); ++i) {
    if (packs_[i].kernel == kernel && *sizes_[i] == pack) return;
  }
  const ArgumentPack& kept = *sizes_.emplace_back(std::make_unique<const ArgumentPack>(std::move(pack)));
  packs_.push_back({kernel, static_cast<unsigned>(kept.sizes.size()), kept.sizes.data(), kept.spare});
}

}  // namespace kmux::nvidia
