#include "cache_report.h"

#include <array>
#include <cstdio>
#include <map>

#include "kmux/json.h"

#include "base/text_table.h"
#include "style.h"

namespace kmux::cli {
namespace {

constexpr std::size_t kShownDigits = 12;  // of a key: enough to tell keys apart

/// The text at `path` in the key's parts, or "-".
std::string part(const CachedBuild& build, std::initializer_list<std::string_view> path) {
  const Json* json = &build.parts;
  for (const std::string_view step : path) {
    if (json != nullptr) json = json->find(step);
  }
  const std::string* text = json == nullptr ? nullptr : json->as_string();
  return text == nullptr ? "-" : *text;
}

std::string age_text(std::chrono::system_clock::time_point then) {
  const auto seconds =
      std::chrono::duration_cast<std::chrono::seconds>(std::chrono::system_clock::now() - then).count();
  if (seconds < 120) return std::to_string(std::max<std::int64_t>(seconds, 0)) + " s";
  if (seconds < 2 * 3600) return std::to_string(seconds / 60) + " min";
  if (seconds < 2 * 86400) return std::to_string(seconds / 3600) + " h";
  return std::to_string(seconds / 86400) + " d";
}

std::int64_t seconds_since_1970(std::chrono::system_clock::time_point time) {
  return std::chrono::duration_cast<std::chrono::seconds>(time.time_since_epoch()).count();
}

Json to_json(const CachedBuild& build) {
  return Json::Object{{"key", build.key},
                      {"state", build.state},
                      {"folder", build.folder.string()},
                      {"bytes", static_cast<std::int64_t>(build.bytes)},
                      {"created", seconds_since_1970(build.created)},
                      {"used", seconds_since_1970(build.used)},
                      {"unsupported", build.unsupported},
                      {"parts", build.parts}};
}

std::string remote_text(const RemoteCacheReport& remote) {
  std::string text = "remote  " + (remote.url.empty() ? "" : remote.url + " ");
  if (remote.problem) return text + styled(Style::kBad, "not in use") + " (" + remote.problem->message + ")\n";
  text += "(" + std::to_string(remote.names) + (remote.names == 1 ? " name" : " names") + " in its database";
  return text + (remote.authenticated ? ", authenticated" : ", without a key") +
         (remote.read_only ? ", read only" : "") + ")\n";
}

Json remote_json(const RemoteCacheReport& remote) {
  Json json =
      Json::Object{{"url", remote.url}, {"read_only", remote.read_only}, {"authenticated", remote.authenticated}};
  if (remote.problem) {
    json["problem"] = remote.problem->message;
  } else {
    json["names"] = remote.names;
  }
  return json;
}

struct Sum {
  std::int64_t builds = 0;
  std::uint64_t bytes = 0;
};

std::string count_text(std::uint64_t builds) { return std::to_string(builds) + (builds == 1 ? " build" : " builds"); }

}  // namespace

std::string bytes_text(std::uint64_t bytes) {
  constexpr std::array<const char*, 5> kUnits = {"B", "KiB", "MiB", "GiB", "TiB"};
  auto value = static_cast<double>(bytes);
  std::size_t unit = 0;
  for (; value >= 1024 && unit + 1 < kUnits.size(); ++unit) value /= 1024;
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), unit == 0 ? "%.0f %s" : "%.1f %s", value, kUnits[unit]);
  return text.data();
}

Report list_report(const std::vector<CachedBuild>& builds) {
  TextTable table({{"KEY"},
                   {"PROGRAM"},
                   {"BACKEND"},
                   {"TARGET"},
                   {"TIER"},
                   {"SIZE", TextTable::Align::kRight},
                   {"USED", TextTable::Align::kRight}});
  Json::Array list;
  for (const CachedBuild& build : builds) {
    const std::string tier = build.unsupported ? "unsupported" : part(build, {"options", "tier"});
    table.add({build.key.substr(0, kShownDigits), part(build, {"name"}), part(build, {"plugin", "name"}),
               part(build, {"target"}), tier, bytes_text(build.bytes), age_text(build.used)});
    list.push_back(to_json(build));
  }
  return {builds.empty() ? "the cache is empty\n" : table.to_string(), Json::Object{{"builds", std::move(list)}}};
}

