#include "remote_value.h"

#include <algorithm>
#include <utility>

#include "kmux/artifact.h"
#include "kmux/plugin/sha256.h"

#include "cache/disk/cache_folder.h"
#include "remote_tier.h"

namespace kmux {
namespace {

// Two nested containers of artifacts: one part per entry, named by the state of its headers, consisting of a MAC and a
// container of the entry's files.
constexpr std::size_t kMacSize = 64;
constexpr char kNoMac = '-';

/// The MAC also covers key and state, so that an entry cannot be passed off as another. Both have 64 digits, so a
/// message is unique to one key, state and content.
std::string mac_of(const std::string& key, const std::string& second, std::string_view packed,
                   std::string_view secret) {
  if (secret.empty()) return std::string(kMacSize, kNoMac);
  const std::string message = "kmux remote entry 1\n" + key + "\n" + second + "\n";
  return hmac_sha256_hex(secret, std::string(message).append(packed));
}

std::string to_part(const PackedEntry& entry, std::string_view secret) {
  Artifact files;
  for (const auto& [name, bytes] : entry.files) files.set(name, bytes);
  const std::string packed = serialize(files);
  return mac_of(entry.key, entry.second, packed, secret) + packed;
}

/// Returns the entry of a part, or the reason why it is refused.
Result<PackedEntry> from_part(const std::string& key, const Artifact::Part& part, std::string_view secret) {
  const auto refused = [](const char* why) { return make_error(ErrorCode::kInvalidArgument, why); };
  if (!is_digest(part.name)) return refused("its state is not a SHA-256 digest");
  const std::string_view content = part.content;
  if (content.size() < kMacSize) return refused("it is truncated");
  const std::string_view mac = content.substr(0, kMacSize);
  const std::string_view packed = content.substr(kMacSize);
  if (!secret.empty() && !equal_in_constant_time(mac, mac_of(key, part.name, packed, secret))) {
    return refused(mac[0] == kNoMac ? "it has no MAC" : "its MAC is not that of this fleet's key");
  }
  KMUX_ASSIGN(Artifact files, deserialize(packed));
  PackedEntry entry{key, part.name, {}};
  for (Artifact::Part& file : files.parts) entry.files[std::move(file.name)] = std::move(file.content);
  return entry;
}

}  // namespace

std::string to_remote_bytes(const std::vector<PackedEntry>& entries, std::string_view secret) {
  Artifact value;
  std::size_t left = kMaxRemoteBytes - 4096;  // for the tables
  for (const PackedEntry& entry : entries) {
    std::string part = to_part(entry, secret);
    if (part.size() > left || value.parts.size() == kMaxRemoteEntries) break;
    left -= part.size();
    value.set(entry.second, std::move(part));
  }
  return value.parts.empty() ? "" : serialize(value);
}

RemoteValue read_remote_bytes(const std::string& key, std::string_view bytes, std::string_view secret) {
  RemoteValue value;
  const Result<Artifact> parts = deserialize(bytes);
  if (!parts) return {{}, {parts.error().message}};
  for (const Artifact::Part& part : parts->parts) {
    if (value.entries.size() + value.refused.size() == kMaxRemoteEntries) {
      value.refused.push_back("it has " + std::to_string(parts->parts.size()) + " parts, of which " +
                              std::to_string(kMaxRemoteEntries) + " are read");
      break;
    }
    Result<PackedEntry> entry = from_part(key, part, secret);
    if (entry) {
      value.entries.push_back(*std::move(entry));
    } else {
      value.refused.push_back(std::move(entry).error().message);
    }
  }
  return value;
}

bool equal_in_constant_time(std::string_view a, std::string_view b) {
  volatile unsigned char differences = 0;  // volatile: the compiler must not end the loop at the first difference
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i)
    differences = differences | static_cast<unsigned char>(a[i] ^ b[i]);
  return a.size() == b.size() && differences == 0;
}

}  // namespace kmux
