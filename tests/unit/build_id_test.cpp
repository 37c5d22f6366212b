#include <cstring>
#include <elf.h>
#include <random>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "plugins/plugin_search.h"
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

/// An ELF file that consists of one segment of notes.
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

class BuildId : public testing::Test {
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

TEST_F(BuildId, IsReadFromTheNotes) {
  EXPECT_EQ(read(elf(note(NT_GNU_BUILD_ID, kGnu, "\x01\xab\xff"))).value(), "01abff");
  EXPECT_EQ(
      read(elf(note(1, kGnu, "abi") + note(NT_GNU_BUILD_ID, "other", "x") + note(NT_GNU_BUILD_ID, kGnu, "\x10\x20")))
          .value(),
      "1020");
}

TEST_F(BuildId, IsEmptyWithoutSuchANote) {
  EXPECT_EQ(read(elf("")).value(), "");
  EXPECT_EQ(read(elf(note(1, kGnu, "abi"))).value(), "");
}

TEST_F(BuildId, RefusesWhatIsNoElfFile) {
  expect_damaged("", "not a 64-bit ELF file");
  expect_damaged("#!/bin/sh\n", "not a 64-bit ELF file");
  std::string other_class = elf("");
  other_class[EI_CLASS] = ELFCLASS32;
  expect_damaged(other_class, "not a 64-bit ELF file");
  std::string other_order = elf("");
  other_order[EI_DATA] = ELFDATA2MSB;
  expect_damaged(other_order, "not a 64-bit ELF file");
}

TEST_F(BuildId, RefusesTruncatedFiles) {
  const std::string whole = elf(note(NT_GNU_BUILD_ID, kGnu, "12345678"));
  expect_damaged(whole.substr(0, sizeof(Elf64_Ehdr) + 8), "program headers are truncated");
  expect_damaged(whole.substr(0, whole.size() - 4), "notes are truncated");
}

TEST_F(BuildId, RefusesNotesThatAreTooLarge) {
  std::string bytes = elf("");
  const std::uint64_t size = std::uint64_t{1} << 40;
  std::memcpy(bytes.data() + sizeof(Elf64_Ehdr) + offsetof(Elf64_Phdr, p_filesz), &size, sizeof size);
  expect_damaged(bytes, "too large");
}

TEST_F(BuildId, SurvivesLyingSizes) {
  std::string lying = note(NT_GNU_BUILD_ID, kGnu, "abcd");
  const Elf64_Word huge = 0xffffffff;
  std::memcpy(lying.data() + offsetof(Elf64_Nhdr, n_descsz), &huge, sizeof huge);
  EXPECT_EQ(read(elf(lying)).value(), "");
  std::memcpy(lying.data() + offsetof(Elf64_Nhdr, n_namesz), &huge, sizeof huge);
  EXPECT_EQ(read(elf(lying)).value(), "");
}

TEST_F(BuildId, SurvivesRandomDamage) {
  std::mt19937 random(1);
  const std::string whole = elf(note(1, kGnu, "abi") + note(NT_GNU_BUILD_ID, kGnu, "12345678"));
  for (int i = 0; i < 500; ++i) {
    std::string damaged = whole;
    for (int k = 0; k < 4; ++k) damaged[random() % damaged.size()] = static_cast<char>(random());
    const auto id = read(damaged);
    EXPECT_TRUE(id.ok() || !id.error().message.empty());
  }
}

TEST_F(BuildId, UnreadableFileIsUnavailable) {
  const auto id = read_build_id("/no/such/library.so");
  ASSERT_FALSE(id.ok());
  EXPECT_EQ(id.error().code, ErrorCode::kUnavailable);
  EXPECT_THAT(id.error().message, HasSubstr("/no/such/library.so"));
}

}  // namespace
}  // namespace kmux
