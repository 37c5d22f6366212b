#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include <boost/callable_traits/args.hpp>
#include <boost/callable_traits/return_type.hpp>

#include "kmux/dispatch.h"
#include "kmux/jit_builder.h"
#include "kmux/jit_core.h"
#include "kmux/jit_described.h"
#include "kmux/jit_form.h"
#include "kmux/jit_named_values.h"
#include "kmux/jit_options.h"
#include "kmux/jit_signature.h"
#include "kmux/kernel.h"
#include "kmux/par_compile.h"
#include "kmux/tensor.h"

namespace kmux {

/// What the type of a function says about it.
namespace jit_type {

template <class Fn>
struct Shape {  // no single signature: a generic lambda, an overloaded call operator, or no function at all
  static constexpr JitMode kMode = JitMode::kAuto;
  using Config = void;
};

template <class Result_, class Args>
struct Signature {
  static constexpr JitMode kMode = JitMode::kAuto;
  using Config = void;
};
template <class Returned, class Value>
concept Gives = std::same_as<Returned, Value> || std::same_as<Returned, Result<Value>>;
template <Gives<Program> Returned, class Given>
  requires std::is_constructible_v<Given, const std::remove_cvref_t<Given>&>
struct Signature<Returned, std::tuple<Given>> {
  static constexpr JitMode kMode = JitMode::kLazy;
  using Config = std::remove_cvref_t<Given>;
};
template <Gives<JitOutputs> Returned, class Given>
  requires std::is_constructible_v<Given, const std::remove_cvref_t<Given>&>
struct Signature<Returned, std::tuple<JitBuilder&, std::span<const Tensor>, Given>> {
  static constexpr JitMode kMode = JitMode::kEager;
  using Config = std::remove_cvref_t<Given>;
};

template <class... Call>
consteval std::size_t leading_tensors() {
  std::size_t count = 0;
  bool leads = true;
  ((leads = leads && std::same_as<Call, Tensor>, count += leads ? 1 : 0), ...);
  return count;
}

template <class Fn>
  requires requires { typename boost::callable_traits::args_t<Fn>; }
struct Shape<Fn> : Signature<boost::callable_traits::return_type_t<Fn>, boost::callable_traits::args_t<Fn>> {};

}  // namespace jit_type

/// The wrapper of a lazy function, `Program fn(const Config&)`: a call compiles the program and returns its kernel.
///
/// Threads:  any; `fn` may be called from several threads at once, and must give equal programs for equal configurations.
/// Lifetime: copies share their kernels, which live as long as any of them.
template <class Fn, described::Struct Config_>
class LazyJit {
 public:
  using Config = Config_;
  LazyJit(Fn fn, JitOptions options)
      : fn_(std::move(fn)), core_(std::make_shared<JitCore>(JitMode::kLazy, std::move(options))) {}

  /// The kernel of a configuration: compiled when it is first asked for, then found by one hash.
  ///
  /// Errors: those of the function and of kmux::compile, with the configuration as note "config".
  Result<Kernel> operator()(const Config& config = {}) const {
    CallForm form;
    described::encode(form, config);
    if (const Kernel* kernel = core_->find(form)) return *kernel;
    return core_->compile(request(config));
  }
  /// By names; a template so that `{}` means the default configuration.
  template <std::same_as<NamedValues> Named>
  Result<Kernel> operator()(const Named& values) const {
    KMUX_ASSIGN(const Config config, config_from<Config>(values));
    return (*this)(config);
  }
  Result<Kernel> compile(const Config& config = {}) const { return (*this)(config); }
  template <std::same_as<NamedValues> Named>
  Result<Kernel> compile(const Named& values) const {
    return (*this)(values);
  }

  /// As kmux::par_compile, over configurations in either form; the kernels are those that later calls return.
  Result<std::vector<std::optional<Kernel>>> par_compile(const std::vector<ConfigForm<Config>>& configs,
                                                         const ParCompileOptions& how = {}) const {
    std::vector<JitRequest> requests;
    for (const ConfigForm<Config>& form : configs) {
      KMUX_ASSIGN(const Config config, config_from<Config>(form));
      requests.push_back(request(config));
    }
    return core_->par_compile(requests, how);
  }

