#pragma once

#include <archive.h>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "kmux/error.h"

namespace kmux::cli {

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
