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

/// The arguments of a call without their memory: a shape, a scalar or null for each parameter.
using CallSample = std::vector<std::variant<SampleTensor, Arg>>;

/// Returns the sample of a call with `args`, which must be all parameters in order. The first launch checks their
/// types.
///
/// Errors: unsupported for a pointer parameter: the extent of its memory is unknown; invalid_argument for another
///         number of arguments.
Result<CallSample> sample_of(const Signature& signature, std::span<const Arg> args);

/// Returns the sample of a call that was launched with `slots`.
///
/// Errors: as above.
Result<CallSample> sample_of(const Signature& signature, const kmux_slot* slots);

/// Returns the sample of a call with the example values of the program, or nothing if they do not determine every
/// shape.
std::optional<CallSample> example_of(const Program& program);

/// Returns the class of shapes that a sample belongs to: every extent by its power of two. "[2^10, 2^3] [2^10]".
std::string bucket_of(const CallSample& sample);

class ArtifactCache;

/// The candidates of a measurement and its conditions: everything that the measurement depends on.
struct Contest {
  std::string program;  // its digest
  Options options;  // as passed to the compilers; those from the environment are prefixed with the backend's name
  Json device;  // from `device_mark`
  std::vector<TunedCandidate> candidates;  // in the order of their priority
};

/// Returns the indices of the candidates that can run here and take the same memory as the first of them, so that each
/// can replace another; in the order of priority. Includes candidates whose compiler refused the sources, so that the
/// contest is the same before and after that.
std::vector<std::size_t> contestants(const std::vector<Candidate>& candidates,
                                     const std::vector<const Manifest*>& manifests);

/// Returns the manifest of that name, or null.
const Manifest* manifest_of(const std::vector<const Manifest*>& manifests, const std::string& backend);

/// Returns model, architecture and driver of a device: a measurement is valid only for these.
Json device_mark(const Json& properties);
std::string device_text(const Json& mark);

/// Returns the key of a contest's measurement for one bucket of shapes.
CacheKey measurement_key(const Contest& contest, const std::string& bucket);

/// Returns the measurement cached under `key` in `cache` (which may be null), or nothing.
std::optional<Tuning> find_measurement(const ArtifactCache* cache, const CacheKey& key);
/// Caches a measurement and replaces an earlier one.
void keep_measurement(ArtifactCache* cache, const CacheKey& key, const Tuning& tuning);

/// Returns "12.30 us (12.10 to 12.60)".
std::string to_text(const Interval& interval);
Json to_json(const Interval& interval);
/// Returns "12.3 ms".
std::string milliseconds_text(double ms);

}  // namespace kmux
