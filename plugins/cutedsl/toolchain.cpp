#include "toolchain.h"

#include <filesystem>
#include <optional>

#include "kmux/plugin/file_io.h"
#include "kmux/plugin/host_compiler.h"

#include "python.h"

namespace kmux::cutedsl {
namespace {

namespace fs = std::filesystem;

Result<Json> identify_now(const Host& host, const BuildOptions& options) {
  KMUX_ASSIGN(const Python python, find_python(host));
  KMUX_ASSIGN(const std::string compiler, find_host_compiler(options.host_compiler, "backend cutedsl"));
  return Json(Json::Object{{"python", identify(python)}, {"host_compiler", identify_compiler(compiler)}});
}

std::optional<fs::path> kept_file(const Host& host) {
  const auto folder = host.option("kmux.cache_dir");
  if (!folder || folder->empty()) return std::nullopt;
  return fs::path(*folder) / "cutedsl" / "toolchain.json";
}

std::optional<Json> read_kept(const fs::path& file) {
  const auto text = read_file(file);
  if (!text) return std::nullopt;
  auto json = parse_json(*text);
  return json ? std::optional(*std::move(json)) : std::nullopt;
}

// A cache that cannot be written to has nothing to find later.
void keep(const fs::path& file, const Json& programs) {
  if (read_kept(file) == programs) return;
  std::error_code error;
  fs::create_directories(file.parent_path(), error);
  static_cast<void>(write_file(file, dump(programs)));
}

}  // namespace

Result<Json> identify_toolchain(const Host& host, const BuildOptions& options) {
  auto now = identify_now(host, options);
  const auto file = kept_file(host);
  if (!file) return now;
  if (now) {
    keep(*file, *now);
    return now;
  }
  auto kept = read_kept(*file);
  if (!kept) return now;
  host.log(Host::Level::kDebug, "using what was built before: " + now.error().message);
  return *std::move(kept);
}

bool has_kept_toolchain(const Host& host) {
  const auto file = kept_file(host);
  return file && read_kept(*file);
}

}  // namespace kmux::cutedsl
