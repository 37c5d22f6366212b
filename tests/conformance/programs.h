#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "kmux/builder.h"

namespace kmux::conformance {

/// The builder's newest variant, and how its dialect launches one thread.
class OneThread {
 public:
  OneThread(ProgramBuilder& builder, std::string dialect) : builder_(builder), dialect_(std::move(dialect)) {}
  ProgramBuilder& builder() const { return builder_; }
  LaunchBuilder launch(const std::string& kernel) const { return launch(builder_.body(), kernel); }
  /// Launches within a guard or a loop.
  LaunchBuilder launch(BodyBuilder body, const std::string& kernel) const;

 private:
  ProgramBuilder& builder_;
  std::string dialect_;
};

/// Returns the dialects for which the suite itself has kernels.
std::vector<std::string> own_dialects();

/// Returns true if the subject takes a dialect in which the suite can write kernels that use `dynamic_smem_bytes`.
bool can_use_shared();

/// Returns true if the subject takes a dialect in which the suite can write kernels that read their block and thread
/// indices.
bool can_use_positions();

/// Adds one variant to `builder` for each dialect that the suite or the plugin's file defines. `text` holds kernels in
/// the common subset of C and CUDA, each begun with KERNEL. `host` adds the launches.
void add_variants(ProgramBuilder& builder, std::string_view text, const std::function<void(const OneThread&)>& host);

/// As add_variants(), without dialects whose launches are plain calls: for launch features beyond the arguments.
void add_device_variants(ProgramBuilder& builder, std::string_view text,
                         const std::function<void(const OneThread&)>& host);

/// Returns C = A + B over float32[n].
Program add_program(const std::string& name = "add");

/// Returns out[i] = values[i]: int64 expressions over int64 scalar parameters of the given names.
Program record_program(const std::vector<Expr>& values, const std::vector<std::string>& scalars);

/// Returns a program whose steps append numbers to `log` (int64[16], first element is the count). It tests order,
/// guards and loops.
Program trace_program(const std::function<void(const OneThread&, BodyBuilder)>& steps);

/// The kernel of trace programs: `append(log, value)`.
extern const std::string_view kTraceKernel;

/// Appends `value` to the log of a trace program.
void append(const OneThread& host, BodyBuilder body, Expr value);

}  // namespace kmux::conformance
