#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "kmux/dispatch.h"
#include "kmux/plugin/dependencies.h"

namespace kmux {

/// Returns true if equal headers in other folders of option "include_dirs" give `code`, byte by byte: no text names its place, no flag
/// has places written into code, and `code`, which must not be compressed, has none of the folders. When in doubt, false.
///
/// `include_dirs` are absolute; `headers` are what `IncludeMemory` or `Headers` found for `variant`.
/// Threads: any.
bool is_relocatable(const Variant& variant, const std::vector<std::string>& include_dirs,
                    const std::vector<std::string>& compile_flags, const Dependencies& headers, std::string_view code);

/// Takes "-I" with each of `include_dirs` out of `arguments`, for what a relocatable artifact keeps of them.
void leave_out_folders(std::vector<std::string>& arguments, const std::vector<std::string>& include_dirs);

}  // namespace kmux
