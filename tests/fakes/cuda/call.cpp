#include "call.h"

#include <algorithm>

namespace kmux::fake_cuda {
namespace {

std::atomic<bool> watched{true};

bool describes_errors(const std::string& symbol) { return symbol.starts_with("cuGetError"); }

}  // namespace

Record& record() {
  static Record* const the_record = new Record;
  return *the_record;
}

constinit std::atomic<void (*)()> launch_work{nullptr};

bool is_watched() { return watched.load(std::memory_order_relaxed); }

void watch() {
  const World& w = world();
  watched = record().on || !record().faults.empty() || w.run != nullptr || w.poison != CUDA_SUCCESS ||
            !w.captures.empty() || w.timeline != nullptr;
}

Call::Call(const char* symbol, Needs needs) : lock_(world().mutex), symbol_(symbol), needs_(needs) {
  if (record().on) line_ = symbol;
}

CUresult Call::fault() {
  std::vector<Record::Fault>& faults = record().faults;
  const auto due = std::find_if(faults.begin(), faults.end(), [&](Record::Fault& each) {
    const bool meant = each.symbol.empty() ? !describes_errors(symbol_) : each.symbol == symbol_;
    return meant && --each.calls_left == 0;
  });
  if (due == faults.end()) return CUDA_SUCCESS;
  const CUresult code = due->code;
  faults.erase(due);
  record().failed = symbol_;
  watch();
  return code;
}

CUresult Call::missing() const {
  const World& w = world();
  if (needs_ != Needs::kNothing && !w.initialised) return CUDA_ERROR_NOT_INITIALIZED;
  if (needs_ != Needs::kContext) return CUDA_SUCCESS;
  if (w.poison != CUDA_SUCCESS) return w.poison;
  const int device = current_device();
  if (device < 0) return CUDA_ERROR_INVALID_CONTEXT;
  return w.on_device[static_cast<std::size_t>(device)].retains > 0 ? CUDA_SUCCESS : CUDA_ERROR_CONTEXT_IS_DESTROYED;
}

CUresult Call::finish(CUresult result) {
  if (!record().on) return result;
  if (result != CUDA_SUCCESS) {
    const char* name = name_of(result);
    with(" = ", static_cast<int>(result), " ", name == nullptr ? "?" : name);
  }
  record().lines.push_back(std::move(line_));
  return result;
}

}  // namespace kmux::fake_cuda
