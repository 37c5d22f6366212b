// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <span>
#include <vector>

#include "kmux/dispatch.h"

namespace kmux {

/// The files that a program may take its headers from.
enum class HeaderReach {
  kFolder,  // those below its folder
  kTree,  // also those above it ("../inc/h.h"), as far as the folders belong to the same owner (design/0065)
};

/// Returns the headers that `texts`, files of `folder`, include by a quoted name relative to the including file,
/// directly or indirectly, in any `#if` branch. Their paths are relative to `folder` and may begin with "..".
///
/// Omits names that do not exist there, which compilers look for in their folders; hidden files; files out of `reach`,
/// also by a link.
///
/// Threads: any.
std::vector<File> quoted_headers(std::span<const File> texts, const std::filesystem::path& folder, HeaderReach reach);

/// Adds the quoted headers of a variant whose files belong to `folder`. If one is above `folder`, all paths of the
/// variant become relative to the folder that has all files: "a.cu" and "../inc/h.h" become "src/a.cu" and "inc/h.h".
/// Does nothing for dialects without `#include`.
void add_quoted_headers(Variant& variant, const std::filesystem::path& folder, HeaderReach reach);

}  // namespace kmux
