#pragma once

#include <cstdio>
#include <string>
#include <sys/mman.h>
#include <unistd.h>

namespace kmux::simt {

/// Returns all output that the process writes to `stream` during `function`. `number` must be the stream's file
/// descriptor.
template <class Function>
std::string captured(std::FILE* stream, int number, Function function) {
  std::fflush(stream);
  const int saved = dup(number);
  const int file = memfd_create("captured", 0);
  dup2(file, number);
  function();
  std::fflush(stream);
  dup2(saved, number);
  close(saved);
  std::string text(static_cast<std::size_t>(lseek(file, 0, SEEK_END)), '\0');
  const ssize_t count = pread(file, text.data(), text.size(), 0);
  close(file);
  text.resize(count < 0 ? 0 : static_cast<std::size_t>(count));
  return text;
}

template <class Function>
std::string captured_stderr(Function function) {
  return captured(stderr, 2, function);
}
template <class Function>
std::string captured_stdout(Function function) {
  return captured(stdout, 1, function);
}

}  // namespace kmux::simt
