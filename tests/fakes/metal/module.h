#pragma once

#include <memory>
#include <string>
#include <vector>

#include "kmux/error.h"

#include "msl/kmux_msl.h"
#include "msl_text.h"

namespace kmux::fake_metal {

/// A text of MSL, compiled for the host and loaded. Each one has variables of its own.
class Module {
 public:
  using Run = void (*)(const kmux_msl::Thread* thread);

  /// Errors: compile_failed with the compiler's text as message.
  static Result<std::shared_ptr<Module>> compile(const std::string& msl);
  ~Module();
  Module(const Module&) = delete;
  Module& operator=(const Module&) = delete;

  /// The same code with variables of its own.
  Result<std::shared_ptr<Module>> copy() const;
  const MslKernel* find(const std::string& kernel) const;
  Run run_of(const std::string& kernel) const;
  /// Bytes of what the kernel declares in address space `threadgroup`.
  unsigned long static_memory_of(const std::string& kernel) const;
  void set_constant(const kmux_msl::Constant& value) const;

 private:
  Module(std::string path, std::vector<MslKernel> kernels) : path_(std::move(path)), kernels_(std::move(kernels)) {}
  static Result<std::shared_ptr<Module>> open(const std::string& path, std::vector<MslKernel> kernels);

  std::string path_;
  std::vector<MslKernel> kernels_;
  void* handle_ = nullptr;
};

}  // namespace kmux::fake_metal
