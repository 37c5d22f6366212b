#pragma once

#include <concepts>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "kmux/dispatch.h"
#include "kmux/jit_wrapper.h"

namespace kmux {

/// The wrapper of a lazy function, `Program fn(const Config&)`: a call compiles the program and returns its kernel.
///
/// Threads:  any; `fn` may be called from several threads at once, and must give equal programs for equal configurations.
/// Lifetime: copies share their kernels, which live as long as any of them.
template <class Fn, described::Struct Config>
class JitLazy : public JitWrapper<Fn, Config> {
 public:
  /// Compiles nothing yet.
  JitLazy(Fn fn, JitOptions options) : JitWrapper<Fn, Config>(JitMode::kLazy, std::move(fn), std::move(options)) {}

  /// The kernel of a configuration: compiled when it is first requested and when a header that it was compiled from has
  /// changed, else found by one hash.
  ///
  /// Errors: those of the function and of kmux::compile, with the configuration as note "config".
  Result<Kernel> operator()(const Config& config = {}) const {
    CallForm form;
    described::encode(form, config);
    if (const FoundKernel kernel = this->core().find(form)) return *kernel;
    return this->core().compile(request(config));
  }
  /// By names; a template so that `{}` means the default configuration.
  template <std::same_as<NamedValues> Named>
  Result<Kernel> operator()(const Named& values) const {
    KMUX_ASSIGN(const Config config, config_from<Config>(values));
    return (*this)(config);
  }
  /// The kernel of a configuration.
  Result<Kernel> compile(const Config& config = {}) const { return (*this)(config); }
  /// The same by names.
  template <std::same_as<NamedValues> Named>
  Result<Kernel> compile(const Named& values) const {
    return (*this)(values);
  }

  /// As kmux::par_compile, over configurations in either form; the kernels are those that later calls return.
  Result<std::vector<Kernel>> par_compile(const std::vector<ConfigForm<Config>>& configs,
                                          const ParCompileOptions& how = {}) const {
    KMUX_ASSIGN(const std::vector<JitRequest> all, requests_of(configs));
    return this->core().par_compile(all, how);
  }
  /// As kmux::try_par_compile: the kernel of each configuration, or the error.
  Result<std::vector<Result<Kernel>>> try_par_compile(const std::vector<ConfigForm<Config>>& configs,
                                                      const ParCompileOptions& how = {}) const {
    KMUX_ASSIGN(const std::vector<JitRequest> all, requests_of(configs));
    return this->core().try_par_compile(all, how);
  }

  /// The program of a configuration, not compiled.
  Result<Program> get_tir(const Config& config = {}) const { return this->core().program(request(config)); }
  /// The same by names.
  template <std::same_as<NamedValues> Named>
  Result<Program> get_tir(const Named& values) const {
    KMUX_ASSIGN(const Config config, config_from<Config>(values));
    return get_tir(config);
  }

  /// What a configuration is known by: all its members with their values, sorted by name, as JSON.
  std::string parse_cache_key(const Config& config = {}) const { return dump(described::to_json(config)); }
  /// The same by names.
  template <std::same_as<NamedValues> Named>
  Result<std::string> parse_cache_key(const Named& values) const {
    KMUX_ASSIGN(const Config config, config_from<Config>(values));
    return parse_cache_key(config);
  }

 private:
  Result<std::vector<JitRequest>> requests_of(const std::vector<ConfigForm<Config>>& configs) const {
    return this->requests(configs, [this](const Config& config) { return request(config); });
  }

  JitRequest request(const Config& config) const {
    JitRequest request;
    request.key = parse_cache_key(config);
    request.elaborate = [this, config] { return Result<Program>(this->func()(config)); };
    described::encode(request.form, config);
    return request;
  }
};

}  // namespace kmux
