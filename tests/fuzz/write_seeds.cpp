// write_seeds FOLDER: writes what the fuzzer of the text form begins with, a file a text.
#include <cstdio>

#include "kmux/plugin/file_io.h"

#include "fuzz/text_check.h"

int main(int argc, char** argv) {
  if (argc != 2) return std::fprintf(stderr, "write_seeds FOLDER\n"), 2;
  std::size_t count = 0;
  for (const std::string& text : kmux::seed_texts()) {
    const kmux::Status written = kmux::write_file(argv[1] + ("/" + std::to_string(count++)), text);
    if (!written) return std::fprintf(stderr, "%s\n", written.error().message.c_str()), 1;
  }
  return 0;
}