  /// The program of a configuration, not compiled.
  Result<Program> get_tir(const Config& config = {}) const { return core_->program(request(config)); }
  template <std::same_as<NamedValues> Named>
  Result<Program> get_tir(const Named& values) const {
    KMUX_ASSIGN(const Config config, config_from<Config>(values));
    return get_tir(config);
  }

  /// What a configuration is known by: all its members with their values, sorted by name, as JSON.
  std::string parse_cache_key(const Config& config = {}) const { return dump(described::to_json(config)); }
  template <std::same_as<NamedValues> Named>
  Result<std::string> parse_cache_key(const Named& values) const {
    KMUX_ASSIGN(const Config config, config_from<Config>(values));
    return parse_cache_key(config);
  }

  /// kLazy; an error if the options contradict that.
  Result<JitMode> initialize_jit_mode() const { return core_->initialize(); }
  JitMode mode() const { return core_->mode(); }
  const JitOptions& options() const { return core_->options(); }
  JitSignature signature() const { return jit_signature<Config>(); }
  const Fn& func() const { return fn_; }

 private:
  JitRequest request(const Config& config) const {
    JitRequest request{.key = parse_cache_key(config),
                       .elaborate = [this, config] { return Result<Program>(fn_(config)); }};
    described::encode(request.form, config);
    return request;
  }
  Fn fn_;
  std::shared_ptr<JitCore> core_;
};

/// The wrapper of an eager function, `JitOutputs fn(JitBuilder&, std::span<const Tensor>, const Config&)`: a call with
/// tensors of shapes, strides, dtypes, devices and a configuration that were not seen yet runs the function and compiles
/// what it built; every call launches it.
///
/// Threads:  any; `fn` may be called from several threads at once. What it builds may depend on the configuration and on
///           all of its tensors but their contents and addresses.
/// Lifetime: copies share their kernels, which live as long as any of them.
template <class Fn, described::Struct Config_>
class EagerJit {
 public:
  using Config = Config_;
  EagerJit(Fn fn, JitOptions options)
      : fn_(std::move(fn)), core_(std::make_shared<JitCore>(JitMode::kEager, std::move(options))) {}

  /// Runs on `(tensors..., config, stream)`; the last two may be left out, and the configuration may be NamedValues.
  ///
  /// A call in a form that was seen before costs one hash over it more than Kernel::launch, and allocates only what the
  /// function declared `empty` (and for NamedValues).
  /// Errors: those of the function and of kmux::compile, with configuration and tensors as note "config"; those of
  ///         Kernel::launch.
  template <class... Call>
  Result<Outputs> operator()(const Call&... call) const {
    constexpr std::size_t kTensors = jit_type::leading_tensors<Call...>();
    return split(std::tuple<const Call&...>(call...), std::make_index_sequence<kTensors>{},
                 std::make_index_sequence<sizeof...(Call) - kTensors>{});
  }

  /// The kernel that a call with these tensors launches.
  Result<Kernel> compile(const std::vector<Tensor>& tensors, const Config& config = {}) const {
    const JitRequest asked = request(tensors, config);
    if (const Kernel* kernel = core_->find(asked.form)) return *kernel;
    return core_->compile(asked);
  }
  template <std::same_as<NamedValues> Named>
  Result<Kernel> compile(const std::vector<Tensor>& tensors, const Named& values) const {
    KMUX_ASSIGN(const Config config, config_from<Config>(values));
    return compile(tensors, config);
  }

  /// As kmux::par_compile, for the same tensors in several configurations of either form.
  Result<std::vector<std::optional<Kernel>>> par_compile(const std::vector<Tensor>& tensors,
                                                         const std::vector<ConfigForm<Config>>& configs,
                                                         const ParCompileOptions& how = {}) const {
    std::vector<JitRequest> requests;
    for (const ConfigForm<Config>& form : configs) {
      KMUX_ASSIGN(const Config config, config_from<Config>(form));
      requests.push_back(request(tensors, config));
    }
    return core_->par_compile(requests, how);
  }

