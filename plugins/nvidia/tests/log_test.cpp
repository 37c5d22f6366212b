#include <string>

#include <gtest/gtest.h>

#include "nvidia/launch/driver_error.h"

namespace kmux::nvidia {
namespace {

TEST(LogTest, WritesMessageWithLevel) {
  std::string text;
  const Log log = {&text, [](void* self, int level, const char* data, std::size_t size) {
                     static_cast<std::string*>(self)->append(std::to_string(level)).append(data, size);
                   }};
  report(log, kLogWarning, "%d windows", 3);
  EXPECT_EQ(text, "23 windows");
  report(Log{}, kLogError, "goes nowhere");
}

}  // namespace
}  // namespace kmux::nvidia
