#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "kmux/artifact.h"
#include "kmux/plugin/backend.h"

namespace kmux {

/// Return the results of a backend in the form of the plugin ABI.
std::string to_json(const ProbeReport& report);
std::string to_json(const std::vector<MissingFeature>& missing);

/// Errors: invalid_argument for a text that the functions above do not produce.
Result<ProbeReport> probe_report_from_json(std::string_view json);
Result<std::vector<MissingFeature>> missing_features_from_json(std::string_view json);

/// The presence and verification of a container's digests. Stored and sent containers must have them. In a call of
/// `load`, which stays in one process, they are zeros: the host has verified the bytes that it read. `build` and
/// `standalone` write them, since a worker process may return the result; compared with a compilation they cost
/// nothing. The host also accepts zeros in their results: a plugin in another language need not compute them, and the
/// host does when it stores the result.
enum class Digests : std::uint8_t { kChecked, kOmitted, kZeroOrChecked };

/// Same as in kmux/artifact.h.
std::string serialize(const Artifact& artifact, Digests digests);
Result<Artifact> deserialize(std::string_view bytes, Digests digests);

}  // namespace kmux
