#include "kmux/cached_program.h"

#include "kmux/dispatch_json.h"
#include "kmux/guarded.h"
#include "kmux/runtime.h"
#include "kmux/validate.h"

#include "cache/artifact_cache.h"
#include "system/runtime_impl.h"

namespace kmux {
namespace {

CacheKey key_of(const std::string& origin) { return note_key("program", {{"origin", origin}}); }

Json files_of(const Program& program) {
  Json::Object files;
  for (const Variant& variant : program.variants) {
    for (const File& file : variant.sources) files.emplace(file.path, file.content);
    for (const File& file : variant.headers) files.emplace(file.path, file.content);
  }
  return files;
}

Result<std::string> text_of(const Json* object, const std::string& name) {
  const Json* const value = object == nullptr ? nullptr : object->find(name);
  if (const std::string* text = value == nullptr ? nullptr : value->as_string()) return *text;
  return make_error(ErrorCode::kInvalidArgument,
                    "\"" + name + "\" is missing in the cached program (damage). Prune the cache.");
}

Result<Program> program_of(const Json& note) {
  KMUX_ASSIGN(const std::string document, text_of(&note, "document"));
  const Json* const files = note.find("files");
  KMUX_ASSIGN(Program program, from_json(document, [files](const std::string& path) { return text_of(files, path); }));
  KMUX_TRY(check_valid(program));
  return program;
}

}  // namespace

std::optional<Program> cached_program(const Runtime& runtime, const std::string& origin) {
  Result<Program> program = guarded([&]() -> Result<Program> {
    const std::optional<Json> note = find_note(runtime.impl().cache().get(), key_of(origin));
    if (!note) return make_error(ErrorCode::kUnavailable, "it is not in the cache.");
    return program_of(*note);
  });
  if (!program) return std::nullopt;
  return *std::move(program);
}

void cache_program(const Runtime& runtime, const std::string& origin, const Program& program) {
  static_cast<void>(guarded([&]() -> Status {
    const Json note = Json::Object{{"document", to_json(program)}, {"files", files_of(program)}};
    store_note(runtime.impl().cache().get(), key_of(origin), note, false);
    return Ok{};
  }));
}

}  // namespace kmux
