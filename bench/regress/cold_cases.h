#pragma once

#include <filesystem>

#include "regress/duel.h"

namespace kmux::regress {

/// Cases of the steps before a call: from a program to a kernel.
Duel resolve_three(const std::filesystem::path& folder);
Duel wrap_launcher(const std::filesystem::path& folder);
Duel deserialise(const std::filesystem::path& folder);
Duel hit_memory(const std::filesystem::path& folder);
Duel hit_disk(const std::filesystem::path& folder);
Duel cold_compile(const std::filesystem::path& folder);

}  // namespace kmux::regress
