#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kmux/plugin/file_io.h"
#include "kmux/plugin/process.h"

#include "cli/cache_bundle.h"
#include "temp_folder.h"

namespace kmux::cli {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

class BundleFileTest : public testing::Test {
 protected:
  void write() const {
    BundleWriter writer = BundleWriter::create(file_).value();
    ASSERT_TRUE(writer.add("sub/file", "hello").ok());
    ASSERT_TRUE(writer.finish().ok());
  }
  std::string bytes() const { return read_file(file_).value(); }

  TempFolder temp_;
  fs::path file_ = temp_.path() / "f.tar.zst";
};

TEST_F(BundleFileTest, OmitsOwnerAndTime) {
  write();
  constexpr const char* kShow =
      "import ctypes, io, sys, tarfile\n"
      "lib = ctypes.CDLL('libzstd.so.1')\n"
      "packed = open(sys.argv[1], 'rb').read()\n"
      "plain = ctypes.create_string_buffer(1 << 20)\n"
      "lib.ZSTD_decompress.restype = ctypes.c_size_t\n"
      "size = lib.ZSTD_decompress(plain, ctypes.c_size_t(1 << 20), packed, ctypes.c_size_t(len(packed)))\n"
      "for m in tarfile.open(fileobj=io.BytesIO(plain.raw[:size])):\n"
      "  print(m.name, m.size, m.uid, m.gid, repr(m.uname), m.mtime, oct(m.mode), m.isreg())\n";
  const ProcessResult shown = run({.argv = {"python3", "-c", kShow, file_.string()}}).value();
  EXPECT_EQ(shown.standard_output, "sub/file 5 0 0 '' 0 0o600 True\n") << shown.standard_error;
}

TEST_F(BundleFileTest, IsDeterministic) {
  write();
  const std::string first = bytes();
  write();
  EXPECT_EQ(bytes(), first);
}

TEST_F(BundleFileTest, AppearsOnlyWhenFinished) {
  {
    BundleWriter writer = BundleWriter::create(file_).value();
    ASSERT_TRUE(writer.add("x", "x").ok());
    EXPECT_FALSE(fs::exists(file_));
  }
  EXPECT_TRUE(fs::is_empty(temp_.path()));
}

TEST_F(BundleFileTest, ReportsWhyItCannotBeWritten) {
  EXPECT_THAT(BundleWriter::create(temp_.path() / "none" / "f").error().message,
              HasSubstr("(No such file or directory)"));
  fs::create_directory(file_);
  BundleWriter writer = BundleWriter::create(file_).value();
  EXPECT_THAT(writer.add(std::string(300, 'x'), "x").error().message, HasSubstr("Pathname too long"));
  EXPECT_EQ(writer.finish().error().code, ErrorCode::kUnavailable);
}

TEST_F(BundleFileTest, DoesNotReplaceAFolder) {
  fs::create_directory(file_);
  BundleWriter writer = BundleWriter::create(file_).value();
  EXPECT_THAT(writer.finish().error().message, HasSubstr("(Is a directory)"));
}

}  // namespace
}  // namespace kmux::cli
