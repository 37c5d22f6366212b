#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kmux/bench/machine.h"

#include "html_writer.h"

namespace kmux::bench {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

Json machine(const char* device) {
  return Json::Object{{"processor", "Fast"},
                      {"cores", 2},
                      {"kmux", "1.2"},
                      {"nothing", ""},
                      {"devices", Json::Array{Json::Object{{"properties", Json::Object{{"name", device}}}},
                                              Json::Object{{"properties", Json::Object{{"name", device}}}}}},
                      {"flags", Json::Array{"a", "b"}}};
}

TEST(MachineFactsTest, FormatAsOneLine) {
  EXPECT_EQ(machine_line(machine("H200")), "H200 - Fast - 2 cores - kmux 1.2");
  EXPECT_EQ(machine_line(machine("Fast")), "Fast - 2 cores - kmux 1.2") << "a host's device is its processor";
  EXPECT_EQ(machine_line(Json::Object{{"num_cpus", 4}}), "4 cores");
  EXPECT_EQ(machine_line(Json()), "");
}

TEST(MachineFactsTest, NameOriginForSeveralFiles) {
  EXPECT_EQ(machine_line(Json::Object{{"here", machine("Fast")}, {"run.json", Json::Object{{"num_cpus", 4}}}}),
            "here: Fast - 2 cores - kmux 1.2; run.json: 4 cores");
}

TEST(MachineFactsTest, AreListedInDetails) {
  HtmlWriter html;
  write_machine(html, machine("H200"));
  EXPECT_THAT(html.str(), AllOf(HasSubstr("<dt>devices properties name</dt>\n<dd>H200</dd>"),
                                HasSubstr("<dt>flags</dt>\n<dd>a, b</dd>"), Not(HasSubstr("nothing"))));
}

}  // namespace
}  // namespace kmux::bench
