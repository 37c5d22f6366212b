#include "cache_bundle.h"

#include <algorithm>
#include <archive_entry.h>
#include <array>
#include <cerrno>
#include <fcntl.h>
#include <optional>
#include <sys/stat.h>
#include <system_error>
#include <tuple>
#include <unistd.h>

#include "kmux/plugin/descriptor.h"
#include "kmux/plugin/file_io.h"
#include "kmux/plugin/signal_blocked.h"

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

/// Returns the four components of a path in a bundle, or nothing. The cache validates them.
std::optional<std::array<std::string, 4>> components_in_bundle(std::string_view path) {
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

/// Reads a bundle file by file and adds each build to the cache once its files are complete.
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
  static constexpr std::size_t kMaxFiles = 16;  // of a build; names use memory, too

  Error refused(const std::string& why) const {
    return make_error(ErrorCode::kInvalidArgument,
                      "'" + file_.string() + "' is not a bundle of `kmux cache export` (" + why + "). Make it again.");
  }

  /// Returns the content of a member. A file of zeros is tiny in a bundle, so the total size of a build is limited, and
  /// files that builds never have are not read. The cache then rejects such a build.
  Result<std::string> content_of(const BundleMember& member, const std::string& name) {
    if (!Cache::is_file_name(name)) return std::string();
    taken_ += member.size;
    if (taken_ > kMaxFileBytes) return refused("the files of '" + member.path + "' are too large");
    KMUX_ASSIGN(std::string content, reader_.content());
    if (content.size() != member.size) return refused("it is truncated");
    return content;
  }

  Status take(const BundleMember& member) {
    auto parts = components_in_bundle(member.path);
    if (!parts) return refused("it has a file '" + member.path + "'");
    if (member.size > kMaxFileBytes) return refused("file '" + member.path + "' is too large");
    auto& [root, key, state, name] = *parts;
    if (key != build_.key || state != build_.state) {
      KMUX_TRY(add());
      build_ = {std::move(key), std::move(state), {}};
      taken_ = 0;
    }
    if (build_.files.size() == kMaxFiles)
      return refused("a build of it has more than " + std::to_string(kMaxFiles) + " files");
    KMUX_ASSIGN(std::string content, content_of(member, name));
    if (!build_.files.emplace(std::move(name), std::move(content)).second) {
      return refused("it has '" + member.path + "' twice");
    }
    return Ok{};
  }

  /// Adds the build of the collected files.
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
  std::uint64_t taken_ = 0;  // total size of its files
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

namespace {

namespace fs = std::filesystem;

/// Returns an error by errno; 0 means a non-regular file.
Error cannot_read(const fs::path& path) {
  const int error = errno;
  const std::string why = error == 0 ? "not a regular file" : std::generic_category().message(error);
  return make_error(ErrorCode::kInvalidArgument,
                    "cannot read '" + path.string() + "' (" + why + "). Check the path and its permissions.");
}

/// Opens the file at `path`; returns null, with errno, if it cannot be read. Non-blocking, so that a named pipe does
/// not hang before it is rejected.
std::FILE* open_regular(const fs::path& path) {
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  struct stat status{};
  if (!file.is_open() || ::fstat(file.get(), &status) != 0) return nullptr;
  if (S_ISREG(status.st_mode)) return ::fdopen(::fcntl(file.get(), F_DUPFD_CLOEXEC, 0), "rb");
  errno = S_ISDIR(status.st_mode) ? EISDIR : 0;
  return nullptr;
}

/// Returns true for a plain file: no link, no device, and no property that requires an extension of the format.
bool is_plain_file(archive* in, archive_entry* entry) {
  return archive_format(in) == ARCHIVE_FORMAT_TAR_USTAR && archive_entry_filetype(entry) == AE_IFREG &&
         archive_entry_hardlink(entry) == nullptr && archive_entry_symlink(entry) == nullptr &&
         archive_entry_pathname(entry) != nullptr && archive_entry_size(entry) >= 0;
}

}  // namespace

BundleReader::BundleReader(fs::path path, File file)
    : path_(std::move(path)), file_(std::move(file)), archive_(archive_read_new()) {}

Result<BundleReader> BundleReader::open(const fs::path& path) {
  File file(open_regular(path));
  if (file == nullptr) return cannot_read(path);
  BundleReader reader(path, std::move(file));
  archive* const in = reader.archive_.get();
  // Otherwise bytes after the end of the tar file would not be read, and the end of the Zstandard file not checked.
  const bool is_open = archive_read_support_filter_zstd(in) == ARCHIVE_OK &&
                       archive_read_support_format_tar(in) == ARCHIVE_OK &&
                       archive_read_set_format_option(in, "tar", "read_concatenated_archives", "1") == ARCHIVE_OK &&
                       archive_read_open_FILE(in, reader.file_.get()) == ARCHIVE_OK;
  if (!is_open) return reader.failed();
  if (archive_filter_code(in, 0) != ARCHIVE_FILTER_ZSTD) return reader.refused("it is not a Zstandard file");
  return reader;
}

Error BundleReader::refused(const std::string& why) const {
  return make_error(ErrorCode::kInvalidArgument, "cannot read '" + path_.string() + "' (" + why + "). Make it again.");
}

Error BundleReader::failed() const {
  if (std::ferror(file_.get()) != 0) {
    errno = EIO;
    static_cast<void>(std::fgetc(file_.get()));  // libarchive replaces the reason: query the system again
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
  const SignalBlocked blocked(SIGXFSZ);
  if (file_ != nullptr) ::unlink(temporary_.c_str());
  archive_.reset();  // flushes its buffer
  file_.reset();
}

Error BundleWriter::failed() const {
  const char* const why = archive_error_string(archive_.get());
  return cannot_write(temporary_, why != nullptr ? why : "no reason given");
}

Status BundleWriter::add(const std::string& path, std::string_view content) {
  const SignalBlocked blocked(SIGXFSZ);
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
  const SignalBlocked blocked(SIGXFSZ);
  if (archive_write_close(archive_.get()) != ARCHIVE_OK) return failed();
  if (std::fflush(file_.get()) != 0 || ::rename(temporary_.c_str(), path_.c_str()) != 0) return system_failed(path_);
  file_.reset();
  return Ok{};
}

}  // namespace kmux::cli
