#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kmux/dispatch.h"
#include "kmux/error.h"
#include "kmux/kernel.h"
#include "kmux/plugin/backend.h"
#include "kmux/registry.h"
#include "kmux/resolver.h"
#include "kmux/target.h"

#include "adapter_slot.h"

namespace kmux {

class KernelHeaders;

/// Measures what else could run a kernel, and lets it launch the winner.
///
/// Threads: any.
class KernelTuner {
 public:
  virtual ~KernelTuner() = default;
  /// `Kernel::tune` with these arguments.
  virtual Result<Tuning> tune(std::span<const Arg> args, const TuneOptions& options) = 0;
  /// Does it compile with the plugin of that name?
  virtual bool uses(std::string_view backend) const = 0;
};

/// Everything that a kernel is made of: what `compile` has when the first artifact is loaded.
///
/// Lifetime: owns all of it; the adapters go before the plugin.
struct KernelParts {
  std::string name;
  Signature signature;
  std::vector<int> out_idx = {};  // as given in CompileOptions
  std::shared_ptr<Plugin> plugin;         // whose device the kernel is for, also when another one's code is launched
  std::shared_ptr<AdapterSlot> adapters;  // each with its origin
  int device = 0;                         // ordinal
  Resolution resolution;
  std::shared_ptr<KernelTuner> tuner = {};  // under policy measured
  std::shared_ptr<KernelHeaders> headers = {};  // of what `adapters` launches; null: it depends on no file
};

/// Compiles the argument checks and output shapes, and makes the handle.
///
/// Errors: invalid_argument for an `out_idx` that is out of range, repeated, no tensor, or given although the signature
/// declares outputs; for a signature that cannot be checked.
Result<Kernel> make_kernel(KernelParts parts);

}  // namespace kmux
