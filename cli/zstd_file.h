#pragma once

#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <zstd.h>

#include "kmux/error.h"

namespace kmux::cli {

struct FileCloser {
  void operator()(std::FILE* file) const { std::fclose(file); }
};
using OpenFile = std::unique_ptr<std::FILE, FileCloser>;

/// Writes a Zstandard file beside its place and moves it there when it is complete.
class ZstdWriter {
 public:
  /// Errors: unavailable with the system's reason.
  static Result<ZstdWriter> create(const std::filesystem::path& path);
  ZstdWriter(ZstdWriter&&) = default;
  ~ZstdWriter();

  /// Errors: unavailable with the system's reason.
  Status write(std::string_view bytes);
  Status finish();

 private:
  struct Free {
    void operator()(ZSTD_CCtx* context) const { ZSTD_freeCCtx(context); }
  };
  ZstdWriter(std::filesystem::path path, std::filesystem::path temporary, OpenFile file);
  Status compress(std::string_view bytes, ZSTD_EndDirective end);

  std::filesystem::path path_;
  std::filesystem::path temporary_;
  OpenFile file_;  // null once it is finished
  std::unique_ptr<ZSTD_CCtx, Free> context_;
  std::string buffer_;
};

/// Reads a Zstandard file from its beginning to its end.
class ZstdReader {
 public:
  /// Errors: unavailable with the system's reason.
  static Result<ZstdReader> open(const std::filesystem::path& path);

  /// The next `size` bytes, fewer at the end.
  ///
  /// Errors: invalid_argument if the file is damaged or truncated; unavailable if it cannot be read.
  Result<std::string> read(std::uint64_t size);

 private:
  struct Free {
    void operator()(ZSTD_DCtx* context) const { ZSTD_freeDCtx(context); }
  };
  ZstdReader(std::filesystem::path path, OpenFile file);
  Error damaged(const std::string& why) const;
  Status fill();

  std::filesystem::path path_;
  OpenFile file_;
  std::unique_ptr<ZSTD_DCtx, Free> context_;
  std::string buffer_;
  ZSTD_inBuffer input_{};
  bool in_frame_ = true;  // an empty file is a truncated one
};

}  // namespace kmux::cli
