#pragma once

#include <string>

namespace kmux::conformance {

/// Returns the results of all cases that have run, as a document in JUnit's format.
std::string junit_report();

}  // namespace kmux::conformance
