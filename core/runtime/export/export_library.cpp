#include "kmux/export_library.h"

#include <filesystem>

#include "kmux/json.h"
#include "kmux/plugin/file_io.h"
#include "kmux/runtime.h"

#include "artifact/choice.h"
#include "exported_entry.h"
#include "library_linker.h"
#include "system/result_guard.h"

namespace kmux {
namespace {

namespace fs = std::filesystem;

constexpr const char* kLinkPart = "link.json";

Status check_path(const std::string& path, const char* what) {
  std::error_code none;
  if (path.empty()) {
    return make_error(ErrorCode::kInvalidArgument, std::string("the ") + what + " has no path. Say where to write it.");
  }
  if (fs::is_directory(path, none)) {
    return make_error(ErrorCode::kInvalidArgument,
                      std::string("the ") + what + " cannot be \"" + path + "\" (it is a folder). Name a file.");
  }
  const fs::path folder = fs::absolute(path, none).parent_path();
  if (fs::is_directory(folder, none)) return Ok{};
  return make_error(ErrorCode::kUnavailable, std::string("the ") + what + " cannot be written to \"" + path +
                                                 "\" (there is no folder \"" + folder.string() + "\"). Make it.");
}

/// Before anything that takes long.
Status check_paths(const ExportOptions& options) {
  KMUX_TRY(check_path(options.library, "library"));
  if (options.header.empty()) return Ok{};
  KMUX_TRY(check_path(options.header, "header"));
  std::error_code none;
  const auto place = [&](const std::string& path) { return fs::weakly_canonical(fs::absolute(path, none), none); };
  if (place(options.header) != place(options.library)) return Ok{};
  return make_error(ErrorCode::kInvalidArgument,
                    "library and header are both \"" + options.header + "\". Give them different paths.");
}

/// What a backend says of linking.
struct LinkFacts {
  std::int32_t device_type = 0;
  std::vector<std::string> libraries;
};

Result<LinkFacts> read_link_facts(const Artifact& parts, const std::string& backend) {
  const auto refuse = [&](const std::string& why) {
    return make_error(ErrorCode::kInternal, "backend \"" + backend + "\" gave no usable link.json (" + why +
                                                "). This is a bug of its plugin.");
  };
  const std::string* const text = parts.find(kLinkPart);
  if (text == nullptr) return refuse("there is none");
  const Result<Json> json = parse_json(*text);
  if (!json) return refuse(json.error().message);
  const Json* const type = json->find("device_type");
  const Json* const libraries = json->find("libraries");
  const std::int64_t* const number = type == nullptr ? nullptr : type->as_integer();
  const Json::Array* const list = libraries == nullptr ? nullptr : libraries->as_array();
  if (number == nullptr || list == nullptr) return refuse("device_type is no number, or libraries is no list");
  LinkFacts facts{static_cast<std::int32_t>(*number), {}};
  for (const Json& library : *list) {
    if (library.as_string() == nullptr) return refuse("a library is no text");
    facts.libraries.push_back(*library.as_string());
  }
  return facts;
}

/// The library's bytes, and the header's.
struct Products {
  std::string library;
  std::string header;
};

Result<Products> make_products(const Program& program, const ExportOptions& options, const Choice& choice,
                               const BuildResult& built) {
  KMUX_ASSIGN(const Artifact parts, choice.backend->standalone(request_in_tier(choice, built.tier), built.artifact));
  KMUX_ASSIGN(const LinkFacts link, read_link_facts(parts, built.backend));
  const ExportedFacts facts{built.backend, to_string(built.target), link.device_type,
                            choice.plugin->manifest().device_types};
  KMUX_ASSIGN(std::string entry, exported_entry(program, facts));
  const LibraryParts all{parts, std::move(entry), exported_symbols(program.name), link.libraries};
  KMUX_ASSIGN(std::string library, link_library(all, options.host_compiler));
  return Products{std::move(library), exported_header(program, facts)};
}

/// Neither is there without the other: should the second not come to be, the first goes back to what it was.
Status publish(const ExportOptions& options, const Products& products) {
  if (options.header.empty()) return write_file(options.library, products.library);
  std::error_code none;
  const bool had_header = fs::exists(options.header, none);
  const Result<std::string> before = had_header ? read_file(options.header) : Result<std::string>(std::string());
  KMUX_TRY(write_file(options.header, products.header));
  const Status written = write_file(options.library, products.library);
  if (written) return Ok{};
  if (!had_header) {
    fs::remove(options.header, none);
  } else if (before) {
    static_cast<void>(write_file(options.header, *before));
  }
  return written.error();
}

Result<ExportedLibrary> make_library(Runtime& runtime, const Program& program, const ExportOptions& options) {
  KMUX_TRY(check_paths(options));
  KMUX_ASSIGN(BuildResult built, build(runtime, program, options.compile));
  KMUX_ASSIGN(const Choice choice,
              choose(runtime, program, options.compile, built.backend, built.variant, built.target));
  KMUX_ASSIGN(const Products products, make_products(program, options, choice, built));
  KMUX_TRY(publish(options, products));
  return ExportedLibrary{.library = options.library,
                         .header = options.header,
                         .backend = built.backend,
                         .target = built.target,
                         .bytes = products.library.size(),
                         .symbols = exported_symbols(program.name),
                         .from_cache = built.from_cache,
                         .resolution = std::move(built.resolution)};
}

}  // namespace

Result<ExportedLibrary> export_library(Runtime& runtime, const Program& program, const ExportOptions& options) {
  return without_bad_alloc([&] { return make_library(runtime, program, options); });
}

Result<ExportedLibrary> export_library(const Program& program, const ExportOptions& options) {
  KMUX_ASSIGN(const std::shared_ptr<Runtime> runtime, Runtime::default_runtime());
  return export_library(*runtime, program, options);
}

}  // namespace kmux
