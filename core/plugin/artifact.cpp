#include "kmux/artifact.h"

#include <cstdint>
#include <set>

#include "kmux/plugin/sha256.h"

#include "backend_json.h"

namespace kmux {
namespace {

// magic (8), version (4), parts (4), size of the table (8), SHA-256 of the table (64 hex digits), table, contents.
// A table entry: size of the name (4), name, offset of the content from the first content (8), its size (8), its
// SHA-256 (64). Integers are little-endian. Every byte is covered by a digest or compared with its only valid value.
constexpr std::string_view kMagic = "kmuxart\n";
constexpr std::uint32_t kVersion = 1;
constexpr std::size_t kDigestSize = 64;
constexpr std::size_t kEntrySize = 4 + 8 + 8 + kDigestSize;  // without the name

template <class Integer>
void append(std::string& out, Integer value) {
  for (std::size_t i = 0; i < sizeof(Integer); ++i) out.push_back(static_cast<char>((value >> (8 * i)) & 0xff));
}

// Consumes bytes from the front; `failed` once too few are left.
class ByteCursor {
 public:
  explicit ByteCursor(std::string_view bytes) : rest_(bytes) {}

  std::string_view take(std::uint64_t size) {
    if (size > rest_.size()) {
      failed_ = true;
      size = rest_.size();
    }
    const std::string_view taken = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return taken;
  }

  template <class Integer>
  Integer take_integer() {
    Integer value = 0;
    const std::string_view bytes = take(sizeof(Integer));
    for (std::size_t i = 0; i < bytes.size(); ++i) {
      value |= static_cast<Integer>(static_cast<unsigned char>(bytes[i])) << (8 * i);
    }
    return value;
  }

  bool failed() const { return failed_; }
  std::string_view rest() const { return rest_; }

 private:
  std::string_view rest_;
  bool failed_ = false;
};

struct Entry {
  std::string name;
  std::uint64_t offset = 0;
  std::uint64_t size = 0;
  std::string_view digest;
};

std::string digest_of(std::string_view bytes, Digests digests) {
  return digests == Digests::kChecked ? sha256_hex(bytes) : std::string(kDigestSize, '0');
}

bool is_intact(std::string_view bytes, std::string_view digest, Digests digests) {
  if (digests == Digests::kOmitted) return true;
  if (digests == Digests::kZeroOrChecked && digest == std::string(kDigestSize, '0')) return true;
  return sha256_hex(bytes) == digest;
}

Error refused(const std::string& why) {
  return make_error(ErrorCode::kInvalidArgument, "cannot read the artifact (" + why + "). Build it again.");
}

Result<std::vector<Entry>> read_table(std::string_view table, std::uint32_t count) {
  std::vector<Entry> entries;
  std::set<std::string_view> names;
  ByteCursor cursor(table);
  for (std::uint32_t i = 0; i < count; ++i) {
    Entry entry;
    entry.name = cursor.take(cursor.take_integer<std::uint32_t>());
    entry.offset = cursor.take_integer<std::uint64_t>();
    entry.size = cursor.take_integer<std::uint64_t>();
    entry.digest = cursor.take(kDigestSize);
    if (cursor.failed()) return refused("its table is truncated");
    entries.push_back(std::move(entry));
  }
  for (const Entry& entry : entries) {
    if (!names.insert(entry.name).second) return refused("part \"" + entry.name + "\" occurs twice");
  }
  if (!cursor.rest().empty()) return refused("its table has bytes that belong to no part");
  return entries;
}

Result<Artifact> read_parts(const std::vector<Entry>& entries, std::string_view contents, Digests digests) {
  Artifact artifact;
  std::uint64_t offset = 0;
  for (const Entry& entry : entries) {
    if (entry.offset != offset) return refused("part \"" + entry.name + "\" is out of place");
    if (entry.size > contents.size() - offset) return refused("part \"" + entry.name + "\" is truncated");
    const std::string_view content = contents.substr(offset, entry.size);
    if (!is_intact(content, entry.digest, digests))
      return refused("part \"" + entry.name + "\" differs from its SHA-256");
    artifact.parts.push_back({entry.name, std::string(content)});
    offset += entry.size;
  }
  if (offset != contents.size()) return refused("bytes follow the last part");
  return artifact;
}

}  // namespace

const std::string* Artifact::find(std::string_view name) const {
  for (const Part& part : parts) {
    if (part.name == name) return &part.content;
  }
  return nullptr;
}

void Artifact::set(std::string name, std::string content) {
  for (Part& part : parts) {
    if (part.name == name) {
      part.content = std::move(content);
      return;
    }
  }
  parts.push_back({std::move(name), std::move(content)});
}

std::string serialize(const Artifact& artifact, Digests digests) {
  std::string table;
  std::string contents;
  for (const Artifact::Part& part : artifact.parts) {
    append(table, static_cast<std::uint32_t>(part.name.size()));
    table += part.name;
    append(table, std::uint64_t{contents.size()});
    append(table, std::uint64_t{part.content.size()});
    table += digest_of(part.content, digests);
    contents += part.content;
  }
  std::string bytes(kMagic);
  append(bytes, kVersion);
  append(bytes, static_cast<std::uint32_t>(artifact.parts.size()));
  append(bytes, std::uint64_t{table.size()});
  return bytes.append(digest_of(table, digests)).append(table).append(contents);
}

Result<Artifact> deserialize(std::string_view bytes, Digests digests) {
  ByteCursor cursor(bytes);
  if (cursor.take(kMagic.size()) != kMagic) return refused("it does not begin as an artifact does");
  const auto version = cursor.take_integer<std::uint32_t>();
  if (cursor.failed()) return refused("it is truncated");
  if (version != kVersion) {
    return refused("version " + std::to_string(version) + ", this library reads " + std::to_string(kVersion));
  }
  const auto count = cursor.take_integer<std::uint32_t>();
  const auto table_size = cursor.take_integer<std::uint64_t>();
  const std::string_view digest = cursor.take(kDigestSize);
  const std::string_view table = cursor.take(table_size);
  if (cursor.failed()) return refused("it is truncated");
  if (!is_intact(table, digest, digests)) return refused("its table differs from its SHA-256");
  if (count > table.size() / kEntrySize) return refused("its table is truncated");
  KMUX_ASSIGN(const std::vector<Entry> entries, read_table(table, count));
  return read_parts(entries, cursor.rest(), digests);
}

std::string serialize(const Artifact& artifact) { return serialize(artifact, Digests::kChecked); }

Result<Artifact> deserialize(std::string_view bytes) { return deserialize(bytes, Digests::kChecked); }

}  // namespace kmux
