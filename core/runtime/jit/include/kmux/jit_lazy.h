#pragma once

#include <concepts>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "kmux/dispatch.h"
#include "kmux/guarded.h"
#include "kmux/jit_wrapper.h"

namespace kmux {

/// The wrapper of a lazy function, `Program fn(const Config&)`: a call compiles the program and returns its kernel.
///
/// Threads:  any; `fn` must be thread-safe and must return equal programs for equal configurations.
/// Lifetime: copies share their kernels, which live as long as any copy.
template <class Fn, described::Struct Config>
class JitLazy : public JitWrapper<Fn, Config> {
 public:
  /// Wraps `fn`; compiles nothing yet.
  JitLazy(Fn fn, CompileOptions compile, JitOptions options)
      : JitWrapper<Fn, Config>(JitMode::kLazy, std::move(fn), std::move(compile), std::move(options)) {}

  /// Returns the kernel of a configuration. Compiles it on the first request and after a header that it was compiled
  /// from has changed; otherwise finds it by one hash.
  ///
  /// Errors: those of the function and of kmux::compile, with the configuration as note "config".
  Result<Kernel> operator()(const Config& config = {}) const {
    CallForm form;
    described::encode(form, config);
    if (const FoundKernel kernel = this->core().find(form)) return *kernel;
    return guarded_but_callers([&] { return this->core().compile(request(config)); });
  }
  /// As above, with the configuration given by names. A template, so that `{}` means the default configuration.
  template <std::same_as<NamedValues> Named>
  Result<Kernel> operator()(const Named& values) const {
    KMUX_ASSIGN(const Config config, config_from<Config>(values));
    return (*this)(config);
  }
  /// Returns the kernel of a configuration, as the call operator does.
  Result<Kernel> compile(const Config& config = {}) const { return (*this)(config); }
  /// As above, with the configuration given by names.
  template <std::same_as<NamedValues> Named>
  Result<Kernel> compile(const Named& values) const {
    return (*this)(values);
  }

  /// As kmux::par_compile, over configurations in either form. Later calls return the same kernels.
  Result<std::vector<Kernel>> par_compile(const std::vector<ConfigForm<Config>>& configs,
                                          const ParCompileOptions& how = {}) const {
    KMUX_ASSIGN(const std::vector<JitRequest> all, requests_of(configs));
    return this->core().par_compile(all, how);
  }
  /// As kmux::try_par_compile: returns the kernel of each configuration, or its error.
  Result<std::vector<Result<Kernel>>> try_par_compile(const std::vector<ConfigForm<Config>>& configs,
                                                      const ParCompileOptions& how = {}) const {
    KMUX_ASSIGN(const std::vector<JitRequest> all, requests_of(configs));
    return this->core().try_par_compile(all, how);
  }

  /// Returns the program of a configuration without compiling it.
  Result<Program> program(const Config& config = {}) const {
    return guarded([&] { return this->core().program(request(config)); });
  }
  /// As above, with the configuration given by names.
  template <std::same_as<NamedValues> Named>
  Result<Program> program(const Named& values) const {
    KMUX_ASSIGN(const Config config, config_from<Config>(values));
    return program(config);
  }

  /// Returns the key of a configuration: all its members with their values, sorted by name, as JSON.
  std::string parse_cache_key(const Config& config = {}) const { return dump(described::to_json(config)); }
  /// As above, with the configuration given by names.
  template <std::same_as<NamedValues> Named>
  Result<std::string> parse_cache_key(const Named& values) const {
    KMUX_ASSIGN(const Config config, config_from<Config>(values));
    return guarded([&] { return Result<std::string>(parse_cache_key(config)); });
  }

 private:
  Result<std::vector<JitRequest>> requests_of(const std::vector<ConfigForm<Config>>& configs) const {
    return this->requests(configs, [this](const Config& config) { return request(config); });
  }

  JitRequest request(const Config& config) const {
    JitRequest request;
    request.key = parse_cache_key(config);
    request.elaborate = [this, config] { return Result<Program>(this->function()(config)); };
    described::encode(request.form, config);
    return request;
  }
};

}  // namespace kmux
