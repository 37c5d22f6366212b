#include "number_option.h"

#include <sstream>

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

}  // namespace kmux::cli
