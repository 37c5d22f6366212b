#include "staging.h"

#include <array>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <sys/stat.h>
#include <unistd.h>

#include "kmux/plugin/file_io.h"
#include "kmux/plugin/platform.h"
#include "kmux/plugin/sha256.h"
#include "kmux/plugin/unique_id.h"

#include "file_descriptor.h"

namespace kmux {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kUuidDigits = 32;
constexpr std::size_t kHostDigits = 16;
constexpr auto kForgottenAfter = std::chrono::hours(1);

Error failed(const fs::path& path, int error) {
  return make_error(ErrorCode::kUnavailable, "cannot write '" + path.string() + "' (" + errno_text(error) +
                                                 "). Check the cache's folder and its file system.");
}

/// Returns a mark of the scope of process ids: this boot of this machine and this process namespace.
std::string host_mark() {
  std::array<char, 256> name{};
  ::gethostname(name.data(), name.size() - 1);
  return sha256_hex(std::string(name.data()) + '\n' + process_namespace() + '\n' + boot_id()).substr(0, kHostDigits);
}

/// Returns the process in a name created on this machine, or 0.
pid_t process_in(std::string_view name) {
  const std::string before = "-" + host_mark() + "-";
  if (name.size() <= kUuidDigits || !name.substr(kUuidDigits).starts_with(before)) return 0;
  name.remove_prefix(kUuidDigits + before.size());
  pid_t process = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), process);
  return error == std::errc{} && end == name.data() + name.size() ? process : 0;
}

/// Creates the three folders above `target`. Returns 0 or errno. They are not synced: a crash may lose a name, which is
/// a harmless miss, and each sync would cost as much as a file.
int make_parents(const fs::path& target) {
  const fs::path key = target.parent_path();
  for (const fs::path& folder : {key.parent_path().parent_path(), key.parent_path(), key}) {
    if (const int error = make_folder_as_above(folder); error != 0 && error != EEXIST) return error;
  }
  return 0;
}

/// Moves the folder. Returns 0 or errno. A sweep may remove an empty parent between the two steps, so they are retried.
int move_to(const fs::path& from, const fs::path& target) {
  int error = ENOENT;
  for (int attempt = 0; attempt < 8 && error == ENOENT; ++attempt) {
    error = make_parents(target);
    if (error == 0) error = fault_point("parents made");
    if (error == 0) error = ::rename(from.c_str(), target.c_str()) == 0 ? 0 : errno;
  }
  return error;
}

}  // namespace

std::string staging_name() { return unique_id() + "-" + host_mark() + "-" + std::to_string(::getpid()); }

bool is_abandoned(const fs::path& staging_folder) {
  const pid_t process = process_in(staging_folder.filename().string());
  if (process > 0 && ::kill(process, 0) != 0 && errno == ESRCH) return true;
  std::error_code error;
  const fs::file_time_type changed = fs::last_write_time(staging_folder, error);
  return !error && fs::file_time_type::clock::now() - changed > kForgottenAfter;
}

Result<Staging> Staging::make(const CacheFolder& cache) {
  const fs::path path = cache.staging() / staging_name();
  if (const int error = make_folder_as_above(cache.staging()); error != 0 && error != EEXIST)
    return failed(cache.staging(), error);
  if (const int error = fault_point("before staging"); error != 0) return failed(path, error);
  if (const int error = make_folder_as_above(path); error != 0) return failed(path, error);
  Staging staging(path, FileDescriptor::open_folder(path));
  if (!staging.folder_.ok()) return failed(path, errno);
  if (const int error = fault_point("staged"); error != 0) return failed(path, error);
  return staging;
}

Staging::~Staging() {
  if (folder_.ok()) remove_tree(path_);  // a sweep removes remaining files
}

Status Staging::write(const char* name, std::string_view bytes) {
  int error = fault_point(std::string("before writing ") + name);
  if (error == 0) error = write_file_at(folder_, name, bytes);
  if (error == 0) error = fault_point(std::string("wrote ") + name);
  if (error != 0) return failed(path_ / name, error);
  return Ok{};
}

Result<Staging::Outcome> Staging::publish(const fs::path& target) {
  int error = ::fsync(folder_.get()) == 0 ? 0 : errno;
  if (error == 0) error = fault_point("synced");
  if (error == 0) error = move_to(path_, target);
  // A non-empty folder is not replaced: the system returns one of these.
  if (error == EEXIST || error == ENOTEMPTY) return Outcome::kTaken;
  if (error != 0) return failed(target, error);
  folder_ = FileDescriptor();
  fault_point("renamed");
  fault_point("published");
  return Outcome::kPublished;
}

void put_into_quarantine(const CacheFolder& cache, const std::filesystem::path& entry, const FileDescriptor& found) {
  if (!cache.writable() || !found.is_at(entry)) return;
  make_folder_as_above(cache.quarantine());  // the rename reports a failure
  std::error_code ignored;  // the entry stays damaged and is refused again
  std::filesystem::rename(entry, cache.quarantine() / staging_name(), ignored);
}

}  // namespace kmux
