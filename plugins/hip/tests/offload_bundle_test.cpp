#include <cstring>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "code_object.h"

namespace kmux::hip {
namespace {

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

TEST(OffloadBundle, GivesTheCodeOfItsArchitecture) {
  EXPECT_EQ(unbundled(kTwo, "gfx90a").value(), "code a");
  EXPECT_EQ(unbundled(kTwo, "gfx942").value(), "code b");
}

TEST(OffloadBundle, OtherBytesAreTheCode) {
  EXPECT_EQ(unbundled("\x7f"
                      "ELF",
                      "gfx90a")
                .value(),
            "\x7f"
            "ELF");
}

TEST(OffloadBundle, SaysWhatItHas) {
  const Error error = unbundled(kTwo, "gfx1100").error();
  EXPECT_EQ(error.code, ErrorCode::kInvalidArgument);
  EXPECT_THAT(error.message, HasSubstr("no code for gfx1100 (it has gfx90a, gfx942)"));
}

TEST(OffloadBundle, DamageIsNoCrash) {
  for (std::size_t size = 24; size < kTwo.size(); ++size) {
    const auto code = unbundled(kTwo.substr(0, size), "gfx942");
    ASSERT_FALSE(code.ok()) << size;
    EXPECT_EQ(code.error().code, ErrorCode::kInvalidArgument);
  }
  std::string huge = kTwo;
  std::memset(huge.data() + 32, 0xff, 16);
  EXPECT_THAT(unbundled(huge, "gfx90a").error().message, HasSubstr("cut off"));
}

TEST(OffloadBundle, CompressedOnesAreRefusedByName) {
  const Error error = unbundled("CCOB....", "gfx90a").error();
  EXPECT_EQ(error.code, ErrorCode::kUnsupported);
  EXPECT_THAT(error.message, HasSubstr("--no-offload-compress"));
}

}  // namespace
}  // namespace kmux::hip
