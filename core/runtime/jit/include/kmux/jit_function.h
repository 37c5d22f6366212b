#pragma once

#include <concepts>
#include <span>
#include <tuple>
#include <type_traits>

#include <boost/callable_traits/args.hpp>
#include <boost/callable_traits/return_type.hpp>

#include "kmux/dispatch.h"
#include "kmux/error.h"
#include "kmux/jit_builder.h"
#include "kmux/jit_options.h"
#include "kmux/tensor.h"

namespace kmux {

/// The mode and the configuration that follow from the type of a function. kAuto: `jit` cannot wrap the function, or it
/// has no single type (a generic lambda, an overloaded call operator).
template <class Fn>
struct JitFunction;

/// As JitFunction, from a return type and the types of the parameters.
template <class Returned, class Parameters>
struct JitFunctionType {
  static constexpr JitMode kMode = JitMode::kAuto;  // of such a function
  /// The type of the configuration.
  using Config = void;
};

/// True if `Returned` is a `Value` or a Result of it.
template <class Returned, class Value>
concept JitReturns = std::same_as<Returned, Value> || std::same_as<Returned, Result<Value>>;

/// True if a configuration can be passed as `Parameter`: by value or as a constant reference.
template <class Parameter>
concept JitConfigParameter = std::is_constructible_v<Parameter, const std::remove_cvref_t<Parameter>&>;

/// A lazy function.
template <JitReturns<Program> Returned, JitConfigParameter Parameter>
struct JitFunctionType<Returned, std::tuple<Parameter>> {
  static constexpr JitMode kMode = JitMode::kLazy;  // of such a function
  /// The type of the configuration.
  using Config = std::remove_cvref_t<Parameter>;
};

/// An eager function.
template <JitReturns<JitOutputs> Returned, JitConfigParameter Parameter>
struct JitFunctionType<Returned, std::tuple<JitBuilder&, std::span<const Tensor>, Parameter>> {
  static constexpr JitMode kMode = JitMode::kEager;  // of such a function
  /// The type of the configuration.
  using Config = std::remove_cvref_t<Parameter>;
};

template <class Fn>
struct JitFunction : JitFunctionType<void, void> {};
template <class Fn>
  requires requires { typename boost::callable_traits::args_t<Fn>; }
struct JitFunction<Fn>
    : JitFunctionType<boost::callable_traits::return_type_t<Fn>, boost::callable_traits::args_t<Fn>> {};

}  // namespace kmux
