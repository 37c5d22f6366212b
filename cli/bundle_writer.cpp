#include "bundle_writer.h"

#include <archive_entry.h>
#include <cerrno>
#include <system_error>
#include <unistd.h>

namespace kmux::cli {
namespace {

namespace fs = std::filesystem;

Error cannot_write(const fs::path& path, const std::string& why) {
  return make_error(ErrorCode::kUnavailable,
                    "cannot write '" + path.string() + "' (" + why + "). Check the folder and its permissions.");
}

Error system_failed(const fs::path& path) {
  const int error = errno;
  return cannot_write(path, std::generic_category().message(error));
}

}  // namespace

BundleWriter::BundleWriter(fs::path path, fs::path temporary, File file)
    : path_(std::move(path)), temporary_(std::move(temporary)), file_(std::move(file)), archive_(archive_write_new()) {}

Result<BundleWriter> BundleWriter::create(const fs::path& path) {
  fs::path temporary = path;
  temporary += "." + std::to_string(::getpid()) + ".tmp";
  File file(std::fopen(temporary.c_str(), "wbxe"));
  if (file == nullptr) return system_failed(temporary);
  BundleWriter writer(path, std::move(temporary), std::move(file));
  archive* const out = writer.archive_.get();
  const bool is_open = archive_write_set_format_ustar(out) == ARCHIVE_OK &&
                       archive_write_add_filter_zstd(out) == ARCHIVE_OK &&
                       archive_write_set_bytes_in_last_block(out, 1) == ARCHIVE_OK &&  // no zeros after the frame
                       archive_write_open_FILE(out, writer.file_.get()) == ARCHIVE_OK;
  if (!is_open) return writer.failed();
  return writer;
}

BundleWriter::~BundleWriter() {
  if (file_ != nullptr) ::unlink(temporary_.c_str());
}

Error BundleWriter::failed() const {
  const char* const why = archive_error_string(archive_.get());
  return cannot_write(temporary_, why != nullptr ? why : "no reason given");
}

Status BundleWriter::add(const std::string& path, std::string_view content) {
  const std::unique_ptr<archive_entry, decltype(&archive_entry_free)> entry(archive_entry_new(), archive_entry_free);
  archive_entry_set_pathname(entry.get(), path.c_str());
  archive_entry_set_filetype(entry.get(), AE_IFREG);
  archive_entry_set_perm(entry.get(), 0600);
  archive_entry_set_size(entry.get(), static_cast<la_int64_t>(content.size()));
  if (archive_write_header(archive_.get(), entry.get()) != ARCHIVE_OK) return failed();
  const la_ssize_t written = archive_write_data(archive_.get(), content.data(), content.size());
  if (written != static_cast<la_ssize_t>(content.size())) return failed();
  return Ok{};
}

Status BundleWriter::finish() {
  if (archive_write_close(archive_.get()) != ARCHIVE_OK) return failed();
  if (std::fflush(file_.get()) != 0 || ::rename(temporary_.c_str(), path_.c_str()) != 0) return system_failed(path_);
  file_.reset();
  return Ok{};
}

}  // namespace kmux::cli
