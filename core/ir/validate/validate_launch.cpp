#include <algorithm>
#include <array>

#include "base/quoted.h"
#include "validation.h"

namespace kmux {

namespace {

// Checks one launch; the members share what is around it.
class LaunchChecker {
 public:
  LaunchChecker(const Dialect* dialect, const Scope& scope, ProblemList& problems)
      : dialect_(dialect), scope_(scope), problems_(problems) {}

  void check(const Launch& launch, const JsonPointer& at) {
    kernel(launch.kernel, at / "kernel");
    for (std::size_t i = 0; i < launch.args.size(); ++i) {
      std::visit([&](const auto& arg) { this->arg(arg, at / "args" / i); }, launch.args[i]);
    }
    extents(launch.grid, "a grid extent", 0, at / "grid");
    extents(launch.block, "a block extent", 1, at / "block");
    extents(launch.cluster, "a cluster extent", 1, at / "cluster");
    check_quantity(launch.dynamic_smem_bytes, "dynamic shared memory", 0, scope_, at / "dynamic_smem_bytes", problems_);
    for (std::size_t i = 0; i < launch.l2_windows.size(); ++i) l2_window(launch.l2_windows[i], at / "l2_windows" / i);
    if (dialect_ != nullptr) features(launch, at);
  }

 private:
  void kernel(const std::string& name, const JsonPointer& at) {
    const bool expressions = dialect_ == nullptr || dialect_->has_name_expressions;
    const bool is_symbol = is_kernel_name(name) && name.find_first_of(":<") == std::string::npos;
    if (!is_symbol && !(expressions && is_kernel_name(name))) {
      problems_.add(at, in_double_quotes(name) + " is no kernel name. Use an identifier or a mangled name" +
                            (expressions ? ", or an instantiation such as \"kern<float, 4>\"." : "."));
    }
    const Name* taken = scope_.find(name);
    if (taken == nullptr || !is_variable(taken->kind)) return;
    problems_.add(at, "kernel " + in_double_quotes(name) + " is also " + std::string(to_string(taken->kind)) +
                          " (generated code has both). Rename one of them.");
  }

  void arg(const TensorArg& arg, const JsonPointer& at) {
    const Name* found = require_name(arg.param, {NameKind::kBuffer, NameKind::kPointer},
                                     "a buffer or pointer parameter", scope_, at / "tensor", problems_);
    if (found != nullptr) check_not_nullable(arg.param, *found, at / "tensor", problems_);
    check_quantity(arg.offset_bytes, "an offset", 0, scope_, at / "offset_bytes", problems_);
  }

  void arg(const ScalarArg& arg, const JsonPointer& at) {
    require_name(arg.param, {NameKind::kScalar}, "a scalar parameter", scope_, at / "scalar", problems_);
  }

  void arg(const ExprArg& arg, const JsonPointer& at) {
    check_expr(Expr::cast(arg.dtype, arg.value), ExprPlace::kBody, scope_, at / "expr", problems_);
  }

  void arg(const TensorMapArg& arg, const JsonPointer& at) {
    require_name(arg.tensor_map, {NameKind::kTensorMap}, "a tensor map", scope_, at / "tensor_map", problems_);
  }

  void arg(const WorkspaceArg& arg, const JsonPointer& at) {
    require_name(arg.workspace, {NameKind::kWorkspace}, "a workspace", scope_, at / "workspace", problems_);
    check_quantity(arg.offset_bytes, "an offset", 0, scope_, at / "offset_bytes", problems_);
  }

  void extents(const Extents& extents, std::string_view what, std::int64_t least, const JsonPointer& at) {
    if (extents.size() > 3) problems_.add(at, std::to_string(extents.size()) + " extents. Give up to three (x, y, z).");
    for (std::size_t i = 0; i < extents.size(); ++i) {
      check_quantity(extents[i], what, least, scope_, at / i, problems_);
    }
  }

  void l2_window(const L2Window& window, const JsonPointer& at) {
    const Name* found =
        require_name(window.buffer, {NameKind::kBuffer}, "a buffer parameter", scope_, at / "buffer", problems_);
    if (found != nullptr) check_not_nullable(window.buffer, *found, at / "buffer", problems_);
    check_quantity(window.bytes, "the size of an L2 window", 0, scope_, at / "bytes", problems_);
    if (window.hit_ratio >= 0 && window.hit_ratio <= 1) return;
    problems_.add(at / "hit_ratio", "hit ratio " + std::to_string(window.hit_ratio) + " is not in 0 to 1. Correct it.");
  }

  // What host dialects lack, and what only they have.
  void features(const Launch& launch, const JsonPointer& at) {
    struct Use {
      bool is_used;
      const char* key;
      const char* what;
    };
    const std::array uses = std::to_array<Use>(
        {{!launch.grid.empty(), "grid", "grid"},
         {!launch.block.empty(), "block", "block"},
         {!launch.cluster.empty(), "cluster", "cluster"},
         {!launch.dynamic_smem_bytes.is_constant(0), "dynamic_smem_bytes", "shared memory"},
         {launch.cooperative, "cooperative", "cooperative launch"},
         {launch.programmatic_serialization, "programmatic_serialization", "programmatic serialization"},
         {!launch.l2_windows.empty(), "l2_windows", "L2 window"}});
    for (const Use& use : uses) {
      if (!use.is_used || !dialect_->is_host) continue;
      problems_.add(at / use.key, "dialect " + in_double_quotes(dialect_->name) + " has no " + use.what +
                                      " (a launch is a plain call). Remove it.");
    }
    if (launch.packed_values && !dialect_->has_packed_values) {
      problems_.add(at / "packed_values", "a kernel of dialect " + in_double_quotes(dialect_->name) +
                                              " takes each value alone. Remove \"packed_values\".");
    }
    if (launch.returns == CallResult::kVoid || dialect_->is_host) return;
    problems_.add(at / "returns",
                  "a kernel of dialect " + in_double_quotes(dialect_->name) + " returns nothing. Remove \"returns\".");
  }

  const Dialect* dialect_;
  const Scope& scope_;
  ProblemList& problems_;
};

}  // namespace

void check_launch(const Launch& launch, const Dialect* dialect, const Scope& scope, const JsonPointer& at,
                  ProblemList& problems) {
  LaunchChecker(dialect, scope, problems).check(launch, at);
}

}  // namespace kmux
