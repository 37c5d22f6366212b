#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "kmux/builder.h"
#include "kmux/dispatch.h"
#include "kmux/error.h"
#include "kmux/export.h"
#include "kmux/tensor.h"

namespace kmux {

class JitBuilder;

/// An integer that an eager function reads from the shapes of its tensors and compiles in: TileLang's T.const.
///
/// Symbolic until `input`, `inout` or `buffer` binds it to the shape of a tensor, and a number from then on.
/// Lifetime: borrows the builder.
class KMUX_API JitConstant {
 public:
  /// Returns the name as it was declared.
  const std::string& name() const { return binding_->name; }
  /// Returns the number. If no tensor has bound it yet, returns 0 and makes `JitBuilder::build` fail.
  std::int64_t value() const;
  /// Returns the number, or the name as a symbol while no tensor has bound it.
  operator Expr() const;

 private:
  friend class JitBuilder;
  struct Binding {
    std::string name;
    std::optional<std::int64_t> value = {};
    std::string parameter = {};  // whose tensor bound the value
    bool read_early = false;
  };
  explicit JitConstant(Binding* binding) : binding_(binding) {}
  Binding* binding_;
};

/// A tensor parameter of an eager function.
class JitBuffer {
 public:
  /// Returns the name of the parameter.
  const std::string& name() const { return name_; }
  /// Returns the dtype of the parameter, which may differ from the tensor's.
  DType dtype() const { return dtype_; }

 private:
  friend class JitBuilder;
  JitBuffer(std::string name, DType dtype) : name_(std::move(name)), dtype_(dtype) {}
  std::string name_;
  DType dtype_;
};

/// The result of an eager function: the tensors, declared by `JitBuilder::empty`, that a call returns, in that order.
///
/// Holds no memory: the function describes a kernel once, and every call allocates its own outputs (`kmux::Outputs`).
class JitOutputs {
 public:
  JitOutputs() = default;  // nothing: the kernel writes tensors of the caller
  /// Returns one tensor.
  JitOutputs(const JitBuffer& buffer) : names_{buffer.name()} {}
  /// Returns any number of tensors.
  JitOutputs(std::initializer_list<JitBuffer> buffers) {
    for (const JitBuffer& buffer : buffers) names_.push_back(buffer.name());
  }
  /// As above, with a list made at run time.
  explicit JitOutputs(std::span<const JitBuffer> buffers) {
    for (const JitBuffer& buffer : buffers) names_.push_back(buffer.name());
  }
  /// Returns the names of the tensors, in order.
  const std::vector<std::string>& names() const { return names_; }

 private:
  std::vector<std::string> names_;
};

/// Builds the program of an eager call from its tensors: a ProgramBuilder whose inputs are the tensors of the call, in
/// order, each named and given a shape of numbers, constants and symbols.
///
/// A constant is compiled in, so each value needs its own kernel. A symbol is bound by each call, so one kernel serves
/// all its values. Names must be declared before launches use them.
///
/// Errors: only `build` fails; it reports every problem.
class KMUX_API JitBuilder : private ProgramBuilder {
 public:
  /// Begins the program `name` of a call with `tensors`.
  ///
  /// Lifetime: borrows the tensors.
  JitBuilder(std::string name, std::span<const Tensor> tensors);
  JitBuilder(const JitBuilder&) = delete;
  JitBuilder& operator=(const JitBuilder&) = delete;

  /// Declares a constant.
  JitConstant constant(std::string name);
  /// Declares several constants: `const auto [m, n] = b.constants("m", "n");`
  template <class... Names>
  std::array<JitConstant, sizeof...(Names)> constants(const Names&... names) {
    return {constant(names)...};
  }
  using ProgramBuilder::symbol;

  /// Declares the next tensor of the call, which the kernel reads; the parameter has the tensor's dtype.
  JitBuffer input(std::string name, std::vector<Expr> shape);
  /// As above, with the parameter's dtype; the tensor's must be compatible.
  JitBuffer input(std::string name, DType dtype, std::vector<Expr> shape);
  /// Declares the next tensor of the call, which the kernel writes: `inout` in the signature.
  JitBuffer inout(std::string name, std::vector<Expr> shape);
  /// Declares the next tensor of the call with all properties: strides, alignment, nullable.
  JitBuffer buffer(std::string name, BufferParam buffer);
  /// Declares a tensor that each call allocates and returns: TileLang's T.empty.
  JitBuffer empty(std::string name, DType dtype, std::vector<Expr> shape);

  using ProgramBuilder::body;
  using ProgramBuilder::check;
  using ProgramBuilder::define;
  using ProgramBuilder::header;
  using ProgramBuilder::launch;
  using ProgramBuilder::let;
  using ProgramBuilder::metadata;
  using ProgramBuilder::requires_arch;
  using ProgramBuilder::settings;
  using ProgramBuilder::source;
  using ProgramBuilder::tensor_map;
  using ProgramBuilder::variant;
  using ProgramBuilder::workspace;

  /// Returns the program of a call that returns `outputs`.
  ///
  /// Errors: invalid_argument; the message has the first problem, a note "problem" each of the others.
  Result<Program> build(const JitOutputs& outputs);

 private:
  using Binding = JitConstant::Binding;
  /// An extent or stride of a parameter, with the tensor's value.
  struct Extent {
    Expr* expr;
    std::int64_t value;
    std::string what;
  };
  DType next_dtype() const;
  const Tensor* next(const std::string& name);
  void bind(const Tensor& tensor, BufferParam& buffer, const std::string& name);
  void bind(std::vector<Extent> extents, const std::string& name);
  bool bind(const Extent& extent, const std::string& name);
  std::string mismatch(const Extent& extent, const std::string& name) const;
  std::vector<std::string> free_constants(const Expr& expr) const;
  Expr with_constants(const Expr& expr) const;
  void finish_shapes();
  Binding* find(std::string_view name);
  void refuse(std::string problem) { problems_.push_back(std::move(problem)); }
  std::vector<std::string> problems(const JitOutputs& outputs) const;
  void check_outputs(const JitOutputs& outputs, std::vector<std::string>& problems) const;

  std::string name_;
  std::span<const Tensor> tensors_;
  std::size_t taken_ = 0;
  std::vector<std::string> empties_;
  std::deque<Binding> constants_;  // JitConstants point into it
  std::vector<std::string> problems_;
};

}  // namespace kmux
