#include "cache_bundle.h"

#include <algorithm>
#include <array>
#include <optional>
#include <tuple>

#include "kmux/file_io.h"

#include "tar_header.h"
#include "zstd_file.h"

namespace kmux::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kRoot = "kmux-cache-v1";

std::uint64_t bytes_of(const PackedBuild& build) {
  std::uint64_t bytes = 0;
  for (const auto& [name, content] : build.files) bytes += content.size();
  return bytes;
}

Status write_build(ZstdWriter& writer, const PackedBuild& build) {
  for (const auto& [name, content] : build.files) {
    const std::string path = std::string(kRoot) + "/" + build.key + "/" + build.state + "/" + name;
    KMUX_TRY(writer.write(tar_header({path, content.size()})));
    KMUX_TRY(writer.write(content));
    KMUX_TRY(writer.write(std::string(tar_padding(content.size()), '\0')));
  }
  return Ok{};
}

/// The four components of a path in a bundle, or nothing. What they may be is for the cache to say.
std::optional<std::array<std::string, 4>> split(std::string_view path) {
  std::array<std::string, 4> parts;
  for (std::string& part : parts) {
    const std::size_t size = std::min(path.find('/'), path.size());
    part = path.substr(0, size);
    path.remove_prefix(std::min(size + 1, path.size()));
    if (part.empty()) return std::nullopt;
  }
  if (!path.empty() || parts[0] != kRoot) return std::nullopt;
  return parts;
}

/// Takes a bundle's files one by one and adds each build to the cache when its files are together.
class Importer {
 public:
  Importer(const Cache& cache, fs::path file, ZstdReader reader)
      : cache_(cache), file_(std::move(file)), reader_(std::move(reader)) {}

  Result<BundleReport> run() {
    for (;;) {
      KMUX_ASSIGN(const std::string block, reader_.read(kTarBlock));
      if (block == std::string(kTarBlock, '\0')) break;
      const std::optional<TarMember> member = read_tar_header(block);
      if (!member) return refused("it has something else than the files of builds");
      KMUX_TRY(take(*member));
    }
    KMUX_TRY(add());
    KMUX_TRY(check_end());
    return std::move(report_);
  }

 private:
  Error refused(const std::string& why) const {
    return make_error(ErrorCode::kInvalidArgument,
                      "'" + file_.string() + "' is no bundle of `kmux cache export` (" + why + "). Make it again.");
  }

  Status take(const TarMember& member) {
    auto parts = split(member.path);
    if (!parts) return refused("it has a file '" + member.path + "'");
    if (member.size > kMaxFileBytes) return refused("file '" + member.path + "' is too large");
    auto& [root, key, state, name] = *parts;
    if (key != build_.key || state != build_.state) {
      KMUX_TRY(add());
      build_ = {std::move(key), std::move(state), {}};
    }
    KMUX_ASSIGN(std::string content, reader_.read(member.size));
    KMUX_ASSIGN(const std::string padding, reader_.read(tar_padding(member.size)));
    if (content.size() != member.size || padding != std::string(tar_padding(member.size), '\0')) {
      return refused("it is truncated");
    }
    if (!build_.files.emplace(std::move(name), std::move(content)).second) {
      return refused("it has '" + member.path + "' twice");
    }
    return Ok{};
  }

  /// Adds the build whose files were taken.
  Status add() {
    if (build_.files.empty()) return Ok{};
    const Result<Cache::Added> added = cache_.add(build_);
    if (!added && added.error().code != ErrorCode::kInvalidArgument) return added.error();
    if (!added) {
      report_.skipped.push_back(added.error().message);
      return Ok{};
    }
    ++(*added == Cache::Added::kNew ? report_.builds : report_.present);
    report_.bytes += bytes_of(build_);
    return Ok{};
  }

  /// After the first block of zeros: a second one, then nothing.
  Status check_end() {
    KMUX_ASSIGN(const std::string rest, reader_.read(2 * kTarBlock));
    if (rest != std::string(kTarBlock, '\0')) return refused("something follows its end");
    return Ok{};
  }

  const Cache& cache_;
  fs::path file_;
  ZstdReader reader_;
  PackedBuild build_;
  BundleReport report_;
};

}  // namespace

Result<BundleReport> export_cache(const Cache& cache, const fs::path& file) {
  std::vector<CachedBuild> builds = cache.list();
  std::ranges::sort(builds, {}, [](const CachedBuild& build) { return std::tie(build.key, build.state); });
  KMUX_ASSIGN(ZstdWriter writer, ZstdWriter::create(file));
  BundleReport report;
  for (const CachedBuild& build : builds) {
    const Result<PackedBuild> packed = Cache::pack(build);
    if (!packed) {
      report.skipped.push_back(packed.error().message);
      continue;
    }
    KMUX_TRY(write_build(writer, *packed));
    ++report.builds;
    report.bytes += bytes_of(*packed);
  }
  KMUX_TRY(writer.write(std::string(2 * kTarBlock, '\0')));
  KMUX_TRY(writer.finish());
  return report;
}

Result<BundleReport> import_cache(const Cache& cache, const fs::path& file) {
  KMUX_ASSIGN(ZstdReader reader, ZstdReader::open(file));
  return Importer(cache, file, std::move(reader)).run();
}

}  // namespace kmux::cli
