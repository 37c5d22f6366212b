#include "cache/publisher.h"

#include <atomic>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <gtest/gtest.h>

namespace kmux {
namespace {

Publication publication_of(const std::string& launcher) {
  return {.key = {}, .entry = {.artifact = {}, .launcher = launcher, .unsupported = {}}};
}

TEST(Publisher, PublishesInOrderInAThreadOfItsOwn) {
  std::string published;
  std::thread::id thread;
  Publisher publisher([&](const Publication& publication) {
    published += publication.entry.launcher;
    thread = std::this_thread::get_id();
  });
  for (const char* text : {"a", "b", "c"}) publisher.add(publication_of(text));
  publisher.flush();
  EXPECT_EQ(published, "abc");
  EXPECT_NE(thread, std::this_thread::get_id());
}

TEST(Publisher, StandsBackForThoseWhoWait) {
  int nice = -100;
  Publisher publisher([&](const Publication&) { nice = ::getpriority(PRIO_PROCESS, 0); });
  publisher.add(publication_of(""));
  publisher.flush();
  EXPECT_GT(nice, ::getpriority(PRIO_PROCESS, 0)) << "of this thread, which stays as it was";
}

TEST(Publisher, FinishesBeforeItGoes) {
  std::atomic<int> published{0};
  {
    Publisher publisher([&](const Publication&) { ++published; });
    for (int i = 0; i < 20; ++i) publisher.add(publication_of(""));
  }
  EXPECT_EQ(published, 20);
}

TEST(Publisher, HoldsTheFlightUntilItIsPublished) {
  auto flight = std::make_shared<Flight>();
  const std::weak_ptr<Flight> seen = flight;
  bool held = false;
  Publisher publisher([&](const Publication&) { held = !seen.expired(); });
  Publication publication = publication_of("");
  publication.flight = std::move(flight);
  publisher.add(std::move(publication));
  publisher.flush();
  EXPECT_TRUE(held);
  EXPECT_TRUE(seen.expired());
}

TEST(Publisher, NeitherHangsNorPublishesInAForkedChild) {
  auto publisher = std::make_unique<Publisher>([](const Publication&) {});
  publisher->add(publication_of(""));
  publisher->flush();
  const pid_t child = ::fork();
  if (child == 0) {
    ::alarm(20);
    publisher->add(publication_of(""));
    publisher->flush();
    publisher.reset();
    ::_exit(0);
  }
  int status = -1;
  ::waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
}

TEST(Publisher, NeedsNoFlush) {
  Publisher publisher([](const Publication&) {});
  publisher.flush();
}

}  // namespace
}  // namespace kmux
