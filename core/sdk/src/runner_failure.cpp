#include "runner_failure.h"

#include <string_view>

namespace kmux {
namespace {

void print(kmux_sink sink, std::string_view text) { sink.write(sink.self, text.data(), text.size()); }

void print(kmux_sink sink, std::int64_t number) {
  char text[24];
  char* begin = text + sizeof text;
  std::uint64_t rest = number < 0 ? 0 - static_cast<std::uint64_t>(number) : static_cast<std::uint64_t>(number);
  do *--begin = static_cast<char>('0' + rest % 10);
  while ((rest /= 10) != 0);
  if (number < 0) *--begin = '-';
  print(sink, std::string_view(begin, static_cast<std::size_t>(text + sizeof text - begin)));
}

// As printed launchers have it: they distinguish fewer failures of a cast than an evaluator does.
std::string_view reason_of(Fault fault) {
  return fault == fault::kNoFit || fault == fault::kNoInteger ? "the value does not fit its type" : fault;
}

}  // namespace

[[gnu::cold]] int fail_value(kmux_sink error, const std::string& what, Fault fault) {
  print(error, "cannot evaluate ");
  print(error, what);
  print(error, " (");
  print(error, reason_of(fault));
  print(error, "). Pass arguments for which it has a value.");
  return KMUX_INVALID_ARGUMENT;
}

[[gnu::cold]] int fail_assert(kmux_sink error, const RunnerAssert& check, std::span<const std::int64_t> values) {
  print(error, check.message);
  for (const RunnerAssert::Number& number : check.numbers) {
    print(error, number.value.evaluate(values).value);
    print(error, number.text);
  }
  return KMUX_INVALID_ARGUMENT;
}

[[gnu::cold]] int fail_allocation(kmux_sink error, const RunnerWorkspace& workspace, unsigned long long bytes,
                                  int device, int code) {
  print(error, "cannot allocate workspace \"");
  print(error, workspace.name);
  print(error, "\" (");
  print(error, static_cast<std::int64_t>(bytes));
  print(error, " bytes on device ");
  print(error, std::int64_t{device});
  print(error, "). Free memory or pass smaller tensors.");
  return code;
}

}  // namespace kmux
