#include "cache/publisher.h"

#include <atomic>
#include <cerrno>
#include <future>
#include <new>
#include <stdexcept>
#include <sys/resource.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "kmux/plugin/platform.h"

#include "cache/disk/file_descriptor.h"
#include "needs.h"

namespace kmux {
namespace {

Publication publication_of(const std::string& launcher) {
  return {.key = {}, .entry = {.artifact = {}, .launcher = launcher, .unsupported = {}}};
}

TEST(PublisherTest, PublishesInOrderOnSeparateThread) {
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

/// Returns true if each thread has a separate priority here. POSIX alone has one priority per process.
bool threads_can_stand_back() {
  int nice = 0;
  std::thread([&] { yield_to_others(1), nice = ::getpriority(PRIO_PROCESS, 0); }).join();
  return nice > ::getpriority(PRIO_PROCESS, 0);
}

TEST(PublisherTest, LowersPriorityOfItsThread) {
  if (!threads_can_stand_back()) {
    GTEST_SKIP() << needs("a priority of each thread", "this build has what POSIX has alone");
  }
  int nice = -100;
  Publisher publisher([&](const Publication&) { nice = ::getpriority(PRIO_PROCESS, 0); });
  publisher.add(publication_of(""));
  publisher.flush();
  EXPECT_GT(nice, ::getpriority(PRIO_PROCESS, 0)) << "of this thread, which stays as it was";
}

TEST(PublisherTest, PublishesPendingEntriesOnDestruction) {
  std::atomic<int> published{0};
  {
    Publisher publisher([&](const Publication&) { ++published; });
    for (int i = 0; i < 20; ++i) publisher.add(publication_of(""));
  }
  EXPECT_EQ(published, 20);
}

TEST(PublisherTest, KeepsUnpublishedEntryUntilPublished) {
  auto entry = std::make_shared<const UnpublishedEntry>();
  const std::weak_ptr<const UnpublishedEntry> seen = entry;
  bool held = false;
  Publisher publisher([&](const Publication&) { held = !seen.expired(); });
  Publication publication = publication_of("");
  publication.unpublished = std::move(entry);
  publisher.add(std::move(publication));
  publisher.flush();
  EXPECT_TRUE(held);
  EXPECT_TRUE(seen.expired());
}

TEST(PublisherTest, DoesNotHangInForkedChild) {
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

/// A publisher whose thread blocks in its first publication until `open`.
class StuckPublisherTest : public testing::Test {
 protected:
  ~StuckPublisherTest() override { open(); }
  void open() {
    if (!std::exchange(is_open_, true)) gate_.set_value();
  }
  void publish() {
    if (std::this_thread::get_id() == caller_) {
      ++by_caller_;
    } else {
      opened_.wait();
      ++by_thread_;
    }
  }

  const std::thread::id caller_ = std::this_thread::get_id();
  bool is_open_ = false;
  std::promise<void> gate_;
  std::shared_future<void> opened_ = gate_.get_future().share();
  int by_caller_ = 0;
  std::atomic<int> by_thread_{0};
};

TEST_F(StuckPublisherTest, CallerPublishesBeyondCountLimit) {
  Publisher publisher([this](const Publication&) { publish(); }, {}, {.count = 8, .bytes = 1 << 20});
  for (int i = 0; i < 640; ++i) publisher.add(publication_of("x"));
  EXPECT_EQ(by_caller_, 632);
  open();
  publisher.flush();
  EXPECT_EQ(by_thread_, 8);
}

TEST_F(StuckPublisherTest, CallerPublishesBeyondByteLimit) {
  Publisher publisher([this](const Publication&) { publish(); }, {}, {.count = 100, .bytes = 1000});
  for (int i = 0; i < 10; ++i) publisher.add(publication_of(std::string(400, 'x')));
  EXPECT_EQ(by_caller_, 8);
  open();
  publisher.flush();
  publisher.add(publication_of(std::string(5000, 'x')));  // does not wait: the queue is empty
  publisher.flush();
  EXPECT_EQ(by_thread_, 3);
}

class PublisherFaultsTest : public testing::Test {
 protected:
  ~PublisherFaultsTest() override { set_fault_handler(nullptr); }
};

TEST_F(PublisherFaultsTest, PublishesInCallerIfThreadCannotStart) {
  std::vector<std::thread::id> threads;
  Publisher publisher([&](const Publication&) { threads.push_back(std::this_thread::get_id()); });
  set_fault_handler([](std::string_view step) { return step == "start publisher" ? EAGAIN : 0; });
  publisher.add(publication_of(""));
  publisher.flush();  // would block forever if it waited for the thread
  EXPECT_EQ(threads, std::vector{std::this_thread::get_id()});
  set_fault_handler(nullptr);
  publisher.add(publication_of(""));
  publisher.flush();
  EXPECT_NE(threads.at(1), std::this_thread::get_id()) << "the next one tries again";
}

TEST_F(PublisherFaultsTest, SurvivesExceptionsOfPublishingAndSink) {
  std::vector<std::string> lines;
  std::string published;
  Publisher publisher(
      [&](const Publication& publication) {
        published += publication.entry.launcher;
        if (publication.entry.launcher == "a") throw std::bad_alloc();
        if (publication.entry.launcher == "b") throw std::runtime_error("no such luck");
        if (publication.entry.launcher == "c") throw 3;
      },
      [&](const std::string& line) {
        lines.push_back(line);
        throw std::runtime_error("the sink");
      });
  for (const char* text : {"a", "b", "c", "d"}) publisher.add(publication_of(text));
  publisher.flush();
  EXPECT_EQ(published, "abcd");
  ASSERT_EQ(lines.size(), 2U);
  EXPECT_EQ(lines[0], "an artifact is not stored (std::bad_alloc). The next process compiles it again.");
  EXPECT_EQ(lines[1], "an artifact is not stored (no such luck). The next process compiles it again.");
}

TEST(PublisherTest, FlushReturnsWithoutPublications) {
  Publisher publisher([](const Publication&) {});
  publisher.flush();
}

}  // namespace
}  // namespace kmux
