#include "crash_note.h"

#include <csignal>
#include <unistd.h>

#include "kmux/plugin/printable.h"

namespace kmux::cli {
namespace {

const std::string* last_words = nullptr;

/// SA_RESETHAND has restored the default action: raised again, the signal ends the process as it would have.
void say(int signal) {
  const ssize_t written = ::write(STDERR_FILENO, last_words->data(), last_words->size());
  static_cast<void>(written);
  ::raise(signal);
}

}  // namespace

void note_on_crash(const std::string& text) {
  last_words = new const std::string(printable(text));  // never destroyed: a crash may come late
  struct sigaction action{};
  action.sa_handler = say;
  action.sa_flags = SA_RESETHAND | SA_NODEFER;
  for (const int signal : {SIGSEGV, SIGBUS, SIGABRT}) ::sigaction(signal, &action, nullptr);
}

}  // namespace kmux::cli
