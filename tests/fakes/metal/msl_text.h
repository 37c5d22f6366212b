#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace kmux::fake_metal {

/// A kernel as its text declares it.
struct MslKernel {
  struct Argument {
    std::string attribute;  // "buffer", "thread_position_in_grid", ...
    unsigned index = 0;     // of a buffer or of threadgroup memory
  };
  std::string name;
  std::vector<Argument> arguments;
  unsigned max_threads = 1024;
};

/// An MSL text as C++ that the shim in msl/ compiles: attributes are removed. For each kernel, a kernel of the fakes
/// (kernels/blocks.h) that calls it is added, and a last one that reports the threadgroup memory of each. Line numbers
/// stay the same.
///
/// Address spaces are lost: C++ does not express them.
struct MslText {
  std::string cpp;
  std::vector<MslKernel> kernels;
  bool has_constants = false;  // constants that a library is compiled for
};

MslText translate(std::string_view msl);

}  // namespace kmux::fake_metal
