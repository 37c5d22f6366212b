#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "code_object.h"

namespace kmux::hip {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

struct Entry {
  std::string name;
  std::string code;
};

void append(std::string& text, std::uint64_t number) {
  text.append(reinterpret_cast<const char*>(&number), sizeof number);
}

std::string bundle(const std::vector<Entry>& entries) {
  std::string table = "__CLANG_OFFLOAD_BUNDLE__";
  std::size_t end = table.size() + 8;
  for (const Entry& entry : entries) end += 24 + entry.name.size();
  std::string codes;
  append(table, entries.size());
  for (const Entry& entry : entries) {
    append(table, end + codes.size());
    append(table, entry.code.size());
    append(table, entry.name.size());
    table += entry.name;
    codes += entry.code;
  }
  return table + codes;
}

const std::string kTwo = bundle({{"host-x86_64-unknown-linux--", ""},
                                 {"hipv4-amdgcn-amd-amdhsa--gfx90a:xnack-", "code a"},
                                 {"hipv4-amdgcn-amd-amdhsa--gfx942", "code b"}});

TEST(OffloadBundleTest, ReturnsCodeOfArchitecture) {
  EXPECT_EQ(unbundled(kTwo, "gfx90a").value().code, "code a");
  EXPECT_EQ(unbundled(kTwo, "gfx942").value().code, "code b");
}

TEST(OffloadBundleTest, ReturnsOtherBytesUnchanged) {
  EXPECT_EQ(unbundled("\x7f"
                      "ELF",
                      "gfx90a")
                .value()
                .code,
            "\x7f"
            "ELF");
}

TEST(OffloadBundleTest, ReportsAvailableArchitectures) {
  const Error error = unbundled(kTwo, "gfx1100").error();
  EXPECT_EQ(error.code, ErrorCode::kInvalidArgument);
  EXPECT_THAT(error.message, HasSubstr("no code for gfx1100 (it has gfx90a, gfx942)"));
}

TEST(OffloadBundleTest, RejectsCorruptedBundles) {
  for (std::size_t size = 24; size < kTwo.size(); ++size) {
    const auto code = unbundled(kTwo.substr(0, size), "gfx942");
    ASSERT_FALSE(code.ok()) << size;
    EXPECT_EQ(code.error().code, ErrorCode::kInvalidArgument);
  }
  std::string huge = kTwo;
  std::memset(huge.data() + 32, 0xff, 16);
  EXPECT_THAT(unbundled(huge, "gfx90a").error().message, HasSubstr("cut off"));
}

// The device's full name selects one, and only HIP knows it.
TEST(OffloadBundleTest, KeepsAllFormsOfArchitecture) {
  const std::string forms = bundle({{"hipv4-amdgcn-amd-amdhsa--gfx90a:xnack+", "code +"},
                                    {"hipv4-amdgcn-amd-amdhsa--gfx942", "code b"},
                                    {"hipv4-amdgcn-amd-amdhsa--gfx90a:sramecc+:xnack-", "code -"}});
  const Unbundled both = unbundled(forms, "gfx90a").value();
  EXPECT_EQ(both.code, forms);
  EXPECT_THAT(both.objects, ElementsAre("code +", "code -"));
  EXPECT_THAT(unbundled(forms, "gfx942").value().objects, ElementsAre("code b"));
}

TEST(OffloadBundleTest, GenericCodeServesItsArchitectures) {
  const std::string generic =
      bundle({{"hipv4-amdgcn-amd-amdhsa--gfx11-generic", "code g"}, {"hipv4-amdgcn-amd-amdhsa--gfx1101", "code 1"}});
  EXPECT_EQ(unbundled(generic, "gfx1100").value().code, "code g");
  EXPECT_EQ(unbundled(generic, "gfx1101").value().code, "code 1");
  EXPECT_THAT(unbundled(generic, "gfx90a").error().message, HasSubstr("it has gfx11-generic, gfx1101"));
}

// Returns a zlib stream of `text` without compression: stored blocks. Source: RFC 1950 and 1951.
std::string stored(const std::string& text) {
  std::uint32_t low = 1, high = 0;
  for (const char c : text) {
    low = (low + static_cast<unsigned char>(c)) % 65521;
    high = (high + low) % 65521;
  }
  const auto size = static_cast<std::uint16_t>(text.size());
  std::string packed = "\x78\x01\x01";
  for (const unsigned number : {unsigned{size}, ~unsigned{size}}) {
    packed += static_cast<char>(number & 0xff);
    packed += static_cast<char>(number >> 8 & 0xff);
  }
  packed += text;
  for (const std::uint32_t half : {high, low}) {
    packed += static_cast<char>(half >> 8);
    packed += static_cast<char>(half & 0xff);
  }
  return packed;
}

template <class Number>
std::string bytes_of(Number number) {
  return {reinterpret_cast<const char*>(&number), sizeof number};
}

// Returns a compressed bundle of `version`.
std::string compressed(std::uint16_t version, std::uint16_t method, const std::string& packed, std::uint64_t size) {
  std::string text = "CCOB" + bytes_of(version) + bytes_of(method);
  const auto add = [&](std::uint64_t number) {
    text += version == 3 ? bytes_of(number) : bytes_of(static_cast<std::uint32_t>(number));
  };
  if (version > 1) add(packed.size());
  add(size);
  return text + std::string(8, 'h') + packed;
}

TEST(OffloadBundleTest, ReadsCompressedBundles) {
  for (const std::uint16_t version : {std::uint16_t{1}, std::uint16_t{2}, std::uint16_t{3}}) {
    const std::string whole = compressed(version, 0, stored(kTwo), kTwo.size());
    EXPECT_EQ(unbundled(whole, "gfx942").value().code, "code b") << version;
    for (std::size_t size = 4; size < whole.size(); size += 5) {
      const auto cut = unbundled(whole.substr(0, size), "gfx942");
      ASSERT_FALSE(cut.ok()) << version << " " << size;
      EXPECT_EQ(cut.error().code, ErrorCode::kInvalidArgument);
    }
  }
  EXPECT_THAT(unbundled(compressed(3, 1, "no frame of zstd", 100), "gfx942").error().message, HasSubstr("is damaged"));
  EXPECT_THAT(unbundled(compressed(3, 0, stored("text"), 4), "gfx942").error().message, HasSubstr("is damaged"));
  EXPECT_THAT(unbundled(compressed(3, 0, "", ~0ULL), "gfx942").error().message, HasSubstr("is damaged"));
}

// The output of clang-offload-bundler 19 with -compress for "code a" of gfx90a:xnack- and "code b" of gfx942: zstd,
// version 2.
constexpr std::string_view kByZstd =
    "43434f4202000100a6000000d70000002dc3760a974c149828b52ffd20d72d0400b4065f5f434c414e475f4f46464c4f4144"
    "5f42554e444c455f5f0300cb001e00686f73742d7838365f36342d756e6b6e6f776e2d6c696e75782d676e752d0626697076"
    "342d616d6467636e6873612d2d6766783930613a786e61636b2dd11f3432636f64652061636f646520620a00811483d0b133"
    "ab621d1006b2302be2c08081c462600c";
constexpr std::size_t kByZstdHeader = 24, kByZstdContent = 215;  // bytes: before the frame, and in it

std::string from_hex(std::string_view digits) {
  std::string bytes;
  for (std::size_t at = 0; at < digits.size(); at += 2) {
    bytes += static_cast<char>(std::stoi(std::string(digits.substr(at, 2)), nullptr, 16));
  }
  return bytes;
}

TEST(OffloadBundleTest, ReadsClangZstdBundles) {
  const std::string whole = from_hex(kByZstd);
  EXPECT_EQ(unbundled(whole, "gfx90a").value().code, "code a");
  EXPECT_EQ(unbundled(whole, "gfx942").value().code, "code b");
  EXPECT_THAT(unbundled(whole, "gfx1100").error().message, HasSubstr("it has gfx90a, gfx942"));
  for (std::size_t size = 4; size < whole.size(); ++size) {
    const auto cut = unbundled(whole.substr(0, size), "gfx942");
    ASSERT_FALSE(cut.ok()) << size;
    EXPECT_EQ(cut.error().code, ErrorCode::kInvalidArgument) << size;
  }
}

TEST(OffloadBundleTest, ReadsZstdInEveryVersion) {
  const std::string frame = from_hex(kByZstd).substr(kByZstdHeader);
  for (const std::uint16_t version : {std::uint16_t{1}, std::uint16_t{2}, std::uint16_t{3}}) {
    EXPECT_EQ(unbundled(compressed(version, 1, frame, kByZstdContent), "gfx942").value().code, "code b") << version;
    for (const std::size_t wrong : {kByZstdContent - 1, kByZstdContent + 1}) {
      EXPECT_THAT(unbundled(compressed(version, 1, frame, wrong), "gfx942").error().message, HasSubstr("is damaged"));
    }
  }
}

TEST(OffloadBundleTest, RejectsUnknownCompression) {
  for (const std::string& other : {compressed(9, 0, "", 0), compressed(2, 7, "", 0)}) {
    const Error error = unbundled(other, "gfx90a").error();
    EXPECT_EQ(error.code, ErrorCode::kUnsupported);
    EXPECT_THAT(error.message, HasSubstr("--no-offload-compress"));
  }
}

}  // namespace
}  // namespace kmux::hip
