// Bars for bars/program_test.py, which checks how `bars` reports them.
#include <stdexcept>

#include "bars/bar.h"

namespace kmux::bench {
namespace {

double two() { return 2; }
double fail() { throw std::runtime_error("nothing to measure"); }
std::string missing_two() { return "no two here"; }
int echo(const std::vector<std::string>& words) { return words.size() == 2 ? 7 : 8; }

CHILD("echo", echo);
BAR("held", "ns", at_most(2), two);
BAR("held_below", "of 1", at_least(1.5), two, {.processes = 3});
BAR("missed", "ratio", at_least(2.5), two);
BAR("without_limit", "us", no_limit(), two);
BAR("skipped", "ms", at_most(1), two, {.missing = missing_two});
BAR("failing", "ms", at_most(1), fail);

}  // namespace
}  // namespace kmux::bench
