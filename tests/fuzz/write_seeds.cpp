// write_seeds FOLDER: writes the initial inputs of the text fuzzer, one file for each text.
#include <cstdio>

#include "fuzz/corpus.h"
#include "fuzz/text_check.h"

int main(int argc, char** argv) {
  if (argc != 2) return std::fprintf(stderr, "write_seeds FOLDER\n"), 2;
  const kmux::Status written = kmux::write_inputs(argv[1], "text", kmux::seed_texts());
  if (!written) return std::fprintf(stderr, "%s\n", written.error().message.c_str()), 1;
  return 0;
}
