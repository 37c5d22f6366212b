#include "cache/disk/entry_files.h"

#include <fstream>
#include <unistd.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kmux/plugin/file_io.h"
#include "kmux/plugin/sha256.h"

#include "cache/disk/packed_entry.h"
#include "cache/disk/staging.h"
#include "temp_folder.h"

namespace kmux {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using Outcome = EntryReading::Outcome;

/// An entry with every kind of file, and a copy to restore it from.
class EntryFilesTest : public testing::Test {
 protected:
  EntryFilesTest() {
    CacheEntry entry;
    entry.artifact.set("code", "machine code");
    entry.artifact.set("plan", "plan");
    entry.launcher = "launcher";
    const std::string header = temp_.write("a.h", "1");
    const DependencyState state =
        capture({{header}, {(temp_.path() / "b.h").string()}}, file_time_now() + 1'000'000'000).value();
    const CacheFolder cache = CacheFolder::open(temp_.path() / "cache", CacheFolder::Access::kReadWrite).value();
    const CacheKey key{sha256_hex("key")};
    location_ = cache.entry(key.digest, second_digest(key.digest, state));
    Staging staging = Staging::make(cache).value();
    for (const auto& [name, bytes] : entry_files(key, entry, state).value()) {
      EXPECT_TRUE(staging.write(name.c_str(), bytes).ok());
    }
    EXPECT_TRUE(staging.publish(location_.folder).ok());
    fs::copy(location_.folder, temp_.path() / "copy");
  }

  EntryReading read() { return read_entry(location_, EntryCheck::kDependencies); }

  /// Returns the outcome of reading with `content` in place of the file `name`.
  Outcome read_with(const char* name, const std::string& content) {
    std::ofstream(location_.folder / name, std::ios::binary) << content;
    const Outcome outcome = read().outcome;
    fs::copy_file(temp_.path() / "copy" / name, location_.folder / name, fs::copy_options::overwrite_existing);
    return outcome;
  }

  /// Returns the same entry as another machine sends it.
  PackedEntry packed() const { return pack_entry(location_).value(); }

  TempFolder temp_{memory_folder()};
  EntryLocation location_;
};

TEST_F(EntryFilesTest, ReadsPackedEntry) {
  const EntryReading reading = read_entry(packed());
  EXPECT_EQ(reading.outcome, Outcome::kGood) << reading.reason;
  EXPECT_EQ(*reading.entry.artifact.find("code"), "machine code");
  EXPECT_EQ(reading.entry.launcher, "launcher");
}

TEST_F(EntryFilesTest, ValidatesPackedEntry) {
  for (const char* name : kEntryFiles) {
    PackedEntry changed = packed();
    changed.files.at(name).back() = '!';
    EXPECT_EQ(read_entry(changed).outcome, Outcome::kDamaged) << name;
    changed.files.erase(name);
    EXPECT_EQ(read_entry(changed).outcome, Outcome::kDamaged) << "without " << name;
  }
  PackedEntry other = packed();
  other.key = sha256_hex("other");
  EXPECT_EQ(read_entry(other).reason, "its manifest is of another key");
  other = packed();
  other.second = sha256_hex("other");
  EXPECT_EQ(read_entry(other).reason, "its dependencies are of another key");
}

TEST_F(EntryFilesTest, ComparesContentsWhenSizeAndTimeMatch) {
  const PackedEntry entry = packed();
  const fs::path header = temp_.path() / "a.h";
  const fs::file_time_type time = fs::last_write_time(header);
  temp_.write("a.h", "2");  // of the same size
  fs::last_write_time(header, time);
  EXPECT_EQ(read().outcome, Outcome::kOutdated) << "size and time are not enough on one machine either";
  EXPECT_EQ(read_entry(entry).outcome, Outcome::kOutdated);
  temp_.write("a.h", "1");
  fs::last_write_time(header, time + std::chrono::hours(1));
  EXPECT_EQ(read_entry(entry).outcome, Outcome::kGood);
  temp_.write("b.h", "");
  EXPECT_EQ(read_entry(entry).outcome, Outcome::kOutdated);
}

TEST_F(EntryFilesTest, ReadsWrittenEntry) {
  const EntryReading reading = read();
  EXPECT_EQ(reading.outcome, Outcome::kGood) << reading.reason;
  EXPECT_EQ(*reading.entry.artifact.find("code"), "machine code");
  EXPECT_EQ(reading.entry.launcher, "launcher");
  EXPECT_EQ(read_entry(location_, EntryCheck::kDigests).outcome, Outcome::kGood);
}

TEST_F(EntryFilesTest, DetectsDamageInEveryByte) {
  for (const char* name : kEntryFiles) {
    const std::string content = read_file(location_.folder / name).value();
    ASSERT_FALSE(content.empty());
    for (std::size_t i = 0; i < content.size(); ++i) {
      std::string changed = content;
      changed[i] = static_cast<char>(changed[i] ^ (1 << (i % 8)));
      EXPECT_EQ(read_with(name, changed), Outcome::kDamaged) << name << " " << i;
    }
  }
}

TEST_F(EntryFilesTest, DetectsEveryTruncation) {
  for (const char* name : kEntryFiles) {
    const std::string content = read_file(location_.folder / name).value();
    for (std::size_t size = 0; size < content.size(); ++size) {
      EXPECT_EQ(read_with(name, content.substr(0, size)), Outcome::kDamaged) << name << " " << size;
    }
    EXPECT_EQ(read_with(name, content + "x"), Outcome::kDamaged) << name;
  }
}

TEST_F(EntryFilesTest, DistinguishesMissingFileFromMissingEntry) {
  for (const char* name : kEntryFiles) {
    fs::rename(location_.folder / name, temp_.path() / "aside");
    const EntryReading reading = read();
    EXPECT_EQ(reading.outcome, Outcome::kDamaged);
    EXPECT_THAT(reading.reason, HasSubstr(std::string(name) + ": No such file or directory"));
    fs::rename(temp_.path() / "aside", location_.folder / name);
  }
  fs::rename(location_.folder, temp_.path() / "aside");
  EXPECT_EQ(read().outcome, Outcome::kGone);
}

TEST_F(EntryFilesTest, RejectsFilesWritableByOthers) {
  ASSERT_EQ(read().outcome, Outcome::kGood);
  for (const char* name : {"", kManifestFile, kArtifactFile, kLauncherFile, kDependenciesFile}) {
    const fs::path path = *name == '\0' ? location_.folder : location_.folder / name;
    const fs::perms before = fs::status(path).permissions();
    fs::permissions(path, fs::perms::others_write, fs::perm_options::add);
    EXPECT_EQ(read().outcome, Outcome::kDamaged) << name;
    EXPECT_THAT(read().reason, HasSubstr("another user")) << name;
    fs::permissions(path, before);
    if (::chown(path.c_str(), 2001, static_cast<gid_t>(-1)) != 0) continue;  // only root may
    EXPECT_EQ(read().outcome, Outcome::kDamaged) << name;
    EXPECT_EQ(::chown(path.c_str(), ::geteuid(), static_cast<gid_t>(-1)), 0);
  }
  EXPECT_EQ(read().outcome, Outcome::kGood);
}

TEST_F(EntryFilesTest, RejectsSymbolicLinks) {
  for (const char* name : kEntryFiles) {
    fs::remove(location_.folder / name);
    fs::create_symlink(temp_.path() / "copy" / name, location_.folder / name);
    EXPECT_EQ(read().outcome, Outcome::kDamaged);
    fs::remove(location_.folder / name);
    fs::copy_file(temp_.path() / "copy" / name, location_.folder / name);
  }
  EXPECT_EQ(read().outcome, Outcome::kGood);
}

TEST_F(EntryFilesTest, ReportsChangedDependency) {
  temp_.write("a.h", "2");
  const EntryReading reading = read();
  EXPECT_EQ(reading.outcome, Outcome::kOutdated);
  EXPECT_THAT(reading.reason, HasSubstr("a.h' changed"));
  EXPECT_EQ(read_entry(location_, EntryCheck::kDigests).outcome, Outcome::kGood);
}

TEST_F(EntryFilesTest, ReadsManifestAlone) {
  EXPECT_EQ(read_manifest(location_)->key, location_.key);
  fs::remove(location_.folder / kManifestFile);
  EXPECT_FALSE(read_manifest(location_));
}

}  // namespace
}  // namespace kmux
