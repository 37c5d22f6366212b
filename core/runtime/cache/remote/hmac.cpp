#include "hmac.h"

#include <openssl/crypto.h>

#include "kmux/plugin/sha256.h"

namespace kmux {
namespace {

constexpr std::size_t kBlock = 64;  // of SHA-256, bytes

int value_of(char digit) { return digit <= '9' ? digit - '0' : digit - 'a' + 10; }

std::string sha256_bytes(std::string_view text) {
  const std::string hex = sha256_hex(text);
  std::string bytes;
  for (std::size_t i = 0; i < hex.size(); i += 2) {
    bytes.push_back(static_cast<char>(value_of(hex[i]) << 4 | value_of(hex[i + 1])));
  }
  return bytes;
}

std::string padded(std::string key, char with) {
  key.resize(kBlock, '\0');
  for (char& byte : key) byte = static_cast<char>(byte ^ with);
  return key;
}

}  // namespace

// Out of SHA-256 and not OpenSSL's HMAC(), which goes through EVP, see sha256.cpp.
std::string hmac_sha256_hex(std::string_view key, std::string_view message) {
  const std::string short_key = key.size() > kBlock ? sha256_bytes(key) : std::string(key);
  return sha256_hex(padded(short_key, 0x5c) + sha256_bytes(padded(short_key, 0x36).append(message)));
}

bool equal_in_constant_time(std::string_view a, std::string_view b) {
  return a.size() == b.size() && CRYPTO_memcmp(a.data(), b.data(), a.size()) == 0;
}

}  // namespace kmux
