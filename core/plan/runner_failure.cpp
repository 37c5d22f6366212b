#include <string_view>

#include "kmux/plugin/sink.h"

#include "runner_code.h"

namespace kmux {
namespace {

void write_number(kmux_sink sink, std::int64_t number) {
  char text[24];
  char* begin = text + sizeof text;
  std::uint64_t rest = number < 0 ? 0 - static_cast<std::uint64_t>(number) : static_cast<std::uint64_t>(number);
  do *--begin = static_cast<char>('0' + rest % 10);
  while ((rest /= 10) != 0);
  if (number < 0) *--begin = '-';
  write(sink, std::string_view(begin, static_cast<std::size_t>(text + sizeof text - begin)));
}

// Returns the reason as printed launchers report it; they distinguish fewer failures of a cast than `evaluate`.
std::string_view reason_of(Fault fault) {
  return fault == std::string_view(fault::kNoFit) || fault == std::string_view(fault::kNoInteger)
             ? "the value does not fit its type"
             : fault;
}

}  // namespace

[[gnu::cold]] int fail_value(kmux_sink error, const std::string& what, Fault fault) {
  write(error, "cannot evaluate ");
  write(error, what);
  write(error, " (");
  write(error, reason_of(fault));
  write(error, "). Pass arguments for which it has a value.");
  return KMUX_INVALID_ARGUMENT;
}

[[gnu::cold]] int fail_assert(kmux_sink error, const RunnerAssert& check, std::span<const std::int64_t> values) {
  write(error, check.message);
  for (const RunnerAssert::Number& number : check.numbers) {
    write_number(error, number.value.evaluate(values).value);
    write(error, number.text);
  }
  return KMUX_INVALID_ARGUMENT;
}

[[gnu::cold]] int fail_allocation(kmux_sink error, const RunnerWorkspace& workspace, unsigned long long bytes,
                                  int device, int code) {
  write(error, "cannot allocate workspace \"");
  write(error, workspace.name);
  write(error, "\" (");
  write_number(error, static_cast<std::int64_t>(bytes));
  write(error, " bytes on device ");
  write_number(error, std::int64_t{device});
  write(error, "). Free memory or pass smaller tensors.");
  return code;
}

}  // namespace kmux
