#pragma once

#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include "kmux/dispatch.h"

namespace kmux {

class BodyBuilder;

/// Builds one launch; every function returns the builder, so that calls chain.
class LaunchBuilder {
 public:
  /// Sets the blocks in each dimension.
  LaunchBuilder& grid(Extents extents);
  /// Sets the threads of a block in each dimension.
  LaunchBuilder& block(Extents extents);
  /// Sets the blocks of a cluster in each dimension.
  LaunchBuilder& cluster(Extents extents);
  /// Sets the size of dynamic shared memory. Units: bytes.
  LaunchBuilder& dynamic_smem_bytes(Expr bytes);
  /// Makes all blocks resident at the same time, so that the grid can synchronise.
  LaunchBuilder& cooperative();
  /// Allows the launch to begin before the kernel ahead of it has ended.
  LaunchBuilder& programmatic_serialization();
  /// Adds a part of a buffer that should stay in the L2 cache. Units: bytes; `hit_ratio` from 0 to 1.
  LaunchBuilder& l2_window(std::string buffer, Expr bytes, double hit_ratio = 0.8);
  /// Declares that the function returns an int32, which is not 0 if it failed.
  LaunchBuilder& returns_int32();
  /// Passes scalars and integers last, in one buffer of 8-byte slots (Metal dialects only).
  LaunchBuilder& packed_values();
  /// Appends arguments in kernel order. A string is a parameter, workspace, tensor map, symbol (of its dtype) or let
  /// (int64) of that name; an Expr is an int32 (`arg(expr, dtype)` for another type).
  LaunchBuilder& args(std::initializer_list<std::string> names);
  /// Appends one argument.
  LaunchBuilder& arg(LaunchArg arg);
  /// Appends the value of an expression.
  LaunchBuilder& arg(Expr value, DType dtype = dtype::kInt32);
  /// Appends a structure by value in the layout of C; members are named as in `args`. `alignment_bytes` is the declared
  /// alignment of its type, for example 16 for float4; 0: that of its members.
  LaunchBuilder& struct_arg(std::initializer_list<std::string> names, std::int64_t alignment_bytes = 0);

 private:
  friend class BodyBuilder;
  LaunchBuilder(const class ProgramBuilder* program, std::vector<Step>* steps, std::size_t index)
      : program_(program), steps_(steps), index_(index) {}
  Launch& launch();
  const ProgramBuilder* program_;
  std::vector<Step>* steps_;
  std::size_t index_;
};

/// Builds the steps of a body: launches, fills, guards and loops in the order of the calls.
///
/// Lifetime: borrows the ProgramBuilder.
class BodyBuilder {
 public:
  /// Appends a launch of `kernel`.
  LaunchBuilder launch(std::string kernel);
  /// Appends a fill of a buffer, pointer or workspace with a byte.
  BodyBuilder& fill(std::string target, Expr bytes, std::uint8_t value = 0);
  /// Appends a guard; `then` receives a builder for the steps that run if the condition is true.
  template <class Then>
  BodyBuilder& when(Expr condition, Then then);
  /// As above; `otherwise` receives a builder for the steps that run if the condition is false.
  template <class Then, class Else>
  BodyBuilder& when(Expr condition, Then then, Else otherwise);
  /// Appends a loop; `body` receives a builder for the steps and the loop variable.
  template <class Loop>
  BodyBuilder& loop(std::string variable, Expr begin, Expr end, Loop body);

 private:
  friend class ProgramBuilder;
  BodyBuilder(const ProgramBuilder* program, std::vector<Step>* steps) : program_(program), steps_(steps) {}
  BodyBuilder& add(Step step);
  const ProgramBuilder* program_;
  std::vector<Step>* steps_;
};

/// Builds a program of one or more variants in C++.
///
/// Names are resolved at use: the caller must declare parameters, workspaces and tensor maps before the launches.
/// Errors:   `build` reports every problem as `validate` does; no earlier function fails.
class ProgramBuilder {
 public:
  /// Starts a program without parameters and variants.
  explicit ProgramBuilder(std::string name);

  /// Declares an integer symbol and returns it for use in shapes.
  Expr symbol(std::string name, DType dtype = dtype::kInt64);
  /// Declares a tensor that is read.
  ProgramBuilder& input(std::string name, DType dtype, std::vector<Expr> shape);
  /// Declares a tensor that a call allocates and returns.
  ProgramBuilder& output(std::string name, DType dtype, std::vector<Expr> shape);
  /// Declares a tensor with all properties of a parameter.
  ProgramBuilder& buffer(std::string name, BufferParam buffer);
  /// Declares a scalar parameter and returns it for use in expressions (integers and bool only).
  Expr scalar(std::string name, DType dtype);
  /// Declares a bare address.
  ProgramBuilder& pointer(std::string name);
  /// Declares a variable of the module that callers set by name.
  ProgramBuilder& constant(Constant constant);

  /// Begins a variant; the calls below belong to the newest one.
  ProgramBuilder& variant(std::string dialect);
  /// Adds an architecture that the variant runs on.
  ProgramBuilder& requires_arch(std::string arch);
  /// Adds a source file.
  ProgramBuilder& source(std::string path, std::string content);
  /// Adds a file that the sources include.
  ProgramBuilder& header(std::string path, std::string content);
  /// Sets the compile settings of the sources.
  ProgramBuilder& settings(Settings settings);
  /// Defines a macro for the sources of the variant.
  ProgramBuilder& define(const std::string& name, std::int64_t value);
  /// Names the value of an expression, and returns the name as an expression.
  Expr let(std::string name, Expr value);
  /// Makes a call fail with `message` if the condition is 0.
  ProgramBuilder& check(Expr condition, std::string message);
  /// Declares device memory that is valid for one call. Units: bytes.
  ProgramBuilder& workspace(std::string name, Expr bytes, std::int64_t alignment_bytes = 256);
  /// Declares a tensor map that is encoded for each call.
  ProgramBuilder& tensor_map(TensorMap map);
  /// Returns a builder for the top-level steps of the newest variant.
  BodyBuilder body();
  /// Appends a launch to the top-level steps of the newest variant.
  LaunchBuilder launch(std::string kernel) { return body().launch(std::move(kernel)); }

  /// Sets the metadata of the program: example values, operations, bytes.
  ProgramBuilder& metadata(Metadata metadata);

  /// Returns the program, with symbols in slot order.
  ///
  /// Errors: invalid_argument that lists all problems.
  Result<Program> build() const;

 protected:
  /// Returns the unfinished program, for derived builders that complete it themselves.
  Program& program() { return program_; }

 private:
  friend class LaunchBuilder;
  LaunchArg resolve(const std::string& name) const;
  Variant& current();
  Program program_;
};

template <class Then>
BodyBuilder& BodyBuilder::when(Expr condition, Then then) {
  return when(std::move(condition), std::move(then), [](BodyBuilder&) {});
}

template <class Then, class Else>
BodyBuilder& BodyBuilder::when(Expr condition, Then then, Else otherwise) {
  If guard{std::move(condition), {}, {}};
  BodyBuilder inner_then(program_, &guard.then_steps);
  then(inner_then);
  BodyBuilder inner_else(program_, &guard.else_steps);
  otherwise(inner_else);
  return add(std::move(guard));
}

template <class Loop>
BodyBuilder& BodyBuilder::loop(std::string variable, Expr begin, Expr end, Loop body) {
  For loop{variable, std::move(begin), std::move(end), {}};
  BodyBuilder inner(program_, &loop.steps);
  body(inner, Expr::symbol(std::move(variable)));
  return add(std::move(loop));
}

}  // namespace kmux
