#include "objective_c.h"

#include "needs.h"
#include "workbench.h"

namespace kmux::metal {
namespace {

using testing::HasSubstr;

TEST(ObjectiveCTest, RequiresMacos) {
  if (is_macos()) GTEST_SKIP() << needs("Linux", "this is macOS");
  const auto opened = ObjectiveC::open("");
  EXPECT_EQ(opened.error().code, ErrorCode::kUnavailable);
  EXPECT_THAT(opened.error().message, HasSubstr("Metal needs macOS"));
}

TEST(ObjectiveCTest, ReportsMissingLibrary) {
  const auto opened = ObjectiveC::open("/nowhere/libmetal.so");
  EXPECT_EQ(opened.error().code, ErrorCode::kUnavailable);
  EXPECT_THAT(opened.error().message, HasSubstr("/nowhere/libmetal.so"));
}

TEST(ObjectiveCTest, ReportsMissingFunction) {
  const auto opened = ObjectiveC::open("libm.so.6");
  EXPECT_EQ(opened.error().code, ErrorCode::kUnavailable);
  EXPECT_THAT(opened.error().message, HasSubstr("objc_msgSend"));
}

TEST(ObjectiveCTest, ConvertsStrings) {
  const ObjectiveC objc = ObjectiveC::open(FakeMetal::library()).value();
  const AutoreleasePool pool(objc);
  EXPECT_EQ(objc.text(objc.string("a text")), "a text");
  EXPECT_EQ(objc.text(nullptr), "");
  EXPECT_EQ(objc.reason(nullptr), "no reason was given");
}

// The whole fixture relies on this: the mock detects errors.
TEST(FakeMetalTest, ReportsUnknownSelector) {
  FakeMetal fake = FakeMetal::load();
  const ObjectiveC objc = ObjectiveC::open(FakeMetal::library()).value();
  const AutoreleasePool pool(objc);
  objc.commit(objc.string("x"));
  EXPECT_THAT(fake.complaints(), testing::ElementsAre("-[NSString commit] is not known"));
}

TEST(FakeMetalTest, ReportsOverRelease) {
  FakeMetal fake = FakeMetal::load();
  const ObjectiveC objc = ObjectiveC::open(FakeMetal::library()).value();
  const Id options = objc.make(objc.compile_options);
  objc.release(options);
  objc.release(options);
  EXPECT_THAT(fake.complaints(), testing::ElementsAre(HasSubstr("was sent to an object that was released")));
}

TEST(FakeMetalTest, CountsLiveObjects) {
  FakeMetal fake = FakeMetal::load();
  const ObjectiveC objc = ObjectiveC::open(FakeMetal::library()).value();
  const int before = fake.live()["MTLCompileOptions"];
  Owned options(objc, objc.make(objc.compile_options));
  EXPECT_EQ(fake.live()["MTLCompileOptions"], before + 1);
  options = Owned();
  EXPECT_EQ(fake.live()["MTLCompileOptions"], before);
}

TEST(FakeMetalTest, ReportsMissingAutoreleasePool) {
  FakeMetal fake = FakeMetal::load();
  const ObjectiveC objc = ObjectiveC::open(FakeMetal::library()).value();
  const Id leaked = objc.string("x");
  EXPECT_THAT(fake.complaints(), testing::ElementsAre(HasSubstr("there is no pool")));
  objc.release(leaked);
}

}  // namespace
}  // namespace kmux::metal
