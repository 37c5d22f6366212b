#include "compile_pool.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "kmux/json.h"
#include "kmux/log.h"
#include "kmux/plugin/file_io.h"

#include "base/json_text.h"
#include "cache/artifact_cache.h"
#include "cache/disk/file_descriptor.h"

namespace kmux {
namespace {

constexpr const char* kCostsFile = "compile-costs.json";

std::filesystem::path costs_file(const ArtifactCache* cache) {
  return cache == nullptr || cache->why_read_only() ? std::filesystem::path() : cache->folder() / kCostsFile;
}

}  // namespace

CompilePool::CompilePool(const ArtifactCache* cache, IsolatedPlugins& workers)
    : costs_(costs_file(cache)), workers_(workers) {}

AbandonedThreads::~AbandonedThreads() {
  const bool is_forked = generation_ != fork_generation();  // a forked child does not have the threads
  for (std::thread& thread : threads_) is_forked ? thread.detach() : thread.join();
}

void AbandonedThreads::adopt(std::thread thread) {
  const std::lock_guard lock(mutex_);
  threads_.push_back(std::move(thread));
}

namespace {

using Costs = std::map<std::string, CompileCost>;

constexpr std::uint64_t kMaxFileBytes = 1 << 20;
constexpr std::int64_t kMaxBytes = std::int64_t{1} << 50;
constexpr double kMaxMilliseconds = 1e9;
constexpr int kCostsVersion = 1;
constexpr std::uint64_t kSlowness = 8;  // a smaller peak or another time moves the estimate by 1/8 of the difference

std::optional<CompileCost> cost_of(const Json& json) {
  const Json* bytes = json.find("peak_bytes");
  const Json* time = json.find("milliseconds");
  if (bytes == nullptr || time == nullptr || bytes->as_integer() == nullptr) return std::nullopt;
  const std::int64_t peak = *bytes->as_integer();
  const double milliseconds = time->as_number().value_or(-1);
  const bool is_possible = peak >= 0 && peak <= kMaxBytes && milliseconds >= 0 && milliseconds <= kMaxMilliseconds;
  return is_possible ? std::optional(CompileCost{static_cast<std::uint64_t>(peak), milliseconds}) : std::nullopt;
}

/// Returns the costs in the file, which may be damaged or of another version.
Costs read_costs(const std::filesystem::path& file) {
  const auto content =
      read_file_at(FileDescriptor::open_folder(file.parent_path()), file.filename().c_str(), kMaxFileBytes);
  return content ? costs_from_json(content->bytes) : Costs{};
}

CompileCost updated(const CompileCost& old, const CompileCost& measured) {
  const std::uint64_t lower = old.peak_bytes - std::min(old.peak_bytes, measured.peak_bytes);
  const std::uint64_t peak = std::max(measured.peak_bytes, old.peak_bytes - lower / kSlowness);
  return {peak, old.milliseconds + (measured.milliseconds - old.milliseconds) / double{kSlowness}};
}

}  // namespace

Costs costs_from_json(std::string_view text) {
  const auto json = read_json(text);
  const Json* version = json ? json->find("version") : nullptr;
  const Json* costs = json ? json->find("costs") : nullptr;
  if (version == nullptr || *version != Json(kCostsVersion) || costs == nullptr || costs->as_object() == nullptr)
    return {};
  Costs read;
  for (const auto& [name, value] : *costs->as_object())
    if (const auto cost = cost_of(value)) read.emplace(name, *cost);
  return read;
}

std::string costs_to_json(const Costs& costs) {
  Json::Object all;
  for (const auto& [name, cost] : costs)
    all.emplace(name, Json::Object{{"peak_bytes", static_cast<std::int64_t>(cost.peak_bytes)},
                                   {"milliseconds", std::round(cost.milliseconds * 1000) / 1000}});
  return dump(Json::Object{{"version", kCostsVersion}, {"costs", std::move(all)}}, 2) + "\n";
}

std::optional<CompileCost> CompileCosts::of(const std::string& name) {
  const std::lock_guard lock(mutex_);
  read_once();
  const auto found = kept_.find(name);
  return found == kept_.end() ? std::nullopt : std::optional(found->second);
}

void CompileCosts::learn(const std::string& name, const CompileCost& measured) {
  const std::lock_guard lock(mutex_);
  read_once();
  const auto [known, is_new] = kept_.emplace(name, measured);
  if (!is_new) known->second = updated(known->second, measured);
  learned_[name] = known->second;
}

Status CompileCosts::save() {
  const std::lock_guard lock(mutex_);
  if (file_.empty() || learned_.empty()) return Ok{};
  Costs all = read_costs(file_);
  for (const auto& [name, cost] : std::exchange(learned_, {})) all.insert_or_assign(name, cost);
  return write_file(file_, costs_to_json(all));
}

void CompileCosts::read_once() {
  if (std::exchange(was_read_, true) || file_.empty()) return;
  kept_ = read_costs(file_);
}

}  // namespace kmux
