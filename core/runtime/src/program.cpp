#include "kmux/program.h"

#include <map>
#include <string>

#include "kmux/dispatch_json.h"
#include "kmux/file_io.h"
#include "kmux/validate.h"

#include "program_folder.h"

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

Status write_below(const ProgramFolder& folder, const std::string& file, const std::string& content) {
  KMUX_ASSIGN(const fs::path real, folder.locate(file));
  std::error_code error;
  fs::create_directories(real.parent_path(), error);  // a failure shows in the write, with the reason
  return write_file(real, content);
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
  KMUX_ASSIGN(const ProgramFolder folder, ProgramFolder::open(path.parent_path()));
  for (const auto& [file, content] : contents) KMUX_TRY(write_below(folder, file, *content));
  return write_file(path, to_pretty_json(program) + "\n");
}

}  // namespace

Result<Program> load_program(const fs::path& path) {
  KMUX_ASSIGN(const std::string json, read_file(path));
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
