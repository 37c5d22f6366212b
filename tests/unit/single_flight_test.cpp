#include "cache/single_flight.h"

#include <atomic>
#include <barrier>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

#include <gtest/gtest.h>

namespace kmux {
namespace {

CacheEntry entry_with(const std::string& launcher) { return {.artifact = {}, .launcher = launcher, .unsupported = {}}; }

TEST(SingleFlight, HasOneLeaderWhomAllWaitFor) {
  SingleFlight flights;
  std::atomic<int> leaders{0};
  std::atomic<int> right{0};
  std::barrier start(8);
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([&] {
      start.arrive_and_wait();
      const SingleFlight::Seat seat = flights.board("key");
      start.arrive_and_wait();  // all hold a seat, so all sit in the same flight
      if (seat.leads) ++leaders, seat.flight->land(entry_with("made"));
      if (seat.flight->wait().value().launcher == "made") ++right;
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(leaders, 1);
  EXPECT_EQ(right, 8);
}

TEST(SingleFlight, CanBeJoinedAsLongAsItIsHeld) {
  SingleFlight flights;
  std::shared_ptr<Flight> held = flights.board("key").flight;
  held->land(make_error(ErrorCode::kCompileFailed, "no"));
  const SingleFlight::Seat late = flights.board("key");
  EXPECT_FALSE(late.leads);
  EXPECT_EQ(late.flight->wait().error().message, "no");
  EXPECT_TRUE(flights.board("other").leads);
}

TEST(SingleFlight, BeginsAnewWhenAllHaveLeft) {
  SingleFlight flights;
  EXPECT_TRUE(flights.board("key").leads);
  EXPECT_TRUE(flights.board("key").leads);
}

TEST(SingleFlight, DoesNotWaitForAThreadThatAForkLeftBehind) {
  SingleFlight flights;
  const SingleFlight::Seat seat = flights.board("key");
  const pid_t child = ::fork();
  if (child == 0) ::_exit(flights.board("key").leads ? 0 : 1);
  int status = -1;
  ::waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
}

}  // namespace
}  // namespace kmux
