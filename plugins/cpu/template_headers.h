// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string_view>

#include "kmux/dispatch.h"

#include "options.h"

namespace kmux::cpu {

/// The libraries of templates whose headers a program reads from the caller's folders.
struct TemplateHeaders {
  bool of_cutlass = false;   // `cutlass/...` and `cute/...`, which kmux refuses otherwise
  bool of_tilelang = false;  // `tl_templates/...`, of which kmux has replacements otherwise

  /// Returns true for a header of these libraries.
  bool have(std::string_view path) const;
};

/// Returns the libraries that the folders of `options` have. TileLang's headers need those of CUTLASS. Returns none if
/// `variant` requires no architecture for which they can be compiled.
TemplateHeaders find_template_headers(const Variant& variant, const BuildOptions& options);

/// Returns true if one of `texts` includes a header of these libraries for which kmux has no replacement.
bool include_template_headers(std::span<const std::string_view> texts);

}  // namespace kmux::cpu
