#include "threads.h"

#include <exception>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace kmux::conformance {
namespace {

void guarded(const std::function<void(int)>& work, int number) noexcept {
  try {
    work(number);
  } catch (const std::exception& error) {
    ADD_FAILURE() << "thread " << number << ": " << error.what();
  } catch (...) {
    ADD_FAILURE() << "thread " << number << " ended by an exception";
  }
}

}  // namespace

void on_threads(int count, const std::function<void(int)>& work) {
  std::vector<std::thread> threads;
  threads.reserve(static_cast<std::size_t>(count));
  for (int number = 0; number < count; ++number) threads.emplace_back([&work, number] { guarded(work, number); });
  for (std::thread& thread : threads) thread.join();
}

}  // namespace kmux::conformance
