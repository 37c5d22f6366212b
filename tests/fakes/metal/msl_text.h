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

/// A text of MSL as C++ that the shim in msl/ compiles: attributes are left out, and a kernel of the fakes (kernels/blocks.h)
/// that calls it is added for each, and a last one that tells how much threadgroup memory each declares. Lines stay where they are.
///
/// What C++ has no word for is lost: address spaces are not told apart.
struct MslText {
  std::string cpp;
  std::vector<MslKernel> kernels;
  bool has_constants = false;  // those that a library is compiled for
};

MslText translate(std::string_view msl);

}  // namespace kmux::fake_metal
