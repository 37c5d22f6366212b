#include "interrupt.h"

#include <ctime>

#include "kmux/plugin/platform.h"
#include "kmux/plugin/start_thread.h"

namespace kmux::cli {
namespace {

void end_by_signal(int signal) {
  ::signal(signal, SIG_DFL);
  sigset_t alone;
  sigemptyset(&alone);
  sigaddset(&alone, signal);
  pthread_sigmask(SIG_UNBLOCK, &alone, nullptr);
  ::raise(signal);
}

}  // namespace

Interrupt::Interrupt() {
  sigemptyset(&signals_);
  sigaddset(&signals_, SIGINT);
  sigaddset(&signals_, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &signals_, &before_);
  auto started = start_thread<std::jthread>([this](const std::stop_token& end) { listen(end); });
  if (started) {
    listener_ = *std::move(started);
  } else {  // a signal then ends the process, as without a handler
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }
}

Interrupt::~Interrupt() {
  if (!listener_.joinable()) return;
  listener_.request_stop();
  listener_.join();
  pthread_sigmask(SIG_SETMASK, &before_, nullptr);
}

void Interrupt::listen(const std::stop_token& end) {
  constexpr timespec kPause{0, 50'000'000};
  while (!end.stop_requested()) {
    const int signal = wait_for_signal(signals_, kPause);
    if (signal <= 0) continue;
    if (stop_.stop_requested()) end_by_signal(signal);
    signal_ = signal;
    stop_.request_stop();
  }
}

}  // namespace kmux::cli
