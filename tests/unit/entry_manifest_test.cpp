#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kmux/json.h"
#include "kmux/plugin/sha256.h"

#include "cache/disk/entry_files.h"

namespace kmux {
namespace {

using testing::HasSubstr;

EntryManifest sample_manifest() {
  EntryManifest manifest{.key = sha256_hex("key"),
                         .parts = R"({"target":"cpu"})",
                         .created_ns = 1'700'000'000'123'456'789,
                         .files = {},
                         .unsupported = {}};
  manifest.files["artifact"] = {12, sha256_hex("artifact")};
  manifest.files["launcher"] = {0, sha256_hex("")};
  return manifest;
}

/// Returns `body` in the on-disk form of a manifest.
std::string with_digest(const std::string& body) {
  return "{\"manifest\":" + body + ",\"sha256\":\"" + sha256_hex(body) + "\"}\n";
}

std::string manifest_refusal(const std::string& text) {
  const Result<EntryManifest> manifest = entry_manifest_from_json(text);
  if (manifest) return "";
  EXPECT_EQ(manifest.error().code, ErrorCode::kInvalidArgument);
  return manifest.error().message;
}

TEST(EntryManifestTest, RoundTripsThroughJson) {
  EntryManifest manifest = sample_manifest();
  const EntryManifest read = entry_manifest_from_json(to_json(manifest)).value();
  EXPECT_EQ(read.key, manifest.key);
  EXPECT_EQ(read.parts, manifest.parts);
  EXPECT_EQ(read.created_ns, manifest.created_ns);
  EXPECT_EQ(read.files, manifest.files);
  EXPECT_FALSE(read.unsupported);
  manifest.unsupported = make_error(ErrorCode::kUnsupported, "no").with("log", "because");
  const Error error = entry_manifest_from_json(to_json(manifest)).value().unsupported.value();
  EXPECT_EQ(error.message, "no");
  EXPECT_EQ(error.notes, manifest.unsupported->notes);
}

TEST(EntryManifestTest, IsValidJson) {
  const Json json = parse_json(to_json(sample_manifest())).value();
  EXPECT_NE(json.find("manifest")->find("parts"), nullptr);
}

TEST(EntryManifestTest, RejectsEveryChangedOrMissingByte) {
  const std::string text = to_json(sample_manifest());
  for (std::size_t i = 0; i < text.size(); ++i) {
    std::string changed = text;
    changed[i] = static_cast<char>(changed[i] ^ 1);
    EXPECT_NE(manifest_refusal(changed), "") << i;
    EXPECT_NE(manifest_refusal(text.substr(0, i)), "") << i;
  }
  EXPECT_THAT(manifest_refusal(text + " "), HasSubstr("truncated"));
}

TEST(EntryManifestTest, ReportsMissingParts) {
  EXPECT_THAT(manifest_refusal(with_digest("{}")), HasSubstr("it has no schema"));
  EXPECT_THAT(manifest_refusal(with_digest("{\"schema\":2}")), HasSubstr("incomplete"));
  const std::string head = "{\"created_ns\":1,\"key\":\"k\",\"parts\":\"\",\"schema\":2";
  EXPECT_THAT(manifest_refusal(with_digest(head + "}")), HasSubstr("it lists no files"));
  EXPECT_THAT(manifest_refusal(with_digest(head + ",\"files\":{\"artifact\":{\"size\":1}}}")),
              HasSubstr("file 'artifact'"));
  EXPECT_THAT(manifest_refusal(with_digest(head + ",\"files\":{},\"unsupported\":{}}")),
              HasSubstr("its error is incomplete"));
  EXPECT_THAT(manifest_refusal(with_digest(head + ",\"files\":{},\"unsupported\":{\"message\":\"m\",\"notes\":[{}]}}")),
              HasSubstr("its error is incomplete"));
  EXPECT_NE(manifest_refusal(with_digest("{")), "");
  EXPECT_THAT(manifest_refusal(with_digest(head + ",\"files\":{},\"unsuppreotd\":{}}")),
              HasSubstr("it has an unknown key"));
  EXPECT_THAT(
      manifest_refusal(with_digest(head + ",\"files\":{},\"unsupported\":{\"message\":\"m\",\"notes\":[],\"x\":1}}")),
      HasSubstr("its error is incomplete"));
}

TEST(EntryManifestTest, ReportsOtherSchemaVersionAsUnsupported) {
  const Error error = entry_manifest_from_json(with_digest("{\"schema\":1}")).error();
  EXPECT_EQ(error.code, ErrorCode::kUnsupported);
  EXPECT_THAT(error.message, HasSubstr("another version of kmux wrote it (its schema is 1, not 2)"));
}

}  // namespace
}  // namespace kmux
