#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "kmux/artifact.h"
#include "kmux/plugin/backend.h"

namespace kmux {

/// The answers of a backend in the form in which they cross the plugin ABI.
std::string to_json(const ProbeReport& report);
std::string to_json(const std::vector<MissingFeature>& missing);

/// Errors: invalid_argument for anything that the functions above do not write.
Result<ProbeReport> probe_report_from_json(std::string_view json);
Result<std::vector<MissingFeature>> missing_features_from_json(std::string_view json);

/// Whether the digests of a container are there and looked at. They always are in what is kept or sent. In a call of
/// `load`, which stays in one process, zeros stand for them: the host has looked at what it read. `build` and
/// `standalone` give them, since their answer may come from a worker process; beside a compilation they cost nothing. Of an answer
/// of theirs zeros count as well: a plugin in another language need not compute them, and the host does as it keeps it.
enum class Digests : std::uint8_t { kChecked, kOmitted, kZeroOrChecked };

/// As in kmux/artifact.h.
std::string serialize(const Artifact& artifact, Digests digests);
Result<Artifact> deserialize(std::string_view bytes, Digests digests);

}  // namespace kmux
