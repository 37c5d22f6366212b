#include "output_file.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <string>
#include <unistd.h>

#include "kmux/json.h"
#include "kmux/plugin/file_io.h"
#include "kmux/trace.h"

#include "cache_bundle.h"
#include "program_input.h"

namespace kmux::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kProgramSuffix = ".kmux.json";
constexpr std::string_view kTextSuffix = ".kmux";

Error refused(std::string message) { return make_error(ErrorCode::kInvalidArgument, std::move(message)); }

Error cannot_write(const OutputFile& file, const std::string& why) {
  return refused(file.option + " cannot write \"" + file.path + "\" (" + why +
                 "). Name a file in a folder that exists and may be written to.");
}

Status check_place(const OutputFile& file) {
  const fs::path path = file.path;
  std::error_code missing;
  if (!path.has_filename() || fs::is_directory(path, missing)) return cannot_write(file, "it is not a file name");
  if (fs::exists(path, missing) && !fs::is_regular_file(path, missing)) return cannot_write(file, "not a regular file");
  const fs::path folder = path.has_parent_path() ? path.parent_path() : fs::path(".");
  const bool is_folder = fs::is_directory(folder, missing);
  errno = missing ? missing.value() : ENOTDIR;
  if (is_folder && ::access(folder.c_str(), W_OK | X_OK) == 0) return Ok{};
  return cannot_write(file, std::strerror(errno));
}

/// Returns true for the same file, including hard and symbolic links.
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

Status rewrite_file(const std::string& path, const std::string& content) {
  std::error_code error;
  const fs::path real = fs::canonical(path, error);
  return write_file(error ? fs::path(path) : real, content);
}

void describe_force(po::options_description& options) {
  options.add_options()("force", "write over files of another kind, too");
}

void OutputFiles::protect(const fs::path& path, const Program& program) {
  if (path == kStandardInput) return;
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
  if (file.path.ends_with(kTextSuffix)) return "that is the name of a text";
  if (file.path.ends_with(kProgramSuffix) && file.kind != OutputKind::kProgram) return "that is the name of a program";
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

namespace {

namespace fs = std::filesystem;

constexpr std::size_t kHeadBytes = 1024;  // longer than the signature of any kind

std::string head_of(const fs::path& file) {
  std::string head(kHeadBytes, '\0');
  std::ifstream in(file, std::ios::binary);
  in.read(head.data(), static_cast<std::streamsize>(head.size()));
  head.resize(static_cast<std::size_t>(in.gcount()));
  return head;
}

/// Returns true if the first line of the head contains `text`.
bool has_in_first_line(std::string_view head, std::string_view text) {
  return head.substr(0, head.find('\n')).find(text) != std::string_view::npos;
}

bool has_key(const fs::path& file, std::string_view key) {
  const Result<std::string> text = read_file(file);
  const Result<Json> json = text ? parse_json(*text) : Result<Json>(text.error());
  return json && json->find(key) != nullptr;
}

/// A bundle of an empty cache has no members.
bool is_bundle(const fs::path& file) {
  Result<BundleReader> reader = BundleReader::open(file);
  if (!reader) return false;
  const Result<std::optional<BundleMember>> first = reader->next();
  return first && (!*first || (*first)->path.starts_with(kBundleRoot));
}

/// Every exported library contains the TVM-FFI entry point, and hardly any other does.
bool is_exported_library(const fs::path& file) {
  if (!head_of(file).starts_with("\x7f"
                                 "ELF"))
    return false;
  const Result<std::string> bytes = read_file(file);
  return bytes && bytes->find("__tvm_ffi_") != std::string::npos;
}

bool is_page(std::string_view head) {
  return head.starts_with("<!doctype html>") && head.find("<title>kmux bench</title>") != std::string_view::npos;
}

}  // namespace

std::string_view name_of(OutputKind kind) {
  static constexpr std::array<std::string_view, 11> kNames = {"an artifact",
                                                              "a bundle of `kmux cache export`",
                                                              "a table of `kmux bench`",
                                                              "a header of `kmux export`",
                                                              "a library of `kmux export`",
                                                              "a lock file",
                                                              "a page of `kmux bench`",
                                                              "a program",
                                                              "a report of `kmux bench`",
                                                              "a .npy file",
                                                              "a trace of kmux"};
  return kNames[static_cast<std::size_t>(kind)];
}

bool is_of_kind(const fs::path& file, OutputKind kind) {
  switch (kind) {
    case OutputKind::kArtifact:
      return head_of(file).starts_with("kmuxart\n");
    case OutputKind::kBundle:
      return is_bundle(file);
    case OutputKind::kCsv:
      return head_of(file).starts_with("program,axes,backend,state,column,");
    case OutputKind::kHeader:
      return head_of(file).starts_with("/* ") && has_in_first_line(head_of(file), " of kmux ");
    case OutputKind::kLibrary:
      return is_exported_library(file);
    case OutputKind::kLock:
      return has_key(file, "kmux_lock");
    case OutputKind::kPage:
      return is_page(head_of(file));
    case OutputKind::kProgram:
      return has_key(file, "format");
    case OutputKind::kReport:
      return has_key(file, "kmux_bench");
    case OutputKind::kTensor:
      return head_of(file).starts_with("\x93NUMPY");
    case OutputKind::kTrace:
      return head_of(file).starts_with(kTraceHead);
  }
  return false;
}

}  // namespace kmux::cli
