#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "kmux/artifact.h"

namespace kmux {

/// Whether the digests of a container are there and looked at. They always are in what is kept or sent. In a call of
/// `load`, which stays in one process, zeros stand for them: the host has looked at what it read. `build` and
/// `standalone` give them, since their answer may come from a worker process; beside a compilation they cost nothing.
enum class Digests : std::uint8_t { kChecked, kOmitted };

/// As in kmux/artifact.h.
std::string serialize(const Artifact& artifact, Digests digests);
Result<Artifact> deserialize(std::string_view bytes, Digests digests);

}  // namespace kmux
