#include "cache/disk/entry_store.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kmux/plugin/file_io.h"
#include "kmux/plugin/sha256.h"

#include "temp_folder.h"

namespace kmux {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

class EntryStoreTest : public testing::Test {
 protected:
  EntryStoreTest() {
    entry_.artifact.set("code", "code");
    entry_.launcher = "launcher";
  }
  void depend_on(const fs::path& file) {
    entry_.artifact.set(std::string(kDependenciesPart), to_json(Dependencies{{file}, {}}));
  }
  /// Stores the entry as if its build began in an hour, so that every file is older.
  Status put() {
    const auto packed = pack_entry(key_, entry_, file_time_now() + FileTime{3600} * 1'000'000'000);
    return packed ? store_.store(*packed) : packed.error();
  }
  std::size_t quarantined() const {
    const fs::path folder = store_.folder().quarantine();
    if (!fs::exists(folder)) return 0;
    return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder), fs::directory_iterator()));
  }
  fs::path only_entry() const { return store_.folder().entries().at(0).folder; }

  TempFolder temp_;
  std::string log_;
  EntryStore store_{CacheFolder::open(temp_.path() / "cache", CacheFolder::Access::kReadWrite).value(),
                    [this](const std::string& text) { log_ += text; }};
  CacheKey key_{sha256_hex("key"), Json::Object{{"target", "cpu"}}};
  CacheEntry entry_;
};

TEST_F(EntryStoreTest, FindsStoredEntry) {
  EXPECT_FALSE(store_.find(key_.digest));
  ASSERT_TRUE(put().ok());
  const CacheEntry found = store_.find(key_.digest).value();
  EXPECT_EQ(found.artifact, entry_.artifact);
  EXPECT_EQ(found.launcher, "launcher");
  EXPECT_EQ(log_, "");
}

TEST_F(EntryStoreTest, KeepsOneEntryPerHeaderState) {
  const fs::path header = temp_.write("a.h", "1");
  depend_on(header);
  ASSERT_TRUE(put().ok());
  ASSERT_TRUE(store_.find(key_.digest));
  temp_.write("a.h", "2");
  EXPECT_FALSE(store_.find(key_.digest));
  entry_.launcher = "launcher of 2";
  ASSERT_TRUE(put().ok());
  EXPECT_EQ(store_.find(key_.digest)->launcher, "launcher of 2");
  temp_.write("a.h", "1");
  EXPECT_EQ(store_.find(key_.digest)->launcher, "launcher");
  EXPECT_EQ(store_.list().size(), 2U);
  EXPECT_EQ(log_, "");
}

TEST_F(EntryStoreTest, SkipsEntryOfAnotherVersion) {
  ASSERT_TRUE(put().ok());
  const fs::path manifest = only_entry() / kManifestFile;
  const std::string text = read_file(manifest).value();
  std::string body = text.substr(12, text.size() - 12 - 78);  // between {"manifest": and ,"sha256":"..."}
  ASSERT_TRUE(body.ends_with("\"schema\":2}"));
  body.replace(body.size() - 2, 1, "1");
  std::ofstream(manifest, std::ios::binary)
      << "{\"manifest\":" << body << ",\"sha256\":\"" << sha256_hex(body) << "\"}\n";
  EXPECT_FALSE(store_.find(key_.digest));
  EXPECT_TRUE(store_.verify().empty());
  EXPECT_EQ(quarantined(), 0U);
  EXPECT_EQ(log_, "");
}

TEST_F(EntryStoreTest, InvalidatesNegativeEntryWhenDependencyChanges) {
  const fs::path header = temp_.write("a.h", "1");
  entry_ = {.unsupported = make_error(ErrorCode::kUnsupported, "no")
                               .with(std::string(kDependenciesPart), to_json(Dependencies{{header}, {}}))};
  ASSERT_TRUE(put().ok());
  EXPECT_EQ(store_.find(key_.digest)->unsupported->message, "no");
  EXPECT_TRUE(store_.list().at(0).negative);
  temp_.write("a.h", "2");
  EXPECT_FALSE(store_.find(key_.digest));
}

