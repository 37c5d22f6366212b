#pragma once

#include <concepts>
#include <type_traits>
#include <utility>

namespace kmux {

/// A function that a call takes to use before it returns: `FunctionRef<int(std::string_view)>` is any object that can be called so.
///
/// Lifetime: borrows the object. As a variable it outlives a lambda that it was given.
template <class Signature>
class FunctionRef;

/// A function from `Args` to `R`.
template <class R, class... Args>
class FunctionRef<R(Args...)> {
 public:
  /// A function.
  FunctionRef(R (*function)(Args...))
      : function_(reinterpret_cast<const void*>(function)), call_([](const void* self, Args... args) -> R {
          return reinterpret_cast<R (*)(Args...)>(const_cast<void*>(self))(std::forward<Args>(args)...);
        }) {}
  /// Borrows `function`, an object that can be called.
  template <class F>
    requires(std::is_class_v<F> && !std::same_as<F, FunctionRef>)
  FunctionRef(const F& function)
      : function_(&function), call_([](const void* self, Args... args) -> R {
          return (*static_cast<const F*>(self))(std::forward<Args>(args)...);
        }) {}
  /// What the function gives.
  R operator()(Args... args) const { return call_(function_, std::forward<Args>(args)...); }

 private:
  const void* function_;
  R (*call_)(const void* self, Args... args);
};

}  // namespace kmux
