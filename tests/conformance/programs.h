#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "kmux/builder.h"

namespace kmux::conformance {

/// The newest variant of a builder, and how its dialect launches one thread.
class OneThread {
 public:
  OneThread(ProgramBuilder& builder, std::string dialect) : builder_(builder), dialect_(std::move(dialect)) {}
  ProgramBuilder& builder() const { return builder_; }
  LaunchBuilder launch(const std::string& kernel) const { return launch(builder_.body(), kernel); }
  /// Within a guard or a loop.
  LaunchBuilder launch(BodyBuilder body, const std::string& kernel) const;

 private:
  ProgramBuilder& builder_;
  std::string dialect_;
};

/// The dialects that the suite has kernels in by itself.
std::vector<std::string> own_dialects();

/// Is it known how a kernel of the subject has the memory of `dynamic_smem_bytes`, in one of the dialects that it takes?
bool can_use_shared();

/// Is it known how a kernel of the subject has its place in the grid and in the block, in one of the dialects that it takes?
bool can_use_positions();

/// Gives `builder` one variant for each dialect that the suite knows, and for those that the plugin's file has. `text`
/// holds kernels in the common subset of C and CUDA, each begun with KERNEL.
/// `host` adds the launches.
void add_variants(ProgramBuilder& builder, std::string_view text, const std::function<void(const OneThread&)>& host);

/// The same without dialects whose launches are plain calls: for what a launch has besides.
void add_device_variants(ProgramBuilder& builder, std::string_view text,
                         const std::function<void(const OneThread&)>& host);

/// C = A + B over float32[n].
Program add_program(const std::string& name = "add");

/// out[i] = values[i]: int64 expressions over int64 scalar parameters of the
/// given names.
Program record_program(const std::vector<Expr>& values, const std::vector<std::string>& scalars);

/// A program whose steps append numbers to `log` (int64[16], first element is
/// the count): for order, guards, loops.
Program trace_program(const std::function<void(const OneThread&, BodyBuilder)>& steps);

/// The kernel of those programs: `append(log, value)`.
extern const std::string_view kTraceKernel;

/// Appends `value` to the log of a trace program.
void append(const OneThread& host, BodyBuilder body, Expr value);

}  // namespace kmux::conformance
