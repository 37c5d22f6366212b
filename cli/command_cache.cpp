#include <algorithm>
#include <array>

#include "kmux/cache.h"
#include "kmux/plugin/words.h"

#include "cache_bundle.h"
#include "cache_report.h"
#include "command.h"
#include "number_option.h"
#include "output_file.h"

namespace kmux::cli {
namespace {

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

/// With --all everything goes, with a limit only what is beyond it.
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

/// Everything is never removed for want of a word.
Status check_prune(const po::variables_map& arguments) {
  KMUX_TRY(limits_of(arguments));
  const bool is_limited = arguments.count("max-mib") + arguments.count("max-days") != 0;
  const bool is_all = arguments.count("all") != 0;
  if (is_limited != is_all) return Ok{};
  return make_error(
      ErrorCode::kInvalidArgument,
      (is_all ? "--all removes every build, and a limit does not" : "kmux cache prune has no word for what to remove") +
          std::string(". Give --max-mib N or --max-days N for what may stay, or --all alone to remove every build."));
}

/// What the word after an action names.
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

/// Are the other words what the action takes? `prune 30` would otherwise remove everything.
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
  if (action.word == Word::kOutput) {
    OutputFiles outputs(arguments);
    KMUX_TRY(outputs.add({"kmux cache " + action.name, arguments["file"].as<std::string>(), OutputKind::kBundle}));
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

Result<Report> run_cache(const po::variables_map& arguments) {
  const std::string& name = arguments["action"].as<std::string>();
  for (const Action& action : kActions) {
    if (action.name != name) continue;
    KMUX_TRY(check_words(action, arguments));
    KMUX_ASSIGN(const Cache cache, Cache::open(Environment::from_process()));
    return action.run(cache, arguments);
  }
  return unknown_action(name);
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
                            run_cache};

}  // namespace kmux::cli
