#pragma once

#include <array>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kmux/plugin/plan.h"

namespace kmux {

/// Text with indentation, built line by line.
class CodeWriter {
 public:
  /// Appends one line at the current depth; an empty line is not indented.
  CodeWriter& line(std::string_view text = "");
  /// Appends text of several lines, each at the current depth.
  CodeWriter& lines(std::string_view text);
  /// Appends a line such as "if (x) {" and indents the lines until `close`.
  CodeWriter& open(std::string_view text);
  /// Ends a depth and appends a line.
  CodeWriter& close(std::string_view text = "}");
  /// Ends a depth without a line, for text that shows depth by indentation alone.
  CodeWriter& dedent() { return --depth_, *this; }
  /// Ends a depth and begins the next with one line: "} else {".
  CodeWriter& reopen(std::string_view text) { return close(text).deepen(); }
  /// Returns all text written so far.
  const std::string& text() const { return text_; }

 private:
  CodeWriter& deepen() { return ++depth_, *this; }
  std::string text_;
  int depth_ = 0;
};

/// Returns `expr` as a C++ expression of integer type. Arithmetic that can fail calls the checked functions of the
/// prelude, which record a failure in `int kmux_fault` and return 0. Evaluates only the operands that `evaluate` would.
std::string print_cpp(const Expr& expr);

/// Returns `expr` as a C++ condition: true unless its value is 0.
std::string print_cpp_condition(const Expr& expr);

/// Returns C++ text without includes: the structs of a call (`kmux_slot`, `kmux_launch_env`, `kmux_sink`, with the
/// layout of plugin.h, which may precede it), the checked arithmetic of `print_cpp`, and the helpers of
/// `emit_launcher`.
const std::string& launcher_prelude();

/// Returns `launcher_prelude` with only the functions that `code` uses.
std::string launcher_prelude_for(std::string_view code);

/// Returns `text` as a C string literal with quotes.
std::string quote_c(std::string_view text);

/// Prints the operations of a plan for one backend. `emit_launcher` prints the order, guards, loops, lets and asserts.
///
/// The printed function has these names in scope: `slots`, `env`, `error`, a `long long` for each binding, let and loop
/// variable, a `void*` for each workspace, each under its name in the plan. `validate` ensures that these do not clash
/// with each other or with kernels. Dialects may use names that begin with `kmux_`, except those of the prelude.
class LauncherDialect {
 public:
  virtual ~LauncherDialect() = default;
  /// Prints lines before the function: declarations of kernels and driver calls.
  virtual void declarations(CodeWriter& out, const Plan& plan) = 0;
  /// Prints the encoding of map number `index` into a variable `kmux_map_INDEX`.
  virtual void tensor_map(CodeWriter& out, const Plan& plan, std::size_t index) = 0;
  /// Prints a launch, whose failure must `return` a non-zero ErrorCode after writing text to `error`.
  virtual void launch(CodeWriter& out, const Plan& plan, const PlanLaunch& launch) = 0;
  /// Prints a fill, whose failure must return as that of `launch`.
  virtual void fill(CodeWriter& out, const Plan& plan, const PlanFill& fill) = 0;
};

/// Returns the C++ launcher of `plan`, a whole translation unit without includes:
/// `extern "C" SPECIFIERS int SYMBOL(const kmux_slot*, const kmux_launch_env*, kmux_sink)`.
///
/// Errors in the printed code: invalid_argument for arithmetic without a value (the text names the let, extent or
/// argument) and for a failed assert (with its message); the allocator's code if a workspace cannot be allocated. Each
/// frees the workspaces.
std::string emit_launcher(const Plan& plan, LauncherDialect& dialect, std::string_view symbol,
                          std::string_view specifiers = {});

/// Returns the value of `expr` as C++ text without side effects. If the computation can fail, first prints a
/// `const long long NAME` and its check; `what` names the value in the error, for example "let \"tiles\"".
std::string emit_value(CodeWriter& out, const Expr& expr, std::string_view name, std::string_view what);

/// As `emit_value`, for a number of bytes: a negative one fails.
std::string emit_size(CodeWriter& out, const Expr& expr, std::string_view name, std::string_view what);

/// As `emit_value`, for an address: text of type `void*`. A negative offset fails.
std::string emit_address(CodeWriter& out, const Plan& plan, const PlanAddress& address, std::string_view name,
                         std::string_view what);

/// Returns the C type of a scalar of type `type`. Types that C++17 lacks (float16, bfloat16, float8) become the
/// unsigned integer of the same width.
std::string c_type(DType type);

/// Returns the C++ type of a member of a structure that is a number.
using MemberType = std::function<std::string(DType)>;

/// Prints definitions of the structures that launches of `plan` pass, `kmux_struct_INDEX`, with the layout of the plan.
void emit_struct_types(CodeWriter& out, const Plan& plan, const MemberType& type = c_type);

/// Returns the types of a printed tensor map as C++, kmux_tensor_map and kmux_map_geometry (kmux/plugin/tensor_map.h).
std::string tensor_map_types();

/// Prints the encoding of map number `index` of `plan` into a variable `kmux_map_INDEX`, by a call of
/// `kmux_encode_tiled(env, map, geometry, box, error)`, or of
/// `kmux_encode_im2col(env, map, geometry, lower_corner, upper_corner, channels_per_pixel, pixels_per_column, error)`.
/// The dialect declares these. They return 0, or a non-zero ErrorCode after writing text to `error`.
void emit_tensor_map(CodeWriter& out, const Plan& plan, std::size_t index);

/// A kernel argument as C++: an expression of type `type`. A tensor map is the variable `kmux_map_INDEX`, a structure a
/// variable whose type `emit_struct_types` defines.
struct PrintedArg {
  std::string type;  // of a variable for the kernel's parameter
  std::string value;  // its initialiser
  bool is_place = false;  // the value is an lvalue, so its address can be passed
};

/// Returns the arguments of `launch`, after printing the computations that can fail.
std::vector<PrintedArg> emit_args(CodeWriter& out, const Plan& plan, const PlanLaunch& launch);

/// The geometry of a launch, as C++ expressions.
struct PrintedGeometry {
  std::array<std::string, 3> grid;  // blocks in x, y, z
  std::array<std::string, 3> block;  // threads in x, y, z
  std::optional<std::array<std::string, 3>> cluster;  // blocks in x, y, z
  std::string dynamic_smem_bytes;  // of each block
};

/// Prints a scope that evaluates the geometry of a launch, around the code that `call` prints. The printed code refuses
/// extents out of range and skips the rest if the grid is empty.
void emit_on_grid(CodeWriter& out, const Plan& plan, const PlanLaunch& launch,
                  const std::function<void(const PrintedGeometry&)>& call);

/// Returns a section of a printed launcher that is the same in all launchers of its kind, between markers for
/// `own_text`. `title`, one line, names it: "the launch layer". `text` must not contain such a section.
std::string shared_text(std::string_view title, std::string_view text);

/// Returns the program-specific part of `launcher`: replaces each `shared_text` by a comment with its title and length.
std::string own_text(std::string_view launcher);

/// Prints `extern "C" int call(...)`: parameters in the order of the signature, then the symbols of shapes, then those
/// of strides, then the stream. Buffers and pointers are `void*`; symbols are `long long`; scalars have the type of
/// `c_type`. The printed function calls `static int kmux_call_alone(const kmux_slot* slots, void* stream)`, which the
/// unit must define.
void emit_exported_call(CodeWriter& out, const Plan& plan, std::string_view stream_type = "void*");

}  // namespace kmux
