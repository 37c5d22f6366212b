#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "kmux/dispatch.h"
#include "kmux/guarded.h"
#include "kmux/jit_builder.h"
#include "kmux/jit_wrapper.h"
#include "kmux/tensor.h"

namespace kmux {

/// The wrapper of an eager function, `JitOutputs fn(JitBuilder&, std::span<const Tensor>, const Config&)`. A call with
/// new shapes, strides, dtypes, devices or a new configuration runs the function and compiles its program. Every call
/// launches the kernel.
///
/// Threads:  any; `fn` must be thread-safe. Its program may depend on the configuration and on every property of its
///           tensors except their contents and addresses.
/// Lifetime: copies share their kernels, which live as long as any copy.
template <class Fn, described::Struct Config>
class JitEager : public JitWrapper<Fn, Config> {
 public:
  /// Wraps `fn`; compiles nothing yet.
  JitEager(Fn fn, CompileOptions compile, JitOptions options)
      : JitWrapper<Fn, Config>(JitMode::kEager, std::move(fn), std::move(compile), std::move(options)) {}

  /// Runs on `(tensors..., config, stream)`; the last two are optional, and the configuration may be NamedValues.
  ///
  /// Beyond Kernel::launch, a call of a known form costs one hash of the form and a check of the headers that its
  /// kernel was compiled from (Kernel::is_up_to_date). It allocates only the tensors that the function declared `empty`
  /// (and memory for NamedValues).
  ///
  /// Errors: those of the function and of kmux::compile, with configuration and tensors as note "config"; those of
  ///         Kernel::launch.
  template <class... Call>
  Result<Outputs> operator()(const Call&... call) const {
    constexpr std::size_t kTensors = leading_tensors<Call...>();
    return split(std::tuple<const Call&...>(call...), std::make_index_sequence<kTensors>{},
                 std::make_index_sequence<sizeof...(Call) - kTensors>{});
  }

  /// Returns the kernel that a call with these tensors launches, compiled if it is new.
  Result<Kernel> compile(const std::vector<Tensor>& tensors, const Config& config = {}) const {
    return guarded_but_callers([&]() -> Result<Kernel> {
      const JitRequest asked = request(tensors, config);
      if (const FoundKernel kernel = this->core().find(asked.form)) return *kernel;
      return this->core().compile(asked);
    });
  }
  /// As above, with the configuration given by names.
  template <std::same_as<NamedValues> Named>
  Result<Kernel> compile(const std::vector<Tensor>& tensors, const Named& values) const {
    KMUX_ASSIGN(const Config config, config_from<Config>(values));
    return compile(tensors, config);
  }

  /// As kmux::par_compile, for the same tensors in several configurations of either form.
  Result<std::vector<Kernel>> par_compile(const std::vector<Tensor>& tensors,
                                          const std::vector<ConfigForm<Config>>& configs,
                                          const ParCompileOptions& how = {}) const {
    KMUX_ASSIGN(const std::vector<JitRequest> all, requests_of(tensors, configs));
    return this->core().par_compile(all, how);
  }
  /// As kmux::try_par_compile: returns the kernel of each configuration, or its error.
  Result<std::vector<Result<Kernel>>> try_par_compile(const std::vector<Tensor>& tensors,
                                                      const std::vector<ConfigForm<Config>>& configs,
                                                      const ParCompileOptions& how = {}) const {
    KMUX_ASSIGN(const std::vector<JitRequest> all, requests_of(tensors, configs));
    return this->core().try_par_compile(all, how);
  }

  /// Returns the program that a call with these tensors compiles.
  Result<Program> program(const std::vector<Tensor>& tensors, const Config& config = {}) const {
    return guarded([&] { return this->core().program(request(tensors, config)); });
  }
  /// As above, with the configuration given by names.
  template <std::same_as<NamedValues> Named>
  Result<Program> program(const std::vector<Tensor>& tensors, const Named& values) const {
    KMUX_ASSIGN(const Config config, config_from<Config>(values));
    return program(tensors, config);
  }

