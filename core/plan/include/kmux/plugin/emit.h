#pragma once

#include <array>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kmux/plugin/emit.h"
#include "kmux/plugin/plan.h"

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
  /// Ends a depth with a line of its own.
  CodeWriter& close(std::string_view text = "}");
  /// Ends a depth without a line, for text that shows depth by indentation alone.
  CodeWriter& dedent() { return --depth_, *this; }
  /// One depth ends and the next begins: "} else {".
  CodeWriter& reopen(std::string_view text) { return close(text).deepen(); }
  /// All that was written.
  const std::string& text() const { return text_; }

 private:
  CodeWriter& deepen() { return ++depth_, *this; }
  std::string text_;
  int depth_ = 0;
};

/// `expr` as a C++ expression of integer type. Arithmetic that can fail calls the checked functions of the prelude, which
/// note a failure in `int kmux_fault` and give 0; what `evaluate` would not evaluate is not evaluated.
std::string print_cpp(const Expr& expr);

/// `expr` as a C++ condition: true unless its value is 0.
std::string print_cpp_condition(const Expr& expr);

/// C++ text without includes: the call's structs (`kmux_slot`, `kmux_launch_env`, `kmux_sink`, laid out as in plugin.h,
/// which may precede it), the checked arithmetic that `print_cpp` uses, and what `emit_launcher` uses.
const std::string& launcher_prelude();

/// As `launcher_prelude`, but only the functions that `code` uses.
std::string launcher_prelude_for(std::string_view code);

/// `text` as a C string literal with quotes.
std::string quote_c(std::string_view text);

/// How one backend prints the operations of a plan; the order, guards, loops, lets and asserts are `emit_launcher`'s.
///
/// In the printed function these names are in scope: `slots`, `env`, `error`, a `long long` for each binding, let and
/// loop variable, a `void*` for each workspace, each under its own name (`validate` keeps them apart from these and from
/// kernels). Names that begin with `kmux_` are free for dialects, apart from the prelude's.
class LauncherDialect {
 public:
  virtual ~LauncherDialect() = default;
  /// Lines before the function: declarations of kernels and driver calls.
  virtual void declarations(CodeWriter& out, const Plan& plan) = 0;
  /// Encodes map number `index` into a variable `kmux_map_INDEX`.
  virtual void tensor_map(CodeWriter& out, const Plan& plan, std::size_t index) = 0;
  /// Launches; a failure must `return` a non-zero ErrorCode after writing text to `error`.
  virtual void launch(CodeWriter& out, const Plan& plan, const PlanLaunch& launch) = 0;
  /// Fills memory; a failure returns as that of `launch`.
  virtual void fill(CodeWriter& out, const Plan& plan, const PlanFill& fill) = 0;
};

/// The C++ launcher of `plan`, a whole translation unit without includes:
/// `extern "C" SPECIFIERS int SYMBOL(const kmux_slot*, const kmux_launch_env*, kmux_sink)`.
///
/// Errors in the printed code: invalid_argument for arithmetic without a value (the text names the let, extent or
/// argument) and for a failed assert (with its message); a workspace that cannot be had. Each frees the workspaces.
std::string emit_launcher(const Plan& plan, LauncherDialect& dialect, std::string_view symbol,
                          std::string_view specifiers = {});

/// Gives the value of `expr` as C++ text without side effects. Where computing it can fail, prints a `const long long
/// NAME` and the check before; `what` names in the error what could not be computed, as in "let \"tiles\"".
std::string emit_value(CodeWriter& out, const Expr& expr, std::string_view name, std::string_view what);

/// As `emit_value`, for a number of bytes: a negative one fails.
std::string emit_size(CodeWriter& out, const Expr& expr, std::string_view name, std::string_view what);

/// As `emit_value`, for an address: text of type `void*`. A negative offset fails.
std::string emit_address(CodeWriter& out, const Plan& plan, const PlanAddress& address, std::string_view name,
                         std::string_view what);

/// The C type of a scalar of type `type`. Kinds that C++17 has not (float16, bfloat16, float8) are the unsigned integer of
/// their width.
std::string c_type(DType type);

/// Returns the C++ type of a member of a structure that is a number.
using MemberType = std::function<std::string(DType)>;

/// Defines the structures that launches of `plan` pass, `kmux_struct_INDEX`, laid out as the plan says.
void emit_struct_types(CodeWriter& out, const Plan& plan, const MemberType& type = c_type);

/// A kernel argument as C++: an expression of type `type`. A tensor map is the variable `kmux_map_INDEX`, a structure a
/// variable whose type `emit_struct_types` defines.
struct PrintedArg {
  std::string type;  // of a variable of the kernel's parameter
  std::string value;  // its initialiser
  bool is_place = false;  // the value is a variable, whose address can be passed
};

/// The arguments of `launch`; prints before what can fail.
std::vector<PrintedArg> emit_args(CodeWriter& out, const Plan& plan, const PlanLaunch& launch);

/// Where a launch runs, as C++ expressions.
struct PrintedGeometry {
  std::array<std::string, 3> grid;  // blocks in x, y, z
  std::array<std::string, 3> block;  // threads in x, y, z
  std::optional<std::array<std::string, 3>> cluster;  // blocks in x, y, z
  std::string dynamic_smem_bytes;  // of each block
};

/// Prints a launch on a grid in a block of its own, around what `call` prints: computes the extents, refuses those out of
/// range, and skips everything else if the grid is empty.
void emit_on_grid(CodeWriter& out, const Plan& plan, const PlanLaunch& launch,
                  const std::function<void(const PrintedGeometry&)>& call);

/// A piece of a printed launcher that is the same in every launcher of its kind, between two lines that `own_text` finds.
/// `title`, one line, names it: "the launch layer". `text` has no such piece in itself.
std::string shared_text(std::string_view title, std::string_view text);

/// What of `launcher` is its program's: in the place of each `shared_text` stands a comment with its title and length.
std::string own_text(std::string_view launcher);

/// Prints `extern "C" int call(...)`: parameters in the order of the signature, then the symbols of shapes, then those of
/// strides, then the stream. Buffers and pointers are `void*`; scalars have their own type, or the unsigned integer of
/// their width where C++17 has none (float16, bfloat16, float8); symbols are `long long`. What it prints calls
/// `static int kmux_call_alone(const kmux_slot* slots, void* stream)`, which the unit defines.
void emit_exported_call(CodeWriter& out, const Plan& plan, std::string_view stream_type = "void*");

}  // namespace kmux
