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

/// What the paths of all files in a bundle begin with.
inline constexpr std::string_view kBundleRoot = "kmux-cache-v1";

/// What was carried into or out of a bundle.
struct BundleReport {
  std::uint64_t builds = 0;   // written, or newly added
  std::uint64_t present = 0;  // on import: were there already
  std::uint64_t bytes = 0;    // of the files of both
  std::vector<std::string> skipped = {};  // why, a sentence each
};

/// Writes every build of the cache into a .tar.zst file, in the order of their keys: the same builds give the same
/// bytes. Damaged ones, and those that are removed meanwhile, are skipped.
///
/// Errors: unavailable if the file cannot be written; nothing of it is then left.
Result<BundleReport> export_cache(const Cache& cache, const std::filesystem::path& file);

/// Adds the builds of a bundle that are whole; what is in the cache already stays. A bundle has code that will run: take
/// it only from somebody whom you trust.
///
/// Errors: invalid_argument if the file is not a bundle: it is damaged, truncated or has anything but the files of
///         builds, links and other paths included; what came before it was added; or if it cannot be read. unavailable
///         if the cache cannot be written to.
Result<BundleReport> import_cache(const Cache& cache, const std::filesystem::path& file);

/// A regular file in a bundle.
struct BundleMember {
  std::string path;
  std::uint64_t size = 0;
};

/// Reads a .tar.zst file of regular files from its beginning to the end of its bytes, and such files joined as one.
class BundleReader {
 public:
  /// Errors: invalid_argument if it cannot be read, with the system's reason, or is no Zstandard file.
  static Result<BundleReader> open(const std::filesystem::path& path);

  /// The next member, or nothing after the last.
  ///
  /// Errors: invalid_argument for anything but a plain file (links, devices, folders, holes, the extensions of tar
  ///         formats) and if the file is damaged, truncated or followed by something else; unavailable if it cannot
  ///         be read.
  Result<std::optional<BundleMember>> next();

  /// What is in the member that `next` gave last.
  ///
  /// Errors: as those of `next`.
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

/// Writes a .tar.zst file of regular files beside its place and moves it there when it is complete. The same files in
/// the same order give the same bytes: they are of no owner and of no time.
class BundleWriter {
 public:
  /// Errors: unavailable with the system's reason.
  static Result<BundleWriter> create(const std::filesystem::path& path);
  BundleWriter(BundleWriter&&) = default;
  ~BundleWriter();

  /// Shapes: `path` has at most 255 bytes and is written as it is.
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
  File file_;  // null once it is finished; outlives the archive, whose end is written into it
  std::unique_ptr<archive, Close> archive_;
};

}  // namespace kmux::cli
