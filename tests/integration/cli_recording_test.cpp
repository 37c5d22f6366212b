// SPDX-License-Identifier: Apache-2.0
// Recordings of strangers.

#include <string>

#include "integration/cli_replay.h"

namespace kmux::test {
namespace {

TEST_F(CliReplay, RefusesShapesThatNoMemoryHas) {
  record();
  const std::string whole = calls();
  for (const char* const wrong :
       {"[-1]", "[4000000000,4000000000,4000000000]", "[9223372036854775807]", "[16],\"strides\":[900000000000000]"}) {
    std::string text = whole;
    text.replace(text.find("[16]"), 4, wrong);
    write_calls(text);
    const ProcessResult refused = replay();
    EXPECT_EQ(refused.exit_code, 3) << wrong << refused.standard_error;
    EXPECT_THAT(refused.standard_error, HasSubstr("is not a recording (")) << wrong;
  }
}

TEST_F(CliReplay, RefusesMoreMemoryThanTheMachineHas) {
  record();
  std::string text = calls();
  text.replace(text.find("[16]"), 4, "[100000000000000]");
  write_calls(text);
  const ProcessResult refused = replay();
  EXPECT_EQ(refused.exit_code, 3) << refused.standard_error;
  EXPECT_THAT(refused.standard_error,
              HasSubstr("cannot be replayed (the buffers of a call take 363.8 TiB, and this machine has "));
}

}  // namespace
}  // namespace kmux::test
