#include "kmux/plugin/sha256.h"

#include <random>

#include <gtest/gtest.h>

#include "base/sha256_blocks.h"
#include "needs.h"

namespace kmux {
namespace {

// Source: FIPS 180-4, examples of the NIST.
TEST(Sha256Test, MatchesStandardDigests) {
  EXPECT_EQ(sha256_hex(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(sha256_hex("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(sha256_hex("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  EXPECT_EQ(sha256_hex(std::string(1'000'000, 'a')),
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST(Sha256Test, HashesBytesAfterNul) { EXPECT_NE(sha256_hex(std::string("a\0b", 3)), sha256_hex("a")); }

// The lengths around a block's end: one more block if the size of the message does not fit.
TEST(Sha256Test, PadsEveryLength) {
  std::string chained;
  for (std::size_t size = 0; size < 200; ++size) chained = sha256_hex(chained + std::string(size, '\x80'));
  EXPECT_EQ(chained, "061495d485649fab13be3c9a7bdc6bdadba5360ef8b2128f7c61afdebca4054c");  // Python's hashlib
}

// "abc", a one bit, zeros, 24 bits. Source: FIPS 180-4, examples of the NIST.
TEST(Sha256Test, PortableCompressionMatchesStandard) {
  std::vector<unsigned char> block(kSha256BlockBytes);
  block[0] = 'a', block[1] = 'b', block[2] = 'c', block[3] = 0x80, block[63] = 24;
  Sha256State state = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  sha256_compress_portably(state, block);
  EXPECT_EQ(state, (Sha256State{0xba7816bf, 0x8f01cfea, 0x414140de, 0x5dae2223, 0xb00361a3, 0x96177a9c, 0xb410ff61,
                                0xf20015ad}));
}

TEST(Sha256Test, ShaExtensionsMatchPortableCompression) {
  if (!has_sha_extensions()) GTEST_SKIP() << needs("SHA extensions", "this processor has none");
  std::mt19937 random(7);
  std::vector<unsigned char> blocks(33 * kSha256BlockBytes);
  for (unsigned char& byte : blocks) byte = static_cast<unsigned char>(random());
  Sha256State with{};
  Sha256State without{};
  sha256_compress_with_extensions(with, blocks);
  sha256_compress_portably(without, blocks);
  EXPECT_EQ(with, without);
}

}  // namespace
}  // namespace kmux
