#pragma once

#include <string>
#include <vector>

#include "kmux/plugin/plan.h"
#include "kmux/plugin/plugin.hpp"

namespace kmux::opencl {

/// How the arguments of one launch are passed: argument i is the kernel's parameter i. Behind them, where the launch has dynamic
/// shared memory, comes a `__local` pointer to it.
struct LaunchForm {
  struct Argument {
    bool is_address = false;
    std::size_t bytes = 0;
  };
  std::vector<Argument> arguments;
  bool has_local = false;
};

/// Those of every launch of a plan, by step; empty at steps that are fills.
std::vector<LaunchForm> forms_of(const Plan& plan);

/// The plan of a variant, and what OpenCL is given of each launch.
///
/// Threads: any.
class OpenClWrapper final : public Wrapper {
 public:
  explicit OpenClWrapper(Host host) : host_(host) {}
  Result<std::string> wrap(const BuildRequest& request) override;

 private:
  Host host_;
};

}  // namespace kmux::opencl
