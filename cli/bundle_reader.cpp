#include "bundle_reader.h"

#include <archive_entry.h>
#include <cerrno>
#include <system_error>

namespace kmux::cli {
namespace {

namespace fs = std::filesystem;

Error cannot_read(const fs::path& path) {
  const int error = errno;
  return make_error(ErrorCode::kInvalidArgument, "cannot read '" + path.string() + "' (" +
                                                     std::generic_category().message(error) +
                                                     "). Check the path and its permissions.");
}

/// Neither a link nor a device nor with anything that only an extension of the format can say.
bool is_plain_file(archive* in, archive_entry* entry) {
  return archive_format(in) == ARCHIVE_FORMAT_TAR_USTAR && archive_entry_filetype(entry) == AE_IFREG &&
         archive_entry_hardlink(entry) == nullptr && archive_entry_symlink(entry) == nullptr &&
         archive_entry_pathname(entry) != nullptr && archive_entry_size(entry) >= 0;
}

}  // namespace

BundleReader::BundleReader(fs::path path, File file)
    : path_(std::move(path)), file_(std::move(file)), archive_(archive_read_new()) {}

Result<BundleReader> BundleReader::open(const fs::path& path) {
  File file(std::fopen(path.c_str(), "rbe"));
  if (file == nullptr) return cannot_read(path);
  BundleReader reader(path, std::move(file));
  archive* const in = reader.archive_.get();
  // Otherwise what follows the end of the tar file would not be read, so neither would the end of the Zstandard file.
  const bool is_open = archive_read_support_filter_zstd(in) == ARCHIVE_OK &&
                       archive_read_support_format_tar(in) == ARCHIVE_OK &&
                       archive_read_set_format_option(in, "tar", "read_concatenated_archives", "1") == ARCHIVE_OK &&
                       archive_read_open_FILE(in, reader.file_.get()) == ARCHIVE_OK;
  if (!is_open) return reader.failed();
  if (archive_filter_code(in, 0) != ARCHIVE_FILTER_ZSTD) return reader.refused("it is no Zstandard file");
  return reader;
}

Error BundleReader::refused(const std::string& why) const {
  return make_error(ErrorCode::kInvalidArgument, "cannot read '" + path_.string() + "' (" + why + "). Make it again.");
}

Error BundleReader::failed() const {
  if (std::ferror(file_.get()) != 0) {
    errno = EIO;
    static_cast<void>(std::fgetc(file_.get()));  // libarchive has a reason of its own: ask the system again
    return cannot_read(path_);
  }
  const char* const why = archive_error_string(archive_.get());
  return refused(why != nullptr ? why : "it is damaged");
}

Result<std::optional<BundleMember>> BundleReader::next() {
  archive_entry* entry = nullptr;
  const int status = archive_read_next_header(archive_.get(), &entry);
  if (status == ARCHIVE_EOF) return std::optional<BundleMember>{};
  if (status != ARCHIVE_OK) return failed();
  if (!is_plain_file(archive_.get(), entry)) return refused("it has something else than the files of builds");
  return std::optional<BundleMember>(
      {archive_entry_pathname(entry), static_cast<std::uint64_t>(archive_entry_size(entry))});
}

Result<std::string> BundleReader::content() {
  std::string bytes;
  for (;;) {
    const void* block = nullptr;
    std::size_t size = 0;
    la_int64_t offset = 0;
    const int status = archive_read_data_block(archive_.get(), &block, &size, &offset);
    if (status == ARCHIVE_EOF) return bytes;
    if (status != ARCHIVE_OK) return failed();
    bytes.append(static_cast<const char*>(block), size);
  }
}

}  // namespace kmux::cli
