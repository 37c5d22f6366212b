#include <algorithm>
#include <array>

#include "kmux/cache.h"
#include "kmux/nearest.h"
#include "kmux/words.h"

#include "cache_bundle.h"
#include "cache_report.h"
#include "command.h"

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

/// The number that `option` gives.
///
/// Errors: invalid_argument for a negative one.
Result<std::int64_t> limit_of(const po::variables_map& arguments, const char* option, std::int64_t otherwise) {
  const std::int64_t limit = arguments.count(option) == 0 ? otherwise : arguments[option].as<std::int64_t>();
  if (limit >= 0) return std::min(limit, kNoLimit);
  return make_error(ErrorCode::kInvalidArgument, "--" + std::string(option) + " is " + std::to_string(limit) +
                                                     " (it cannot be less than 0). Give 0 or more.");
}

/// Without a limit everything goes; with one, only what is beyond it.
Result<Report> prune(const Cache& cache, const po::variables_map& arguments) {
  const bool is_limited = arguments.count("max-mib") + arguments.count("max-days") != 0;
  const std::int64_t otherwise = is_limited ? kNoLimit : 0;
  KMUX_ASSIGN(const std::int64_t mib, limit_of(arguments, "max-mib", otherwise));
  KMUX_ASSIGN(const std::int64_t days, limit_of(arguments, "max-days", otherwise));
  KMUX_ASSIGN(const PruneReport report,
              cache.prune({static_cast<std::uint64_t>(mib) << 20, std::chrono::hours(24) * std::min(days, kMaxDays)}));
  return prune_report(report);
}

/// The file that follows the action.
Result<std::string> file_of(const po::variables_map& arguments) {
  if (arguments.count("file") != 0) return arguments["file"].as<std::string>();
  return make_error(ErrorCode::kInvalidArgument,
                    "the bundle's name is missing. Write, say, `kmux cache export all.tar.zst`.");
}

Result<Report> export_bundle(const Cache& cache, const po::variables_map& arguments) {
  KMUX_ASSIGN(const std::string file, file_of(arguments));
  KMUX_ASSIGN(const BundleReport report, export_cache(cache, file));
  return bundle_report("exported", report);
}

Result<Report> import_bundle(const Cache& cache, const po::variables_map& arguments) {
  KMUX_ASSIGN(const std::string file, file_of(arguments));
  KMUX_ASSIGN(const BundleReport report, import_cache(cache, file));
  return bundle_report("imported", report);
}

struct Action {
  std::string name;
  Result<Report> (*run)(const Cache& cache, const po::variables_map& arguments);
};

const std::array<Action, 6> kActions = {{{"ls", list},
                                         {"stats", stats},
                                         {"verify", verify},
                                         {"prune", prune},
                                         {"export", export_bundle},
                                         {"import", import_bundle}}};

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
    KMUX_ASSIGN(const Cache cache, Cache::open(Environment::from_process()));
    return action.run(cache, arguments);
  }
  return unknown_action(name);
}

void describe_cache(po::options_description& options) {
  options.add_options()("max-mib", po::value<std::int64_t>()->value_name("N"), "prune: leave at most N MiB")(
      "max-days", po::value<std::int64_t>()->value_name("N"), "prune: leave what was used in the last N days");
}

}  // namespace

const Command kCacheCommand{"cache",
                            "look at, check, prune and carry what was compiled",
                            "cache ls|stats|verify|prune|export FILE|import FILE [options]",
                            "  kmux cache ls\n"
                            "  kmux cache verify --json\n"
                            "  kmux cache prune --max-mib 512 --max-days 30\n"
                            "  kmux cache prune                                (everything)\n"
                            "  kmux cache export all.tar.zst\n"
                            "  kmux cache import all.tar.zst                   (code that will run: trust its maker)\n",
                            {"action", "file"},
                            describe_cache,
                            run_cache};

}  // namespace kmux::cli
