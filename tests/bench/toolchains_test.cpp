#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kmux/bench/machine.h"

namespace kmux::bench {
namespace {

std::string told_of(const char* identity) { return dump(versions_in(parse_json(identity).value())); }

TEST(ToolchainsTest, OmitMachineFoldersAndTimes) {
  EXPECT_EQ(told_of(R"({"compiler": "LLVM 19", "nvcc": {"path": "/home/me/cuda/bin/nvcc", "size": 3, "mtime_ns": 4}})"),
            R"({"compiler":"LLVM 19","nvcc":{"path":"nvcc"}})");
  EXPECT_EQ(told_of(R"({"features": ["avx"], "headers": ["/a/b", "/c"], "flags": ["-O3", "-I/x"], "opt_level": 3})"),
            R"({"flags":["-O3"],"opt_level":3})");
  EXPECT_EQ(told_of("7"), "7");
}

}  // namespace
}  // namespace kmux::bench
