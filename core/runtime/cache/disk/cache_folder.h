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

/// Is `text` a SHA-256 as `sha256_hex` writes it? Only such names become paths.
bool is_digest(std::string_view text);

/// A cache's folder that was checked and stays open. What is opened below it belongs to this cache, whatever is renamed meanwhile.
struct CheckedFolder {
  FileDescriptor folder;
  bool is_of_group = false;  ///< users of its group are trusted
};

/// Where an entry lies: its key and, below it, the digest of the state of its dependencies.
struct EntryLocation {
  std::filesystem::path folder;
  std::string key;
  std::string second;
  std::shared_ptr<const CheckedFolder> cache = {};  // null: `folder` is opened by its path, as in staging

  /// Opens the folder, or nothing (errno says why).
  FileDescriptor open() const;
  /// Returns true if only root, this user, and in a group's cache its group, may have written what `info` is of.
  bool trusts(const struct stat& info) const;
};

/// The layout of a cache on disk, and whether it may be trusted:
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

  /// Opens a cache; for writing, its folder is made if it is not there (mode 0700).
  ///
  /// An existing folder that this user cannot write to is opened for reading; `access` tells.
  /// Errors: invalid_argument if it is a symbolic link, belongs to another user (root's are good for reading) or may be
  ///         written to by group or others, or a folder above it is such a one (safe_path.h); unavailable if it is not there and cannot be made. Both say what to do. With kGroup
  ///         a group that this process is in may write to it, if it is setgid, and it may belong to any user.
  static Result<CacheFolder> open(const std::filesystem::path& path, Access wanted, Sharing sharing = Sharing::kUser);

  const std::filesystem::path& path() const { return path_; }
  Access access() const { return access_; }
  bool writable() const { return access_ == Access::kReadWrite; }

  std::filesystem::path staging() const { return path_ / "tmp"; }
  std::filesystem::path quarantine() const { return path_ / "quarantine"; }
  std::filesystem::path sweep_stamp() const { return path_ / "swept"; }
  EntryLocation entry(const std::string& key, const std::string& second) const;

  /// The entries of one key; none if there is none.
  std::vector<EntryLocation> entries_of(const std::string& key) const;
  /// All entries, by key.
  std::vector<EntryLocation> entries() const;

 private:
  CacheFolder(std::filesystem::path path, Access access, std::shared_ptr<const CheckedFolder> checked)
      : path_(std::move(path)), access_(access), checked_(std::move(checked)) {}
  std::filesystem::path key_folder(const std::string& key) const;

  std::filesystem::path path_;
  Access access_;
  std::shared_ptr<const CheckedFolder> checked_;
};

/// Makes `path` and what is missing above it, `path` itself for this user alone, and checks that it is a folder of this
/// user that no other user may write to.
///
/// Errors: as `CacheFolder::open`.
Status make_private_folder(const std::filesystem::path& path);

}  // namespace kmux
