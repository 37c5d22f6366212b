#include "cache/disk/packed_entry.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kmux/plugin/sha256.h"

#include "cache/disk/entry_store.h"
#include "temp_folder.h"

namespace kmux {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

class PackedEntryTest : public testing::Test {
 protected:
  PackedEntryTest() {
    entry_.artifact.set("code", "code");
    entry_.launcher = "launcher";
    EXPECT_TRUE(from_.store(pack_entry(key_, entry_, file_time_now()).value()).ok());
  }
  static EntryStore open(const fs::path& path) {
    return {CacheFolder::open(path, CacheFolder::Access::kReadWrite).value(), {}};
  }
  EntryLocation location() const { return from_.folder().entries().at(0); }
  PackedEntry packed() const { return pack_entry(location()).value(); }

  /// Returns the error for `packed`; no part of it may stay in the cache.
  std::string refusal(const PackedEntry& packed) const {
    const auto added = unpack_entry(to_.folder(), packed);
    if (added) return "";
    EXPECT_EQ(added.error().code, ErrorCode::kInvalidArgument);
    EXPECT_TRUE(to_.folder().entries().empty());
    return added.error().message;
  }

  TempFolder temp_;
  EntryStore from_ = open(temp_.path() / "from");
  EntryStore to_ = open(temp_.path() / "to");
  CacheKey key_{sha256_hex("key")};
  CacheEntry entry_;
};

TEST_F(PackedEntryTest, IsFoundAfterUnpacking) {
  EXPECT_EQ(unpack_entry(to_.folder(), packed()).value(), Staging::Outcome::kPublished);
  EXPECT_EQ(to_.find(key_.digest)->artifact, entry_.artifact);
  EXPECT_EQ(unpack_entry(to_.folder(), packed()).value(), Staging::Outcome::kTaken);
}

// Inode numbers are valid on one machine only, and times for one build only.
TEST_F(PackedEntryTest, OmitsFileIdentities) {
  const std::string header = temp_.write("a.h", "1").string();
  const Dependencies read{.files = {header}, .seen = DependencySight{.files = {FileIdentity::of(header)}}};
  const FileTime later = file_time_now() + 1'000'000'000;
  entry_.artifact.set("deps", to_json(read));
  const std::string artifact = pack_entry(key_, entry_, later).value().files.at("artifact");
  EXPECT_EQ(artifact.find("seen"), artifact.npos);
  CacheEntry refused{.unsupported = make_error(ErrorCode::kUnsupported, "no.").with("deps", to_json(read))};
  for (const auto& [name, bytes] : pack_entry(key_, refused, later).value().files)
    EXPECT_EQ(bytes.find("seen"), bytes.npos) << name;
}

TEST_F(PackedEntryTest, RejectsIncompleteOrChangedEntry) {
  PackedEntry changed = packed();
  changed.files["launcher"] += "x";
  EXPECT_THAT(refusal(changed), HasSubstr("launcher has another size"));
  changed = packed();
  changed.files.erase("artifact");
  EXPECT_NE(refusal(changed), "");
  changed = packed();
  changed.files["dependencies"] = "";
  EXPECT_THAT(refusal(changed), HasSubstr("that its manifest does not list"));
  changed = packed();
  changed.second = sha256_hex("x");
  EXPECT_THAT(refusal(changed), HasSubstr("of another key"));
  changed = packed();
  changed.key = sha256_hex("x");
  EXPECT_THAT(refusal(changed), HasSubstr("of another key"));
}

TEST_F(PackedEntryTest, RejectsNamesOutsideEntry) {
  for (const char* name : {"../launcher", "/tmp/x", "other", ""}) {
    PackedEntry changed = packed();
    changed.files[name] = "x";
    EXPECT_THAT(refusal(changed), HasSubstr("no entry has a file '" + std::string(name) + "'"));
  }
  PackedEntry changed = packed();
  changed.key = "../../" + std::string(58, 'a');
  EXPECT_THAT(refusal(changed), HasSubstr("that is not a key"));
}

TEST_F(PackedEntryTest, RejectsPackingDamagedOrMissingEntry) {
  const EntryLocation entry = location();
  fs::resize_file(entry.folder / "launcher", 1);
  EXPECT_EQ(pack_entry(entry).error().code, ErrorCode::kInvalidArgument);
  fs::remove_all(entry.folder);
  EXPECT_EQ(pack_entry(entry).error().code, ErrorCode::kUnavailable);
}

}  // namespace
}  // namespace kmux
