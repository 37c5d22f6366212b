// The library that a profiler injects into the real NVTX (NVTX_INJECTION64_PATH): functions for push and pop that
// record calls.
// Source: NVTX 3, nvtxDetail/nvtxTypes.h: NvtxExportTableCallbacks, NvtxCallbackIdCore.
#include <cstddef>
#include <cstdint>
#include <string>

namespace {

constexpr std::uint32_t kCallbacks = 1;  // NVTX_ETID_CALLBACKS
constexpr int kCore = 1;  // NVTX_CB_MODULE_CORE
constexpr unsigned kPush = 9, kPop = 11;  // NVTX_CBID_CORE_RangePushA, _RangePop

using Function = void (*)();
struct Callbacks {
  std::size_t struct_size;
  int (*module_functions)(int module, Function*** table, unsigned* size);
};

std::string told;

int push(const char* name) {
  told.append(name).append("(");
  return 0;
}
int pop() {
  told.append(")");
  return 0;
}

}  // namespace

extern "C" {

__attribute__((visibility("default"))) int InitializeInjectionNvtx2(const void* (*export_table)(std::uint32_t)) {
  const auto* const callbacks = static_cast<const Callbacks*>(export_table(kCallbacks));
  Function** table = nullptr;
  unsigned size = 0;
  if (callbacks == nullptr || callbacks->module_functions(kCore, &table, &size) == 0 || size <= kPop) return 0;
  *table[kPush] = reinterpret_cast<Function>(push);
  *table[kPop] = reinterpret_cast<Function>(pop);
  return 1;
}
__attribute__((visibility("default"))) const char* kmux_told() { return told.c_str(); }

}  // extern "C"
