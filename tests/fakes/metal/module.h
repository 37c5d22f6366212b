#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "kmux/error.h"

#include "kernels/grid_code.h"
#include "msl_text.h"

namespace kmux::fake_metal {

/// The value of a function constant.
struct MslConstant {
  std::string name;  // empty: identified by `index`
  unsigned long index = 0;
  std::array<unsigned char, 8> bytes = {};
};

/// The resources bound to a kernel.
struct Bindings {
  std::vector<void*> buffers;  // one for each buffer index of a device
  std::vector<unsigned long> threadgroup_bytes;
  std::array<unsigned, 3> groups = {};
  std::array<unsigned, 3> group_size = {};
};

/// An MSL text, compiled for this processor.
class Module {
 public:
  /// Errors: compile_failed with the compiler's text as message.
  static Result<std::shared_ptr<Module>> compile(const std::string& msl);

  /// Returns the same text with values for its function constants.
  Result<std::shared_ptr<Module>> specialised(const std::vector<MslConstant>& constants) const;
  const MslKernel* find(const std::string& kernel) const;
  /// Returns the bytes of the variables that the kernel declares in address space `threadgroup`.
  unsigned long static_memory_of(const std::string& kernel) const;

  /// Runs every thread of every group. Threadgroup memory begins as junk, as on a device.
  ///
  /// Errors: returns the failure, or an empty text.
  std::string run(const std::string& kernel, const Bindings& bindings) const;

 private:
  Module(MslText text, std::shared_ptr<fakes::GridCode> code, std::vector<unsigned long> static_bytes)
      : text_(std::move(text)), code_(std::move(code)), static_bytes_(std::move(static_bytes)) {}
  static Result<std::shared_ptr<Module>> make(MslText text, const std::vector<MslConstant>& constants);
  std::size_t number_of(const std::string& kernel) const;

  const MslText text_;
  const std::shared_ptr<fakes::GridCode> code_;
  const std::vector<unsigned long> static_bytes_;  // by kernel
};

}  // namespace kmux::fake_metal
