#pragma once

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <utility>

#include "kmux/runtime.h"

#include "in_process_compiler.h"

namespace kmux {

/// Compiles by calling a function of the test, from any thread, and loads any artifact.
class CompilingPlugin final : public InProcessCompiler {
 public:
  using Compile = std::function<Result<Artifact>(const Program& program)>;
  explicit CompilingPlugin(Compile compile) : InProcessCompiler("compiling"), compile_(std::move(compile)) {}

 private:
  Result<Artifact> build(const BuildRequest& request, std::string_view) override { return compile_(request.program); }
  Result<std::unique_ptr<Adapter>> load(const Artifact&, int) override {
    return std::unique_ptr<Adapter>(std::make_unique<InProcessAdapter>(FakeLaunch{}));
  }

  Compile compile_;
};

/// A door at which threads block until the test opens it.
class Door {
 public:
  void open() {
    const std::lock_guard lock(mutex_);  // also during the notification: a thread that passes may destroy the door
    is_open_ = true;
    changed_.notify_all();
  }
  void pass() {
    std::unique_lock lock(mutex_);
    ++waiting_;
    changed_.notify_all();
    changed_.wait(lock, [this] { return is_open_; });
  }
  void await_waiting(int count) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return waiting_ >= count; });
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool is_open_ = false;
  int waiting_ = 0;
};

}  // namespace kmux
