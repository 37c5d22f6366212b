#include <algorithm>
#include <array>
#include <cstdio>
#include <map>
#include <optional>
#include <vector>

#include "kmux/cache.h"
#include "kmux/json.h"
#include "kmux/plugin/suggestion.h"
#include "kmux/plugin/word_list.h"

#include "base/text_table.h"
#include "cache_bundle.h"
#include "command.h"
#include "options.h"
#include "output_file.h"
#include "style.h"

namespace kmux::cli {
namespace {

constexpr std::size_t kShownDigits = 12;  // of a key: enough to distinguish keys

/// Returns the text at `path` in the key's parts, or "-".
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

/// Returns the output of `kmux cache ls`: a row for each build.
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

/// Returns the output of `kmux cache stats`: number and size of builds, by backend, and the state of the remote cache.
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

/// `done` must be "exported" or "imported".
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

Result<Report> list(const Cache& cache, const po::variables_map&) { return list_report(cache.list()); }

Result<Report> stats(const Cache& cache, const po::variables_map&) {
  return stats_report(cache, cache.list(), inquire_remote_cache(Environment::from_process()));
}

Result<Report> verify(const Cache& cache, const po::variables_map&) {
  const std::size_t all = cache.list().size();
  return verify_report(all, cache.verify());
}

constexpr std::int64_t kNoLimit = std::int64_t{1} << 40;  // MiB or days
constexpr std::int64_t kMaxDays = 36500;                  // more would not fit a time point

struct Limits {
  std::int64_t mib = 0;
  std::int64_t days = 0;
};

/// Returns no room with --all, else no limit but the given ones.
Result<Limits> limits_of(const po::variables_map& arguments) {
  const std::int64_t otherwise = arguments.count("all") != 0 ? 0 : kNoLimit;
  Limits limits;
  KMUX_ASSIGN(limits.mib, integer_option<std::int64_t>(arguments, "max-mib", otherwise, 0, kNoLimit));
  KMUX_ASSIGN(limits.days, integer_option<std::int64_t>(arguments, "max-days", otherwise, 0, kNoLimit));
  return limits;
}

Result<Report> prune(const Cache& cache, const po::variables_map& arguments) {
  KMUX_ASSIGN(const Limits limits, limits_of(arguments));
  KMUX_ASSIGN(const PruneReport report, cache.prune({static_cast<std::uint64_t>(limits.mib) << 20,
                                                     std::chrono::hours(24) * std::min(limits.days, kMaxDays)}));
  return prune_report(report);
}

Result<Report> export_bundle(const Cache& cache, const po::variables_map& arguments) {
  KMUX_ASSIGN(const BundleReport report, export_cache(cache, arguments["file"].as<std::string>()));
  return bundle_report("exported", report);
}

Result<Report> import_bundle(const Cache& cache, const po::variables_map& arguments) {
  KMUX_ASSIGN(const BundleReport report, import_cache(cache, arguments["file"].as<std::string>()));
  return bundle_report("imported", report);
}

/// Checks that the command line states which builds to remove: the default must never remove all.
Status check_prune(const po::variables_map& arguments) {
  const bool is_limited = arguments.count("max-mib") + arguments.count("max-days") != 0;
  const bool is_all = arguments.count("all") != 0;
  if (is_limited != is_all) return Ok{};
  return make_error(
      ErrorCode::kInvalidArgument,
      (is_all ? "--all removes every build, and a limit does not" : "kmux cache prune has no word for what to remove") +
          std::string(". Give --max-mib N or --max-days N for what may stay, or --all alone to remove every build."));
}

/// The kind of word that follows an action.
enum class Word { kNone, kInput, kOutput };

struct Action {
  std::string name;
  Result<Report> (*run)(const Cache& cache, const po::variables_map& arguments);
  Word word = Word::kNone;
};

const std::array<Action, 6> kActions = {{{"ls", list},
                                         {"stats", stats},
                                         {"verify", verify},
                                         {"prune", prune},
                                         {"export", export_bundle, Word::kOutput},
                                         {"import", import_bundle, Word::kInput}}};

struct OptionOfOne {
  const char* option;
  const char* action;
};
constexpr std::array<OptionOfOne, 4> kOptionsOfOne = {
    {{"max-mib", "prune"}, {"max-days", "prune"}, {"all", "prune"}, {"force", "export"}}};

/// Checks that the action accepts the other words: `prune 30` would otherwise remove everything.
Status check_words(const Action& action, const po::variables_map& arguments) {
  const bool has_file = arguments.count("file") != 0;
  if (action.word != Word::kNone && !has_file) {
    return make_error(ErrorCode::kInvalidArgument,
                      "the bundle's name is missing. Write, say, `kmux cache " + action.name + " all.tar.zst`.");
  }
  if (action.word == Word::kNone && has_file) {
    return make_error(ErrorCode::kInvalidArgument, "kmux cache " + action.name + " takes no word after it (\"" +
                                                       arguments["file"].as<std::string>() + "\"). Leave it out.");
  }
  for (const OptionOfOne& one : kOptionsOfOne) {
    if (action.name == one.action || arguments.count(one.option) == 0) continue;
    return make_error(ErrorCode::kInvalidArgument, "--" + std::string(one.option) + " is an option of `kmux cache " +
                                                       one.action + "` alone. Leave it out.");
  }
  return action.run == prune ? check_prune(arguments) : Ok{};
}

Error unknown_action(const std::string& name) {
  std::vector<std::string> known(kActions.size());
  std::ranges::transform(kActions, known.begin(), &Action::name);
  return make_error(ErrorCode::kInvalidArgument,
                    "kmux cache cannot \"" + name + "\"." + did_you_mean(name, known) + " It can " + join(known) + ".");
}

Result<const Action*> action_of(const po::variables_map& arguments) {
  const std::string& name = arguments["action"].as<std::string>();
  const auto found = std::ranges::find(kActions, name, &Action::name);
  if (found == kActions.end()) return unknown_action(name);
  return &*found;
}

Status check_cache(const po::variables_map& arguments) {
  KMUX_ASSIGN(const Action* const action, action_of(arguments));
  return check_words(*action, arguments);
}

Result<Report> run_cache(const po::variables_map& arguments) {
  KMUX_ASSIGN(const Action* const action, action_of(arguments));
  if (action->word == Word::kOutput) {
    OutputFiles outputs(arguments);
    KMUX_TRY(outputs.add({"kmux cache " + action->name, arguments["file"].as<std::string>(), OutputKind::kBundle}));
  }
  KMUX_TRY(limits_of(arguments));
  KMUX_ASSIGN(const Cache cache, Cache::open(Environment::from_process()));
  return action->run(cache, arguments);
}

void describe_cache(po::options_description& options) {
  auto add = options.add_options();
  add("max-mib", po::value<std::int64_t>()->value_name("N"), "prune: leave at most N MiB");
  add("max-days", po::value<std::int64_t>()->value_name("N"), "prune: leave what was used in the last N days");
  add("all", "prune: remove every build");
  add("force", "export: write over a file of another kind, too");
}

}  // namespace

const Command kCacheCommand{"cache",
                            "look at, check, prune and carry what was compiled",
                            "cache ls|stats|verify|prune|export FILE|import FILE [options]",
                            "  kmux cache ls\n"
                            "  kmux cache verify --json\n"
                            "  kmux cache prune --max-mib 512 --max-days 30\n"
                            "  kmux cache prune --all                          (everything)\n"
                            "  kmux cache export all.tar.zst\n"
                            "  kmux cache import all.tar.zst                   (code that will run: trust its maker)\n",
                            {"action", "file"},
                            describe_cache,
                            run_cache,
                            false,
                            {},
                            check_cache};

}  // namespace kmux::cli
