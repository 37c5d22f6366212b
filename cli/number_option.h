#pragma once

#include <cstdint>
#include <string>

#include "command.h"

namespace kmux::cli {

/// The integer that --`name` gives, or `otherwise` where it is not given.
///
/// Errors: invalid_argument for one below `least` or above `most`.
template <class Integer>
Result<Integer> integer_option(const po::variables_map& arguments, const std::string& name, Integer otherwise,
                               Integer least, Integer most);

/// The number that --`name` gives, or `otherwise` where it is not given.
///
/// Errors: invalid_argument for one below 0 or above `most`, for infinity and for nan.
Result<double> number_option(const po::variables_map& arguments, const std::string& name, double otherwise,
                             double most);

/// As `number_option`, for what results may differ by.
Result<double> tolerance_option(const po::variables_map& arguments, const std::string& name, double otherwise);

}  // namespace kmux::cli
