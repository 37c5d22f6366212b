#include "kernel_memo.h"

#include <algorithm>
#include <functional>

#include <boost/container/small_vector.hpp>

#include "kmux/plugin/word_list.h"

namespace kmux {
namespace {

constexpr std::size_t kKernels = 256;
constexpr std::string_view kFolders = "include_dirs";  // one per line

/// Returns a hash that distinguishes most programs without reading their sources.
std::size_t fingerprint_of(const Program& program) {
  std::size_t sum = std::hash<std::string>{}(program.name);
  const auto mix = [&](std::size_t value) { sum = sum * 0x9e3779b97f4a7c15U + value; };
  for (const Variant& variant : program.variants) {
    for (const File& file : variant.sources) mix(file.content.size());
  }
  return sum;
}

bool is_relative(const std::string& path) { return !path.empty() && !path.starts_with('/'); }

/// Returns true if the options have relative paths: they then mean something else in another working directory.
bool depends_on_working_directory(const CompileOptions& options) {
  return std::ranges::any_of(options.include_dirs, is_relative) || is_relative(options.lock_file) ||
         has_relative_path(options.options);
}

}  // namespace

bool has_relative_path(const Options& options) {
  return std::ranges::any_of(options, [](const auto& option) {
    const bool are_folders = option.first.ends_with(kFolders);
    return std::ranges::any_of(split_lines(option.second), [&](const std::string& one) {
      return is_relative(one) && (are_folders || one.find('/') != one.npos);
    });
  });
}

/// Programs are compared outside the lock: they may have megabytes.
KernelMemo::EntryPointer KernelMemo::look_up(const Program& program, const CompileOptions& options) const {
  const std::size_t fingerprint = fingerprint_of(program);
  boost::container::small_vector<EntryPointer, 4> alike;
  {
    const std::lock_guard lock(mutex_);
    for (const EntryPointer& entry : entries_) {
      if (entry->fingerprint == fingerprint) alike.push_back(entry);
    }
  }
  const auto found = std::ranges::find_if(
      alike, [&](const EntryPointer& entry) { return entry->options == options && *entry->program == program; });
  return found == alike.end() ? nullptr : *found;
}

std::optional<Kernel> KernelMemo::find(const Program& program, const CompileOptions& options) {
  const EntryPointer found = look_up(program, options);
  if (found == nullptr || !found->kernel.is_up_to_date()) return std::nullopt;
  const std::lock_guard lock(mutex_);
  const auto place = std::ranges::find(entries_, found);
  if (place != entries_.end()) entries_.splice(entries_.begin(), entries_, place);
  return found->kernel;
}

void KernelMemo::keep(std::shared_ptr<const Program> program, const CompileOptions& options, const Kernel& kernel) {
  if (depends_on_working_directory(options) || !kernel.is_up_to_date()) return;
  const EntryPointer old = look_up(*program, options);
  const std::size_t fingerprint = fingerprint_of(*program);
  const auto entry = std::make_shared<const Entry>(Entry{fingerprint, std::move(program), options, kernel});
  EntryPointer released;  // unloading may take long, so not under the lock
  const std::lock_guard lock(mutex_);
  std::erase(entries_, old);
  entries_.push_front(entry);
  if (entries_.size() <= kKernels) return;
  released = std::move(entries_.back());
  entries_.pop_back();
}

void KernelMemo::forget(std::string_view backend) {
  std::list<EntryPointer> released;
  const std::lock_guard lock(mutex_);
  for (auto entry = entries_.begin(); entry != entries_.end();) {
    const auto next = std::next(entry);
    if ((*entry)->kernel.uses(backend)) released.splice(released.begin(), entries_, entry);
    entry = next;
  }
}

}  // namespace kmux
