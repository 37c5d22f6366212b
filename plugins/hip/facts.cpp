#include "facts.h"

#include <algorithm>

namespace kmux::hip {
namespace {

unsigned long long constant_of(const Expr& bytes) {
  return bytes.is_constant() && bytes.constant() > 0 ? static_cast<unsigned long long>(bytes.constant()) : 0;
}

}  // namespace

Facts::Facts(const Plan& plan, std::vector<KernelMeta> kernels)
    : name_(std::make_unique<const std::string>(plan.name)), metas_(std::move(kernels)) {
  for (const KernelMeta& meta : metas_) {
    kernels_.push_back({meta.symbol.c_str(), 0, meta.static_smem_bytes, meta.max_threads});
  }
  for_each_launch(plan.steps, [&](const PlanLaunch& launch) {
    KernelFacts& facts = kernels_[launch.kernel];
    facts.dynamic_smem_bytes = std::max(facts.dynamic_smem_bytes, constant_of(launch.dynamic_smem_bytes));
  });
  view_ = {name_->c_str(), kernels_.data(), static_cast<unsigned>(kernels_.size())};
}

}  // namespace kmux::hip
