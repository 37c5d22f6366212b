#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cache/disk/packed_entry.h"

namespace kmux {

/// The value of one key in a remote cache: an entry per state of the headers, newest first.
struct RemoteValue {
  std::vector<PackedEntry> entries;
  std::vector<std::string> refused;  // why other entries were skipped
};

/// The largest number of entries in a value.
inline constexpr std::size_t kMaxRemoteEntries = 4;

/// Returns the bytes of a value, each entry authenticated with `secret`, or without a MAC if that is empty. Drops the
/// last entries if all exceed the limit; returns "" if the first one alone does.
std::string to_remote_bytes(const std::vector<PackedEntry>& entries, std::string_view secret);

/// Reads a value of `key` from untrusted bytes. With a `secret`, returns only entries authenticated with it. Does not
/// check the digests inside an entry.
RemoteValue read_remote_bytes(const std::string& key, std::string_view bytes, std::string_view secret);

/// Returns true if both are equal. Takes the same time for all texts of one size.
bool equal_in_constant_time(std::string_view a, std::string_view b);

}  // namespace kmux
