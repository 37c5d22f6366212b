#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "kmux/dispatch.h"
#include "kmux/plugin/dependencies.h"

namespace kmux {

/// Returns true if equal headers in other folders of option "include_dirs" give byte-identical `code`: no text depends
/// on its location, no flag embeds locations, and `code` contains none of the folders. `code` must not be compressed.
/// Returns false if in doubt.
///
/// `include_dirs` must be absolute; `headers` are the results of `IncludeMemory` or `Headers` for `variant`.
/// Threads: any.
bool is_relocatable(const Variant& variant, const std::vector<std::string>& include_dirs,
                    const std::vector<std::string>& compile_flags, const Dependencies& headers, std::string_view code);

/// Removes "-I" with each of `include_dirs` from `arguments`, for the arguments stored in a relocatable artifact.
void leave_out_folders(std::vector<std::string>& arguments, const std::vector<std::string>& include_dirs);

}  // namespace kmux
