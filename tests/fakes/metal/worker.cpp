#include "worker.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <thread>
#include <utility>

namespace kmux::fake_metal {
namespace {

std::uint64_t seed() {
  const char* const text = std::getenv("KMUX_FAKE_METAL_SEED");
  return text == nullptr ? 1 : std::strtoull(text, nullptr, 10);
}

}  // namespace

Worker& Worker::get() {
  static auto* const worker = new Worker;  // its thread ends with the process
  return *worker;
}

Worker::Worker() : random_(seed()) {
  std::thread([this] { run(); }).detach();
}

void Worker::run() {
  std::unique_lock guard(mutex_);
  while (true) {
    changed_.wait(guard, [this] { return !ready().empty(); });
    if (random_() % 4 == 0) pause(guard);
    const std::vector<QueueState*> ready_queues = ready();
    if (ready_queues.empty()) continue;
    std::deque<Command>& commands = ready_queues[random_() % ready_queues.size()]->commands;
    const Command command = std::move(commands.front());
    commands.pop_front();
    is_busy_ = true;
    guard.unlock();
    command.run();
    guard.lock();
    is_busy_ = false;
    changed_.notify_all();
  }
}

// Lets threads that commit to other queues overtake.
void Worker::pause(std::unique_lock<std::mutex>& guard) {
  guard.unlock();
  std::this_thread::sleep_for(std::chrono::microseconds(50));
  guard.lock();
}

Worker::QueueState& Worker::state_of(Queue queue) {
  std::erase_if(queues_, [&](const QueueState& state) {
    return state.commands.empty() && !state.is_held && state.queue != queue;
  });
  const auto found = std::ranges::find(queues_, queue, &QueueState::queue);
  return found == queues_.end() ? queues_.emplace_back(queue) : *found;
}

std::vector<Worker::QueueState*> Worker::ready() {
  std::vector<QueueState*> states;
  for (QueueState& state : queues_) {
    if (is_held_ || state.is_held || state.commands.empty()) continue;
    const Command& next = state.commands.front();
    if (!next.is_ready || next.is_ready()) states.push_back(&state);
  }
  return states;
}

void Worker::add(Queue queue, std::vector<Command> commands) {
  const std::lock_guard guard(mutex_);
  std::ranges::move(commands, std::back_inserter(state_of(queue).commands));
  changed_.notify_all();
}

void Worker::drain() {
  std::unique_lock guard(mutex_);
  changed_.wait(guard, [this] { return !is_busy_ && ready().empty(); });
}

void Worker::hold(bool held) {
  const std::lock_guard guard(mutex_);
  is_held_ = held;
  if (!held) {
    for (QueueState& state : queues_) state.is_held = false;
  }
  changed_.notify_all();
}

void Worker::hold(Queue queue, bool held) {
  const std::lock_guard guard(mutex_);
  state_of(queue).is_held = held;
  changed_.notify_all();
}

void Worker::wait(const std::function<bool()>& done) {
  std::unique_lock guard(mutex_);
  changed_.wait(guard, done);
}

void Worker::notify() {
  const std::lock_guard guard(mutex_);
  changed_.notify_all();
}

}  // namespace kmux::fake_metal
