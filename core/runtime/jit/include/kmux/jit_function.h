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

/// What follows from the type of a function: its mode, and its configuration. kAuto: it is not a function that `jit` wraps, or has
/// no one type (a generic lambda, an overloaded call operator).
template <class Fn>
struct JitFunction;

/// The same of a return type and the types of the parameters.
template <class Returned, class Parameters>
struct JitFunctionType {
  static constexpr JitMode kMode = JitMode::kAuto;  // of such a function
  /// What it takes as its configuration.
  using Config = void;
};

/// Returns a `Value`, or the error that prevented it.
template <class Returned, class Value>
concept JitReturns = std::same_as<Returned, Value> || std::same_as<Returned, Result<Value>>;

/// By value or as a constant reference.
template <class Parameter>
concept JitConfigParameter = std::is_constructible_v<Parameter, const std::remove_cvref_t<Parameter>&>;

/// A lazy function.
template <JitReturns<Program> Returned, JitConfigParameter Parameter>
struct JitFunctionType<Returned, std::tuple<Parameter>> {
  static constexpr JitMode kMode = JitMode::kLazy;  // of such a function
  /// What it takes as its configuration.
  using Config = std::remove_cvref_t<Parameter>;
};

/// An eager function.
template <JitReturns<JitOutputs> Returned, JitConfigParameter Parameter>
struct JitFunctionType<Returned, std::tuple<JitBuilder&, std::span<const Tensor>, Parameter>> {
  static constexpr JitMode kMode = JitMode::kEager;  // of such a function
  /// What it takes as its configuration.
  using Config = std::remove_cvref_t<Parameter>;
};

template <class Fn>
struct JitFunction : JitFunctionType<void, void> {};
template <class Fn>
  requires requires { typename boost::callable_traits::args_t<Fn>; }
struct JitFunction<Fn>
    : JitFunctionType<boost::callable_traits::return_type_t<Fn>, boost::callable_traits::args_t<Fn>> {};

}  // namespace kmux