  /// Returns the key of a call: {"config": as in JitLazy, "tensors": ["float32[2, 3] on host", ...]} as JSON.
  std::string parse_cache_key(const std::vector<Tensor>& tensors, const Config& config = {}) const {
    return jit_key(tensors, described::to_json(config));
  }
  /// As above, with the configuration given by names.
  template <std::same_as<NamedValues> Named>
  Result<std::string> parse_cache_key(const std::vector<Tensor>& tensors, const Named& values) const {
    KMUX_ASSIGN(const Config config, config_from<Config>(values));
    return guarded([&] { return Result<std::string>(parse_cache_key(tensors, config)); });
  }

 private:
  template <class... Call>
  static consteval std::size_t leading_tensors() {
    std::size_t count = 0;
    bool leads = true;
    ((leads = leads && std::same_as<Call, Tensor>, count += leads ? 1 : 0), ...);
    return count;
  }

  /// The tensors of a call, also as arguments of its kernel.
  struct Given {
    std::span<const Arg> args;
    std::span<const Tensor* const> tensors;
  };

  template <class All, std::size_t... kTensor, std::size_t... kRest>
  Result<Outputs> split(const All& all, std::index_sequence<kTensor...>, std::index_sequence<kRest...>) const {
    const std::array<Arg, sizeof...(kTensor)> args{Arg(std::get<kTensor>(all))...};
    const std::array<const Tensor*, sizeof...(kTensor)> tensors{&std::get<kTensor>(all)...};
    static_assert(
        requires { run(Given{args, tensors}, std::get<sizeof...(kTensor) + kRest>(all)...); },
        "an eager wrapper is called with (tensors..., config, stream): kmux::Tensors first, then at most one "
        "Config or NamedValues, then at most one stream");
    return run({args, tensors}, std::get<sizeof...(kTensor) + kRest>(all)...);
  }
  Result<Outputs> run(Given given, const Config& config, StreamRef stream = {}) const {
    CallForm form;
    form.add(given.args);
    described::encode(form, config);
    if (const FoundKernel kernel = this->core().find(form)) [[likely]] {
      return run_jit(*kernel, given.args, stream);
    }
    return run_new(given, config, stream);
  }
  Result<Outputs> run(Given given, StreamRef stream = {}) const { return run(given, defaults_, stream); }
  Result<Outputs> run(Given given, const NamedValues& values, StreamRef stream = {}) const {
    KMUX_ASSIGN(const Config config, config_from<Config>(values));
    return run(given, config, stream);
  }
  [[gnu::noinline]] Result<Outputs> run_new(Given given, const Config& config, StreamRef stream) const {
    return guarded_but_callers([&]() -> Result<Outputs> {
      std::vector<Tensor> tensors;
      for (const Tensor* tensor : given.tensors) tensors.push_back(*tensor);
      KMUX_ASSIGN(const Kernel kernel, this->core().compile(request(std::move(tensors), config)));
      return run_jit(kernel, given.args, stream);
    });
  }

  Result<std::vector<JitRequest>> requests_of(const std::vector<Tensor>& tensors,
                                              const std::vector<ConfigForm<Config>>& configs) const {
    return this->requests(configs, [&](const Config& config) { return request(tensors, config); });
  }

  JitRequest request(std::vector<Tensor> tensors, const Config& config) const {
    JitRequest request;
    request.key = parse_cache_key(tensors, config);
    request.form.add(std::vector<Arg>(tensors.begin(), tensors.end()));
    described::encode(request.form, config);
    request.elaborate = [this, tensors, config]() -> Result<Program> {
      JitBuilder builder(this->options().name, tensors);
      KMUX_ASSIGN(const JitOutputs outputs, Result<JitOutputs>(this->function()(builder, tensors, config)));
      return builder.build(outputs);
    };
    request.tensors = std::move(tensors);
    return request;
  }
  Config defaults_{};
};

}  // namespace kmux
