#include "memory.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>
#include <stdexcept>

namespace kmux::bench::spmd {
namespace {

constexpr std::size_t kPage = 4096;
constexpr std::size_t kApart = 5 * 64;  // so that no two buffers have the same offset in a page

}  // namespace

Memory::Memory(const Problem& problem) : output_(problem.buffers.front()) {
  for (std::size_t i = 0; i < problem.buffers.size(); ++i) {
    const std::size_t bytes = problem.buffers[i].count * sizeof(float);
    const std::size_t offset = i * kApart;
    memory_.emplace_back(std::aligned_alloc(kPage, (offset + bytes + kPage - 1) / kPage * kPage));
    if (memory_.back() == nullptr) throw std::bad_alloc();
    auto* const begin = static_cast<char*>(memory_.back().get()) + offset;
    addresses_.push_back(begin);
    auto* const values = reinterpret_cast<float*>(begin);
    for (std::size_t k = 0; k < problem.buffers[i].count; ++k)
      values[k] = static_cast<float>(k * 7 % 13) * 0.25f - 1.0f;
  }
  clear_output();
}

void Memory::clear_output() const { std::memset(addresses_.front(), 0, output_.count * sizeof(float)); }

std::vector<double> Memory::output() const {
  if (output_.is_integer) {
    const auto* const values = static_cast<const int*>(addresses_.front());
    return {values, values + output_.count};
  }
  const auto* const values = static_cast<const float*>(addresses_.front());
  return {values, values + output_.count};
}

// Compilers may contract products and sums, so pixels at the rim of a fractal differ by rounding.
void check_output(const Problem& problem, const std::string& who, const std::vector<double>& found,
                  const std::vector<double>& wanted) {
  constexpr double kTolerance = 1e-4;
  constexpr std::size_t kPartThatMayDiffer = 200;
  std::size_t wrong = 0;
  double largest = 0;
  for (const double value : wanted) largest = std::max(largest, std::abs(value));
  for (std::size_t i = 0; i < wanted.size(); ++i)
    wrong += std::abs(found[i] - wanted[i]) <= kTolerance * largest ? 0 : 1;
  if (problem.check == Check::kTotal) {
    const double total = std::accumulate(wanted.begin(), wanted.end(), 0.0);
    const double other = std::accumulate(found.begin(), found.end(), 0.0);
    wrong = std::abs(other - total) <= kTolerance * std::abs(total) ? 0 : 1;
  }
  const std::size_t allowed = problem.buffers.front().is_integer ? wanted.size() / kPartThatMayDiffer : 0;
  if (wrong <= allowed) return;
  throw std::runtime_error(problem.title + ": " + std::to_string(wrong) + " of " + std::to_string(wanted.size()) +
                           " elements by " + who + " differ from the native code's");
}

}  // namespace kmux::bench::spmd
