#include "zstd_file.h"

#include <algorithm>
#include <cerrno>
#include <system_error>
#include <unistd.h>

namespace kmux::cli {
namespace {

namespace fs = std::filesystem;

Error failed(const std::string& what, const fs::path& path, const std::string& advice) {
  const int error = errno;
  return make_error(ErrorCode::kUnavailable, "cannot " + what + " '" + path.string() + "' (" +
                                                 std::generic_category().message(error) + "). " + advice);
}

Error cannot_write(const fs::path& path) { return failed("write", path, "Check the folder and its permissions."); }

}  // namespace

ZstdWriter::ZstdWriter(fs::path path, fs::path temporary, OpenFile file)
    : path_(std::move(path)),
      temporary_(std::move(temporary)),
      file_(std::move(file)),
      context_(ZSTD_createCCtx()),
      buffer_(ZSTD_CStreamOutSize(), '\0') {
  ZSTD_CCtx_setParameter(context_.get(), ZSTD_c_checksumFlag, 1);
}

Result<ZstdWriter> ZstdWriter::create(const fs::path& path) {
  fs::path temporary = path;
  temporary += "." + std::to_string(::getpid()) + ".tmp";
  OpenFile file(std::fopen(temporary.c_str(), "wbxe"));
  if (file == nullptr) return cannot_write(temporary);
  return ZstdWriter(path, std::move(temporary), std::move(file));
}

ZstdWriter::~ZstdWriter() {
  if (file_ != nullptr) ::unlink(temporary_.c_str());
}

Status ZstdWriter::compress(std::string_view bytes, ZSTD_EndDirective end) {
  ZSTD_inBuffer input{bytes.data(), bytes.size(), 0};
  for (std::size_t left = 1; left != 0 || input.pos < input.size;) {
    ZSTD_outBuffer output{buffer_.data(), buffer_.size(), 0};
    left = ZSTD_compressStream2(context_.get(), &output, &input, end);
    if (ZSTD_isError(left) != 0) return make_error(ErrorCode::kInternal, ZSTD_getErrorName(left));
    if (std::fwrite(buffer_.data(), 1, output.pos, file_.get()) != output.pos) return cannot_write(temporary_);
    if (end == ZSTD_e_continue && input.pos == input.size) break;
  }
  return Ok{};
}

Status ZstdWriter::write(std::string_view bytes) { return compress(bytes, ZSTD_e_continue); }

Status ZstdWriter::finish() {
  KMUX_TRY(compress({}, ZSTD_e_end));
  if (std::fflush(file_.get()) != 0 || ::rename(temporary_.c_str(), path_.c_str()) != 0) return cannot_write(path_);
  file_.reset();
  return Ok{};
}

ZstdReader::ZstdReader(fs::path path, OpenFile file)
    : path_(std::move(path)),
      file_(std::move(file)),
      context_(ZSTD_createDCtx()),
      buffer_(ZSTD_DStreamInSize(), '\0') {}

Result<ZstdReader> ZstdReader::open(const fs::path& path) {
  OpenFile file(std::fopen(path.c_str(), "rbe"));
  if (file == nullptr) return failed("read", path, "Check the path and its permissions.");
  return ZstdReader(path, std::move(file));
}

Error ZstdReader::damaged(const std::string& why) const {
  return make_error(ErrorCode::kInvalidArgument, "cannot read '" + path_.string() + "' (" + why + "). Make it again.");
}

/// More input; none at the end of the file.
Status ZstdReader::fill() {
  const std::size_t got = std::fread(buffer_.data(), 1, buffer_.size(), file_.get());
  if (std::ferror(file_.get()) != 0) return failed("read", path_, "Check the path and its permissions.");
  input_ = {buffer_.data(), got, 0};
  return Ok{};
}

Result<std::string> ZstdReader::read(std::uint64_t size) {
  std::string bytes;
  std::string chunk(std::min<std::uint64_t>(size, ZSTD_DStreamOutSize()), '\0');
  while (bytes.size() < size) {
    ZSTD_outBuffer output{chunk.data(), std::min<std::size_t>(chunk.size(), size - bytes.size()), 0};
    if (input_.pos == input_.size) KMUX_TRY(fill());
    const bool at_end = input_.size == 0;
    const std::size_t left = at_end && !in_frame_ ? 0 : ZSTD_decompressStream(context_.get(), &output, &input_);
    if (ZSTD_isError(left) != 0) return damaged(ZSTD_getErrorName(left));
    bytes.append(chunk, 0, output.pos);
    in_frame_ = left != 0;
    if (at_end && output.pos == 0) {
      if (in_frame_) return damaged("it is truncated");
      break;
    }
  }
  return bytes;
}

}  // namespace kmux::cli
