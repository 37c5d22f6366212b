#pragma once

#include <filesystem>
#include <memory>
#include <mutex>
#include <ostream>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kmux/compile.h"
#include "kmux/device.h"
#include "kmux/kernel.h"
#include "kmux/registry.h"
#include "kmux/runtime.h"
#include "kmux/tensor.h"

#include "translated_kernels.h"

namespace kmux {

/// Prints the name of a code in GoogleTest's messages.
inline void PrintTo(ErrorCode code, std::ostream* out) { *out << to_string(code); }

}  // namespace kmux

namespace kmux::conformance {

/// The capability that a plugin without dialects of devices lacks, for `needs`.
inline constexpr std::string_view kDeviceDialect = "a dialect in which the suite writes kernels of a device";

/// The plugin under test, alone in a separate runtime.
class Subject {
 public:
  /// Returns the subject of this process; `choose` must be called before any test runs.
  static Subject& current();
  struct Choice {
    std::string plugin;
    std::filesystem::path folder;  // empty: kmux's plugin path
    std::string isolation;
    int device = 0;  // ordinal
    bool rehearses = false;  // runs over a driver that computes nothing, so results are invalid
    bool uses_cache = false;  // the cache of the process's environment, which holds code that a rehearsal compiled
  };
  /// Errors: unavailable if the plugin's probe reports that it cannot run here. Another code if the plugin fails,
  /// crashes or cannot be opened; the caller must not skip the suite then.
  static Status choose(const Choice& choice);
  /// Releases the plugin and its code. Must be called before static destruction, because a driver may be gone by then.
  static void end();

  const std::string& name() const { return name_; }
  Runtime& runtime() const { return *runtime_; }
  Shared<Plugin> plugin() const { return plugin_; }
  Backend& backend() const { return plugin_->backend(); }
  const Device& device() const { return device_; }
  const std::filesystem::path& folder() const { return folder_; }
  bool rehearses() const { return rehearses_; }
  /// Returns true if the suite may use only the programs that a rehearsal compiles.
  bool uses_cache() const { return uses_cache_; }
  /// Returns the dialects of the plugin's file, which defines how kernels are written in them.
  const std::vector<DialectForm>& dialects() const { return dialects_; }
  void set_dialects(std::vector<DialectForm> dialects) { dialects_ = std::move(dialects); }

  /// Disables progress output, for --json.
  void be_quiet() { is_quiet_ = true; }
  bool is_quiet() const { return is_quiet_; }

  /// A program that was not compiled, and the test case that compiled it.
  struct Refusal {
    std::string test;
    Error error;
  };
  std::vector<Refusal> refusals() const;

  /// Returns a reason if the manifest has no dialect of the program's variants; empty if it has one. The
  /// suite then has no kernel for the case, which says nothing about the plugin.
  std::string why_without_kernel(const Program& program) const;

  /// Compiles with this plugin only.
  Result<Kernel> compile(const Program& program, CompileOptions options = {}) const;

  /// Returns a device tensor with a copy of `values`.
  template <class T>
  Tensor upload(std::vector<std::int64_t> shape, DType dtype, const std::vector<T>& values) const {
    return Tensor::from<T>(std::move(shape), dtype, values).value().to(device_).value();
  }
  Tensor zeros(std::vector<std::int64_t> shape, DType dtype) const {
    return Tensor::zeros(std::move(shape), dtype, device_).value();
  }
  /// Returns the elements of a device tensor, on the host.
  template <class T>
  std::vector<T> download(const Tensor& tensor) const {
    const Tensor host = tensor.to(Device{}).value();
    return std::vector<T>(host.data_as<T>(), host.data_as<T>() + host.element_count());
  }

 private:
  Status choose_device(int ordinal);

  std::string name_;
  std::filesystem::path folder_;
  bool rehearses_ = false;
  bool uses_cache_ = false;
  bool is_quiet_ = false;
  Shared<Runtime> runtime_;
  Shared<Plugin> plugin_;
  Device device_;
  std::vector<DialectForm> dialects_;
  mutable std::mutex mutex_;  // guards the members below
  mutable std::vector<Refusal> refusals_;
};

}  // namespace kmux::conformance
