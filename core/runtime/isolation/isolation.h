#pragma once

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "kmux/environment.h"
#include "kmux/error.h"
#include "kmux/policy.h"

namespace kmux {

/// Where a plugin's cold calls run, and how long one may take.
struct IsolationSettings {
  bool in_process_of_its_own = false;
  std::optional<std::chrono::milliseconds> limit = {};
  bool is_free = false;  // not chosen by the caller: a compilation of many programs may take a process
  bool operator==(const IsolationSettings&) const = default;
};

/// What a caller asks for; what is left out comes from `environment`. A limit of 0 seconds is none.
///
/// Errors: invalid_argument for an unknown word in `environment`, a limit that is no non-negative number, and a limit without a process
/// of its own: a compiler inside the application cannot be stopped.
Result<IsolationSettings> isolation_of(const std::optional<Isolation>& asked, const std::optional<double>& limit_s,
                                       const Environment& environment);

/// Where kmux-worker may be, in order: as the installation puts it relative to libkmux.so, then in the install prefix.
std::vector<std::filesystem::path> worker_places();

/// The first of `places` that exists, with links followed.
///
/// Errors: unavailable if none exists, or if it or its folder is not to be trusted.
Result<std::filesystem::path> find_worker(const std::vector<std::filesystem::path>& places);

}  // namespace kmux
