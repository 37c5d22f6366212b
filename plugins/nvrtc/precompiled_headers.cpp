#include "precompiled_headers.h"

#include <algorithm>
#include <filesystem>
#include <string_view>

#include "kmux/sha256.h"

namespace kmux::nvrtc {
namespace {

// cuda_fp16.h alone reads 20 files in 5 ms.
constexpr std::size_t kFewestHeaders = 30;

// A file of CUTLASS's headers has 280 MiB, one of cooperative_groups.h 100.
constexpr std::size_t kMostFiles = 3;
constexpr std::size_t kMostRemembered = 64;

bool is_before_code(std::string_view line) {
  const std::size_t begin = line.find_first_not_of(" \t\r");
  return begin == line.npos || line[begin] == '#' || line.substr(begin).starts_with("//");
}

// The directives that the text begins with.
std::string_view opening_of(std::string_view text) {
  std::size_t end = 0;
  while (end < text.size()) {
    const std::size_t next = std::min(text.find('\n', end), text.size());
    if (!is_before_code(text.substr(end, next - end))) break;
    end = next + 1;
  }
  return text.substr(0, end);
}

std::string file_name(const std::string& stamp) { return stamp + ".pch"; }

}  // namespace

std::string headers_stamp(const std::string& text, const std::vector<File>& files,
                          const std::vector<std::string>& arguments, const Dependencies& dependencies) {
  if (dependencies.files.size() < kFewestHeaders) return "";
  const std::string state = file_stamp(dependencies);
  if (state.empty()) return "";
  std::string all = state;
  all.append(1, '\n').append(opening_of(text));
  for (const std::string& argument : arguments) all.append(1, '\0').append(argument);
  // The first of `files` is the text itself, perhaps included by another: what is behind its opening plays no part.
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
  if (entry->state != State::kSeen && entry->state != State::kReady) return {};
  const auto place = folder();
  if (!place) return {};
  const std::string in_folder = "--pch-dir=" + *place;
  if (entry->state == State::kReady) return {Plan::Use::kTake, stamp, {"--use-pch=" + file_name(stamp), in_folder}};
  entry->state = State::kBeingMade;
  return {Plan::Use::kCreate, stamp, {"--create-pch=" + file_name(stamp), in_folder}};
}

void PrecompiledHeaders::created(const Plan& plan, NvrtcResult status) {
  const std::lock_guard lock(mutex_);
  is_off_ = is_off_ || status == NvrtcResult::kPchHeapExhausted;
  if (Entry* const entry = find(plan.stamp)) {
    entry->state = status == NvrtcResult::kSuccess ? State::kReady : State::kUseless;
  }
  keep_few();
}

void PrecompiledHeaders::drop(const Plan& plan) {
  const std::lock_guard lock(mutex_);
  if (Entry* const entry = find(plan.stamp)) entry->state = State::kUseless;
}

// The entry of `stamp`, now the latest, or null.
PrecompiledHeaders::Entry* PrecompiledHeaders::find(const std::string& stamp) {
  const auto found = std::ranges::find(entries_, stamp, &Entry::stamp);
  if (found == entries_.end()) return nullptr;
  entries_.splice(entries_.begin(), entries_, found);
  return &entries_.front();
}

void PrecompiledHeaders::remember(const std::string& stamp) {
  entries_.push_front({stamp});
  if (entries_.size() > kMostRemembered && entries_.back().state != State::kBeingMade) entries_.pop_back();
}

std::optional<std::string> PrecompiledHeaders::folder() {
  if (!folder_) {
    auto made = PrivateFolder::create("kmux-nvrtc");
    if (!made) return std::nullopt;
    folder_.emplace(*std::move(made));
  }
  return folder_->path();
}

// Removing a file that a compilation is reading does it no harm: the system keeps it until then.
void PrecompiledHeaders::keep_few() {
  std::size_t ready = 0;
  for (Entry& entry : entries_) {
    if (entry.state != State::kReady || ++ready <= kMostFiles) continue;
    entry.state = State::kSeen;
    std::error_code ignored;
    std::filesystem::remove(std::filesystem::path(folder_->path()) / file_name(entry.stamp), ignored);
  }
}

}  // namespace kmux::nvrtc
