#pragma once

#include <cstdio>
#include <string>
#include <sys/mman.h>
#include <unistd.h>

namespace kmux::cpu {

/// Whatever the process writes to file descriptor 2 during `function`.
template <class Function>
std::string captured_stderr(Function function) {
  std::fflush(stderr);
  const int saved = dup(2);
  const int file = memfd_create("stderr", 0);
  dup2(file, 2);
  function();
  std::fflush(stderr);
  dup2(saved, 2);
  close(saved);
  std::string text(static_cast<std::size_t>(lseek(file, 0, SEEK_END)), '\0');
  const ssize_t count = pread(file, text.data(), text.size(), 0);
  close(file);
  text.resize(count < 0 ? 0 : static_cast<std::size_t>(count));
  return text;
}

}  // namespace kmux::cpu
