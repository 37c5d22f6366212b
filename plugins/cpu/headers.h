#pragma once

#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kmux/dispatch.h"
#include "kmux/plugin/include_scan.h"

#include "cuda_arch.h"
#include "options.h"
#include "simt/frontend/job.h"
#include "template_headers.h"

namespace kmux::cpu {

/// Returns a stamp that changes when a file of `dependencies` is changed, created or removed. Returns an empty string
/// if that cannot be determined, or for so few headers that compiling them in advance is not worthwhile.
std::string stamp_of(const Dependencies& dependencies);

/// Removes the paths below `folder` from `dependencies`.
void leave_out(Dependencies& dependencies, const std::string& folder);

/// Finds the headers of the machine that the sources of a job may read.
///
/// Threads: any.   Lifetime: caches the includes of each header.
class Headers {
 public:
  /// Returns the compiler's own header folders for a language, in search order.
  using SystemFolders = std::function<Result<std::vector<std::string>>(simt::Language)>;

  /// Returns the headers that `job` may read. Returns an empty optional, without calling `system_folders`, if no file
  /// of `job` includes anything.
  ///
  /// Errors: those of `system_folders`.
  Result<std::optional<Dependencies>> scan(const simt::CompileJob& job, const SystemFolders& system_folders);

 private:
  IncludeMemory memory_;
};

/// Returns true if equal headers in other folders of option "include_dirs" give the code of `compiled`, byte for byte.
/// No text may name its own path, no option may write paths into code, and the object must contain none. Returns false
/// if in doubt.
bool is_relocatable(const Variant& variant, const BuildOptions& options, const Dependencies& headers,
                    const simt::CompiledObject& compiled);

/// The headers that sources of dialects cuda and hip can include; those of the machine are not searched.
struct DeviceHeaders {
  std::vector<File> files;  // in `kDeviceFolder` (simt/analysis/names.h)
  std::string prelude;  // path of the header that is included before each source
};

/// The properties of a program that decide its headers, in addition to the names that it uses.
struct HeaderNeeds {
  bool is_hip = false;
  CudaArch arch = {};
  TemplateHeaders templates = {};
};

/// Returns the headers for a program whose files and options are `texts`. The prelude includes the headers that these
/// may name, or all of them if a macro concatenates names ("##"). Large headers are read only where they are included.
DeviceHeaders device_headers(std::span<const std::string_view> texts, const HeaderNeeds& needs);

/// Returns true if `device_headers` has a header of that path, other than one that is refused.
bool has_device_header(std::string_view path);

}  // namespace kmux::cpu
