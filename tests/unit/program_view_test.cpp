#include "plugin/program_view.h"

#include <gmock/gmock.h>

#include "kmux/dispatch_json.h"

namespace kmux {
namespace {

using testing::HasSubstr;
using namespace std::string_literals;

Program two_variants() {
  Program program{.name = "twice"};
  program.variants = {
      Variant{.dialect = "cuda", .sources = {{"a.cu", "A"}, {"b.cu", "B\0binary"s}}, .headers = {{"h.h", "H"}}},
      Variant{.dialect = "c", .sources = {{"a.c", ""}}, .headers = {{"h.h", "H"}}},
  };
  return program;
}

std::string_view text(const kmux_bytes& bytes) { return {bytes.data, bytes.size}; }

TEST(ProgramViewTest, OrdersSourcesBeforeHeadersPerVariant) {
  const Program program = two_variants();
  const ProgramView view(program);
  const kmux_program_view raw = *view.get();
  EXPECT_EQ(raw.struct_size, sizeof(raw));
  EXPECT_EQ(text(raw.json), to_json(program));
  ASSERT_EQ(raw.blob_count, 5U);
  EXPECT_EQ(text(raw.blobs[0]), "A");
  EXPECT_EQ(text(raw.blobs[1]), "B\0binary"s);
  EXPECT_EQ(text(raw.blobs[2]), "H");
  EXPECT_EQ(text(raw.blobs[3]), "");
  EXPECT_EQ(text(raw.blobs[4]), "H");
}

TEST(ProgramViewTest, RoundTripsProgram) {
  const Program program = two_variants();
  const ProgramView view(program);
  EXPECT_EQ(read_program(*view.get()).value(), program);
}

TEST(ProgramViewTest, RejectsViewsNotMatchingJson) {
  const Program program = two_variants();
  const ProgramView view(program);
  kmux_program_view fewer = *view.get();
  fewer.blob_count = 4;
  EXPECT_THAT(read_program(fewer).error().message, HasSubstr("has 4 blobs (its JSON names more files)"));
  std::vector<kmux_bytes> blobs(view.get()->blobs, view.get()->blobs + 5);
  blobs.push_back(blobs.back());
  kmux_program_view more = *view.get();
  more.blobs = blobs.data();
  more.blob_count = 6;
  EXPECT_THAT(read_program(more).error().message, HasSubstr("has 6 blobs (its JSON names 5 files)"));
  std::swap(blobs[0], blobs[1]);
  more.blob_count = 5;
  EXPECT_THAT(read_program(more).error().message, HasSubstr("was edited (its SHA-256 is"));
  kmux_program_view small = *view.get();
  small.struct_size = 8;
  EXPECT_THAT(read_program(small).error().message, HasSubstr("too small"));
}

}  // namespace
}  // namespace kmux
