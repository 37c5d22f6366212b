#include "number_option.h"

#include <cmath>
#include <sstream>

#include "kmux/bench/binding.h"
#include "kmux/bench/figure.h"

namespace kmux::cli {
namespace {

template <class Number>
Error out_of_range(const std::string& name, Number value, Number least, Number most) {
  std::ostringstream text;
  text << "--" << name << " is " << value << " (it must be from " << least << " to " << most
       << "). Give a number in that range.";
  return make_error(ErrorCode::kInvalidArgument, text.str());
}

}  // namespace

template <class Integer>
Result<Integer> integer_option(const po::variables_map& arguments, const std::string& name, Integer otherwise,
                               Integer least, Integer most) {
  if (arguments.count(name) == 0) return otherwise;
  const auto value = arguments[name].as<Integer>();
  if (value >= least && value <= most) return value;
  return out_of_range(name, value, least, most);
}

template Result<int> integer_option(const po::variables_map&, const std::string&, int, int, int);
template Result<std::int64_t> integer_option(const po::variables_map&, const std::string&, std::int64_t, std::int64_t,
                                             std::int64_t);

Result<double> number_option(const po::variables_map& arguments, const std::string& name, double otherwise,
                             double most) {
  if (arguments.count(name) == 0) return otherwise;
  const auto value = arguments[name].as<double>();
  if (value >= 0 && value <= most) return value;  // nan is neither
  return out_of_range(name, value, 0.0, most);
}

Result<double> tolerance_option(const po::variables_map& arguments, const std::string& name, double otherwise) {
  constexpr double kMost = 1e30;
  return number_option(arguments, name, otherwise, kMost);
}

namespace {

std::optional<Threshold> read_threshold(std::string_view text) {
  if (text == "wrong") return Threshold{Threshold::Kind::kWrong};
  if (text == "failed") return Threshold{Threshold::Kind::kFailed};
  constexpr std::string_view kSlower = "slower:";
  if (!text.starts_with(kSlower) || !text.ends_with('%')) return std::nullopt;
  const auto percent = bench::parse_number(text.substr(kSlower.size(), text.size() - kSlower.size() - 1));
  if (!percent || !std::isfinite(*percent) || *percent < 0) return std::nullopt;
  return Threshold{Threshold::Kind::kSlower, *percent / 100};
}

bool is_breached(const bench::Entrant& entrant, const Threshold& threshold) {
  if (threshold.kind == Threshold::Kind::kWrong) return entrant.state == bench::EntrantState::kWrong;
  if (threshold.kind == Threshold::Kind::kFailed) return entrant.state == bench::EntrantState::kFailed;
  const auto found = entrant.verdicts.find(bench::kHeadline);
  return found != entrant.verdicts.end() && found->second.ratio.low > 1 + threshold.part &&
         found->second.verdict == bench::Verdict::kSlower;
}

std::string sentence(const bench::Contest& contest, const bench::Entrant& entrant, const Threshold& threshold) {
  const std::string head = "FAIL " + contest.program + " on " + entrant.backend + ": ";
  if (threshold.kind != Threshold::Kind::kSlower) return head + entrant.problem;
  const Interval& ratio = entrant.verdicts.at(bench::kHeadline).ratio;
  return head + bench::ratio_text(ratio) + " than " + contest.baseline + " (" + bench::ratio_spread(ratio) + ")";
}

}  // namespace

Result<std::vector<Threshold>> read_thresholds(const std::vector<std::string>& texts) {
  std::vector<Threshold> thresholds;
  for (const std::string& text : texts) {
    const auto threshold = read_threshold(text);
    if (!threshold) {
      return make_error(ErrorCode::kInvalidArgument, "\"" + text +
                                                         "\" is nothing to fail for (--fail-if). Write slower:5%, "
                                                         "wrong or failed.");
    }
    thresholds.push_back(*threshold);
  }
  return thresholds;
}

std::vector<std::string> breaches_of(const bench::BenchReport& report, const std::vector<Threshold>& thresholds) {
  std::vector<std::string> breaches;
  for (const bench::Contest& contest : report.contests) {
    for (const bench::Entrant& entrant : contest.entrants) {
      for (const Threshold& threshold : thresholds) {
        if (is_breached(entrant, threshold)) breaches.push_back(sentence(contest, entrant, threshold));
      }
    }
  }
  return breaches;
}

}  // namespace kmux::cli
