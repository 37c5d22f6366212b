#pragma once

#include <archive.h>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kmux/cache.h"
#include "kmux/error.h"

namespace kmux::cli {

/// The first component of all paths in a bundle.
inline constexpr std::string_view kBundleRoot = "kmux-cache-v1";

/// The result of an export or import.
struct BundleReport {
  std::uint64_t builds = 0;   // written, or newly added
  std::uint64_t present = 0;  // on import: already in the cache
  std::uint64_t bytes = 0;    // of the files of both
  std::vector<std::string> skipped = {};  // a sentence with the reason for each
};

/// Writes every build of the cache into a .tar.zst file, ordered by key: equal builds give equal bytes. Skips damaged
/// builds and those removed meanwhile.
///
/// Errors: unavailable if the file cannot be written; leaves no part of it.
Result<BundleReport> export_cache(const Cache& cache, const std::filesystem::path& file);

/// Adds the intact builds of a bundle; builds already in the cache stay. A bundle contains code that will run: it must
/// come from a trusted source.
///
/// Errors: invalid_argument if the file cannot be read, or is not a bundle: damaged, truncated, or with other files
///         than those of builds, links and other paths included; builds before the fault are added. unavailable if the
///         cache cannot be written.
Result<BundleReport> import_cache(const Cache& cache, const std::filesystem::path& file);

/// A regular file in a bundle.
struct BundleMember {
  std::string path;
  std::uint64_t size = 0;
};

/// Reads a .tar.zst file of regular files up to its last byte. Concatenated files are read as one.
class BundleReader {
 public:
  /// Errors: invalid_argument if it cannot be read, with the system's reason, or is not a Zstandard file.
  static Result<BundleReader> open(const std::filesystem::path& path);

  /// Returns the next member, or nothing after the last.
  ///
  /// Errors: invalid_argument for other members than plain files (links, devices, folders, holes, extensions of tar
  ///         formats), if the file is damaged, truncated or followed by other bytes, and if it cannot be read.
  Result<std::optional<BundleMember>> next();

  /// Returns the content of the member that `next` returned last.
  ///
  /// Errors: as for `next`.
  Result<std::string> content();

 private:
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
    void operator()(archive* archive) const { archive_read_free(archive); }
  };
  using File = std::unique_ptr<std::FILE, Close>;
  BundleReader(std::filesystem::path path, File file);
  Error failed() const;
  Error refused(const std::string& why) const;

  std::filesystem::path path_;
  File file_;
  std::unique_ptr<archive, Close> archive_;
};

/// Writes a .tar.zst file of regular files to a temporary file, and renames it when complete. Equal files in equal
/// order give equal bytes: owners and times are omitted.
class BundleWriter {
 public:
  /// Errors: unavailable with the system's reason.
  static Result<BundleWriter> create(const std::filesystem::path& path);
  BundleWriter(BundleWriter&&) = default;
  ~BundleWriter();

  /// Shapes: `path` must have at most 255 bytes; it is written unchanged.
  /// Errors: unavailable with the reason.
  Status add(const std::string& path, std::string_view content);
  Status finish();

 private:
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
    void operator()(archive* archive) const { archive_write_free(archive); }
  };
  using File = std::unique_ptr<std::FILE, Close>;
  BundleWriter(std::filesystem::path path, std::filesystem::path temporary, File file);
  Error failed() const;

  std::filesystem::path path_;
  std::filesystem::path temporary_;
  File file_;  // null once finished; outlives the archive, which writes its end into it
  std::unique_ptr<archive, Close> archive_;
};

}  // namespace kmux::cli
