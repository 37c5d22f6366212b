#include "kmux/plugin/sha256.h"

#include <array>

// The algorithm itself and not EVP, which reads configuration and starts providers when it is first called, and brings
// all of libcrypto into a static link.
#define OPENSSL_SUPPRESS_DEPRECATED
#include <openssl/sha.h>

namespace kmux {

std::string sha256_hex(std::string_view bytes) {
  SHA256_CTX context;
  std::array<unsigned char, SHA256_DIGEST_LENGTH> digest{};
  SHA256_Init(&context);  // the three answer 1, always
  SHA256_Update(&context, bytes.data(), bytes.size());
  SHA256_Final(digest.data(), &context);
  constexpr std::string_view kHex = "0123456789abcdef";
  std::string text;
  text.reserve(2 * digest.size());
  for (const unsigned char byte : digest) {
    text.push_back(kHex[byte >> 4]);
    text.push_back(kHex[byte & 15]);
  }
  return text;
}

}  // namespace kmux
