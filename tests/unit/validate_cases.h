#pragma once

#include <functional>
#include <string>

#include <gmock/gmock.h>

#include "kmux/validate.h"

#include "unit/sample_program.h"

namespace kmux {

/// A change that makes the sample program invalid, and the problem that must be reported.
struct BadCase {
  std::function<void(Program&)> change;
  std::string path;
  std::string part;  // of the message
};

/// Expects exactly one problem for each changed program.
inline void expect_problems(const std::vector<BadCase>& cases) {
  for (const BadCase& bad : cases) {
    Program program = sample_program();
    bad.change(program);
    const std::vector<Problem> problems = validate(program);
    SCOPED_TRACE(bad.path + ": " + bad.part);
    std::string found;
    for (const Problem& problem : problems) found += problem.path + ": " + problem.message + "\n";
    ASSERT_EQ(problems.size(), 1U) << found;
    EXPECT_EQ(problems[0].path, bad.path);
    EXPECT_THAT(problems[0].message, testing::HasSubstr(bad.part));
  }
}

}  // namespace kmux
