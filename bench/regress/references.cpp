#include "regress/references.h"

#include <array>
#include <cstdint>
#include <fcntl.h>
#include <map>
#include <memory>
#include <string>
#include <sys/stat.h>
#include <unistd.h>

#include "kmux/plugin/descriptor.h"
#include "kmux/plugin/file_io.h"

namespace kmux::regress {
namespace {

constexpr int kCallsATime = 100;
constexpr int kTexts = 32;
constexpr std::size_t kFileBytes = 16 << 10;

/// Keeps the compiler from removing the computation of `value`.
template <class Value>
void use(Value& value) {
  asm volatile("" : "+m"(value) : : "memory");
}

struct Frame {
  std::array<std::uint64_t, 8> values{};
};

[[gnu::noinline]] bool add_up(Frame& frame) {
  for (std::size_t i = 1; i < frame.values.size(); ++i) frame.values[i] += frame.values[i - 1];
  return frame.values[7] != 1;
}
[[gnu::noinline]] bool mix(Frame& frame) {
  for (std::uint64_t& value : frame.values) value = (value ^ (value >> 7)) * 0x9E3779B97F4A7C15U;
  return frame.values[3] != 1;
}
[[gnu::noinline]] bool count(Frame& frame) {
  for (std::size_t i = 0; i < frame.values.size(); ++i) {
    if (i % 3 != 1) frame.values[i] += i;
  }
  return frame.values[0] != 1;
}

/// The buffer for a file. Aligned, since the system's copy speed depends on the offset in a page.
struct alignas(4096) Pages {
  std::array<char, kFileBytes> bytes;
};

bool read_once(const std::string& path, Pages& content) {
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  struct stat state{};
  return file.is_open() && fstat(file.get(), &state) == 0 &&
         ::read(file.get(), content.bytes.data(), content.bytes.size()) == state.st_size;
}

}  // namespace

Burst calls_reference() {
  return [frame = Frame{{1, 2, 3, 4, 5, 6, 7, 8}}](int times) mutable -> Status {
    static bool (*const volatile steps[])(Frame&) = {add_up, mix, count, mix};
    for (int i = 0; i < times * kCallsATime; ++i) {
      if (!steps[i % 4](frame)) frame.values[0] = 2;
    }
    use(frame);
    return Ok{};
  };
}

Burst heap_reference() {
  return [](int times) -> Status {
    for (int time = 0; time < times; ++time) {
      std::map<std::string, std::string> texts;
      for (int i = 0; i < kTexts; ++i) {
        texts.emplace("a key of some length " + std::to_string(i * 7 % kTexts), std::string(40 + i, 'x'));
      }
      use(texts);
    }
    return Ok{};
  };
}

Burst file_reference(const std::filesystem::path& folder) {
  const std::string path = folder / "reference.bin";
  write_file(path, std::string(kFileBytes, 'x')).value();
  return [path, content = std::make_shared<Pages>()](int times) -> Status {
    bool is_read = true;
    for (int i = 0; i < times; ++i) is_read = read_once(path, *content) && is_read;
    if (is_read) return Ok{};
    return make_error(ErrorCode::kUnavailable,
                      "the reference's file \"" + path + "\" cannot be read. Free some space.");
  };
}

}  // namespace kmux::regress
