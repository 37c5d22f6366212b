#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace kmux::cli {

/// A tar file is made of blocks of this size.
inline constexpr std::size_t kTarBlock = 512;

/// A regular file in a tar file.
struct TarMember {
  std::string path;
  std::uint64_t size = 0;
};

/// The block before a file's content: of no owner, of no time, readable by its owner. Equal members give equal bytes.
///
/// Shapes: the last component of `path` has at most 100 bytes, what is before it at most 155; `size` < 8 GiB.
/// Source: POSIX.1-2017, pax, "ustar Interchange Format".
std::string tar_header(const TarMember& member);

/// The member whose header `block` is, or nothing if `tar_header` does not write such a block: so there are no links, no
/// devices, no owners and no extensions to be wary of.
std::optional<TarMember> read_tar_header(std::string_view block);

/// The zeros that fill the last block of a content of `size` bytes.
std::uint64_t tar_padding(std::uint64_t size);

}  // namespace kmux::cli
