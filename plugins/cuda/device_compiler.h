#pragma once

#include <string>
#include <vector>

#include "kmux/plugin/backend.h"

#include "nvcc.h"
#include "nvidia/library/launcher_compiler.h"
#include "nvidia/options.h"

namespace kmux::cuda {

/// Compiles the sources of a variant with nvcc, in the folder of `compilation`.
class DeviceCompiler {
 public:
  DeviceCompiler(Nvcc nvcc, std::string host_compiler)
      : nvcc_(std::move(nvcc)), host_compiler_(std::move(host_compiler)) {}

  struct Output {
    std::string cubin;
    std::string log = {};                   // warnings
    bool is_about_program = false;          // the log is not about headers of the machine alone
    std::vector<std::string> headers = {};  // of the machine, that were read
  };
  /// A cubin for the target's architecture: of dialect cuda compiled, of dialect ptx assembled, of dialect cubin as it is.
  /// Instantiates those of `kernels` that are name expressions.
  ///
  /// Errors: compile_failed with notes "log", in the user's files and lines, and "command"; invalid_argument for an
  ///         argument that would mean something else to the shell through which nvcc starts its tools.
  Result<Output> compile(const nvidia::Compilation& compilation, const BuildRequest& request,
                         const nvidia::BuildOptions& options, const std::vector<std::string>& kernels) const;

 private:
  Nvcc nvcc_;
  std::string host_compiler_;
};

/// The arguments of nvcc that name neither files nor defines, in order.
std::vector<std::string> device_arguments(const BuildRequest& request, const nvidia::BuildOptions& options);

/// Do `arguments` mean to nvcc and to its shell what they say? nvcc quotes much of what it hands on, but not all.
///
/// Errors: invalid_argument that names the first other one.
Status check_arguments(const std::vector<std::string>& arguments);

}  // namespace kmux::cuda
