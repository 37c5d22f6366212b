#pragma once

#include <memory>

#include "admission.h"
#include "compile_costs.h"
#include "stragglers.h"

namespace kmux {

class ArtifactCache;

/// What the parallel compilations of a runtime share, so that several at the same time take no more cores and memory than
/// one: who may compile, what it takes usually, and what was left behind.
///
/// Threads: any.   Lifetime: the destructor waits for what was left behind.
class CompilePool {
 public:
  /// Costs are kept in the folder of `cache`, if there is one that can be written to.
  explicit CompilePool(const ArtifactCache* cache);

  Admission& admission() { return *admission_; }
  CompileCosts& costs() { return costs_; }
  Stragglers& stragglers() { return *stragglers_; }

 private:
  std::shared_ptr<Admission> admission_ = std::make_shared<Admission>();
  CompileCosts costs_;
  std::shared_ptr<Stragglers> stragglers_ = std::make_shared<Stragglers>();  // the first to go: they use the rest
};

}  // namespace kmux
