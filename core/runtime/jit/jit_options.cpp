#include "kmux/jit_options.h"

#include "base/guarded.h"

namespace kmux {

std::string_view to_string(JitMode mode) {
  switch (mode) {
    case JitMode::kAuto:
      return "auto";
    case JitMode::kLazy:
      return "lazy";
    case JitMode::kEager:
      return "eager";
  }
  return "?";
}

CompileOptions compile_options(const JitOptions& options) {
  return {.target = options.target,
          .execution_backend = options.execution_backend,
          .target_host = options.target_host,
          .out_idx = options.out_idx,
          .verbose = options.verbose,
          .device = options.device,
          .options = options.options,
          .compile_flags = options.compile_flags,
          .include_dirs = options.include_dirs,
          .use_cache = options.use_cache,
          .isolation = options.isolation,
          .compile_timeout_s = options.compile_timeout_s,
          .policy = options.policy,
          .lock_file = options.lock_file};
}

Result<JitMode> jit_mode(JitMode inferred, const JitOptions& options) {
  return guarded([&]() -> Result<JitMode> {
    const auto refuse = [&](const std::string& why) {
      return make_error(ErrorCode::kInvalidArgument, "jit function \"" + options.name + "\": " + why);
    };
    if (options.mode != JitMode::kAuto && options.mode != inferred) {
      const bool is_lazy = inferred == JitMode::kLazy;
      return refuse("mode '" + std::string(to_string(options.mode)) + "' contradicts the function (it " +
                    (is_lazy ? "returns a Program, so it is lazy" : "builds with a JitBuilder, so it is eager") +
                    "). Leave the mode to its type, or write the function in the other form.");
    }
    if (inferred == JitMode::kEager && !options.out_idx.empty()) {
      return refuse(
          "out_idx is only supported in lazy mode (an eager function returns its outputs itself). Use "
          "JitBuilder::empty to declare output tensors instead.");
    }
    return inferred;
  });
}

}  // namespace kmux
