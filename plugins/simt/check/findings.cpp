#include "simt/check/findings.h"

#include <algorithm>
#include <string_view>

namespace kmux::simt {

std::string to_string(const Index& index) {
  return "(" + std::to_string(index[0]) + ", " + std::to_string(index[1]) + ", " + std::to_string(index[2]) + ")";
}

std::string Findings::place(const kmux_cpu_site* site) {
  return site == nullptr ? "an unknown line" : site->file + (":" + std::to_string(site->line));
}

namespace {

bool is_same(const kmux_cpu_site* a, const kmux_cpu_site* b) {
  if (a == b) return true;
  return a != nullptr && b != nullptr && a->line == b->line && std::string_view(a->file) == b->file;
}

}  // namespace

bool Findings::count_known(Finding::Kind kind, const kmux_cpu_site* site, const char* advice) {
  const auto known = std::ranges::find_if(
      entries_, [&](const Entry& entry) { return entry.kind == kind && is_same(entry.site, site); });
  if (known == entries_.end()) return false;
  ++known->count;
  if (advice != nullptr) known->advice = advice;
  return true;
}

void Findings::add(const Finding& finding) {
  if (count_known(finding.kind, finding.site)) return;
  const std::string why = finding.why.empty() ? "" : finding.why + "; ";
  entries_.push_back({finding.kind, finding.site,
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
