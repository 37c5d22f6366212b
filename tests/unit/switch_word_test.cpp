#include "kmux/plugin/switch_word.h"

#include <gtest/gtest.h>

namespace kmux {
namespace {

TEST(SwitchWordTest, ReadsWordsForOnInAnyCase) {
  for (const char* const on : {"1", "true", "Yes", "ON"}) EXPECT_TRUE(is_on(on) && is_switch(on)) << on;
}

TEST(SwitchWordTest, ReadsWordsForOffInAnyCase) {
  for (const char* const off : {"", "0", "False", "no", "OFF"}) EXPECT_TRUE(!is_on(off) && is_switch(off)) << off;
}

TEST(SwitchWordTest, TakesOtherWordsForOff) {
  for (const char* const other : {"ja", "2", "on ", "enable"}) EXPECT_FALSE(is_on(other) || is_switch(other)) << other;
}

}  // namespace
}  // namespace kmux
