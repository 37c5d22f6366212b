#include "cache_bundle.h"

#include <algorithm>
#include <array>
#include <optional>
#include <tuple>

#include "kmux/plugin/file_io.h"

#include "bundle_reader.h"
#include "bundle_writer.h"

namespace kmux::cli {
namespace {

namespace fs = std::filesystem;

std::uint64_t bytes_of(const PackedBuild& build) {
  std::uint64_t bytes = 0;
  for (const auto& [name, content] : build.files) bytes += content.size();
  return bytes;
}

Status write_build(BundleWriter& writer, const PackedBuild& build) {
  for (const auto& [name, content] : build.files) {
    KMUX_TRY(writer.add(std::string(kBundleRoot) + "/" + build.key + "/" + build.state + "/" + name, content));
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
  if (!path.empty() || parts[0] != kBundleRoot) return std::nullopt;
  return parts;
}

/// Takes a bundle's files one by one and adds each build to the cache when its files are together.
class Importer {
 public:
  Importer(const Cache& cache, fs::path file, BundleReader reader)
      : cache_(cache), file_(std::move(file)), reader_(std::move(reader)) {}

  Result<BundleReport> run() {
    for (;;) {
      KMUX_ASSIGN(const std::optional<BundleMember> member, reader_.next());
      if (!member) break;
      KMUX_TRY(take(*member));
    }
    KMUX_TRY(add());
    return std::move(report_);
  }

 private:
  Error refused(const std::string& why) const {
    return make_error(ErrorCode::kInvalidArgument,
                      "'" + file_.string() + "' is no bundle of `kmux cache export` (" + why + "). Make it again.");
  }

  Status take(const BundleMember& member) {
    auto parts = split(member.path);
    if (!parts) return refused("it has a file '" + member.path + "'");
    if (member.size > kMaxFileBytes) return refused("file '" + member.path + "' is too large");
    auto& [root, key, state, name] = *parts;
    if (key != build_.key || state != build_.state) {
      KMUX_TRY(add());
      build_ = {std::move(key), std::move(state), {}};
    }
    KMUX_ASSIGN(std::string content, reader_.content());
    if (content.size() != member.size) return refused("it is truncated");
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

  const Cache& cache_;
  fs::path file_;
  BundleReader reader_;
  PackedBuild build_;
  BundleReport report_;
};

}  // namespace

Result<BundleReport> export_cache(const Cache& cache, const fs::path& file) {
  std::vector<CachedBuild> builds = cache.list();
  std::ranges::sort(builds, {}, [](const CachedBuild& build) { return std::tie(build.key, build.state); });
  KMUX_ASSIGN(BundleWriter writer, BundleWriter::create(file));
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
  KMUX_TRY(writer.finish());
  return report;
}

Result<BundleReport> import_cache(const Cache& cache, const fs::path& file) {
  KMUX_ASSIGN(BundleReader reader, BundleReader::open(file));
  return Importer(cache, file, std::move(reader)).run();
}

}  // namespace kmux::cli
