#include "resume.h"

#include <algorithm>

#include "kmux/dispatch_json.h"
#include "kmux/json.h"
#include "kmux/plugin/sha256.h"

#include "toolchains.h"

namespace kmux::bench {
namespace {

Json json_of(const CompileOptions& options) {
  return Json::Object{{"target", options.target},
                      {"device", std::int64_t{options.device.value_or(0)}},
                      {"options", kmux::to_json(options.options)},
                      {"compile_flags", json_list(options.compile_flags)},
                      {"include_dirs", json_list(options.include_dirs)},
                      {"isolation", options.isolation ? std::string(to_string(*options.isolation)) : ""}};
}

/// How long and how often is left out: who hurries with the rest has measured the same.
Json json_of(const BenchOptions& options) {
  Json json = Json::Object{{"backends", json_list(options.backends)}, {"baseline", options.baseline},
                           {"reference", options.reference},          {"inputs", json_list(options.inputs)},
                           {"symbols", json_list(options.symbols)},   {"scalars", json_list(options.scalars)},
                           {"compile", json_of(options.compile)}};
  if (options.tolerance) json["tolerance"] = Json::Array{options.tolerance->relative, options.tolerance->absolute};
  return json;
}

/// Was it measured by a run, and not read from a file that was beside it?
bool is_measured(const Contest& contest) { return !contest.identity.empty() && contest.origin.empty(); }

const Contest* find_alike(const BenchReport& report, const std::string& program,
                          const std::map<std::string, std::int64_t>& point) {
  const auto found = std::ranges::find_if(report.contests, [&](const Contest& contest) {
    return is_measured(contest) && contest.program == program && contest.point == point;
  });
  return found == report.contests.end() ? nullptr : &*found;
}

/// The facts of the machine where it was measured, which has a name where other files were of other machines.
const Json& machine_of(const BenchReport& report) {
  const Json* const here = report.machine.find("here");
  return here == nullptr ? report.machine : *here;
}

Error differs(const std::string& what, const Json& then, const Json& now) {
  return make_error(ErrorCode::kInvalidArgument, "what was measured cannot be gone on with (" + what + " is " +
                                                     dump(now) + " here and was " + dump(then) +
                                                     "). Measure anew, and put both into one report with --from.");
}

Status check_alike(const std::string& what, const Json& then, const Json& now) {
  const Json::Object* const facts = now.as_object();
  if (facts == nullptr) return Ok{};
  for (const auto& [key, value] : *facts) {
    const Json* const before = then.find(key);
    if (before != nullptr && *before != value)
      return differs(std::string(what).append("\"").append(key).append("\""), *before, value);
  }
  return Ok{};
}

}  // namespace

std::string identity_of(const Program& program, const BenchOptions& options) {
  return sha256_hex(kmux::to_json(program) + "\n" + dump(json_of(options)));
}

const Contest* find_measured(const BenchReport& earlier, const Program& program,
                             const std::map<std::string, std::int64_t>& point, const BenchOptions& options) {
  const Contest* const contest = find_alike(earlier, program.name, point);
  return contest != nullptr && contest->identity == identity_of(program, options) ? contest : nullptr;
}

BenchReport with_rest(BenchReport report, const BenchReport& earlier) {
  for (const Contest& contest : earlier.contests) {
    if (is_measured(contest) && find_alike(report, contest.program, contest.point) == nullptr) {
      report.contests.push_back(contest);
    }
  }
  return report;
}

Status check_resumable(Runtime& runtime, const BenchReport& earlier, const Json& machine, const BenchOptions& options) {
  if (earlier.contests.empty()) return Ok{};
  BenchReport measured{machine, {}};
  std::ranges::copy_if(earlier.contests, std::back_inserter(measured.contests), is_measured);
  if (measured.contests.empty()) {
    return make_error(
        ErrorCode::kInvalidArgument,
        "no contest of the earlier report says how it was measured (it is of an older kmux, or from other "
        "files). Put it into the report with --from.");
  }
  KMUX_TRY(check_alike("", machine_of(earlier), machine));
  const Json* const toolchains = machine_of(earlier).find("toolchains");
  if (toolchains == nullptr) return Ok{};
  return check_alike("the toolchain of ", *toolchains, toolchains_of(runtime, measured, options));
}

}  // namespace kmux::bench
