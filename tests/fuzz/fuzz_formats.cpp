// fuzz_formats --format=NAME [libFuzzer's arguments]: the fuzzer of one of the formats; libFuzzer has its main. With
// --seeds=FOLDER it writes the initial inputs there and ends. ./kmux.sh fuzz runs it.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include "fuzz/corpus.h"
#include "fuzz/format_check.h"

namespace {

const kmux::Format* format = nullptr;

int write_seeds(const std::string& folder) {
  const kmux::Status written = kmux::write_inputs(folder, format->name, format->seeds());
  if (!written) std::fprintf(stderr, "%s\n", written.error().message.c_str());
  return written ? 0 : 1;
}

}  // namespace

extern "C" int LLVMFuzzerInitialize(int* argc, char*** argv) {
  std::string seeds;
  for (int i = 1; i < *argc; ++i) {
    const std::string word = (*argv)[i];
    if (word.starts_with("--format=")) format = kmux::find_format(word.substr(9));
    if (word.starts_with("--seeds=")) seeds = word.substr(8);
  }
  if (format == nullptr) {
    std::fputs("fuzz_formats: --format=NAME is missing, or names none of:", stderr);
    for (const kmux::Format& one : kmux::formats())
      std::fprintf(stderr, " %.*s", static_cast<int>(one.name.size()), one.name.data());
    std::fputs("\n", stderr);
    std::exit(2);
  }
  if (!seeds.empty()) std::exit(write_seeds(seeds));
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string broken = format->broken_promise({reinterpret_cast<const char*>(data), size});
  if (broken.empty()) return 0;
  std::fprintf(stderr, "%s\n", broken.c_str());
  std::abort();
}