  /// The program that a call with these tensors compiles.
  Result<Program> get_tir(const std::vector<Tensor>& tensors, const Config& config = {}) const {
    return core_->program(request(tensors, config));
  }
  template <std::same_as<NamedValues> Named>
  Result<Program> get_tir(const std::vector<Tensor>& tensors, const Named& values) const {
    KMUX_ASSIGN(const Config config, config_from<Config>(values));
    return get_tir(tensors, config);
  }

  /// What a call is known by: {"config": as in LazyJit, "tensors": ["float32[2, 3] on host", ...]} as JSON.
  std::string parse_cache_key(const std::vector<Tensor>& tensors, const Config& config = {}) const {
    return jit_key(tensors, described::to_json(config));
  }
  template <std::same_as<NamedValues> Named>
  Result<std::string> parse_cache_key(const std::vector<Tensor>& tensors, const Named& values) const {
    KMUX_ASSIGN(const Config config, config_from<Config>(values));
    return parse_cache_key(tensors, config);
  }

  /// kEager; an error if the options contradict that.
  Result<JitMode> initialize_jit_mode() const { return core_->initialize(); }
  JitMode mode() const { return core_->mode(); }
  const JitOptions& options() const { return core_->options(); }
  JitSignature signature() const { return jit_signature<Config>(); }
  const Fn& func() const { return fn_; }

 private:
  /// The tensors of a call: as its kernel takes them, and themselves.
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
    if (const Kernel* kernel = core_->find(form)) [[likely]] {
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
    std::vector<Tensor> tensors;
    for (const Tensor* tensor : given.tensors) tensors.push_back(*tensor);
    KMUX_ASSIGN(const Kernel kernel, core_->compile(request(std::move(tensors), config)));
    return run_jit(kernel, given.args, stream);
  }

  JitRequest request(std::vector<Tensor> tensors, const Config& config) const {
    JitRequest request{.key = parse_cache_key(tensors, config)};
    request.form.add(std::vector<Arg>(tensors.begin(), tensors.end()));
    described::encode(request.form, config);
    request.elaborate = [this, tensors, config]() -> Result<Program> {
      JitBuilder builder(options().name, tensors);
      KMUX_ASSIGN(const JitOutputs outputs, Result<JitOutputs>(fn_(builder, tensors, config)));
      return builder.build(outputs);
    };
    request.tensors = std::move(tensors);
    return request;
  }
  Fn fn_;
  Config defaults_{};
  std::shared_ptr<JitCore> core_;
};

/// Wraps `fn`: lazy if it returns a Program, eager if it builds one (see LazyJit and EagerJit). Either may also return a
/// Result of that. Nothing is called or compiled yet.
template <class Fn>
auto jit(Fn fn, JitOptions options = {}) {
  using Shape = jit_type::Shape<Fn>;
  static_assert(
      Shape::kMode != JitMode::kAuto,
      "kmux::jit takes 'Program fn(const Config&)' (lazy: a call returns a Kernel) or 'JitOutputs "
      "fn(JitBuilder&, std::span<const Tensor>, const Config&)' (eager: a call runs at once); both may return a "
      "Result. Name the types of all parameters: a generic lambda or an overloaded function has no one type.");
  if constexpr (Shape::kMode != JitMode::kAuto) {
    using Config = typename Shape::Config;
    static_assert(described::Struct<Config>,
                  "the configuration of a jit function is described once, after its definition and in its namespace: "
                  "BOOST_DESCRIBE_STRUCT(Config, (), (first_member, second_member))");
    if constexpr (described::Struct<Config>) {
      static_assert(described::describes_all_members<Config>(),
                    "BOOST_DESCRIBE_STRUCT names all members of a configuration, in the order of their declaration: "
                    "configurations that differ in one that it leaves out would share a kernel");
      if constexpr (Shape::kMode == JitMode::kLazy) return LazyJit<Fn, Config>(std::move(fn), std::move(options));
      if constexpr (Shape::kMode == JitMode::kEager) return EagerJit<Fn, Config>(std::move(fn), std::move(options));
    }
  }
}

}  // namespace kmux