Report stats_report(const Cache& cache, const std::vector<CachedBuild>& builds,
                    const std::optional<RemoteCacheReport>& remote) {
  std::map<std::string, Sum> sums;
  Sum total;
  for (const CachedBuild& build : builds) {
    for (Sum* sum : {&sums[part(build, {"plugin", "name"})], &total}) {
      ++sum->builds;
      sum->bytes += build.bytes;
    }
  }
  TextTable table({{"BACKEND"}, {"BUILDS", TextTable::Align::kRight}, {"SIZE", TextTable::Align::kRight}});
  Json::Object backends;
  for (const auto& [backend, sum] : sums) {
    table.add({backend, std::to_string(sum.builds), bytes_text(sum.bytes)});
    backends[backend] = Json::Object{{"builds", sum.builds}, {"bytes", static_cast<std::int64_t>(sum.bytes)}};
  }
  const auto read_only = cache.why_read_only();
  std::string text = "folder  " + cache.folder().string() + (read_only ? " (read only)" : "") + "\n" + "size    " +
                     bytes_text(total.bytes) + " of at most " + bytes_text(cache.max_bytes()) + ", " +
                     count_text(static_cast<std::uint64_t>(total.builds)) + "\n";
  if (remote) text += remote_text(*remote);
  if (!builds.empty()) text += "\n" + table.to_string();
  return {std::move(text), Json::Object{{"folder", cache.folder().string()},
                                        {"read_only", read_only.has_value()},
                                        {"max_bytes", static_cast<std::int64_t>(cache.max_bytes())},
                                        {"builds", total.builds},
                                        {"bytes", static_cast<std::int64_t>(total.bytes)},
                                        {"backends", std::move(backends)},
                                        {"remote", remote ? remote_json(*remote) : Json()}}};
}

Report verify_report(std::size_t checked, const std::vector<DamagedBuild>& damaged) {
  std::string text;
  Json::Array list;
  for (const DamagedBuild& build : damaged) {
    text += styled(Style::kBad, "damaged") + " " + build.folder.string() + ": " + build.reason + "\n";
    list.emplace_back(Json::Object{{"folder", build.folder.string()}, {"reason", build.reason}});
  }
  text += count_text(checked) + " checked, " + std::to_string(damaged.size()) + " damaged and put into quarantine\n";
  return {std::move(text), Json::Object{{"checked", static_cast<std::int64_t>(checked)}, {"damaged", std::move(list)}},
          damaged.empty() ? kSuccess : kCheckFailed};
}

Report prune_report(const PruneReport& report) {
  return {count_text(report.removed) + " removed (" + bytes_text(report.removed_bytes) + "), " +
              std::to_string(report.left) + " left (" + bytes_text(report.left_bytes) + ")\n",
          Json::Object{{"removed", static_cast<std::int64_t>(report.removed)},
                       {"removed_bytes", static_cast<std::int64_t>(report.removed_bytes)},
                       {"left", static_cast<std::int64_t>(report.left)},
                       {"left_bytes", static_cast<std::int64_t>(report.left_bytes)}}};
}

Report bundle_report(const std::string& done, const BundleReport& report) {
  std::string text;
  for (const std::string& why : report.skipped) text += styled(Style::kBad, "skipped") + " " + why + "\n";
  text += count_text(report.builds) + " " + done + " (" + bytes_text(report.bytes) + ")";
  if (report.present != 0) text += ", " + std::to_string(report.present) + " there already";
  return {text + "\n",
          Json::Object{{done, static_cast<std::int64_t>(report.builds)},
                       {"present", static_cast<std::int64_t>(report.present)},
                       {"bytes", static_cast<std::int64_t>(report.bytes)},
                       {"skipped", json_list(report.skipped)}},
          report.skipped.empty() ? kSuccess : kCheckFailed};
}

}  // namespace kmux::cli
