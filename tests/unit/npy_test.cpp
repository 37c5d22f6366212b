#include "kmux/npy.h"

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kmux/plugin/file_io.h"

namespace kmux {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class NpyTest : public testing::Test {
 protected:
  NpyTest() {
    std::string pattern = (std::filesystem::temp_directory_path() / "kmux-npy-XXXXXX").string();
    folder_ = mkdtemp(pattern.data());
  }
  ~NpyTest() override { std::filesystem::remove_all(folder_); }

  std::filesystem::path write(const std::string& bytes) const {
    std::ofstream(folder_ / "a.npy", std::ios::binary) << bytes;
    return folder_ / "a.npy";
  }
  /// Writes a file of version 1 with that dict and those bytes.
  std::filesystem::path write(const std::string& dict, const std::string& data) const {
    std::string bytes("\x93NUMPY\x01\x00", 8);
    bytes += static_cast<char>(dict.size() & 0xff);
    bytes += static_cast<char>(dict.size() >> 8);
    return write(bytes + dict + data);
  }
  void expect_refused(const std::filesystem::path& path, const std::string& part) const {
    const auto tensor = load_npy(path);
    ASSERT_FALSE(tensor.ok()) << part;
    EXPECT_EQ(tensor.error().code, ErrorCode::kInvalidArgument);
    EXPECT_THAT(tensor.error().message, HasSubstr(part));
    EXPECT_THAT(tensor.error().message, HasSubstr("a.npy"));
  }
  std::filesystem::path folder_;
};

TEST_F(NpyTest, RoundTripsEveryType) {
  for (const DType type :
       {dtype::kBool, dtype::kInt8, dtype::kInt16, dtype::kInt32, dtype::kInt64, dtype::kUInt8, dtype::kUInt16,
        dtype::kUInt32, dtype::kUInt64, dtype::kFloat16, dtype::kFloat32, dtype::kFloat64, dtype::kBFloat16,
        dtype::kFloat8E4M3FN, dtype::kComplex64, dtype::kComplex128}) {
    const Tensor saved = Tensor::zeros({2, 3}, type).value();
    std::memset(saved.data(), 1, static_cast<std::size_t>(saved.byte_count()));
    ASSERT_TRUE(save_npy(folder_ / "t.npy", saved).ok());
    const Tensor loaded = load_npy(folder_ / "t.npy", type).value();
    EXPECT_EQ(loaded.dtype(), type) << to_string(type);
    EXPECT_THAT(loaded.shape(), ElementsAre(2, 3));
    EXPECT_EQ(std::memcmp(loaded.data(), saved.data(), static_cast<std::size_t>(saved.byte_count())), 0);
  }
}

TEST_F(NpyTest, TypesMissingInNumpyLoadAsUnsignedIntegers) {
  ASSERT_TRUE(save_npy(folder_ / "t.npy", Tensor::zeros({1}, dtype::kBFloat16).value()).ok());
  EXPECT_EQ(load_npy(folder_ / "t.npy").value().dtype(), dtype::kUInt16);
}

TEST_F(NpyTest, ReinterpretsOnlyRawBytes) {
  ASSERT_TRUE(save_npy(folder_ / "t.npy", Tensor::zeros({1}, dtype::kFloat16).value()).ok());
  EXPECT_EQ(load_npy(folder_ / "t.npy", dtype::kBFloat16).value().dtype(), dtype::kFloat16);
  ASSERT_TRUE(save_npy(folder_ / "t.npy", Tensor::zeros({1}, dtype::kUInt32).value()).ok());
  EXPECT_EQ(load_npy(folder_ / "t.npy", dtype::kFloat32).value().dtype(), dtype::kUInt32);
  const auto voids = write("{'descr': '|V2', 'fortran_order': False, 'shape': (1,), }", std::string(2, '\0'));
  EXPECT_EQ(load_npy(voids, dtype::kFloat16).value().dtype(), dtype::kFloat16);
}

TEST_F(NpyTest, ConvertsFortranOrderToRowMajor) {
  const auto path = write("{'descr': '|i1', 'fortran_order': True, 'shape': (2, 3), }", std::string("\0\3\1\4\2\5", 6));
  const Tensor tensor = load_npy(path).value();
  EXPECT_TRUE(tensor.is_contiguous());
  const auto* data = tensor.data_as<std::int8_t>();
  EXPECT_THAT(std::vector<int>(data, data + 6), ElementsAre(0, 1, 2, 3, 4, 5));
}

TEST_F(NpyTest, RoundTripsScalarAndEmptyShapes) {
  for (const std::vector<std::int64_t>& shape : {std::vector<std::int64_t>{}, {0}, {3, 0}}) {
    ASSERT_TRUE(save_npy(folder_ / "t.npy", Tensor::zeros(shape, dtype::kInt32).value()).ok());
    const Tensor loaded = load_npy(folder_ / "t.npy").value();
    EXPECT_TRUE(std::ranges::equal(loaded.shape(), shape));
  }
}

// The product of the extents before the last does not fit 64 bits, but no element needs that offset.
TEST_F(NpyTest, AcceptsHugeExtentsBesideZero) {
  for (const std::string order : {"True", "False"}) {
    const auto path = write(
        "{'descr': '<f4', 'fortran_order': " + order + ", 'shape': (4611686018427387904, 4611686018427387904, 4, 0), }",
        "");
    const Tensor tensor = load_npy(path).value();
    EXPECT_THAT(tensor.shape(), ElementsAre(4611686018427387904, 4611686018427387904, 4, 0));
    EXPECT_EQ(tensor.element_count(), 0);
    EXPECT_EQ(tensor.byte_count(), 0);
    EXPECT_TRUE(tensor.is_contiguous());
    EXPECT_EQ(tensor.clone().value().element_count(), 0);
  }
}

TEST_F(NpyTest, AlignsElementsTo64Bytes) {
  for (const std::vector<std::int64_t>& shape : {std::vector<std::int64_t>{4, 2, 8}, {64, 1'000'000, 0}}) {
    const Tensor tensor = Tensor::empty(shape, dtype::kFloat32).value();
    save_npy((folder_ / "a.npy").string(), tensor).value();
    EXPECT_EQ(std::filesystem::file_size(folder_ / "a.npy") % 64, 0u);
  }
}

TEST_F(NpyTest, RejectsInvalidFilesWithReason) {
  expect_refused(write("these bytes are not a tensor"), "not a .npy file");
  expect_refused(write(std::string("\x93NUMPY\x09\x00\x10\x00zzzz", 14)), "format 9");
  expect_refused(write(std::string("\x93NUMPY\x01\x00\xff\x0f{", 11) + "   "), "truncated");
  expect_refused(write("{'descr': '>f4', 'fortran_order': False, 'shape': (1,), }", "1234"), "big-endian");
  expect_refused(write("{'descr': '<c4', 'fortran_order': False, 'shape': (1,), }", "12345678"), "'<c4'");
  expect_refused(write("{'descr': '|O', 'fortran_order': False, 'shape': (1,), }", "12345678"), "|O");
  expect_refused(write("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (1,), }", "1234"), "structured");
  expect_refused(write("{'descr': '<f4', 'fortran_order': False, 'shape': (-1,), }", "1234"), "extent");
  expect_refused(write("{'descr': '<f4', 'fortran_order': False, }", "1234"), "lacks");
  expect_refused(write("{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }", "1234"), "truncated");
  expect_refused(write("{'descr': '<f8', 'fortran_order': False, 'shape': (4611686018427387904, 4), }", ""),
                 "too many bytes");
}

/// The reader must return for any truncated or changed file; it must never crash.
TEST_F(NpyTest, SurvivesDamagedHeaders) {
  save_npy((folder_ / "a.npy").string(), Tensor::zeros({3, 4}, dtype::kFloat32).value()).value();
  const std::string good = read_file((folder_ / "a.npy").string()).value();
  for (std::size_t i = 0; i < good.size(); ++i) {
    (void)load_npy(write(good.substr(0, i)));
    for (const char c : {'\0', '(', '\'', '9', '}'}) {
      std::string changed = good;
      changed[i] = c;
      (void)load_npy(write(changed));
    }
  }
}

TEST_F(NpyTest, FailedSaveLeavesNoFile) {
  const auto status = save_npy(folder_ / "no" / "such" / "t.npy", Tensor::zeros({1}, dtype::kInt8).value());
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().code, ErrorCode::kUnavailable);
  EXPECT_TRUE(std::filesystem::is_empty(folder_));
}

}  // namespace
}  // namespace kmux
