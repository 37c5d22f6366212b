#include "output_file.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <unistd.h>

namespace kmux::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kProgramSuffix = ".kmux.json";

Error refused(std::string message) { return make_error(ErrorCode::kInvalidArgument, std::move(message)); }

Error cannot_write(const OutputFile& file, const std::string& why) {
  return refused(file.option + " cannot write \"" + file.path + "\" (" + why +
                 "). Name a file in a folder that exists and may be written to.");
}

Status check_place(const OutputFile& file) {
  const fs::path path = file.path;
  std::error_code missing;
  if (!path.has_filename() || fs::is_directory(path, missing)) return cannot_write(file, "it is no file name");
  if (fs::exists(path, missing) && !fs::is_regular_file(path, missing)) return cannot_write(file, "not a regular file");
  const fs::path folder = path.has_parent_path() ? path.parent_path() : fs::path(".");
  const bool is_folder = fs::is_directory(folder, missing);
  errno = missing ? missing.value() : ENOTDIR;
  if (is_folder && ::access(folder.c_str(), W_OK | X_OK) == 0) return Ok{};
  return cannot_write(file, std::strerror(errno));
}

/// Links of both kinds lead to the file itself.
bool is_same(const fs::path& a, const fs::path& b) {
  std::error_code missing;
  const auto place = [&](const fs::path& path) { return fs::weakly_canonical(fs::absolute(path, missing), missing); };
  return fs::equivalent(a, b, missing) || place(a) == place(b);
}

bool has_content(const fs::path& path) {
  std::error_code missing;
  const std::uintmax_t size = fs::file_size(path, missing);
  return !missing && size != 0;
}

}  // namespace

void describe_force(po::options_description& options) {
  options.add_options()("force", "write over files of another kind, too");
}

void OutputFiles::protect(const fs::path& path, const Program& program) {
  const std::string of_program = " of program \"" + path.string() + "\"";
  protected_.push_back({path, "it is a program"});
  for (const Variant& variant : program.variants) {
    for (const File& file : variant.sources)
      protected_.push_back({path.parent_path() / file.path, "it is a source" + of_program});
    for (const File& file : variant.headers)
      protected_.push_back({path.parent_path() / file.path, "it is a header" + of_program});
  }
}

void OutputFiles::protect(const std::string& option, const fs::path& path) {
  std::error_code missing;
  if (fs::is_regular_file(path, missing)) protected_.push_back({path, option + " reads it"});
}

std::string OutputFiles::objection(const OutputFile& file) const {
  const auto found =
      std::ranges::find_if(protected_, [&](const Protected& one) { return is_same(one.path, file.path); });
  if (found != protected_.end()) return found->reason;
  if (file.path.ends_with(kProgramSuffix)) return "that is the name of a program";
  if (!has_content(file.path) || is_of_kind(file.path, file.kind)) return "";
  return "it is there and is not " + std::string(name_of(file.kind));
}

Status OutputFiles::add(OutputFile file) {
  KMUX_TRY(check_place(file));
  for (const OutputFile& other : files_) {
    if (!is_same(other.path, file.path)) continue;
    return refused(other.option == file.option
                       ? file.option + " names \"" + file.path + "\" twice. Name a file for each."
                       : file.option + " names the file of " + other.option + " (\"" + file.path +
                             "\"). Name a file for each.");
  }
  const std::string why = is_forced_ ? "" : objection(file);
  if (!why.empty()) {
    return refused(file.option + " would overwrite \"" + file.path + "\" (" + why + "). Name another file" +
                   (file.kind == OutputKind::kLock ? "." : ", or add --force."));
  }
  files_.push_back(std::move(file));
  return Ok{};
}

}  // namespace kmux::cli
