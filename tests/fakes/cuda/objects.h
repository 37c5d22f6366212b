#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <variant>
#include <vector>

#include "control.h"
#include "cubin.h"
#include "ptx.h"
#include "timeline/timeline.h"

namespace kmux::fake_cuda {

using namespace nvidia;  // NOLINT(google-build-using-namespace): the names of the driver's interface
using fakes::Timeline;

/// Objects by handle. Handles count up and are never reused, so a dead handle is recognised.
template <class Handle, class Object>
class Table {
 public:
  explicit Table(std::uintptr_t first) : first_(first), next_(first) {}
  Handle add(Object object) {
    const std::uintptr_t handle = next_;
    next_ += 0x10;
    objects_.emplace(handle, std::move(object));
    return reinterpret_cast<Handle>(handle);
  }
  Object* find(Handle handle) {
    const auto found = objects_.find(reinterpret_cast<std::uintptr_t>(handle));
    return found == objects_.end() ? nullptr : &found->second;
  }
  bool erase(Handle handle) { return objects_.erase(reinterpret_cast<std::uintptr_t>(handle)) != 0; }
  template <class Predicate>
  void erase_if(Predicate predicate) {
    std::erase_if(objects_, [&](const auto& entry) { return predicate(entry.second); });
  }
  std::size_t size() const { return objects_.size(); }
  void clear() { objects_.clear(), next_ = first_; }

 private:
  std::uintptr_t first_;
  std::uintptr_t next_;
  std::map<std::uintptr_t, Object> objects_;
};

struct Library {
  std::optional<Cubin> cubin;
  bool is_junk = false;        // loaded, but without valid code
  std::map<std::string, std::vector<Parameter>> ptx = {};  // of kernels that PTX text declares
  PtxTarget ptx_target = {};
  bool is_ptx = false;
  std::vector<FatbinCode> fatbin = {};  // the entries of a fatbin
  std::map<std::string, CUkernel> kernels;
  std::map<std::pair<int, std::string>, std::shared_ptr<std::vector<char>>> variables = {};  // by device and name
};

struct Kernel {
  std::string name;
  CUlibrary library = nullptr;
  int static_shared_bytes = 0;
  struct OnDevice {
    std::optional<int> max_dynamic_shared_bytes = {};  // none: not set
    bool large_clusters = false;
    int shared_carveout = -1;
  };
  /// Returns the limit that was set; by default the part of 48 KiB beside static memory.
  int max_dynamic_shared_on(const OnDevice& there) const {
    return there.max_dynamic_shared_bytes.value_or((48 << 10) - static_shared_bytes);
  }
  std::map<int, OnDevice> on_device = {};
};

struct Stream {
  int device = 0;
  unsigned flags = 0;
};

struct Event {
  int device = 0;
  bool is_timed = true;
  std::optional<std::chrono::steady_clock::time_point> recorded = {};  // when the recorded work was executed
  Timeline::Event at = {};
  bool is_recorded = false;
  std::uint64_t recordings = 0;
  std::uint64_t capture = 0;  // in which it was recorded last; 0: in none
  std::vector<CUgraphNode> captured = {};
};

struct Allocation {
  std::size_t bytes = 0;
  int device = 0;
  bool adopted = false;
};

struct Geometry {
  std::array<unsigned, 3> grid = {};
  std::array<unsigned, 3> block = {};
  std::array<unsigned, 3> cluster = {};  // all 0: none
  unsigned dynamic_smem_bytes = 0;
  bool cooperative = false;
};

struct KernelNode {
  CUkernel kernel = nullptr;
  std::string name = {};
  CUlibrary library = nullptr;
  Geometry geometry = {};
  std::vector<std::vector<unsigned char>> args = {};
  bool has_sizes = false;  // of its parameters: without, `args` is empty
};

struct CopyNode {
  CUdeviceptr to = 0;
  CUdeviceptr from = 0;
  std::size_t bytes = 0;
  std::shared_ptr<const std::vector<unsigned char>> staged = {};  // read instead of `from` if set
};

/// Begins or ends the use of a block by one of its allocations.
struct AllocationNode {
  std::uintptr_t block = 0;
  std::uint64_t generation = 0;
};
struct FreeNode {
  std::uintptr_t block = 0;
  std::uint64_t generation = 0;
};

/// std::monostate does nothing, as a disabled node of a graph.
using Node = std::variant<std::monostate, KernelNode, CUDA_MEMSET_NODE_PARAMS, CopyNode, AllocationNode, FreeNode>;

struct Graph {
  std::vector<CUgraphNode> nodes = {};
};

struct GraphNode {
  CUgraph graph = nullptr;
  Node node = {};
  std::vector<CUgraphNode> after = {};
};

struct Executable {
  int device = 0;
  struct Entry {
    CUgraphNode handle = nullptr;
    Node node = {};
    std::vector<std::size_t> after = {};  // indices of entries
    bool enabled = true;
  };
  std::vector<Entry> entries = {};
  bool frees_on_launch = false;      // frees allocations of its last launch that were never freed
  Timeline::Operation launched = 0;  // launches of one executable are in order
  std::thread::id changed_by = {};  // none: launched since it was last changed
};

}  // namespace kmux::fake_cuda
