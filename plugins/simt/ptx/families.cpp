#include "simt/ptx/families.h"

#include <algorithm>

namespace kmux::simt::ptx {
namespace {

/// Instructions without a meaning here: the beginning of their mnemonic, and what they need.
struct Refusal {
  std::string_view begin;
  std::string_view needs;
};

constexpr Refusal kRefusals[] = {
    {"red.async", "asynchronous updates of other blocks"},
    {"wmma", "fragments of wmma, which nvcuda::wmma has"},
    {"tcgen05", "tensor memory"},
    {"clusterlaunchcontrol", "clusters of blocks"},
    {"multimem", "memory of several devices"},
    {"tex", "textures"},
    {"tld4", "textures"},
    {"txq", "textures"},
    {"suld", "surfaces"},
    {"sust", "surfaces"},
    {"sured", "surfaces"},
    {"suq", "surfaces"},
    {"call", "functions of PTX"},
    {"ret", "functions of PTX"},
    {"exit", "the end of a thread within a text"},
    {"brx", "tables of labels"},
    {"alloca", "a stack of PTX"},
    {"stacksave", "a stack of PTX"},
    {"stackrestore", "a stack of PTX"},
    {"ld.param", "parameters of PTX"},
    {"st.param", "parameters of PTX"},
};

// Returns true if `mnemonic` begins with the parts of `begin`.
bool begins_with(std::string_view mnemonic, std::string_view begin) {
  if (!mnemonic.starts_with(begin)) return false;
  return mnemonic.size() == begin.size() || mnemonic[begin.size()] == '.';
}

const Family* find(std::string_view name) {
  for (const std::span<const Family> families :
       {move_families(), compare_families(), arithmetic_families(), bit_families(), number_families(),
        conversion_families(), memory_families(), atomic_families(), warp_families(), barrier_families(),
        copy_families(), cluster_families(), matrix_families(), tensor_map_families(), control_families()}) {
    const auto found = std::ranges::find(families, name, &Family::name);
    if (found != families.end()) return &*found;
  }
  return nullptr;
}

}  // namespace

Result<const Family*> family_of(const Statement& statement) {
  for (const Refusal& one : kRefusals) {
    if (begins_with(statement.mnemonic, one.begin)) return Instruction::refuse("it needs " + std::string(one.needs));
  }
  if (const Family* const family = find(statement.parts.front())) return family;
  return Instruction::refuse("it is unknown");
}

}  // namespace kmux::simt::ptx
