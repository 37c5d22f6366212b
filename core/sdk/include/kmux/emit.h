#pragma once

#include <string>
#include <string_view>

#include "kmux/plan.h"

namespace kmux {

/// Text with indentation, built line by line.
class CodeWriter {
 public:
  /// Appends one line at the current depth; an empty line has no blanks.
  CodeWriter& line(std::string_view text = "");
  /// Appends text of several lines, each at the current depth.
  CodeWriter& lines(std::string_view text);
  /// `open` ("if (x) {"), deeper lines until `close`.
  CodeWriter& open(std::string_view text);
  CodeWriter& close(std::string_view text = "}");
  const std::string& text() const { return text_; }

 private:
  std::string text_;
  int depth_ = 0;
};

/// `expr` as a C++ expression of type `long long` that calls the checked helpers of `kArithmetic`.
std::string print_cpp(const Expr& expr);

/// C++ text without includes: fixed-width types, the call's structs (`kmux_slot`, `kmux_launch_env`, `kmux_sink`) and
/// the checked arithmetic that `print_cpp` uses.
std::string_view launcher_prelude();

/// `text` as a C string literal with quotes.
std::string quote_c(std::string_view text);

/// How one backend prints the operations of a plan; the order, guards, loops, lets and asserts are `emit_launcher`'s.
///
/// In the printed function these names are in scope: `slots`, `env`, `error`, a `long long` for each binding, let and
/// loop variable, a `void* NAME` for each workspace.
class LauncherDialect {
 public:
  virtual ~LauncherDialect() = default;
  /// Lines before the function: declarations of kernels and driver calls.
  virtual void declarations(CodeWriter& out, const Plan& plan) = 0;
  /// Encodes map number `index`.
  virtual void tensor_map(CodeWriter& out, const Plan& plan, std::size_t index) = 0;
  /// Launches; a failure must `return` a non-zero ErrorCode after writing text to `error`.
  virtual void launch(CodeWriter& out, const Plan& plan, const PlanLaunch& launch) = 0;
  virtual void fill(CodeWriter& out, const Plan& plan, const PlanFill& fill) = 0;
};

/// The C++ launcher of `plan`: `extern "C" int SYMBOL(const kmux_slot*, const kmux_launch_env*, kmux_sink)`.
///
/// Errors in the printed code: arithmetic that overflows, a failed assert (invalid_argument with its message), a
/// workspace that cannot be had; each returns its ErrorCode and frees the workspaces.
std::string emit_launcher(const Plan& plan, LauncherDialect& dialect, std::string_view symbol);

/// The C++ address expression of `address`.
std::string print_address(const Plan& plan, const PlanAddress& address);

}  // namespace kmux
