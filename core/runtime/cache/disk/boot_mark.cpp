#include "boot_mark.h"

#include <random>

#include "kmux/plugin/file_io.h"

namespace kmux {
namespace {

/// Of this process alone: what others noted then means nothing here.
std::string random_mark() {
  std::random_device device;
  return "process " + std::to_string(device()) + "-" + std::to_string(device());
}

std::string read_mark() {
  const Result<std::string> boot = read_file("/proc/sys/kernel/random/boot_id");
  const std::string id = boot ? boot->substr(0, boot->find('\n')) : "";
  return id.empty() ? random_mark() : id;
}

}  // namespace

const std::string& boot_mark() {
  static const std::string& mark = *new std::string(read_mark());  // outlives threads that publish late
  return mark;
}

}  // namespace kmux
