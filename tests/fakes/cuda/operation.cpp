#include "operation.h"

#include <cstring>

#include "line.h"

namespace kmux::fake_cuda {
namespace {

// Also adds the memory that a tensor map refers to.
void add_argument(const std::vector<unsigned char>& bytes, std::vector<Use>& uses) {
  CUdeviceptr address = 0;
  if (bytes.size() == sizeof address) {
    std::memcpy(&address, bytes.data(), sizeof address);
  } else if (bytes.size() == 128) {
    TensorMapBytes map;
    std::memcpy(&map, bytes.data(), sizeof map);
    if (map.magic == kTensorMapMagic) address = map.base;
  }
  if (const auto use = world().blocks.use_of(address)) uses.push_back(*use);
}

struct Uses {
  std::vector<Use> found;
  void operator()(const KernelNode& kernel) {
    for (const std::vector<unsigned char>& bytes : kernel.args) add_argument(bytes, found);
  }
  void operator()(const CUDA_MEMSET_NODE_PARAMS& params) { add(params.dst); }
  void operator()(const CopyNode& copy) { add(copy.to), add(copy.from); }
  void operator()(const AllocationNode&) {}
  void operator()(const FreeNode&) {}
  void operator()(std::monostate) {}
  void add(CUdeviceptr address) {
    if (const auto use = world().blocks.use_of(address)) found.push_back(*use);
  }
};

std::string name_of(const Node& node) {
  if (const auto* kernel = std::get_if<KernelNode>(&node)) return "kernel \"" + kernel->name + "\"";
  return std::holds_alternative<CopyNode>(node) ? "copy" : "memset";
}

void check_uses(const Operation& operation) {
  for (const Use& use : operation.uses) {
    const std::string breach = world().blocks.breach_of(use);
    if (breach.empty()) continue;
    std::string stream;
    append(stream, operation.stream);
    world().report_misuse(name_of(operation.node) + " on stream " + stream + " uses " + breach);
  }
}

struct Execution {
  const Operation& operation;
  void operator()(std::monostate) const {}
  void operator()(const KernelNode& kernel) const;
  void operator()(const CUDA_MEMSET_NODE_PARAMS& params) const;
  void operator()(const CopyNode& copy) const;
  void operator()(const AllocationNode& node) const {
    const std::lock_guard lock(world().mutex);
    world().blocks.execute(node);
  }
  void operator()(const FreeNode& node) const {
    const std::lock_guard lock(world().mutex);
    if (std::string breach = world().blocks.execute(node); !breach.empty()) world().report_misuse(std::move(breach));
  }
};

void Execution::operator()(const KernelNode& kernel) const {
  std::shared_ptr<const Run> run;
  {
    const std::lock_guard lock(world().mutex);
    run = world().run;
  }
  if (run == nullptr) return;
  std::vector<void*> args;
  for (const std::vector<unsigned char>& bytes : kernel.args) args.push_back(const_cast<unsigned char*>(bytes.data()));
  const auto& [grid, block, cluster, smem, cooperative] = kernel.geometry;
  (*run)({kernel.name,
          kernel.library,
          operation.device,
          {grid[0], grid[1], grid[2]},
          {block[0], block[1], block[2]},
          smem,
          operation.stream,
          args.empty() ? operation.args : args.data()});
}

void Execution::operator()(const CUDA_MEMSET_NODE_PARAMS& params) const {
  auto* row = reinterpret_cast<unsigned char*>(static_cast<std::uintptr_t>(params.dst));
  for (std::size_t y = 0; y < params.height; ++y, row += params.pitch) {
    if (params.elementSize == 1) {
      std::memset(row, static_cast<int>(params.value), params.width);
      continue;
    }
    for (std::size_t x = 0; x < params.width; ++x) {
      std::memcpy(row + x * params.elementSize, &params.value, params.elementSize);
    }
  }
}

void Execution::operator()(const CopyNode& copy) const {
  const void* from = copy.staged ? copy.staged->data() : reinterpret_cast<const void*>(std::uintptr_t{copy.from});
  std::memmove(reinterpret_cast<void*>(std::uintptr_t{copy.to}), from, copy.bytes);
}

}  // namespace

Operation prepare(Node node, CUstream stream, int device) {
  Uses uses;
  std::visit(uses, node);
  return {std::move(node), device, stream, std::move(uses.found)};
}

void execute(const Operation& operation) {
  {
    const std::lock_guard lock(world().mutex);
    check_uses(operation);
  }
  std::visit(Execution{operation}, operation.node);
}

}  // namespace kmux::fake_cuda
