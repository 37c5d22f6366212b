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

/// A number of an eager function that is read from the shapes of its tensors and compiled in: T.const of TileLang.
///
/// It is a name until `input`, `inout` or `buffer` puts it into the shape of a tensor, and a number from then on.
/// Lifetime: borrows the builder.
class KMUX_API JitConstant {
 public:
  /// As it was declared.
  const std::string& name() const { return binding_->name; }
  /// The number; 0, and an error of `JitBuilder::build`, if no tensor has given it yet.
  std::int64_t value() const;
  /// The number, or the name as a symbol while no tensor has given it yet.
  operator Expr() const;

 private:
  friend class JitBuilder;
  struct Binding {
    std::string name;
    std::optional<std::int64_t> value = {};
    std::string parameter = {};  // that gave the value
    bool read_early = false;
  };
  explicit JitConstant(Binding* binding) : binding_(binding) {}
  Binding* binding_;
};

/// A tensor parameter of an eager function.
class JitBuffer {
 public:
  /// Of the parameter.
  const std::string& name() const { return name_; }
  /// That of the parameter, which need not be that of the tensor.
  DType dtype() const { return dtype_; }

 private:
  friend class JitBuilder;
  JitBuffer(std::string name, DType dtype) : name_(std::move(name)), dtype_(dtype) {}
  std::string name_;
  DType dtype_;
};

/// What an eager function returns: which of the tensors that `JitBuilder::empty` declared a call returns, in that order.
///
/// There is no memory behind it: the function describes a kernel once, and every call allocates anew (`kmux::Outputs`).
class JitOutputs {
 public:
  JitOutputs() = default;  // nothing: the kernel writes tensors of the caller
  /// One tensor.
  JitOutputs(const JitBuffer& buffer) : names_{buffer.name()} {}
  /// Any number of tensors.
  JitOutputs(std::initializer_list<JitBuffer> buffers) {
    for (const JitBuffer& buffer : buffers) names_.push_back(buffer.name());
  }
  /// As above, of a list made at run time.
  explicit JitOutputs(std::span<const JitBuffer> buffers) {
    for (const JitBuffer& buffer : buffers) names_.push_back(buffer.name());
  }
  /// The names of the tensors, in order.
  const std::vector<std::string>& names() const { return names_; }

 private:
  std::vector<std::string> names_;
};

/// Builds the program of an eager call from its tensors: a ProgramBuilder whose inputs are the tensors of the call, in
/// order, each named and given a shape of numbers, constants and symbols.
///
/// A constant is compiled in, so another value is another kernel; a symbol is known at the call, so one kernel serves
/// all its values. Names must be declared before launches use them.
/// Errors: `build` reports every problem; nothing before it fails.
class KMUX_API JitBuilder : private ProgramBuilder {
 public:
  /// Lifetime: borrows the tensors.
  JitBuilder(std::string name, std::span<const Tensor> tensors);
  JitBuilder(const JitBuilder&) = delete;
  JitBuilder& operator=(const JitBuilder&) = delete;

  /// Declares a constant.
  JitConstant constant(std::string name);
  /// Several at once: `const auto [m, n] = b.constants("m", "n");`
  template <class... Names>
  std::array<JitConstant, sizeof...(Names)> constants(const Names&... names) {
    return {constant(names)...};
  }
  using ProgramBuilder::symbol;

  /// The next tensor of the call, which the kernel reads; the parameter has its dtype.
  JitBuffer input(std::string name, std::vector<Expr> shape);
  /// As above, with a dtype that the tensor must be compatible with.
  JitBuffer input(std::string name, DType dtype, std::vector<Expr> shape);
  /// The next tensor of the call, which the kernel writes: `inout` in the signature.
  JitBuffer inout(std::string name, std::vector<Expr> shape);
  /// The next tensor of the call in full: strides, alignment, nullable.
  JitBuffer buffer(std::string name, BufferParam buffer);
  /// A tensor that each call allocates and returns: T.empty of TileLang.
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

  /// The program of a call that returns `outputs`.
  ///
  /// Errors: invalid_argument; the message has the first problem, a note "problem" each of the others.
  Result<Program> build(const JitOutputs& outputs);

 private:
  using Binding = JitConstant::Binding;
  /// An extent or stride of a parameter, and the tensor's.
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
