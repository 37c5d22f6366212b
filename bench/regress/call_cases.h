#pragma once

#include <filesystem>

#include "regress/duel.h"

namespace kmux::regress {

/// Cases of calls: the work of each kernel launch.
Duel call_cpu(const std::filesystem::path& folder);
Duel call_null(const std::filesystem::path& folder);
Duel call_wrong(const std::filesystem::path& folder);
Duel call_trace_off(const std::filesystem::path& folder);
Duel plan_runner(const std::filesystem::path& folder);
Duel eager(const std::filesystem::path& folder);

}  // namespace kmux::regress
