#include <system_error>

#include "kmux/dispatch_json.h"
#include "kmux/plugin/file_io.h"
#include "kmux/program.h"

#include "jit_state.h"

namespace kmux {
namespace {

constexpr std::size_t kDigits = 12;

Status make_folders(const std::filesystem::path& folder) {
  std::error_code failure;
  std::filesystem::create_directories(folder, failure);
  if (!failure) return Ok{};
  return make_error(ErrorCode::kUnavailable, "folder '" + folder.string() + "' cannot be made (" + failure.message() +
                                                 "). Give another debug_root_path.");
}

}  // namespace

std::filesystem::path DebugFiles::folder_of(const Program& program) const {
  return root_ / (program.name + "-" + digest(program).substr(0, kDigits));
}

Status DebugFiles::write_program(const Program& program, const std::string& config) const {
  if (root_.empty()) return Ok{};
  const std::filesystem::path folder = folder_of(program);
  KMUX_TRY(make_folders(folder / "program"));
  KMUX_TRY(save_program(program, folder / "program" / (program.name + ".kmux.json")));
  if (!function_.empty()) KMUX_TRY(write_file(folder / "function.txt", function_));
  return write_file(folder / "config.json", config + "\n");
}

Status DebugFiles::write_launcher(const Program& program, const Kernel& kernel) const {
  if (root_.empty()) return Ok{};
  return write_file(folder_of(program) / ("launcher-" + kernel.backend() + ".txt"), kernel.launcher());
}

}  // namespace kmux
