#include "options.h"

#include <cmath>
#include <limits>
#include <sstream>

#include "kmux/bench/binding.h"
#include "kmux/environment.h"

#include "program_input.h"

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
  if (value >= 0 && value <= most) return value;  // nan fails both
  return out_of_range(name, value, 0.0, most);
}

Result<double> tolerance_option(const po::variables_map& arguments, const std::string& name, double otherwise) {
  constexpr double kMost = 1e30;
  return number_option(arguments, name, otherwise, kMost);
}

namespace {

void describe_compilation_as(po::options_description& options, const char* option) {
  using List = std::vector<std::string>;
  auto add = options.add_options();
  add("backend,b", po::value<std::string>()->value_name("NAME"), "exactly this backend (default: auto)");
  add("target,t", po::value<std::string>()->value_name("TARGET"), "what to compile for (default: auto)");
  add("device,d", po::value<int>()->value_name("N"), "ordinal of the device (default: 0)");
  add(option, po::value<List>()->value_name("KEY=VALUE"), "an option of the backend; repeatable");
  add("flag", po::value<List>()->value_name("FLAGS"),
      "more flags for the compiler, split at blanks as a shell does it; repeatable");
  add("no-cache", "neither read nor fill the cache");
  add("isolation", po::value<std::string>()->value_name("WHERE"), "compile in: none (this process) | process");
  add("compile-timeout", po::value<double>()->value_name("SECONDS"), "stop a compiler after that, with process");
  add("include,I", po::value<List>()->value_name("DIR"), "a folder of headers; repeatable");
}

void describe_policy(po::options_description& options) {
  auto add = options.add_options();
  add("policy", po::value<std::string>()->value_name("POLICY"), "priority | fast_start | measured | pinned");
  add("lock-file", po::value<std::string>()->value_name("FILE"), "what pinned reads");
}

}  // namespace

void describe_compilation(po::options_description& options) { describe_compilation_as(options, "option,o"); }

void describe_selection(po::options_description& options) {
  describe_compilation(options);
  describe_policy(options);
}

void describe_selection_without_o(po::options_description& options) {
  describe_compilation_as(options, "option");
  describe_policy(options);
}

Result<Program> read_program(const po::variables_map& arguments) {
  return load_given_program(arguments["program"].as<std::string>());
}

std::string value_of(const po::variables_map& arguments, const std::string& name) {
  return arguments.count(name) == 0 ? std::string() : arguments[name].as<std::string>();
}

std::vector<std::string> values_of(const po::variables_map& arguments, const std::string& name) {
  if (arguments.count(name) == 0) return {};
  return arguments[name].as<std::vector<std::string>>();
}

namespace {

Result<std::optional<double>> compile_timeout(const po::variables_map& arguments) {
  if (arguments.count("compile-timeout") == 0) return std::optional<double>();
  constexpr double kMaxSeconds = 1e9;
  KMUX_ASSIGN(const double seconds, number_option(arguments, "compile-timeout", 0, kMaxSeconds));
  return std::optional(seconds);
}

/// Errors: invalid_argument if the policy in effect reads no lock file.
Status check_lock_is_read(const std::optional<Policy>& asked) {
  const Result<Policy> of_environment = Environment::from_process().policy;
  if (!asked && !of_environment) return Ok{};  // an unknown one is rejected later
  const Policy policy = asked ? *asked : *of_environment;
  if (policy == Policy::kPinned) return Ok{};
  return make_error(ErrorCode::kInvalidArgument,
                    "--lock-file is not read by policy " + std::string(to_string(policy)) +
                        " (policy pinned reads it). Add --policy pinned, or leave it out.");
}

}  // namespace

Result<CompileOptions> compile_options(const po::variables_map& arguments) {
  CompileOptions options;
  options.execution_backend = value_of(arguments, "backend");
  options.target = value_of(arguments, "target");
  if (arguments.count("isolation") != 0) {
    KMUX_ASSIGN(options.isolation, isolation_from_string(value_of(arguments, "isolation")));
  }
  KMUX_ASSIGN(options.compile_timeout_s, compile_timeout(arguments));
  if (arguments.count("policy") != 0) {
    KMUX_ASSIGN(options.policy, policy_from_string(value_of(arguments, "policy")));
  }
  options.lock_file = value_of(arguments, "lock-file");
  if (!options.lock_file.empty()) KMUX_TRY(check_lock_is_read(options.policy));
  KMUX_ASSIGN(const int device, integer_option(arguments, "device", 0, 0, std::numeric_limits<int>::max()));
  if (arguments.count("device") != 0) options.device = device;
  if (arguments.count("verbose") != 0) options.verbose = true;
  options.use_cache = arguments.count("no-cache") == 0;
  options.compile_flags = values_of(arguments, "flag");
  options.include_dirs = values_of(arguments, "include");
  for (const auto& text : values_of(arguments, "option")) {
    KMUX_ASSIGN(auto assignment, bench::split_assignment("--option", text));
    options.options.insert_or_assign(std::move(assignment.first), std::move(assignment.second));
  }
  return options;
}

std::string notice_of(const Resolution& resolution) {
  if (!resolution.runs_nowhere()) return "";
  const Candidate& taken = *resolution.chosen();
  return "nothing here runs program '" + resolution.program + "'. Taken: " + taken.backend + " for " + taken.target +
         ", which " + taken.obstacle;
}

}  // namespace kmux::cli
