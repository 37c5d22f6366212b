#pragma once

#include <span>
#include <string>
#include <string_view>

#include "kmux/dispatch.h"

#include "options.h"

namespace kmux::cpu {

/// Returns true if `path` is a header of TileLang or of CUTLASS: `tl_templates/...`, `cutlass/...` or `cute/...`.
bool is_template_header(std::string_view path);

/// Returns true if `variant` requires an architecture for which TileLang's and CUTLASS's headers can be compiled, and
/// the folders of `options` have both.
bool has_template_headers(const Variant& variant, const BuildOptions& options);

/// Returns true if one of `texts` includes a header of TileLang or CUTLASS that kmux has no header for.
bool include_template_headers(std::span<const std::string_view> texts);

}  // namespace kmux::cpu
