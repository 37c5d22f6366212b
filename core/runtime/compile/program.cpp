#include "kmux/program.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <system_error>
#include <unistd.h>
#include <utility>

#include "kmux/dispatch_json.h"
#include "kmux/error.h"
#include "kmux/guarded.h"
#include "kmux/json.h"
#include "kmux/plugin/file_io.h"
#include "kmux/plugin/quoted_headers.h"
#include "kmux/plugin/sha256.h"
#include "kmux/text.h"
#include "kmux/validate.h"

#include "base/json_text.h"

namespace kmux {
namespace {

namespace fs = std::filesystem;

/// The folder that a program's files are relative to. Files outside it are neither read nor written.
class ProgramFolder {
 public:
  /// Opens `folder`.
  ///
  /// Errors: unavailable if the folder does not exist.
  static Result<ProgramFolder> open(const std::filesystem::path& folder);

  /// Returns the real path of `file`, with all symbolic links resolved; the file need not exist.
  ///
  /// Errors: invalid_argument if `file` is absolute or leads out of the folder.
  Result<std::filesystem::path> locate(const std::string& file) const;

 private:
  explicit ProgramFolder(std::filesystem::path root) : root_(std::move(root)) {}
  std::filesystem::path root_;
};

/// Stores the files of a program beside its document. Never changes files that another program names or a person wrote.
class SavedFiles {
 public:
  /// `document` is the path of the program. The existing document, if any, determines the files that the program owns.
  SavedFiles(ProgramFolder folder, std::filesystem::path document);

  /// Stores `content` and returns its path: `path`, or a name with its digest if an existing file differs and is not
  /// owned by this program. An owned file is named by its document, unchanged since, not a program itself, and named by
  /// no other document of the folder.
  ///
  /// Errors: those of writing; invalid_argument for a path that leaves the folder.
  Result<std::string> store(const std::string& path, const std::string& content);

 private:
  bool is_own(const std::filesystem::path& file, const std::string& content);
  /// Returns true if another document of the folder names it.
  bool is_shared(const std::filesystem::path& file) const;

