#pragma once

#include <utility>

#include "kmux/jit_described.h"
#include "kmux/jit_eager.h"
#include "kmux/jit_function.h"
#include "kmux/jit_lazy.h"
#include "kmux/jit_options.h"

namespace kmux {

/// Wraps `fn`: lazy if it returns a Program, eager if it builds one (see JitLazy and JitEager). Either may also return a
/// Result of that. Nothing is called or compiled yet. Eager wrappers run where their tensors are, if `compile` leaves
/// target and device open.
template <class Fn>
auto jit(Fn fn, CompileOptions compile = {}, JitOptions options = {}) {
  using Function = JitFunction<Fn>;
  static_assert(
      Function::kMode != JitMode::kAuto,
      "kmux::jit takes 'Program fn(const Config&)' (lazy: a call returns a Kernel) or 'JitOutputs "
      "fn(JitBuilder&, std::span<const Tensor>, const Config&)' (eager: a call runs at once); both may return a "
      "Result. Name the types of all parameters: a generic lambda or an overloaded function has no one type.");
  if constexpr (Function::kMode != JitMode::kAuto) {
    using Config = typename Function::Config;
    static_assert(described::Struct<Config>,
                  "the configuration of a jit function is described once, after its definition and in its namespace: "
                  "BOOST_DESCRIBE_STRUCT(Config, (), (first_member, second_member))");
    if constexpr (described::Struct<Config>) {
      static_assert(described::describes_all_members<Config>(),
                    "BOOST_DESCRIBE_STRUCT names all members of a configuration, in the order of their declaration: "
                    "configurations that differ in one that it leaves out would share a kernel");
      if constexpr (Function::kMode == JitMode::kLazy)
        return JitLazy<Fn, Config>(std::move(fn), std::move(compile), std::move(options));
      if constexpr (Function::kMode == JitMode::kEager)
        return JitEager<Fn, Config>(std::move(fn), std::move(compile), std::move(options));
    }
  }
}

}  // namespace kmux
