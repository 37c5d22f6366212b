#include <cmath>

#include "base/quoted.h"
#include "validation.h"

namespace kmux {

namespace {

void check_symbols(const Metadata& metadata, const Scope& scope, const JsonPointer& at, ProblemList& problems) {
  for (const auto& [name, value] : metadata.symbols) {
    const Name* found = require_name(name, {NameKind::kSymbol}, "a symbol", scope, at / name, problems);
    if (found == nullptr) continue;
    if (value < 0 || (found->dtype == dtype::kInt32 && value > INT32_MAX)) {
      problems.add(at / name,
                   "example value " + std::to_string(value) + " is not in the range of the symbol. Correct it.");
    }
  }
}

void check_scalars(const Metadata& metadata, const Scope& scope, const JsonPointer& at, ProblemList& problems) {
  for (const auto& [name, value] : metadata.scalars) {
    require_name(name, {NameKind::kScalar}, "a scalar parameter", scope, at / name, problems);
    if (!std::isfinite(value))
      problems.add(at / name, "the example value is not finite (JSON cannot say it). Correct it.");
  }
}

}  // namespace

void check_metadata(const Metadata& metadata, const Scope& scope, const JsonPointer& at, ProblemList& problems) {
  check_text(metadata.description, at / "description", problems);
  check_text(metadata.origin, at / "origin", problems);
  check_text(metadata.reference, at / "reference", problems);
  check_symbols(metadata, scope, at / "symbols", problems);
  check_scalars(metadata, scope, at / "scalars", problems);
  if (metadata.flops) check_expr(*metadata.flops, ExprPlace::kBody, scope, at / "flops", problems);
  if (metadata.bytes) check_expr(*metadata.bytes, ExprPlace::kBody, scope, at / "bytes", problems);
}

}  // namespace kmux
