#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kmux/error.h"

#include "file_descriptor.h"

namespace kmux {

/// Returns true if `text` is a SHA-256 digest as `sha256_hex` writes it. Only such names become paths.
bool is_digest(std::string_view text);

/// A checked cache folder, kept open. Files opened below it belong to this cache even if paths are renamed.
struct CheckedFolder {
  FileDescriptor folder;
  bool is_of_group = false;  ///< users of its group are trusted
};

/// The location of an entry: its key and, below it, the digest of the state of its dependencies.
struct EntryLocation {
  std::filesystem::path folder;
  std::string key;
  std::string second;
  std::shared_ptr<const CheckedFolder> cache = {};  // null: `folder` is opened by its path, as in staging

  /// Opens the folder. Returns a closed descriptor on failure, with the reason in errno.
  FileDescriptor open() const;
  /// Returns true if the file of `info` can only have been written by root, this user or, in a group's cache, its
  /// group.
  bool trusts(const struct stat& info) const;
};

/// The layout of a cache on disk, and the check whether it may be trusted:
///
///     v1/ab/<key>/<second>/    one entry, never changed: manifest.json, artifact, launcher, dependencies
///     tmp/<uuid>-<host>-<pid>/ an entry being written or removed
///     quarantine/              entries that were found damaged
///     swept                    its time is that of the last sweep
class CacheFolder {
 public:
  enum class Access { kReadWrite, kReadOnly };
  /// The users that may write to a folder. A group's folder has mode 2770, as have the folders made in it.
  enum class Sharing { kUser, kGroup };

  /// Opens a cache. For writing, a missing folder is created with mode 0700.
  ///
  /// An existing folder that this user cannot write to is opened for reading; `access` reports it.
  /// Errors: invalid_argument if it is a symbolic link, belongs to another user (root's may be read) or is writable by
  ///         group or others, or if a folder above it is unsafe in that way (safe_path.h); unavailable if it is missing
  ///         and cannot be created. Both messages have advice. With kGroup a group of this process may write to it, if
  ///         it is setgid, and it may belong to any user.
  static Result<CacheFolder> open(const std::filesystem::path& path, Access wanted, Sharing sharing = Sharing::kUser);

  const std::filesystem::path& path() const { return path_; }
  Access access() const { return access_; }
  bool writable() const { return access_ == Access::kReadWrite; }

  std::filesystem::path staging() const { return path_ / "tmp"; }
  std::filesystem::path quarantine() const { return path_ / "quarantine"; }
  std::filesystem::path sweep_stamp() const { return path_ / "swept"; }
  EntryLocation entry(const std::string& key, const std::string& second) const;

  /// Returns the entries of one key; may be empty.
  std::vector<EntryLocation> entries_of(const std::string& key) const;
  /// Returns all entries, sorted by key.
  std::vector<EntryLocation> entries() const;

 private:
  CacheFolder(std::filesystem::path path, Access access, std::shared_ptr<const CheckedFolder> checked)
      : path_(std::move(path)), access_(access), checked_(std::move(checked)) {}
  std::filesystem::path key_folder(const std::string& key) const;

  std::filesystem::path path_;
  Access access_;
  std::shared_ptr<const CheckedFolder> checked_;
};

/// Creates `path`, private to this user, and missing folders above it. Checks that it belongs to this user and no other
/// user may write to it.
///
/// Errors: as `CacheFolder::open`.
Status make_private_folder(const std::filesystem::path& path);

}  // namespace kmux
