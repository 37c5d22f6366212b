#pragma once

#include <archive.h>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "kmux/error.h"

namespace kmux::cli {

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

}  // namespace kmux::cli