TEST_F(EntryStoreTest, RejectsChangedOrInvalidContent) {
  const fs::path header = temp_.write("a.h", "1");
  depend_on(header);
  EXPECT_THAT(pack_entry(key_, entry_, 1).error().message, HasSubstr("a.h' changed meanwhile"));
  entry_.artifact.set(std::string(kDependenciesPart), "no list");
  EXPECT_EQ(put().error().code, ErrorCode::kInvalidArgument);
  entry_ = {.unsupported = make_error(ErrorCode::kUnsupported, "not UTF-8: \xff")};
  EXPECT_EQ(put().error().code, ErrorCode::kInvalidArgument);
  EXPECT_TRUE(store_.list().empty());
  EXPECT_FALSE(fs::exists(store_.folder().staging()));
}

TEST_F(EntryStoreTest, QuarantinesDamagedEntries) {
  ASSERT_TRUE(put().ok());
  fs::resize_file(only_entry() / "artifact", 3);
  EXPECT_FALSE(store_.find(key_.digest));
  EXPECT_THAT(log_, HasSubstr("is not used (artifact has another size)"));
  EXPECT_EQ(quarantined(), 1U);
  ASSERT_TRUE(put().ok());
  EXPECT_TRUE(store_.find(key_.digest));
}

TEST_F(EntryStoreTest, VerifyQuarantinesEntryInWrongFolder) {
  ASSERT_TRUE(put().ok());
  EXPECT_TRUE(store_.verify().empty());
  const fs::path moved = store_.folder().entry(key_.digest, sha256_hex("elsewhere")).folder;
  fs::rename(only_entry(), moved);
  EXPECT_TRUE(store_.find(key_.digest)) << "it is whole, whatever its folder is called";
  const std::vector<DamagedEntry> damaged = store_.verify();
  ASSERT_EQ(damaged.size(), 1U);
  EXPECT_EQ(damaged[0].folder, moved);
  EXPECT_THAT(damaged[0].reason, HasSubstr("of another key"));
  EXPECT_EQ(quarantined(), 1U);
}

TEST_F(EntryStoreTest, IgnoresEntryOfAnotherKey) {
  ASSERT_TRUE(put().ok());
  const EntryLocation other = store_.folder().entry(sha256_hex("other"), only_entry().filename());
  fs::create_directories(other.folder.parent_path());
  fs::copy(only_entry(), other.folder);
  EXPECT_FALSE(store_.find(other.key));
  EXPECT_THAT(log_, HasSubstr("of another key"));
}

TEST_F(EntryStoreTest, ListsEntryDetails) {
  ASSERT_TRUE(put().ok());
  const StoredEntry entry = store_.list().at(0);
  EXPECT_EQ(entry.location.key, key_.digest);
  EXPECT_EQ(entry.parts, key_.parts);
  EXPECT_GE(entry.bytes, 512U);
  EXPECT_LE(entry.created_ns, file_time_now());
  EXPECT_GE(entry.used_ns, entry.created_ns);
  EXPECT_FALSE(entry.negative);
}

TEST_F(EntryStoreTest, UpdatesUseTimeAtMostHourly) {
  ASSERT_TRUE(put().ok());
  const auto use_at = [&](FileTime time) {
    const timespec times[] = {{0, UTIME_OMIT}, {time / 1'000'000'000, time % 1'000'000'000}};
    ::utimensat(AT_FDCWD, (only_entry() / "manifest.json").c_str(), times, 0);
    EXPECT_TRUE(store_.find(key_.digest));
    return store_.list().at(0).used_ns;
  };
  const FileTime minute = FileTime{60} * 1'000'000'000;
  const FileTime now = file_time_now();
  EXPECT_EQ(use_at(now - 59 * minute), now - 59 * minute);
  EXPECT_GE(use_at(now - 61 * minute), now);
}

}  // namespace
}  // namespace kmux
