#pragma once

#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "kmux/dispatch.h"
#include "kmux/plugin/headers.h"

namespace kmux {

/// What a device needs of a variant of dialect cuda or hip.
struct DevicePart {
  Variant variant;                 // blanks stand for what was cut, so that lines and columns stay
  bool is_cut = false;                // was code cut, not includes alone?
  std::string launch_in_kernel = {};  // "k.cu:7" of the first launch in code for the device; empty if there is none
};

/// Cuts from the files of `variant` what only a compiler for the host reads: functions without a mark for the device that nothing
/// of the device's mentions, those marked `__host__` alone, types and variables that only such code mentions, and `#include` lines of
/// headers for the host. A variant without host code is returned as it is.
///
/// `names` are what the program launches and sets (kernels with template arguments, constants, values of macros): what they mention
/// stays. A header that a folder of `search` has stays, too.
/// Threads: any.   Source: docs/design/0057-host-code.md.
DevicePart device_part(const Variant& variant, const std::vector<std::string>& names, const HeaderSearch& search);

/// The names that a device's compiler must find in `variant`: those of `kernels` and `constants`, and what its macros and those of
/// `flags` stand for.
std::vector<std::string> device_names(const std::vector<std::string>& kernels, const std::vector<Constant>& constants,
                                      const Settings& settings, const std::vector<std::string>& flags);

/// The words, one of which code for the device would have to mention for it to need `header`: none where only a host can use it,
/// for example that of vectors; "thrust" for thrust/pair.h. There are blanks between them. No value for a header that a device has, or that is of no known library.
///
/// Threads: any.
std::optional<std::string_view> words_of_host_header(std::string_view header);

/// The device header that `host_header` includes and that declares one of `words`: cuda_bf16.h for cublas_v2.h and __nv_bfloat16.
/// Empty if there is none.
///
/// Threads: any.
std::string_view header_within(std::string_view host_header, const std::set<std::string_view>& words);

/// What to do about `header`, which a source for GPUs includes and which is in no place that is searched; begins with a blank.
/// Empty if it is of no standard library.
///
/// Threads: any.
std::string advice_for_missing_header(std::string_view header);

/// A folder of the machine's C and C++ compiler that has `header`; empty if none has.
///
/// Threads: any.
std::string host_folder_of(std::string_view header);

}  // namespace kmux
