#pragma once

#include <concepts>
#include <type_traits>
#include <utility>

namespace kmux {

/// A non-owning reference to a callable, for parameters that are called before the function returns. For example,
/// `FunctionRef<int(std::string_view)>` refers to any object that can be called so.
///
/// Lifetime: borrows the callable, which must outlive it: a FunctionRef variable made from a temporary lambda dangles.
template <class Signature>
class FunctionRef;

/// A reference to a callable that takes `Args` and returns `R`.
template <class R, class... Args>
class FunctionRef<R(Args...)> {
 public:
  /// Refers to a plain function.
  FunctionRef(R (*function)(Args...))
      : function_(reinterpret_cast<const void*>(function)), call_([](const void* self, Args... args) -> R {
          return reinterpret_cast<R (*)(Args...)>(const_cast<void*>(self))(std::forward<Args>(args)...);
        }) {}
  /// Borrows `function`, a callable object.
  template <class F>
    requires(std::is_class_v<F> && !std::same_as<F, FunctionRef>)
  FunctionRef(const F& function)
      : function_(&function), call_([](const void* self, Args... args) -> R {
          return (*static_cast<const F*>(self))(std::forward<Args>(args)...);
        }) {}
  /// Calls the function and returns its result.
  R operator()(Args... args) const { return call_(function_, std::forward<Args>(args)...); }

 private:
  const void* function_;
  R (*call_)(const void* self, Args... args);
};

}  // namespace kmux
