#include <algorithm>
#include <cstring>
#include <elf.h>
#include <random>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kmux/plugin/dynamic_library.h"
#include "kmux/plugin/file_io.h"
#include "kmux/plugin/host_compiler.h"
#include "kmux/plugin/process.h"

#include "needs.h"
#include "temp_folder.h"

namespace kmux {
namespace {

using ::testing::HasSubstr;

template <class T>
std::string bytes_of(const T& value) {
  return {reinterpret_cast<const char*>(&value), sizeof value};
}

std::string note(std::uint32_t type, std::string name, std::string content) {
  const Elf64_Nhdr header{static_cast<Elf64_Word>(name.size()), static_cast<Elf64_Word>(content.size()), type};
  name.resize((name.size() + 3) / 4 * 4);
  content.resize((content.size() + 3) / 4 * 4);
  return bytes_of(header) + name + content;
}

/// Returns an ELF file that consists of one segment of notes.
std::string elf(const std::string& notes) {
  Elf64_Ehdr header{};
  std::memcpy(header.e_ident, ELFMAG, SELFMAG);
  header.e_ident[EI_CLASS] = ELFCLASS64;
  header.e_ident[EI_DATA] = ELFDATA2LSB;
  header.e_phoff = sizeof header;
  header.e_phentsize = sizeof(Elf64_Phdr);
  header.e_phnum = 1;
  Elf64_Phdr segment{};
  segment.p_type = PT_NOTE;
  segment.p_offset = sizeof header + sizeof segment;
  segment.p_filesz = notes.size();
  return bytes_of(header) + bytes_of(segment) + notes;
}

const std::string kGnu("GNU\0", 4);

class BuildIdTest : public testing::Test {
 protected:
  Result<std::string> read(const std::string& bytes) const { return read_build_id(folder_.write("lib.so", bytes)); }
  void expect_damaged(const std::string& bytes, const std::string& part) const {
    const auto id = read(bytes);
    ASSERT_FALSE(id.ok()) << part;
    EXPECT_EQ(id.error().code, ErrorCode::kInvalidArgument);
    EXPECT_THAT(id.error().message, HasSubstr(part));
  }
  TempFolder folder_;
};

TEST_F(BuildIdTest, IsReadFromElfNotes) {
  EXPECT_EQ(read(elf(note(NT_GNU_BUILD_ID, kGnu, "\x01\xab\xff"))).value(), "01abff");
  EXPECT_EQ(
      read(elf(note(1, kGnu, "abi") + note(NT_GNU_BUILD_ID, "other", "x") + note(NT_GNU_BUILD_ID, kGnu, "\x10\x20")))
          .value(),
      "1020");
}

TEST_F(BuildIdTest, IsEmptyWithoutBuildIdNote) {
  EXPECT_EQ(read(elf("")).value(), "");
  EXPECT_EQ(read(elf(note(1, kGnu, "abi"))).value(), "");
}

TEST_F(BuildIdTest, RejectsUnsupportedFiles) {
  expect_damaged("", "not a 64-bit ELF or Mach-O file");
  expect_damaged("#!/bin/sh\n", "not a 64-bit ELF or Mach-O file");
  std::string other_class = elf("");
  other_class[EI_CLASS] = ELFCLASS32;
  expect_damaged(other_class, "not a 64-bit ELF or Mach-O file");
  std::string other_order = elf("");
  other_order[EI_DATA] = ELFDATA2MSB;
  expect_damaged(other_order, "not a 64-bit ELF or Mach-O file");
}

TEST_F(BuildIdTest, RejectsTruncatedElfFiles) {
  const std::string whole = elf(note(NT_GNU_BUILD_ID, kGnu, "12345678"));
  expect_damaged(whole.substr(0, sizeof(Elf64_Ehdr) + 8), "program headers are truncated");
  expect_damaged(whole.substr(0, whole.size() - 4), "notes are truncated");
}

TEST_F(BuildIdTest, RejectsOversizedNotes) {
  std::string bytes = elf("");
  const std::uint64_t size = std::uint64_t{1} << 40;
  std::memcpy(bytes.data() + sizeof(Elf64_Ehdr) + offsetof(Elf64_Phdr, p_filesz), &size, sizeof size);
  expect_damaged(bytes, "too large");
}

TEST_F(BuildIdTest, IsEmptyForInvalidNoteSizes) {
  std::string lying = note(NT_GNU_BUILD_ID, kGnu, "abcd");
  const Elf64_Word huge = 0xffffffff;
  std::memcpy(lying.data() + offsetof(Elf64_Nhdr, n_descsz), &huge, sizeof huge);
  EXPECT_EQ(read(elf(lying)).value(), "");
  std::memcpy(lying.data() + offsetof(Elf64_Nhdr, n_namesz), &huge, sizeof huge);
  EXPECT_EQ(read(elf(lying)).value(), "");
}

TEST_F(BuildIdTest, ToleratesRandomDamageOfElfFiles) {
  std::mt19937 random(1);
  const std::string whole = elf(note(1, kGnu, "abi") + note(NT_GNU_BUILD_ID, kGnu, "12345678"));
  for (int i = 0; i < 500; ++i) {
    std::string damaged = whole;
    for (int k = 0; k < 4; ++k) damaged[random() % damaged.size()] = static_cast<char>(random());
    const auto id = read(damaged);
    EXPECT_TRUE(id.ok() || !id.error().message.empty());
  }
}

#if defined(__aarch64__)
constexpr std::uint32_t kOwn = 0x0100000c, kOther = 0x01000007;
#else
constexpr std::uint32_t kOwn = 0x01000007, kOther = 0x0100000c;
#endif

std::string number(std::uint32_t value) { return bytes_of(value); }

std::string reversed(std::string bytes) {
  std::ranges::reverse(bytes);
  return bytes;
}

std::string command(std::uint32_t type, const std::string& content) {
  return number(type) + number(static_cast<std::uint32_t>(content.size() + 8)) + content;
}

/// Returns a Mach-O file of load commands.
std::string mach(const std::string& commands, std::uint32_t processor = kOwn) {
  const auto size = static_cast<std::uint32_t>(commands.size());
  return number(0xfeedfacf) + number(processor) + number(0) + number(6) + number(2) + number(size) + number(0) +
         number(0) + commands;
}

constexpr std::uint32_t kUuid = 0x1b;

/// Returns a fat file of one part per processor; the offsets of the parts are numbers of type `Offset`.
template <class Offset>
std::string fat(const std::vector<std::pair<std::uint32_t, std::string>>& parts) {
  const bool wide = sizeof(Offset) == 8;
  std::string list, content;
  Offset at = static_cast<Offset>(8 + parts.size() * (wide ? 32 : 20));
  for (const auto& [processor, bytes] : parts) {
    const std::string size = reversed(bytes_of(static_cast<Offset>(bytes.size())));
    list +=
        reversed(number(processor)) + number(0) + reversed(bytes_of(at)) + size + number(0) + (wide ? number(0) : "");
    content += bytes;
    at += static_cast<Offset>(bytes.size());
  }
  const auto count = static_cast<std::uint32_t>(parts.size());
  return (wide ? "\xca\xfe\xba\xbf" : "\xca\xfe\xba\xbe") + reversed(number(count)) + list + content;
}

TEST_F(BuildIdTest, IsTheUuidOfAMachOFile) {
  const std::string uuid = "0123456789abcdef";
  const std::string hex = "30313233343536373839616263646566";
  EXPECT_EQ(read(mach(command(0x19, "segment.") + command(kUuid, uuid))).value(), hex);
  EXPECT_EQ(read(mach(command(kUuid, uuid), kOther)).value(), hex) << "its code is not looked at";
  EXPECT_EQ(read(mach(command(0x19, "segment."))).value(), "");
}

TEST_F(BuildIdTest, UsesFatFilePartForThisProcessor) {
  const std::string other = mach(command(kUuid, std::string(16, 'o')), kOther);
  const std::string own = mach(command(kUuid, std::string(16, 'a')));
  std::string hex;
  for (int i = 0; i < 16; ++i) hex += "61";
  EXPECT_EQ(read(fat<std::uint32_t>({{kOther, other}, {kOwn, own}})).value(), hex);
  EXPECT_EQ(read(fat<std::uint64_t>({{kOther, other}, {kOwn, own}})).value(), hex);
  expect_damaged(fat<std::uint32_t>({{kOther, other}}), "it has no part for this processor");
  expect_damaged(std::string("\xca\xfe\xba\xbe\x00\x40\x00\x34", 8) + own, "not a 64-bit ELF or Mach-O file");
}

TEST_F(BuildIdTest, RejectsDamagedMachOFiles) {
  const std::string whole = mach(command(kUuid, "0123456789abcdef"));
  expect_damaged(whole.substr(0, 20), "not a 64-bit ELF or Mach-O file");
  expect_damaged(whole.substr(0, whole.size() - 4), "load commands are truncated");
  expect_damaged(mach(number(kUuid) + number(4)), "load commands are damaged");
  expect_damaged(mach(number(kUuid) + number(400)), "load commands are damaged");
  std::string large = whole;
  const std::uint32_t huge = 0xffffff;
  std::memcpy(large.data() + 20, &huge, sizeof huge);
  expect_damaged(large, "load commands are too large");
  expect_damaged(fat<std::uint32_t>({{kOwn, whole}}).substr(0, 16), "list of parts is truncated");
  expect_damaged(fat<std::uint32_t>({{kOwn, "text"}}), "not a 64-bit ELF or Mach-O file");
}

TEST_F(BuildIdTest, ToleratesRandomDamageOfMachOFiles) {
  std::mt19937 random(1);
  const std::string part = mach(command(0x19, "segment.") + command(kUuid, "0123456789abcdef"));
  const std::string whole = fat<std::uint32_t>({{kOther, part}, {kOwn, part}});
  for (int i = 0; i < 500; ++i) {
    std::string damaged = i % 2 == 0 ? whole : part;
    for (int k = 0; k < 4; ++k) damaged[random() % damaged.size()] = static_cast<char>(random());
    const auto id = read(damaged);
    EXPECT_TRUE(id.ok() || !id.error().message.empty());
  }
}

/// tests/data/mach_o/both.dylib was compiled from "int kmux_x(void){return 1;}" by clang-19 -target arm64-apple-macos11
/// and x86_64-apple-macos11, ld64.lld-19 -dylib -platform_version macos 11.0 11.0, and llvm-lipo-19 -create. The UUIDs
/// are those that llvm-objdump-19 --macho --all-headers prints.
TEST_F(BuildIdTest, MatchesUuidsOfDarwinLibraries) {
  const std::string arm = "4c4c446955553144a1ea6cf16c81a16b", intel = "4c4c44c655553144a19ad63bac326720";
  const std::string both = KMUX_TEST_DATA_DIR "/mach_o/both.dylib";
  EXPECT_EQ(read_build_id(both).value(), kOwn == 0x01000007 ? intel : arm);
  const std::string bytes = read_file(both).value();
  EXPECT_EQ(read(bytes.substr(4096, 8248)).value(), intel);
  EXPECT_EQ(read(bytes.substr(16384)).value(), arm);
}

TEST_F(BuildIdTest, IsReadFromFreshlyLinkedDarwinLibrary) {
  const auto linker = find_program("ld64.lld-19"), clang = find_program("clang-19");
  if (!linker || !clang)
    GTEST_SKIP() << needs("ld64.lld-19 and clang-19", "they are not in PATH. apt-get install lld-19 clang-19");
  const std::string source = folder_.write("x.c", "int x(void) { return 1; }\n");
  const std::string object = (folder_.path() / "x.o").string(), library = (folder_.path() / "x.dylib").string();
  const auto made = [&](std::vector<std::string> words) {
    return run(Command{std::move(words), folder_.path()}).value().exit_code == 0;
  };
  ASSERT_TRUE(made({*clang, "-target", "arm64-apple-macos11", "-c", source, "-o", object}));
  ASSERT_TRUE(
      made({*linker, "-dylib", "-arch", "arm64", "-platform_version", "macos", "11.0", "11.0", "-o", library, object}));
  EXPECT_EQ(read_build_id(library).value().size(), 32U);
}

TEST_F(BuildIdTest, MissingFileIsUnavailable) {
  const auto id = read_build_id("/no/such/library.so");
  ASSERT_FALSE(id.ok());
  EXPECT_EQ(id.error().code, ErrorCode::kUnavailable);
  EXPECT_THAT(id.error().message, HasSubstr("/no/such/library.so"));
}

}  // namespace
}  // namespace kmux
