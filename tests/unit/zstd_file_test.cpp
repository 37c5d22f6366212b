#include "cli/zstd_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kmux/file_io.h"

#include "temp_folder.h"

namespace kmux::cli {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

class ZstdFile : public testing::Test {
 protected:
  void write(const std::string& bytes) {
    ZstdWriter writer = ZstdWriter::create(file_).value();
    ASSERT_TRUE(writer.write(bytes).ok());
    ASSERT_TRUE(writer.finish().ok());
  }
  Result<std::string> read() { return ZstdReader::open(file_).value().read(std::uint64_t{1} << 40); }

  TempFolder temp_;
  fs::path file_ = temp_.path() / "f.zst";
};

TEST_F(ZstdFile, ReadsWhatItWrote) {
  std::string bytes(3'000'000, 'x');
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<char>(i * i >> 7);
  for (const std::string& content : {std::string(), std::string("short"), bytes}) {
    write(content);
    EXPECT_EQ(read().value(), content);
  }
  ZstdReader reader = ZstdReader::open(file_).value();
  EXPECT_EQ(reader.read(10).value(), bytes.substr(0, 10));
  EXPECT_EQ(reader.read(1'000'000).value(), bytes.substr(10, 1'000'000));
}

TEST_F(ZstdFile, LeavesNothingUnlessItIsFinished) {
  {
    ZstdWriter writer = ZstdWriter::create(file_).value();
    ASSERT_TRUE(writer.write("x").ok());
  }
  EXPECT_TRUE(fs::is_empty(temp_.path()));
}

TEST_F(ZstdFile, NoticesTruncationAndDamage) {
  write(std::string(100'000, 'x') + "end");
  const std::string whole = read_file(file_).value();
  for (std::size_t size = 0; size < whole.size(); ++size) {
    temp_.write("f.zst", whole.substr(0, size));
    const Result<std::string> bytes = read();
    ASSERT_FALSE(bytes.ok()) << size;
    EXPECT_EQ(bytes.error().code, ErrorCode::kInvalidArgument);
    EXPECT_THAT(bytes.error().message, HasSubstr("it is truncated"));
  }
  std::string changed = whole;
  changed.back() = static_cast<char>(changed.back() ^ 1);  // of the checksum
  temp_.write("f.zst", changed);
  EXPECT_EQ(read().error().code, ErrorCode::kInvalidArgument);
  temp_.write("f.zst", "no Zstandard file");
  EXPECT_EQ(read().error().code, ErrorCode::kInvalidArgument);
}

TEST_F(ZstdFile, SaysWhyAFileCannotBeOpened) {
  EXPECT_THAT(ZstdReader::open(file_).error().message, HasSubstr("f.zst' (No such file or directory)"));
  EXPECT_THAT(ZstdWriter::create(temp_.path() / "none" / "f").error().message,
              HasSubstr("(No such file or directory)"));
  fs::create_directory(file_);
  ZstdWriter writer = ZstdWriter::create(file_).value();
  EXPECT_THAT(writer.finish().error().message, HasSubstr("(Is a directory)"));
}

}  // namespace
}  // namespace kmux::cli
