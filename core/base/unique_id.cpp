// SPDX-License-Identifier: Apache-2.0
#include "kmux/plugin/unique_id.h"

#include <array>
#include <sys/random.h>  // getentropy, which other systems have in unistd.h
#include <unistd.h>

namespace kmux {

std::string unique_id() {
  std::array<unsigned char, 16> bytes{};
  if (::getentropy(bytes.data(), bytes.size()) != 0) return "";
  std::string id;
  for (const unsigned char byte : bytes) id.append({"0123456789abcdef"[byte >> 4], "0123456789abcdef"[byte & 15]});
  return id;
}

}  // namespace kmux
