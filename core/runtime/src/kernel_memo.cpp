#include "kernel_memo.h"

#include <algorithm>
#include <functional>

namespace kmux {
namespace {

constexpr std::size_t kKernels = 256;

/// Tells most programs apart without reading their sources.
std::size_t fingerprint_of(const Program& program) {
  std::size_t sum = std::hash<std::string>{}(program.name);
  const auto mix = [&](std::size_t value) { sum = sum * 0x9e3779b97f4a7c15U + value; };
  for (const Variant& variant : program.variants) {
    for (const File& file : variant.sources) mix(file.content.size());
  }
  return sum;
}

/// Then the same options mean something else in another working directory.
bool depends_on_working_directory(const CompileOptions& options) {
  return std::any_of(options.include_dirs.begin(), options.include_dirs.end(),
                     [](const std::string& folder) { return !folder.starts_with('/'); });
}

}  // namespace

std::list<KernelMemo::Entry>::iterator KernelMemo::look_up(const Program& program, const CompileOptions& options) {
  const std::size_t fingerprint = fingerprint_of(program);
  return std::find_if(entries_.begin(), entries_.end(), [&](const Entry& entry) {
    return entry.fingerprint == fingerprint && entry.options == options && entry.program == program;
  });
}

std::optional<Kernel> KernelMemo::find(const Program& program, const CompileOptions& options) {
  const std::lock_guard lock(mutex_);
  const auto found = look_up(program, options);
  if (found == entries_.end()) return std::nullopt;
  entries_.splice(entries_.begin(), entries_, found);
  if (!found->state.empty() && find_change(found->state)) return std::nullopt;
  return found->kernel;
}

void KernelMemo::keep(const Program& program, const CompileOptions& options, const Kernel& kernel,
                      DependencyState state) {
  if (depends_on_working_directory(options)) return;
  std::list<Entry> released;  // unloading may take long, so not under the lock
  const std::lock_guard lock(mutex_);
  if (const auto known = look_up(program, options); known != entries_.end()) {
    released.splice(released.begin(), entries_, known);
  }
  entries_.push_front({fingerprint_of(program), program, options, kernel, std::move(state)});
  if (entries_.size() > kKernels) released.splice(released.begin(), entries_, std::prev(entries_.end()));
}

void KernelMemo::forget(std::string_view backend) {
  std::list<Entry> released;
  const std::lock_guard lock(mutex_);
  for (auto entry = entries_.begin(); entry != entries_.end();) {
    const auto next = std::next(entry);
    if (entry->kernel.uses(backend)) released.splice(released.begin(), entries_, entry);
    entry = next;
  }
}

}  // namespace kmux
