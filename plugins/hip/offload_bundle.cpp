#include "offload_bundle.h"

#include <cstdint>
#include <cstring>
#include <optional>
#include <vector>

#include "kmux/plugin/words.h"

#include "arch.h"

namespace kmux::hip {
namespace {

constexpr std::string_view kMagic = "__CLANG_OFFLOAD_BUNDLE__";
constexpr std::string_view kCompressedMagic = "CCOB";

// Reads a bundle's table from its front to its back.
class Reader {
 public:
  explicit Reader(std::string_view rest) : rest_(rest) {}
  std::optional<std::uint64_t> number() {
    const auto bytes = text(sizeof(std::uint64_t));
    if (!bytes) return std::nullopt;
    std::uint64_t value = 0;
    std::memcpy(&value, bytes->data(), sizeof value);
    return value;
  }
  std::optional<std::string_view> text(std::uint64_t size) {
    if (size > rest_.size()) return std::nullopt;
    const std::string_view result = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return result;
  }

 private:
  std::string_view rest_;
};

Error cut_off() { return make_error(ErrorCode::kInvalidArgument, "the offload bundle is cut off. Build it again."); }

// "hipv4-amdgcn-amd-amdhsa--gfx90a:xnack-"
std::string arch_of(std::string_view entry) {
  const std::size_t begin = entry.rfind("--");
  return begin == entry.npos ? "" : parse_arch(entry.substr(begin + 2)).value_or("");
}

Result<std::string> find_in(std::string_view bytes, std::string_view arch) {
  Reader table(bytes.substr(kMagic.size()));
  const auto count = table.number();
  std::vector<std::string> others;
  for (std::uint64_t i = 0; count && i < *count; ++i) {
    const auto offset = table.number();
    const auto size = table.number();
    const auto name_size = table.number();
    const auto name = name_size ? table.text(*name_size) : std::nullopt;
    if (!name || *offset > bytes.size() || bytes.size() - *offset < *size) return cut_off();
    if (arch_of(*name) == arch) return std::string(bytes.substr(*offset, *size));
    if (const std::string other = arch_of(*name); !other.empty()) others.push_back(other);
  }
  if (!count) return cut_off();
  return make_error(ErrorCode::kInvalidArgument, "the offload bundle has no code for " + std::string(arch) +
                                                     " (it has " + join(others, "none at all") +
                                                     "). Compile it with --offload-arch=" + std::string(arch) + ".");
}

}  // namespace

Result<std::string> unbundled(std::string_view bytes, std::string_view arch) {
  if (bytes.starts_with(kCompressedMagic)) {
    return make_error(ErrorCode::kUnsupported,
                      "the offload bundle is compressed (backend hip reads plain ones). Compile it with "
                      "--no-offload-compress or --no-gpu-bundle-output.");
  }
  if (!bytes.starts_with(kMagic)) return std::string(bytes);
  return find_in(bytes, arch);
}

}  // namespace kmux::hip
