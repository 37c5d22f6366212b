#include "isolation.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "kmux/plugin/words.h"

#include "system/trust.h"

namespace kmux {
namespace {

using Limit = std::optional<std::chrono::milliseconds>;

Error invalid_isolation(std::string message) { return make_error(ErrorCode::kInvalidArgument, std::move(message)); }

/// The wording is that of TileLang's time-out.
Error no_limit(const std::string& name, const std::string& value) {
  return invalid_isolation(name + " must be empty or a non-negative number of seconds (it is '" + value +
                           "'). Correct it.");
}

Result<Limit> limit_of(double seconds, const std::string& name, const std::string& text) {
  if (!std::isfinite(seconds) || seconds < 0) return no_limit(name, text);
  constexpr double kMostSeconds = 1e9;  // so that it fits into any clock
  return Limit(std::chrono::ceil<Limit::value_type>(std::chrono::duration<double>(std::min(seconds, kMostSeconds))));
}

Result<Limit> read_limit(const std::string& text) {
  if (text.empty()) return Limit();
  double seconds = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), seconds);
  const bool is_number = error == std::errc() && end == text.data() + text.size();
  return is_number ? limit_of(seconds, "KMUX_COMPILE_TIMEOUT", text) : no_limit("KMUX_COMPILE_TIMEOUT", text);
}

}  // namespace

Result<IsolationSettings> isolation_of(const std::optional<Isolation>& asked, const std::optional<double>& limit_s,
                                       const Environment& environment) {
  IsolationSettings isolation;
  KMUX_ASSIGN(const std::optional<Isolation> where, asked ? asked : environment.isolation);
  isolation.is_free = !where;
  isolation.in_process_of_its_own = where == Isolation::kProcess;
  KMUX_ASSIGN(isolation.limit, limit_s ? limit_of(*limit_s, "compile_timeout", std::to_string(*limit_s))
                                       : read_limit(environment.compile_timeout));
  if (isolation.limit && isolation.limit->count() == 0) isolation.limit.reset();
  if (isolation.limit && !isolation.in_process_of_its_own) {
    return invalid_isolation(
        std::string(limit_s ? "compile_timeout" : "KMUX_COMPILE_TIMEOUT") +
        " is given without isolation 'process' (a compiler inside the application cannot be stopped). Ask "
        "for that isolation, or leave the time-out out.");
  }
  return isolation;
}

namespace fs = std::filesystem;

std::vector<fs::path> worker_places() {
  std::vector<fs::path> places;
  if (const fs::path own = own_folder(); !own.empty()) places.push_back(own / KMUX_WORKER_FROM_LIBRARY);
  places.emplace_back(KMUX_WORKER_INSTALLED);
  return places;
}

Result<fs::path> find_worker(const std::vector<fs::path>& places) {
  std::vector<std::string> looked_at;
  for (const fs::path& place : places) {
    std::error_code missing;
    const fs::path program = fs::canonical(place, missing);
    looked_at.push_back(place.lexically_normal().string());
    if (missing) continue;
    KMUX_TRY(check_trusted(program.parent_path()));
    KMUX_TRY(check_trusted(program));
    return program;
  }
  return make_error(ErrorCode::kUnavailable, "there is no kmux-worker (looked for " + join(looked_at) +
                                                 "). Install kmux as a whole, or leave isolation at \"none\".");
}

}  // namespace kmux
