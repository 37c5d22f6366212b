#pragma once

#include <filesystem>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "kmux/compile.h"
#include "kmux/device.h"
#include "kmux/kernel.h"
#include "kmux/registry.h"
#include "kmux/runtime.h"
#include "kmux/tensor.h"

#include "translated_kernels.h"

namespace kmux::conformance {

/// The plugin under test, alone in a runtime of its own.
class Subject {
 public:
  /// The one of this process; set by `choose`, before any test runs.
  static Subject& current();
  struct Choice {
    std::string plugin;
    std::filesystem::path folder;  // empty: where kmux finds plugins
    std::string isolation;
    int device = 0;  // ordinal
    bool rehearses = false;  // over a driver that computes nothing: results say nothing
    bool uses_cache = false;  // that of the process's environment, which has what a rehearsal compiled
  };
  /// Errors: unavailable where the plugin cannot run here, as its probe has it; of another code where it fails, crashes
  ///         or cannot be opened, which is no reason to skip it.
  static Status choose(const Choice& choice);
  /// Lets go of the plugin and its code: a driver may be gone before what is static here.
  static void end();

  const std::string& name() const { return name_; }
  Runtime& runtime() const { return *runtime_; }
  Shared<Plugin> plugin() const { return plugin_; }
  Backend& backend() const { return plugin_->backend(); }
  const Device& device() const { return device_; }
  const std::filesystem::path& folder() const { return folder_; }
  bool rehearses() const { return rehearses_; }
  /// Are there no more programs than a rehearsal compiles?
  bool uses_cache() const { return uses_cache_; }
  /// Dialects whose kernels the plugin says how to write.
  const std::vector<DialectForm>& dialects() const { return dialects_; }
  void set_dialects(std::vector<DialectForm> dialects) { dialects_ = std::move(dialects); }

  /// For --json: nothing tells how far a case has come.
  void be_quiet() { is_quiet_ = true; }
  bool is_quiet() const { return is_quiet_; }

  /// A program that was not compiled, and the case that it is of.
  struct Refusal {
    std::string test;
    Error error;
  };
  std::vector<Refusal> refusals() const;

  /// Compiles with this plugin and no other.
  Result<Kernel> compile(const Program& program, CompileOptions options = {}) const;

  /// A device tensor with a copy of `values`.
  template <class T>
  Tensor upload(std::vector<std::int64_t> shape, DType dtype, const std::vector<T>& values) const {
    return Tensor::from<T>(std::move(shape), dtype, values).value().to(device_).value();
  }
  Tensor zeros(std::vector<std::int64_t> shape, DType dtype) const {
    return Tensor::zeros(std::move(shape), dtype, device_).value();
  }
  /// The elements of a device tensor, on the host.
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
  mutable std::mutex mutex_;  // of what follows
  mutable std::vector<Refusal> refusals_;
};

}  // namespace kmux::conformance
