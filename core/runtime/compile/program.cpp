#include "kmux/program.h"

#include <map>
#include <string>

#include "kmux/dispatch_json.h"
#include "kmux/json.h"
#include "kmux/plugin/file_io.h"
#include "kmux/validate.h"

#include "saved_files.h"
#include "toolchain/named_file.h"

namespace kmux {
namespace {

namespace fs = std::filesystem;

/// Says of which program an error speaks.
Error in_program(const fs::path& path, Error error) {
  error.message = "program '" + path.string() + "': " + error.message;
  return error;
}

Result<Program> parse(const std::string& json, const ProgramFolder& folder) {
  KMUX_ASSIGN(Program program, from_json(json, [&folder](const std::string& file) -> Result<std::string> {
                KMUX_ASSIGN(const fs::path real, folder.locate(file));
                return read_file(real);
              }));
  KMUX_TRY(check_valid(program));
  return program;
}

/// By path: variants may share files, and `check_valid` saw to it that they agree.
using Contents = std::map<std::string, const std::string*>;

Contents contents_of(const Program& program) {
  Contents contents;
  for (const Variant& variant : program.variants) {
    for (const File& file : variant.sources) contents.emplace(file.path, &file.content);
    for (const File& file : variant.headers) contents.emplace(file.path, &file.content);
  }
  return contents;
}

/// Where files lie, by path, if not there.
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
  KMUX_ASSIGN(Json json, parse_json(to_json(program)));
  for (Json& variant : *json["variants"].as_array()) {
    for (const char* key : {"sources", "headers"}) name_places(variant, key, places);
  }
  return dump(json, 2) + "\n";
}

/// The document goes last: whoever finds it finds its files.
Status save(const Program& program, const fs::path& path) {
  KMUX_TRY(check_valid(program));
  const Contents contents = contents_of(program);
  if (contents.contains(path.filename().string())) {
    return make_error(ErrorCode::kInvalidArgument, "file '" + path.filename().string() +
                                                       "' would overwrite the program (it is also a source of it). "
                                                       "Save the program under another name.");
  }
  KMUX_ASSIGN(ProgramFolder folder, ProgramFolder::open(path.parent_path()));
  SavedFiles files(std::move(folder), path);
  Places places;
  for (const auto& [file, content] : contents) {
    KMUX_ASSIGN(std::string place, files.store(file, *content));
    if (place != file) places.emplace(file, std::move(place));
  }
  KMUX_ASSIGN(const std::string document, document_of(program, places));
  return write_file(path, document + "\n");
}

}  // namespace

Result<Program> load_program(const fs::path& path) {
  KMUX_ASSIGN(const std::string json, read_named_file(path));
  KMUX_ASSIGN(const ProgramFolder folder, ProgramFolder::open(path.parent_path()));
  Result<Program> program = parse(json, folder);
  if (!program) return in_program(path, std::move(program).error());
  return program;
}

Status save_program(const Program& program, const fs::path& path) {
  Status saved = save(program, path);
  if (!saved) return in_program(path, std::move(saved).error());
  return saved;
}

}  // namespace kmux
