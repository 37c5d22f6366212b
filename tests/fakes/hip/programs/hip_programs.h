#pragma once

#include <concepts>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kmux/builder.h"
#include "kmux/compile.h"
#include "kmux/tensor.h"

namespace kmux {

/// Programs for backend hip on any device, against references computed here. KMUX_HIP_LIBRARY selects HIP's runtime:
/// ROCm's, the one on the CPU or the one over CUDA.
class HipPrograms : public testing::Test {
 protected:
  static constexpr std::int64_t kOdd = 1000;  // not a multiple of any block

  Kernel compiled(const ProgramBuilder& builder) const {
    return compile(builder.build().value(), {.execution_backend = "hip"}).value();
  }

  template <class T>
  static Tensor uploaded(const Kernel& kernel, std::vector<std::int64_t> shape, const std::vector<T>& values) {
    const auto host = [&] {
      if constexpr (std::unsigned_integral<T>)
        return Tensor::from_bits<T>(std::move(shape), type_of<T>(), values);
      else
        return Tensor::from<T>(std::move(shape), type_of<T>(), values);
    };
    return host().value().to(kernel.device()).value();
  }
  template <class T>
  static std::vector<T> downloaded(const Tensor& tensor) {
    const Tensor host = tensor.to(Device{}).value();
    return std::vector<T>(host.data_as<T>(), host.data_as<T>() + host.element_count());
  }
  /// Returns a tensor whose bytes are all 0xA5, so that unwritten bytes are visible.
  static Tensor poisoned(const Kernel& kernel, std::vector<std::int64_t> shape, DType type) {
    Tensor host = Tensor::zeros(std::move(shape), type, Device{}).value();
    std::memset(host.data(), 0xa5, static_cast<std::size_t>(host.element_count()) * type.bits / 8);
    return host.to(kernel.device()).value();
  }
  static void run(const Kernel& kernel, std::initializer_list<Arg> args) {
    kernel.launch(args).value();
    kernel.device().synchronize().value();
  }

  /// Returns -1 to 1 in steps of 1/128, each step once before one repeats.
  static std::vector<float> numbers(std::int64_t count, int salt = 0) {
    std::vector<float> values;
    for (std::int64_t i = 0; i < count; ++i) {
      values.push_back(static_cast<float>((i * 37 + salt) % 257 - 128) / 128.0F);
    }
    return values;
  }

 private:
  template <class T>
  static DType type_of() {
    if constexpr (std::is_same_v<T, float>) return dtype::kFloat32;
    if constexpr (std::is_same_v<T, double>) return dtype::kFloat64;
    if constexpr (std::is_same_v<T, std::int64_t>) return dtype::kInt64;
    if constexpr (std::is_same_v<T, std::uint16_t>) return dtype::kFloat16;  // its bits
    return dtype::kInt32;
  }
};

/// Adds `text` as the only source of dialect hip. The caller must have declared the parameters.
inline ProgramBuilder& with_source(ProgramBuilder& builder, const std::string& text) {
  return builder.variant("hip").source("kernels.hip", "#include <hip/hip_runtime.h>\n" + text);
}

}  // namespace kmux
