#include <archive_entry.h>
#include <functional>
#include <sys/stat.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kmux/plugin/file_io.h"

#include "cli/cache_bundle.h"
#include "temp_folder.h"

namespace kmux::cli {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

class BundleReadingTest : public testing::Test {
 protected:
  void write(const std::string& content) const {
    BundleWriter writer = BundleWriter::create(file_).value();
    ASSERT_TRUE(writer.add("a/b", content).ok());
    ASSERT_TRUE(writer.add("c", "x").ok());
    ASSERT_TRUE(writer.finish().ok());
  }

  /// Writes one empty entry, which `change` makes invalid.
  void write_strange(const std::function<void(archive_entry*)>& change, bool pax = false) const {
    archive* const out = archive_write_new();
    ASSERT_EQ(pax ? archive_write_set_format_pax(out) : archive_write_set_format_ustar(out), ARCHIVE_OK);
    ASSERT_EQ(archive_write_add_filter_zstd(out), ARCHIVE_OK);
    ASSERT_EQ(archive_write_open_filename(out, file_.c_str()), ARCHIVE_OK);
    archive_entry* const entry = archive_entry_new();
    archive_entry_set_pathname(entry, "strange");
    archive_entry_set_filetype(entry, AE_IFREG);
    archive_entry_set_size(entry, 0);
    change(entry);
    EXPECT_EQ(archive_write_header(out, entry), ARCHIVE_OK) << archive_error_string(out);
    archive_entry_free(entry);
    EXPECT_EQ(archive_write_free(out), ARCHIVE_OK);
  }

  /// Returns all content that is read, or the first error.
  Result<std::string> read() const {
    KMUX_ASSIGN(BundleReader reader, BundleReader::open(file_));
    std::string all;
    for (;;) {
      KMUX_ASSIGN(const std::optional<BundleMember> member, reader.next());
      if (!member) return all;
      KMUX_ASSIGN(const std::string content, reader.content());
      EXPECT_EQ(content.size(), member->size);
      all += member->path + "=" + content + ";";
    }
  }
  std::string refusal() const {
    const Result<std::string> all = read();
    if (all) return "";
    EXPECT_EQ(all.error().code, ErrorCode::kInvalidArgument);
    return all.error().message;
  }

  TempFolder temp_;
  fs::path file_ = temp_.path() / "f.tar.zst";
};

TEST_F(BundleReadingTest, ReturnsWrittenFiles) {
  std::string large(3'000'000, 'x');
  for (std::size_t i = 0; i < large.size(); ++i) large[i] = static_cast<char>(i * i >> 7);
  for (const std::string& content : {std::string(), std::string("short"), large}) {
    write(content);
    EXPECT_EQ(read().value(), "a/b=" + content + ";c=x;");
  }
}

TEST_F(BundleReadingTest, RejectsEveryTruncation) {
  write(std::string(10'000, 'x') + "end");
  const std::string whole = read_file(file_).value();
  for (std::size_t size = 0; size < whole.size(); ++size) {
    temp_.write("f.tar.zst", whole.substr(0, size));
    EXPECT_THAT(refusal(), HasSubstr("cannot read '")) << size;
  }
}

TEST_F(BundleReadingTest, RejectsTrailingGarbage) {
  write("x");
  const std::string whole = read_file(file_).value();
  for (const std::size_t size : {1, 3, 100, 100'000}) {
    temp_.write("f.tar.zst", whole + std::string(size, 'x'));
    EXPECT_NE(refusal(), "") << size;
  }
  temp_.write("f.tar.zst", whole + whole);
  EXPECT_EQ(read().value(), "a/b=x;c=x;a/b=x;c=x;") << "a second bundle is read, not passed over";
}

TEST_F(BundleReadingTest, RejectsEverythingButPlainFiles) {
  for (const auto kind : {AE_IFDIR, AE_IFCHR, AE_IFBLK, AE_IFIFO}) {
    write_strange([&](archive_entry* entry) { archive_entry_set_filetype(entry, kind); });
    EXPECT_THAT(refusal(), HasSubstr("something else than the files of builds")) << kind;
  }
  write_strange([](archive_entry* entry) {
    archive_entry_set_filetype(entry, AE_IFLNK);
    archive_entry_set_symlink(entry, "/etc/passwd");
  });
  EXPECT_THAT(refusal(), HasSubstr("something else than the files of builds"));
  write_strange([](archive_entry* entry) { archive_entry_set_hardlink(entry, "/etc/passwd"); });
  EXPECT_THAT(refusal(), HasSubstr("something else than the files of builds"));
  write_strange([](archive_entry* entry) { archive_entry_xattr_add_entry(entry, "user.x", "y", 1); }, true);
  EXPECT_THAT(refusal(), HasSubstr("something else than the files of builds"));
}

TEST_F(BundleReadingTest, RejectsOtherFileFormats) {
  for (const char* text : {"", "no Zstandard file", "\x28\xb5\x2f\xfdxxxxxxxx"}) {
    temp_.write("f.tar.zst", text);
    EXPECT_NE(refusal(), "") << text;
  }
  archive* const out = archive_write_new();
  ASSERT_EQ(archive_write_set_format_ustar(out), ARCHIVE_OK);
  ASSERT_EQ(archive_write_open_filename(out, file_.c_str()), ARCHIVE_OK);
  EXPECT_EQ(archive_write_free(out), ARCHIVE_OK);
  EXPECT_THAT(refusal(), HasSubstr("it is not a Zstandard file")) << "a plain tar file";
}

TEST_F(BundleReadingTest, ReportsWhyFileCannotBeRead) {
  EXPECT_THAT(BundleReader::open(file_).error().message, HasSubstr("f.tar.zst' (No such file or directory)"));
  fs::create_directory(file_);
  const Result<std::string> folder = read();
  EXPECT_EQ(folder.error().code, ErrorCode::kInvalidArgument);
  EXPECT_THAT(folder.error().message, HasSubstr("(Is a directory)"));
  fs::remove(file_);
  ASSERT_EQ(::mkfifo(file_.c_str(), 0600), 0);
  EXPECT_THAT(refusal(), HasSubstr("f.tar.zst' (not a regular file)")) << "nor is it waited for";
}

}  // namespace
}  // namespace kmux::cli
