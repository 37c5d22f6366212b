#include "simt/check/findings.h"

#include <algorithm>
#include <map>
#include <mutex>
#include <string_view>

namespace kmux::simt {

std::string to_string(const Index& index) {
  return "(" + std::to_string(index[0]) + ", " + std::to_string(index[1]) + ", " + std::to_string(index[2]) + ")";
}

std::string Findings::place(const kmux_cpu_site* site) {
  if (site == nullptr) return "an unknown line";
  const auto line = [](const char* file, unsigned number) { return file + (":" + std::to_string(number)); };
  const std::string own = line(site->file, site->line);
  return site->caller_file == nullptr ? own : own + ", called at " + line(site->caller_file, site->caller_line);
}

namespace {

bool is_same(const kmux_cpu_site* a, const kmux_cpu_site* b) {
  if (a == b) return true;
  return a != nullptr && b != nullptr && a->line == b->line && a->caller_line == b->caller_line &&
         std::string_view(a->file) == b->file;
}

struct Notes {
  std::mutex mutex;
  std::map<const void*, NoteSink> sinks;  // by owner
};

Notes& notes() {
  static Notes notes;
  return notes;
}

template <class Entry>
Entry* known_in(std::vector<Entry>& entries, Finding::Kind kind, const kmux_cpu_site* site) {
  const auto known = std::ranges::find_if(
      entries, [&](const Entry& entry) { return entry.kind == kind && is_same(entry.site, site); });
  return known == entries.end() ? nullptr : &*known;
}

}  // namespace

void add_note_sink(const void* owner, NoteSink sink) {
  const std::lock_guard lock(notes().mutex);
  notes().sinks[owner] = std::move(sink);
}

void remove_note_sink(const void* owner) {
  const std::lock_guard lock(notes().mutex);
  notes().sinks.erase(owner);
}

bool Findings::count_known(Finding::Kind kind, const kmux_cpu_site* site, const char* advice) {
  Entry* const known = known_in(entries_, kind, site);
  if (known == nullptr) return false;
  ++known->count;
  if (advice != nullptr) known->advice = advice;
  return true;
}

void Findings::add(const Finding& finding) { add_to(entries_, finding); }

void Findings::add_note(const Finding& finding) { add_to(notes_, finding); }

void Findings::send_notes() const {
  const std::lock_guard lock(notes().mutex);
  if (notes().sinks.empty()) return;
  for (const Entry& note : notes_) notes().sinks.begin()->second(note.explain());
}

void Findings::add_to(std::vector<Entry>& entries, const Finding& finding) const {
  if (Entry* const known = known_in(entries, finding.kind, finding.site)) return void(++known->count);
  const std::string why = finding.why.empty() ? "" : finding.why + "; ";
  entries.push_back({finding.kind, finding.site,
                     "kernel \"" + kernel_ + "\" " + finding.problem + " (" + why + "block " + to_string(block_) +
                         ", thread " + to_string(finding.thread) +
                         (finding.site == nullptr ? "" : ", at " + place(finding.site)) + ").",
                     finding.advice, 1});
}

Status Findings::status() const {
  if (entries_.empty()) return Ok{};
  Error error = make_error(ErrorCode::kLaunchFailed, entries_.front().explain());
  for (std::size_t i = 1; i < std::min(entries_.size(), kMaxReported); ++i) {
    error.notes.push_back({"finding", entries_[i].explain()});
  }
  if (entries_.size() > kMaxReported) {
    error.notes.push_back({"finding", "and " + std::to_string(entries_.size() - kMaxReported) + " more"});
  }
  return error;
}

Error Findings::status_with(const std::string& failure) const {
  const Status found = status();
  if (found.ok()) return make_error(ErrorCode::kLaunchFailed, failure);
  Error error = found.error();
  error.notes.push_back({"then", failure});
  return error;
}

std::string Findings::Entry::explain() const {
  const std::string advised = text + " " + advice + ".";
  return count == 1 ? advised : advised + " Seen " + std::to_string(count) + " times.";
}

}  // namespace kmux::simt
