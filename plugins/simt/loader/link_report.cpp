#include "simt/loader/link_report.h"

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <iterator>
#include <limits>
#include <memory>
#include <string_view>
#include <utility>

#include "kmux/plugin/platform.h"

#include "llvm/Demangle/Demangle.h"

namespace kmux::simt {
namespace {

// Returns advice for the missing `symbol`.
std::string advice_for_missing(const std::string& symbol) {
  const std::string_view name = symbol;
  if (name.starts_with("__kmpc_") || name.starts_with("omp_") || name.starts_with("GOMP_")) {
    return "Link the application with an OpenMP library, or compile without -fopenmp.";
  }
  if (name == "__tls_get_addr" || name.starts_with("__tls")) {
    return "Compile the object with emulated thread-local storage (-femulated-tls).";
  }
  return "Add the source that defines it, or link the application with its library (with -rdynamic if it is the "
         "application's own function).";
}

constexpr std::uint64_t kFewMappings = 16;  // that may be left when the next ones are refused

std::uint64_t mappings() {
  std::ifstream file(linux_root() / "proc/self/maps");
  return static_cast<std::uint64_t>(std::count(std::istreambuf_iterator<char>(file), {}, '\n'));
}

// Returns the limit of memory mappings, or the largest number if the system has no such limit.
std::uint64_t most_mappings() {
  std::uint64_t most = 0;
  return std::ifstream(linux_root() / "proc/sys/vm/max_map_count") >> most ? most
                                                                           : std::numeric_limits<std::uint64_t>::max();
}

// Explains why the system refused memory for code.
Error explain_memory(const std::error_code& refused) {
  if (refused == std::errc::permission_denied || refused == std::errc::operation_not_permitted) {
    return make_error(ErrorCode::kUnavailable,
                      "kernels cannot be loaded: this process may not make memory executable (" + refused.message() +
                          "; systemd's MemoryDenyWriteExecute, SELinux's execmem and PR_SET_MDWE forbid it). Allow it, "
                          "or call a library that \"kmux export\" has written.");
  }
  if (mappings() + kFewMappings >= most_mappings()) {
    return make_error(ErrorCode::kOutOfMemory,
                      "kernels cannot be loaded: this process has all the memory mappings that it may have (" +
                          std::to_string(most_mappings()) +
                          "; a kernel takes about six, with engine host ten). Let go of kernels that are not needed, "
                          "or raise the limit: "
                          "sysctl vm.max_map_count.");
  }
  return make_error(ErrorCode::kOutOfMemory,
                    "kernels cannot be loaded: the system has no memory left for their code (" + refused.message() +
                        "). Free some, or raise the limits of memory with ulimit -v.");
}

}  // namespace

void LinkReport::add(llvm::Error error) {
  error = llvm::handleErrors(std::move(error), [&](std::unique_ptr<llvm::ECError> one) {
    system = one->convertToErrorCode();
    return llvm::Error(std::move(one));
  });
  std::string more = llvm::toString(std::move(error));
  if (!more.empty()) text += (text.empty() ? "" : "; ") + more;
}

Error LinkReport::explain() const {
  if (missing.empty() && system) return explain_memory(system);
  if (missing.empty()) {
    return make_error(ErrorCode::kInvalidArgument,
                      "the object code cannot be linked (" + text + "). Compile it for this machine with -fPIC.");
  }
  std::string names;
  for (const std::string& symbol : missing) {
    names += (names.empty() ? "\"" : ", \"") + llvm::demangle(symbol) + "\"";
  }
  return make_error(ErrorCode::kUnavailable,
                    "the kernel needs " + names +
                        " (neither its sources nor the libraries of this process define it). " +
                        advice_for_missing(missing.front()));
}

}  // namespace kmux::simt