  ProgramFolder folder_;
  std::filesystem::path document_;
  std::map<std::filesystem::path, std::string> own_;  // SHA-256 by file
};

constexpr std::uint64_t kMaxDocumentBytes = std::uint64_t{16} << 20;  // as for reading a program
constexpr std::size_t kNameDigits = 8;  // of a digest in a name

std::string text_at(const Json& json, std::string_view key) {
  const Json* const value = json.find(key);
  const std::string* const text = value == nullptr ? nullptr : value->as_string();
  return text == nullptr ? "" : *text;
}

void add_files(const Json* list, const ProgramFolder& folder, std::map<fs::path, std::string>& files) {
  if (list == nullptr || list->as_array() == nullptr) return;
  for (const Json& item : *list->as_array()) {
    const std::string place = text_at(item, "file");
    const auto file = folder.locate(place.empty() ? text_at(item, "path") : place);
    if (file) files.emplace(*file, text_at(item, "sha256"));
  }
}

/// Returns the files that a text names, without digests.
std::map<fs::path, std::string> files_named_in(const ProgramText& text, const ProgramFolder& folder) {
  std::map<fs::path, std::string> files;
  static_cast<void>(from_text(text, [&](const std::string& path) -> Result<std::string> {
    if (const auto file = folder.locate(path)) files.emplace(*file, "");
    return std::string();
  }));
  return files;
}

/// Returns the files that a document names, with their digests; none if it is not a program.
std::map<fs::path, std::string> files_named_in(const fs::path& document, const ProgramFolder& folder) {
  std::map<fs::path, std::string> files;
  const Result<std::string> text = read_file(document, kMaxDocumentBytes);
  if (text && document.extension() == ".kmux") return files_named_in(ProgramText{document, *text}, folder);
  const Result<Json> json = text ? read_json(*text) : Result<Json>(text.error());
  const Json* const variants = json ? json->find("variants") : nullptr;
  if (variants == nullptr || variants->as_array() == nullptr) return files;
  for (const Json& variant : *variants->as_array()) {
    for (const char* key : {"sources", "headers"}) add_files(variant.find(key), folder, files);
  }
  return files;
}

/// Writes a file atomically, as `write_file` does, and returns false if the file exists. A hard link makes both atomic;
/// on a file system without links, another process may create the file in between.
Result<bool> write_new_file(const fs::path& path, const std::string& content) {
  static std::atomic<unsigned> counter{0};
  std::error_code error;
  if (fs::exists(path, error)) return false;
  const std::string suffix = "." + std::to_string(::getpid()) + "." + std::to_string(counter++) + ".new";
  const fs::path temporary = path.parent_path() / ("." + path.filename().string() + suffix);
  KMUX_TRY(write_file(temporary, content));
  const int failure = ::link(temporary.c_str(), path.c_str()) == 0 ? 0 : errno;
  fs::remove(temporary, error);
  if (failure == 0) return true;
  if (failure == EEXIST) return false;
  KMUX_TRY(write_file(path, content));
  return true;
}

/// Returns "src/s-01ab.c" for "src/s.c" with digest 01ab...
std::string with_digest(const fs::path& path, const std::string& digest) {
  fs::path name = path.stem();
  name += "-" + digest;
  name += path.extension();
  return (path.parent_path() / name).string();
}

SavedFiles::SavedFiles(ProgramFolder folder, fs::path document)
    : folder_(std::move(folder)), document_(std::move(document)), own_(files_named_in(document_, folder_)) {}

Result<std::string> SavedFiles::store(const std::string& path, const std::string& content) {
  const std::string digest = sha256_hex(content);
  const std::array<std::string, 3> names = {path, with_digest(path, digest.substr(0, kNameDigits)),
                                            with_digest(path, digest)};
  for (const std::string& name : names) {
    KMUX_ASSIGN(const fs::path file, folder_.locate(name));
    std::error_code error;
    fs::create_directories(file.parent_path(), error);  // a failure shows in the write, with the reason
    KMUX_ASSIGN(const bool is_new, write_new_file(file, content));
    if (is_new) return name;
    KMUX_ASSIGN(const std::string present, read_file(file));
    if (present == content) return name;
    if (!is_own(file, present)) continue;
    KMUX_TRY(write_file(file, content));
    return name;
  }
  return make_error(ErrorCode::kInvalidArgument, "file '" + path +
                                                     "' cannot be stored (it is there with another content, as is '" +
                                                     names.back() + "'). Save the program in another folder.");
}

bool SavedFiles::is_own(const fs::path& file, const std::string& content) {
  const auto found = own_.find(file);
  const bool is_listed = found != own_.end() && found->second == sha256_hex(content);
  return is_listed && !carries_text(content) && !is_shared(file);
}

bool SavedFiles::is_shared(const fs::path& file) const {
  for (const fs::path& other : entries_in(document_.parent_path().empty() ? "." : document_.parent_path())) {
    const bool is_document = other.extension() == ".json" || other.extension() == ".kmux";
    if (!is_document || other.filename() == document_.filename()) continue;
    if (files_named_in(other, folder_).contains(file)) return true;
  }
  return false;
}

Error leaves(const std::string& file, const fs::path& root, const std::string& why) {
  return make_error(ErrorCode::kInvalidArgument, "file '" + file + "' leaves the program's folder '" + root.string() +
                                                     "' (" + why + "). Keep the program's files below its folder.");
}

bool is_below(const fs::path& path, const fs::path& root) {
  const auto [in_root, in_path] = std::mismatch(root.begin(), root.end(), path.begin(), path.end());
  return in_root == root.end() && in_path != path.end();
}

Result<ProgramFolder> ProgramFolder::open(const fs::path& folder) {
  std::error_code error;
  const fs::path root = fs::canonical(folder.empty() ? fs::path(".") : folder, error);
  if (!error) return ProgramFolder(root);
  return make_error(ErrorCode::kUnavailable, "cannot open folder '" + folder.string() + "' (" + error.message() +
                                                 "). Check the path and its permissions.");
}

Result<fs::path> ProgramFolder::locate(const std::string& file) const {
  const fs::path relative(file);
  if (relative.is_absolute()) return leaves(file, root_, "the path is absolute");
  for (const fs::path& part : relative)
    if (part == "..") return leaves(file, root_, "the path has '..'");
  std::error_code error;
  fs::path real = fs::weakly_canonical(root_ / relative, error);
  if (error) return leaves(file, root_, error.message());
  if (!is_below(real, root_)) return leaves(file, root_, "it is really '" + real.string() + "'");
  return real;
}

/// Adds the program's path to an error.
Error in_program(const fs::path& path, Error error) {
  error.message = "program '" + path.string() + "': " + error.message;
  return error;
}

Result<Program> parse(const std::string& json, const FileReader& files) {
  KMUX_ASSIGN(Program program, from_json(json, files));
  KMUX_TRY(check_valid(program));
  return program;
}

/// The contents of files by path. Variants may share files, and `check_valid` has verified that they agree.
using Contents = std::map<std::string, const std::string*>;

Contents contents_of(const Program& program) {
  Contents contents;
  for (const Variant& variant : program.variants) {
    for (const File& file : variant.sources) contents.emplace(file.path, &file.content);
    for (const File& file : variant.headers) contents.emplace(file.path, &file.content);
  }
  return contents;
}

/// The places of files that are not at their path, by path.
using Places = std::map<std::string, std::string>;

void name_places(Json& variant, const char* key, const Places& places) {
  if (variant.find(key) == nullptr) return;
  for (Json& file : *variant[key].as_array()) {
    const auto place = places.find(*file.find("path")->as_string());
    if (place != places.end()) file["file"] = place->second;
  }
}

Result<std::string> document_of(const Program& program, const Places& places) {
  if (places.empty()) return to_pretty_json(program);
  KMUX_ASSIGN(Json json, read_json(to_json(program)));
  for (Json& variant : *json["variants"].as_array()) {
    for (const char* key : {"sources", "headers"}) name_places(variant, key, places);
  }
  return dump(json, 2) + "\n";
}

/// Writes the document last, so that all its files exist once it does.
Status save(const Program& program, const fs::path& path) {
  KMUX_TRY(check_valid(program));
  const Contents contents = contents_of(program);
  if (contents.contains(path.filename().string())) {
    return make_error(ErrorCode::kInvalidArgument, "file '" + path.filename().string() +
                                                       "' would overwrite the program (it is also a source of it). "
                                                       "Save the program under another name.");
  }
  KMUX_ASSIGN(ProgramFolder folder, ProgramFolder::open(fs::path(path).parent_path()));
  SavedFiles files(std::move(folder), path);
  Places places;
  for (const auto& [file, content] : contents) {
    KMUX_ASSIGN(std::string place, files.store(file, *content));
    if (place != file) places.emplace(file, std::move(place));
  }
  KMUX_ASSIGN(const std::string document, document_of(program, places));
  return write_file(path, document + "\n");
}

/// Parses a program in text form. One that is in a source is what the user named, so that the source's includes count
/// as they do for a compiler; a separate file has its sources below its folder.
Result<Program> from_text_of(const ProgramText& text, const fs::path& path, const FileReader& files) {
  KMUX_ASSIGN(Program program, from_text(text, files));
  const HeaderReach reach = text.source_path.empty() ? HeaderReach::kFolder : HeaderReach::kTree;
  for (Variant& variant : program.variants) add_quoted_headers(variant, path.parent_path(), reach);
  KMUX_TRY(check_valid(program));
  return program;
}

}  // namespace

Result<Program> load_program(const std::string& path) {
  return guarded([&]() -> Result<Program> {
    KMUX_ASSIGN(const std::string content, read_named_file(path));
    KMUX_ASSIGN(const ProgramFolder folder, ProgramFolder::open(fs::path(path).parent_path()));
    const FileReader files = [&folder](const std::string& file) -> Result<std::string> {
      KMUX_ASSIGN(const fs::path real, folder.locate(file));
      return read_file(real);
    };
    if (const std::optional<ProgramText> text = text_in_file(path, content)) return from_text_of(*text, path, files);
    Result<Program> program = parse(content, files);
    if (!program) return in_program(path, std::move(program).error());
    return program;
  });
}

Status save_program(const Program& program, const std::string& path) {
  return guarded([&]() -> Status {
    Status saved = save(program, path);
    if (!saved) return in_program(path, std::move(saved).error());
    return saved;
  });
}

}  // namespace kmux
