#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cache/disk/packed_entry.h"

namespace kmux {

/// What a remote cache has of one key: an entry for each state of the headers, the newest first.
struct RemoteValue {
  std::vector<PackedEntry> entries;
  std::vector<std::string> refused;  // why others were left out
};

/// How many entries a value has at most.
inline constexpr std::size_t kMostRemoteEntries = 4;

/// The bytes of a value, each entry authenticated with `secret`, or without a MAC if that is empty. The last ones are left out
/// where all exceed the limit; "" if the first one alone does.
std::string to_remote_bytes(const std::vector<PackedEntry>& entries, std::string_view secret);

/// Reads a value of `key`, whatever the bytes are. With a `secret` only entries that it authenticated are taken; the digests
/// inside an entry are not looked at.
RemoteValue read_remote_bytes(const std::string& key, std::string_view bytes, std::string_view secret);

/// Are both the same? Takes equally long for all texts of one size.
bool equal_in_constant_time(std::string_view a, std::string_view b);

}  // namespace kmux
