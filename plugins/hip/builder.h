#pragma once

#include <string>
#include <vector>

#include "kmux/dispatch.h"
#include "kmux/error.h"
#include "kmux/plugin/backend.h"
#include "kmux/plugin/headers.h"
#include "kmux/plugin/plan.h"
#include "kmux/plugin/plugin.hpp"

#include "compiler_choice.h"
#include "meta.h"
#include "options.h"

namespace kmux::hip {

/// Compiles HIP C++, and CUDA C++ where the two are the same; takes ready code objects and offload bundles.
class HipBuilder final : public Builder {
 public:
  explicit HipBuilder(Host host) : host_(host) {}

  /// The files of the compiler, and the options that the host filled in.
  Result<std::string> toolchain(const Target& target, const Options& options) override;

  /// Errors: compile_failed with the compiler's log, or for a kernel that the code lacks; invalid_argument for options,
  ///         for ready code that is none or is for another architecture, and for a launch that does not fit its kernel;
  ///         unsupported for a construct of CUDA that HIP has not; unavailable without a compiler.
  Result<Artifact> build(const BuildRequest& request, std::string_view launcher) override;

 private:
  Result<Compiled> compile_source(const BuildRequest& request, const BuildOptions& options, const Plan& plan,
                                  std::optional<Dependencies>& dependencies);

  Host host_;
  Headers headers_;
};

/// May the sources and headers of a variant of dialect cuda be compiled as HIP C++? Nearly all of CUDA's language is the
/// same in HIP; this looks for what is not, outside of comments and strings and whatever `#if` it stands in.
///
/// Errors: unsupported that names the construct, the file and the line, and what to use instead.
Status check_cuda_constructs(const Variant& variant);

}  // namespace kmux::hip
