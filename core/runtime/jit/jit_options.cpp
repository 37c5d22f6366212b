#include "kmux/jit_options.h"

#include "kmux/guarded.h"

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

Result<JitMode> jit_mode(JitMode inferred, const CompileOptions& compile, const JitOptions& options) {
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
    if (inferred == JitMode::kEager && !compile.out_idx.empty()) {
      return refuse(
          "out_idx is only supported in lazy mode (an eager function returns its outputs itself). Use "
          "JitBuilder::empty to declare output tensors instead.");
    }
    return inferred;
  });
}

}  // namespace kmux
