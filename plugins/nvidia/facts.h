#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "kmux/plugin/plan.h"

#include "nvidia/launch/loaded_code.h"

namespace kmux::nvidia {

/// The user's choices for launches, besides the plan.
struct LaunchChoices {
  bool graph = false;  // option `graph`
  bool ranges = false;  // show calls and launches to profilers
  bool blocking = false;  // block until each launch is done
  int shared_carveout = -1;  // option `shared_carveout`; -1: the driver's choice
};

/// The arguments of one launch: sizes in bytes, and whether a spare byte follows.
struct ArgumentPack {
  std::vector<unsigned> sizes;
  bool spare = false;
  bool operator==(const ArgumentPack&) const = default;
};
using ArgumentSizes = std::function<ArgumentPack(const PlanLaunch&)>;

/// Returns the argument sizes of a launch as the plan states them.
ArgumentPack argument_sizes(const PlanLaunch& launch);

/// Owns the facts of a plan: `view` is valid as long as the object.
class Facts {
 public:
  /// `symbols` has the symbol of each kernel of the plan in the code.
  Facts(const Plan& plan, std::vector<std::string> symbols, const LaunchChoices& choices,
        const ArgumentSizes& sizes = argument_sizes);
  Facts(Facts&&) noexcept = default;
  Facts& operator=(Facts&&) noexcept = default;

  const PlanFacts& view() const { return facts_; }

 private:
  void collect_pack(unsigned kernel, ArgumentPack pack);

  std::unique_ptr<const std::string> name_;  // a move keeps the address of its characters
  std::vector<std::string> symbols_;
  std::vector<KernelFacts> kernels_;
  std::vector<std::unique_ptr<const ArgumentPack>> sizes_;  // owns the sizes that `packs_` points into
  std::vector<PackFacts> packs_;
  PlanFacts facts_{};
};

}  // namespace kmux::nvidia
