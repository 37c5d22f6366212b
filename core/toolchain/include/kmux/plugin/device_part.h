#pragma once

#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "kmux/dispatch.h"
#include "kmux/plugin/headers.h"

namespace kmux {

/// The device code of a variant of dialect cuda or hip.
struct DevicePart {
  Variant variant;                 // blanks replace host code, so that lines and columns stay valid
  bool is_cut = false;                // true if code was removed, not only includes
  std::string launch_in_kernel = {};  // "k.cu:7" of the first launch in device code; empty if none
};

/// Removes host-only code from the files of `variant`: functions without a device mark that device code does not
/// mention, functions marked `__host__` only, types and variables that only such code mentions, and `#include` lines of
/// host headers. Returns a variant without host code unchanged.
///
/// `names` are the launched and set names of the program (kernels with template arguments, constants, values of
/// macros); declarations that they mention stay. Headers found in a folder of `search` stay, too.
/// Threads: any.   Source: docs/design/0057-host-code.md.
DevicePart device_part(const Variant& variant, const std::vector<std::string>& names, const HeaderSearch& search);

/// Returns the names that a device compiler must find in `variant`: those of `kernels` and `constants`, and the values
/// of its macros and of the macros in `flags`.
std::vector<std::string> device_names(const std::vector<std::string>& kernels, const std::vector<Constant>& constants,
                                      const Settings& settings, const std::vector<std::string>& flags);

/// Returns the words of which device code must mention one to need `header`, separated by blanks: "thrust" for
/// thrust/pair.h. Returns an empty string for a host-only header, for example that of vectors. Returns nothing for a
/// device header or one of an unknown library.
///
/// Threads: any.
std::optional<std::string_view> words_of_host_header(std::string_view header);

/// Returns the device header that `host_header` includes and that declares one of `words`: cuda_bf16.h for cublas_v2.h
/// and __nv_bfloat16. Empty if none.
///
/// Threads: any.
std::string_view header_within(std::string_view host_header, const std::set<std::string_view>& words);

/// Returns advice about `header`, which GPU source includes and no search folder has; begins with a blank. Empty if it
/// belongs to no standard library.
///
/// Threads: any.
std::string advice_for_missing_header(std::string_view header);

/// Returns a folder of the machine's C and C++ compiler that has `header`; empty if none.
///
/// Threads: any.
std::string host_folder_of(std::string_view header);

}  // namespace kmux
