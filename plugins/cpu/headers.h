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

#include "engine/compiler.h"
#include "options.h"

namespace kmux::cpu {

/// Other when a file of `dependencies` is changed, made or removed; empty where that cannot be told, and where so few
/// headers are read that compiling them in advance is not worth while.
std::string stamp_of(const Dependencies& dependencies);

/// Takes what lies below `folder` out of `dependencies`.
void leave_out(Dependencies& dependencies, const std::string& folder);

/// The headers of the machine that the sources of a job may read.
///
/// Threads: any.   Lifetime: remembers what each header includes.
class Headers {
 public:
  /// The compiler's own folders for a language, in its order.
  using SystemFolders = std::function<Result<std::vector<std::string>>(Language)>;

  /// Nothing if no file of `job` includes anything, which costs nothing; `system_folders` is not asked then.
  ///
  /// Errors: those of `system_folders`.
  Result<std::optional<Dependencies>> scan(const CompileJob& job, const SystemFolders& system_folders);

 private:
  IncludeMemory memory_;
};

/// Returns true if equal headers in other folders of option "include_dirs" give the code of `compiled`, byte by byte: no text names
/// its place, no option has places written into code, and the object has none of them. When in doubt, false.
bool is_relocatable(const Variant& variant, const BuildOptions& options, const Dependencies& headers,
                    const CompiledObject& compiled);

/// The headers that sources of dialects cuda and hip find; those of the machine are not searched.
struct DeviceHeaders {
  std::vector<File> files;  // in `kDeviceFolder` (engine/compiler.h)
  std::string prelude;  // the path of the one that comes before each source
};

/// The headers for a program whose files and options are `texts`: the prelude has what these may name, and all where names are
/// put together by a macro ("##"). What is large is only read where it is included.
DeviceHeaders device_headers(std::span<const std::string_view> texts, bool is_hip);

}  // namespace kmux::cpu
