#include "precompiled_headers.h"

#include <algorithm>
#include <fcntl.h>
#include <string_view>

#include "kmux/plugin/sha256.h"

namespace kmux::nvrtc {
namespace {

// cuda_fp16.h alone reads 20 files in 5 ms.
constexpr std::size_t kMinHeaders = 30;

// A file for CUTLASS's headers has 280 MiB, for cooperative_groups.h 100 MiB.
constexpr std::size_t kMaxFiles = 3;
constexpr std::size_t kMaxRemembered = 64;

bool is_before_code(std::string_view line) {
  const std::size_t begin = line.find_first_not_of(" \t\r");
  return begin == line.npos || line[begin] == '#' || line.substr(begin).starts_with("//");
}

// Returns the directives and comments that the text begins with.
std::string_view opening_of(std::string_view text) {
  std::size_t end = 0;
  while (end < text.size()) {
    const std::size_t next = std::min(text.find('\n', end), text.size());
    if (!is_before_code(text.substr(end, next - end))) break;
    end = next + 1;
  }
  return text.substr(0, end);
}

std::string file_in(const PrivateFolder& folder) { return folder.path() + "/headers.pch"; }

}  // namespace

std::string headers_stamp(const std::string& text, const std::vector<File>& files,
                          const std::vector<std::string>& arguments, const Dependencies& dependencies) {
  if (dependencies.files.size() < kMinHeaders) return "";
  const std::string state = file_stamp(dependencies);
  if (state.empty()) return "";
  std::string all = state;
  all.append(1, '\n').append(opening_of(text));
  for (const std::string& argument : arguments) all.append(1, '\0').append(argument);
  // A file may be the text itself, or include it: only the text's opening counts.
  for (const File& file : files) {
    all.append(1, '\0').append(file.path).append(1, '\0');
    all.append(file.content == text ? opening_of(text) : std::string_view(file.content));
  }
  return sha256_hex(all);
}

PrecompiledHeaders::Plan PrecompiledHeaders::plan(const NvrtcLibrary& library, const std::string& stamp) {
  const std::lock_guard lock(mutex_);
  if (stamp.empty() || is_off_ || !library.has_pch()) return {};
  Entry* const entry = find(stamp);
  if (!entry) {
    remember(stamp);
    return {};
  }
  if (entry->state == State::kReady) {
    return {Plan::Use::kTake, stamp, "--use-pch=/proc/self/fd/" + std::to_string(entry->file->get()), {}, entry->file};
  }
  if (entry->state != State::kSeen) return {};
  auto folder = PrivateFolder::create("kmux-nvrtc");
  if (!folder) return {};
  entry->state = State::kBeingMade;
  const auto kept = std::make_shared<const PrivateFolder>(*std::move(folder));
  return {Plan::Use::kCreate, stamp, "--create-pch=" + file_in(*kept), kept, {}};
}

// NVRTC must write to a named file, but can read from /proc/self/fd: the name is removed with the folder of `plan`, and
// the open file stays.
void PrecompiledHeaders::created(const Plan& plan, NvrtcResult status) {
  const std::lock_guard lock(mutex_);
  is_off_ = is_off_ || status == NvrtcResult::kPchHeapExhausted;
  Entry* const entry = find(plan.stamp);
  if (!entry) return;
  entry->state = State::kUseless;
  if (status != NvrtcResult::kSuccess) return;
  Descriptor file(open(file_in(*plan.folder).c_str(), O_RDONLY | O_CLOEXEC));
  if (file.get() < 0) return;
  entry->file = std::make_shared<const Descriptor>(std::move(file));
  entry->state = State::kReady;
  keep_few();
}

void PrecompiledHeaders::drop(const Plan& plan) {
  const std::lock_guard lock(mutex_);
  if (Entry* const entry = find(plan.stamp)) *entry = {plan.stamp, State::kUseless, {}};
}

void PrecompiledHeaders::put_back(const Plan& plan) {
  const std::lock_guard lock(mutex_);
  Entry* const entry = find(plan.stamp);
  if (entry && entry->state == State::kBeingMade) entry->state = State::kSeen;
}

// Returns the entry of `stamp` and moves it to the front; null if it is missing.
PrecompiledHeaders::Entry* PrecompiledHeaders::find(const std::string& stamp) {
  const auto found = std::ranges::find(entries_, stamp, &Entry::stamp);
  if (found == entries_.end()) return nullptr;
  entries_.splice(entries_.begin(), entries_, found);
  return &entries_.front();
}

void PrecompiledHeaders::remember(const std::string& stamp) {
  entries_.push_front({stamp});
  if (entries_.size() > kMaxRemembered && entries_.back().state != State::kBeingMade) entries_.pop_back();
}

// Drops the oldest files. A compilation that uses one keeps it open until it is done.
void PrecompiledHeaders::keep_few() {
  std::size_t ready = 0;
  for (Entry& entry : entries_) {
    if (entry.state == State::kReady && ++ready > kMaxFiles) entry = {entry.stamp, State::kSeen, {}};
  }
}

}  // namespace kmux::nvrtc
