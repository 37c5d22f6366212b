#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "kmux/arg.h"
#include "kmux/dispatch.h"
#include "kmux/error.h"
#include "kmux/manifest.h"
#include "kmux/plugin/backend.h"
#include "kmux/plugin/plugin.h"
#include "kmux/resolver.h"
#include "kmux/tune.h"

#include "cache/disk/cache_entry.h"

namespace kmux {

/// A tensor without its memory.
struct SampleTensor {
  DType dtype;
  std::vector<std::int64_t> shape;
  std::vector<std::int64_t> strides;  // empty: contiguous
  bool operator==(const SampleTensor&) const = default;
};

/// What a call was made with, without its memory: a shape, a scalar or null for each parameter.
using CallSample = std::vector<std::variant<SampleTensor, Arg>>;

/// The sample of a call with `args`, which are all parameters in order.
///
/// Errors: unsupported for a pointer parameter: the extent of its memory is unknown; invalid_argument for a tensor's
///         parameter without one, or another number of arguments.
Result<CallSample> sample_of(const Signature& signature, std::span<const Arg> args);

/// The sample of a call that was launched with `slots`.
///
/// Errors: as above.
Result<CallSample> sample_of(const Signature& signature, const kmux_slot* slots);

/// The sample of a call with the example values of the program, or nothing if they do not say every shape.
std::optional<CallSample> example_of(const Program& program);

/// The class of shapes that a sample belongs to: every extent by its power of two. "[2^10, 2^3] [2^10]".
std::string bucket_of(const CallSample& sample);

class ArtifactCache;

/// What is measured against each other, and where: all that a measurement depends on.
struct Contest {
  std::string program;  // its digest
  Options options;  // as they reach the compilers; those that the environment sets with the backend's name before them
  Json device;  // of `device_mark`
  std::vector<TunedCandidate> candidates;  // in the order of their priority
};

/// The candidates that can run here, in the order of their priority, and take the same memory as the first of them: one
/// may launch where another did. One whose compiler found that it cannot is still among them, so that a contest is the
/// same before and after. As indices.
std::vector<std::size_t> contestants(const std::vector<Candidate>& candidates,
                                     const std::vector<const Manifest*>& manifests);

/// The manifest of that name, or null.
const Manifest* manifest_of(const std::vector<const Manifest*>& manifests, const std::string& backend);

/// Model, architecture and driver of a device: what a measurement holds for.
Json device_mark(const Json& properties);
std::string device_text(const Json& mark);

/// The key of a contest's measurement for one bucket of shapes.
CacheKey measurement_key(const Contest& contest, const std::string& bucket);

/// The measurement kept under `key` in `cache` (which may be null), or nothing.
std::optional<Tuning> find_measurement(const ArtifactCache* cache, const CacheKey& key);
/// Keeps a measurement in place of what there may be.
void keep_measurement(ArtifactCache* cache, const CacheKey& key, const Tuning& tuning);

/// "12.30 us (12.10 to 12.60)".
std::string to_text(const Interval& interval);
Json to_json(const Interval& interval);
/// "12.3 ms".
std::string milliseconds_text(double ms);

}  // namespace kmux
