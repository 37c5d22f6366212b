#pragma once

#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "kmux/error.h"
#include "kmux/guarded.h"
#include "kmux/jit_core.h"
#include "kmux/jit_described.h"
#include "kmux/jit_named_values.h"
#include "kmux/jit_options.h"
#include "kmux/kernel.h"
#include "kmux/par_compile.h"

namespace kmux {

/// The common part of lazy and eager wrappers.
///
/// Threads:  any.
/// Lifetime: copies share their kernels, which live as long as any copy.
template <class Fn, described::Struct Config_>
class JitWrapper {
 public:
  /// The type of the configuration.
  using Config = Config_;

  /// Returns the mode: whether a call compiles or runs.
  JitMode mode() const { return core_->mode(); }
  /// Returns the mode, or an error if the options contradict it.
  Result<JitMode> initialize_jit_mode() const { return core_->initialize(); }
  /// Returns the options that the wrapper was made with.
  const JitOptions& options() const { return core_->options(); }
  /// Returns the options of its compilations.
  const CompileOptions& compile_options() const { return core_->compile_options(); }
  /// Returns the members of the configuration, with types and defaults.
  JitSignature signature() const { return jit_signature<Config>(); }
  /// Returns the wrapped function.
  const Fn& function() const { return fn_; }

 protected:
  /// Wraps `fn`; compiles nothing yet.
  JitWrapper(JitMode mode, Fn fn, CompileOptions compile, JitOptions options)
      : fn_(std::move(fn)), core_(std::make_shared<JitCore>(mode, std::move(compile), std::move(options))) {}

  /// Returns the requests of `configs`, each made by `make_request`.
  template <class MakeRequest>
  Result<std::vector<JitRequest>> requests(const std::vector<ConfigForm<Config>>& configs,
                                           MakeRequest make_request) const {
    return guarded([&]() -> Result<std::vector<JitRequest>> {
      std::vector<JitRequest> requests;
      requests.reserve(configs.size());
      for (const ConfigForm<Config>& form : configs) {
        KMUX_ASSIGN(const Config config, config_from<Config>(form));
        requests.push_back(make_request(config));
      }
      return requests;
    });
  }
  /// Returns the type-independent part of the wrapper.
  JitCore& core() const { return *core_; }

 private:
  Fn fn_;
  std::shared_ptr<JitCore> core_;
};

}  // namespace kmux
