#include "tar_header.h"

#include <charconv>
#include <cstdio>

namespace kmux::cli {
namespace {

struct Field {
  std::size_t offset;
  std::size_t size;
};

constexpr Field kName{0, 100};
constexpr Field kMode{100, 8};
constexpr Field kUser{108, 8};
constexpr Field kGroup{116, 8};
constexpr Field kSize{124, 12};
constexpr Field kTime{136, 12};
constexpr Field kChecksum{148, 8};
constexpr Field kType{156, 1};
constexpr Field kMagic{257, 8};
constexpr Field kPrefix{345, 155};

void put(std::string& block, Field field, std::string_view text) { block.replace(field.offset, text.size(), text); }

/// Octal digits with leading zeros and an end of string.
void put_number(std::string& block, Field field, std::uint64_t number) {
  for (std::size_t i = field.size - 1; i-- > 0; number >>= 3) {
    block[field.offset + i] = static_cast<char>('0' + (number & 7));
  }
}

/// The sum of all bytes, those of the sum itself taken as blanks.
void put_checksum(std::string& block) {
  put(block, kChecksum, "        ");
  std::uint64_t sum = 0;
  for (const char byte : block) sum += static_cast<unsigned char>(byte);
  put(block, kChecksum, std::string_view("\0 ", 2));
  put_number(block, {kChecksum.offset, kChecksum.size - 1}, sum);
  block[kChecksum.offset + kChecksum.size - 2] = '\0';
}

/// Up to the first zero.
std::string text_of(std::string_view block, Field field) {
  const std::string_view bytes = block.substr(field.offset, field.size);
  return std::string(bytes.substr(0, bytes.find('\0')));
}

}  // namespace

std::string tar_header(const TarMember& member) {
  std::string block(kTarBlock, '\0');
  const std::size_t slash = member.path.rfind('/');
  const bool has_folder = slash != std::string::npos;
  put(block, kName, std::string_view(member.path).substr(has_folder ? slash + 1 : 0));
  if (has_folder) put(block, kPrefix, std::string_view(member.path).substr(0, slash));
  put_number(block, kMode, 0600);
  put_number(block, kUser, 0);
  put_number(block, kGroup, 0);
  put_number(block, kSize, member.size);
  put_number(block, kTime, 0);
  put(block, kType, "0");
  put(block, kMagic, std::string_view("ustar\00000", 8));
  put_checksum(block);
  return block;
}

std::optional<TarMember> read_tar_header(std::string_view block) {
  if (block.size() != kTarBlock) return std::nullopt;
  TarMember member;
  const std::string folder = text_of(block, kPrefix);
  member.path = (folder.empty() ? "" : folder + "/") + text_of(block, kName);
  const std::string digits = text_of(block, kSize);
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), member.size, 8);
  const bool is_number = error == std::errc{} && end == digits.data() + digits.size();
  if (!is_number || tar_header(member) != block) return std::nullopt;
  return member;
}

std::uint64_t tar_padding(std::uint64_t size) { return (kTarBlock - size % kTarBlock) % kTarBlock; }

}  // namespace kmux::cli
