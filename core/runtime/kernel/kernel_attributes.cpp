// SPDX-License-Identifier: Apache-2.0
#include "kmux/kernel_attributes.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <utility>

#include "kmux/guarded.h"
#include "kmux/json.h"
#include "kmux/plugin/rounding.h"

#include "base/json_text.h"

namespace kmux {
namespace {

constexpr std::string_view kPart = "kernels.json";  // see docs/plugin-abi.md

Error damaged() {
  return make_error(ErrorCode::kInvalidArgument, "the artifact's part \"" + std::string(kPart) +
                                                     "\" is damaged (it is not a list of kernels). Build it again.");
}

Error no_part(std::string_view backend) {
  return make_error(ErrorCode::kUnsupported, "backend \"" + std::string(backend) +
                                                 "\" does not say what its kernels take (the artifact has no part \"" +
                                                 std::string(kPart) +
                                                 "\"). Compile with a backend that does, for an architecture.");
}

Result<std::int64_t> number_in(const Json& kernel, const char* key) {
  const Json* const number = kernel.find(key);
  if (number == nullptr || !number->as_integer()) return damaged();
  return *number->as_integer();
}

Result<std::optional<Multiprocessor>> read_multiprocessor(const Json& kernel) {
  const Json* const limits = kernel.find("multiprocessor");
  if (limits == nullptr) return std::optional<Multiprocessor>();
  if (limits->as_object() == nullptr) return damaged();
  Multiprocessor read;
  for (const auto& [key, place] :
       {std::pair("threads", &read.threads), std::pair("blocks", &read.blocks),
        std::pair("warp_threads", &read.warp_threads), std::pair("partitions", &read.partitions),
        std::pair("registers", &read.registers), std::pair("register_unit", &read.register_unit)}) {
    KMUX_ASSIGN(const std::int64_t number, number_in(*limits, key));
    if (number < 1 || number > std::numeric_limits<int>::max()) return damaged();
    *place = static_cast<int>(number);
  }
  KMUX_ASSIGN(read.shared_bytes, number_in(*limits, "shared_bytes"));
  KMUX_ASSIGN(read.shared_unit_bytes, number_in(*limits, "shared_unit_bytes"));
  KMUX_ASSIGN(read.reserved_shared_bytes, number_in(*limits, "reserved_shared_bytes"));
  if (read.shared_unit_bytes < 1) return damaged();
  return std::optional(read);
}

Result<KernelAttributes> read_kernel(const Json& kernel) {
  const Json* const name = kernel.as_object() != nullptr ? kernel.find("kernel") : nullptr;
  if (name == nullptr || name->as_string() == nullptr) return damaged();
  KernelAttributes read{.kernel = *name->as_string()};
  KMUX_ASSIGN(const std::int64_t registers, number_in(kernel, "registers"));
  KMUX_ASSIGN(const std::int64_t threads, number_in(kernel, "max_threads"));
  KMUX_ASSIGN(read.local_bytes, number_in(kernel, "local_bytes"));
  KMUX_ASSIGN(read.shared_bytes, number_in(kernel, "shared_bytes"));
  KMUX_ASSIGN(read.constant_bytes, number_in(kernel, "constant_bytes"));
  read.registers = static_cast<int>(registers);
  read.max_threads = static_cast<int>(threads);
  KMUX_ASSIGN(read.multiprocessor, read_multiprocessor(kernel));
  return read;
}

Result<std::vector<KernelAttributes>> read_kernels(const std::string& text) {
  const auto json = read_json(text);
  const Json::Array* const list = json ? json->as_array() : nullptr;
  if (list == nullptr) return damaged();
  std::vector<KernelAttributes> kernels;
  for (const Json& kernel : *list) {
    KMUX_ASSIGN(KernelAttributes read, read_kernel(kernel));
    kernels.push_back(std::move(read));
  }
  return kernels;
}

}  // namespace

std::string KernelAttributes::to_string() const {
  return kernel + ": " + std::to_string(registers) + " registers and " + std::to_string(local_bytes) +
         " bytes of local memory a thread, " + std::to_string(shared_bytes) + " bytes of shared memory a block, " +
         std::to_string(constant_bytes) + " bytes of constants, at most " + std::to_string(max_threads) +
         " threads a block";
}

namespace {

// Returns the number of blocks that fit into the registers. A warp takes registers of one partition.
std::int64_t blocks_by_registers(const Multiprocessor& has, int registers, std::int64_t warps) {
  const std::int64_t of_warp = rounded_up(std::max<std::int64_t>(registers, 1) * has.warp_threads, has.register_unit);
  return has.registers / has.partitions / of_warp * has.partitions / warps;
}

}  // namespace

Result<Occupancy> KernelAttributes::occupancy(std::int64_t threads, std::int64_t dynamic_shared_bytes) const {
  return guarded([&]() -> Result<Occupancy> {
    if (!multiprocessor) {
      return make_error(ErrorCode::kUnsupported,
                        "the occupancy of kernel \"" + kernel +
                            "\" is not known (its backend does not say what a multiprocessor of the architecture "
                            "has). Compile for another architecture.");
    }
    if (threads < 1 || threads > max_threads || dynamic_shared_bytes < 0) {
      return make_error(ErrorCode::kInvalidArgument,
                        "kernel \"" + kernel + "\" has no blocks of " + std::to_string(threads) + " threads and " +
                            std::to_string(dynamic_shared_bytes) + " bytes of dynamic shared memory (it takes 1 to " +
                            std::to_string(max_threads) + " threads and 0 bytes or more). Give other numbers.");
    }
    const Multiprocessor& has = *multiprocessor;
    const std::int64_t warps = rounded_up(threads, has.warp_threads) / has.warp_threads;
    const std::int64_t dynamic =
        std::min(dynamic_shared_bytes, has.shared_bytes + 1);  // more fits as little, and the sum fits
    const std::int64_t shared = rounded_up(shared_bytes + dynamic + has.reserved_shared_bytes, has.shared_unit_bytes);
    const std::pair<std::int64_t, const char*> limits[] = {
        {has.threads / has.warp_threads / warps, "threads"},
        {has.blocks, "blocks"},
        {blocks_by_registers(has, registers, warps), "registers"},
        {shared == 0 ? has.blocks : has.shared_bytes / shared, "shared memory"}};
    const auto& [blocks, why] = *std::ranges::min_element(limits, {}, &std::pair<std::int64_t, const char*>::first);
    const auto used = static_cast<double>(blocks * warps * has.warp_threads);
    return Occupancy{static_cast<int>(blocks), used / has.threads, why};
  });
}

std::string Occupancy::to_string() const {
  return std::to_string(blocks) + (blocks == 1 ? " block" : " blocks") + " at once, " +
         std::to_string(std::lround(100 * part)) + " % of the threads (limited by " + limit + ")";
}

Result<std::vector<KernelAttributes>> attributes_of(const Artifact& artifact, std::string_view backend) {
  return guarded([&]() -> Result<std::vector<KernelAttributes>> {
    const std::string* const part = artifact.find(kPart);
    if (part == nullptr) return no_part(backend);
    return read_kernels(*part);
  });
}

Result<std::vector<KernelAttributes>> attributes(const Kernel& kernel) {
  return guarded([&]() -> Result<std::vector<KernelAttributes>> {
    for (const File& file : kernel.files()) {
      if (file.path == "artifact/" + std::string(kPart)) return read_kernels(file.content);
    }
    return no_part(kernel.backend());
  });
}

}  // namespace kmux
