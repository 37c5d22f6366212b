#include "nvidia/fatbin.h"

#include <algorithm>
#include <cstdint>
#include <tuple>

#include "kmux/plugin/word_list.h"

#include "nvidia/cubin.h"

namespace kmux::nvidia {
namespace {

constexpr std::uint32_t kMagic = 0xba55ed50;

struct FileHeader {
  std::uint32_t magic;
  std::uint16_t version;
  std::uint16_t header_bytes;
  std::uint64_t bytes;  // after the header
};

struct EntryHeader {
  std::uint16_t kind;
  std::uint16_t version;
  std::uint32_t header_bytes;
  std::uint64_t bytes;             // of the code, with padding
  std::uint32_t compressed_bytes;  // without padding; 0: not compressed
  std::uint32_t options_at;
  std::uint16_t minor, major;
  std::uint32_t arch;
  std::uint32_t name_at, name_bytes;
  std::uint64_t flags;
};
static_assert(sizeof(EntryHeader) == 48, "the members that are read, without gaps");

enum : std::uint16_t { kPtx = 1, kCubin = 2 };
enum : std::uint64_t { kLz4 = 0x2000, kZstd = 0x8000, kOwnArch = 0x100000, kFamily = 0x200000 };

Error no_fatbin(const std::string& why) {
  return make_error(ErrorCode::kInvalidArgument, "the code is not a fatbin (" + why + "). Make it with nvcc -fatbin.");
}

Arch arch_in(const EntryHeader& header) {
  const bool is_own = (header.flags & kOwnArch) != 0;
  const bool is_family = (header.flags & kFamily) != 0;
  return {static_cast<int>(header.arch), is_own ? 'a' : is_family ? 'f' : '\0', header.kind == kPtx};
}

// Returns true if only a linker accepts `cubin`.
bool is_relocatable(std::string_view cubin) {
  const auto file = CubinFile::open(cubin);
  return file && file->header().e_type == ET_REL;
}

FatbinEntry entry_of(const EntryHeader& header, std::string_view code) {
  FatbinEntry entry{arch_in(header), code, (header.flags & (kLz4 | kZstd)) != 0};
  if (header.kind == kPtx && !entry.is_compressed) entry.code = code.substr(0, code.find('\0'));
  return entry;
}

bool runs(const FatbinEntry& entry, Arch target) {
  return entry.arch.is_virtual ? satisfies(target, entry.arch) : runs_on(entry.arch, target);
}

std::string archs_of(const std::vector<FatbinEntry>& entries) {
  std::vector<std::string> archs;
  archs.reserve(entries.size());
  for (const FatbinEntry& entry : entries) archs.push_back(to_string(entry.arch));
  return join(archs, "nothing that can be loaded");
}

Error nothing_for(Arch target, const File& source, const std::vector<FatbinEntry>& entries) {
  return make_error(ErrorCode::kUnsupported, "source \"" + source.path + "\" has no code for " + to_string(target) +
                                                 " (it has " + archs_of(entries) +
                                                 "). Add some to it, PTX for newer devices, or a variant with the "
                                                 "source.");
}

}  // namespace

bool is_fatbin(std::string_view code) {
  std::uint32_t magic = 0;
  return read_from(code, magic) && magic == kMagic;
}

Result<std::vector<FatbinEntry>> fatbin_entries(std::string_view fatbin) {
  FileHeader file;
  if (!read_from(fatbin, file) || file.magic != kMagic) return no_fatbin("its first bytes are others");
  if (file.header_bytes > fatbin.size() || file.bytes > fatbin.size() - file.header_bytes) {
    return no_fatbin("it is truncated");
  }
  std::vector<FatbinEntry> entries;
  for (std::string_view rest = fatbin.substr(file.header_bytes, file.bytes); !rest.empty();) {
    EntryHeader header;
    if (!read_from(rest, header) || header.header_bytes < sizeof header || header.header_bytes > rest.size() ||
        header.bytes > rest.size() - header.header_bytes || header.compressed_bytes > header.bytes) {
      return no_fatbin("one of its entries is truncated");
    }
    const std::string_view code = rest.substr(header.header_bytes, header.bytes);
    rest.remove_prefix(header.header_bytes + header.bytes);
    if (header.kind != kPtx && header.kind != kCubin) continue;
    const FatbinEntry entry = entry_of(header, code);
    if (header.kind == kPtx || entry.is_compressed || !is_relocatable(code)) entries.push_back(entry);
  }
  return entries;
}

const FatbinEntry* best_entry(const std::vector<FatbinEntry>& entries, Arch target) {
  const FatbinEntry* best = nullptr;
  for (const FatbinEntry& entry : entries) {
    if (runs(entry, target) && (best == nullptr || rank(entry.arch) > rank(best->arch))) best = &entry;
  }
  return best;
}

Result<std::optional<Program>> unpacked(const BuildRequest& request, const Host& host) {
  const Variant& variant = request.chosen();
  if (variant.dialect != "cubin" || !is_fatbin(variant.sources.front().content)) return std::optional<Program>();
  const File& source = variant.sources.front();
  KMUX_ASSIGN(const Arch target, arch_of(request.target));
  KMUX_ASSIGN(const std::vector<FatbinEntry> entries, fatbin_entries(source.content));
  const FatbinEntry* const best = best_entry(entries, target);
  if (best == nullptr) return nothing_for(target, source, entries);
  if (best->is_compressed) {
    host.log(Host::Level::kInfo, "\"" + source.path + "\": its code for " + to_string(best->arch) +
                                     " is compressed, so the driver is the first to look at it (make it with nvcc "
                                     "--no-compress to have kernels and launches checked in the build)");
    return std::optional<Program>();
  }
  std::optional<Program> program = request.program;
  Variant& ready = program->variants[request.variant];
  ready.dialect = best->arch.is_virtual ? "ptx" : "cubin";
  ready.sources.front().content = std::string(best->code);
  return program;
}

}  // namespace kmux::nvidia
