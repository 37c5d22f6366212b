#include "engine/init_and_exit.h"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <map>
#include <optional>
#include <string>
#include <string_view>

// The C++ ABI's own, which runs `function` when the thread ends.
extern "C" int __cxa_thread_atexit(  // NOLINT(bugprone-reserved-identifier)
    void (*function)(void*), void* argument, void* handle) noexcept;

namespace kmux::cpu {
namespace {

namespace jitlink = llvm::jitlink;
namespace orc = llvm::orc;

// The sections whose name is `prefix` or begins with it and a dot, by priority: ".init_array.101" runs before ".init_array".
std::multimap<int, jitlink::Section*> find_sections(jitlink::LinkGraph& graph, std::string_view prefix) {
  constexpr int kNoPriority = 65535;
  std::multimap<int, jitlink::Section*> found;
  for (jitlink::Section& section : graph.sections()) {
    const std::string_view name = section.getName();
    if (name == prefix) found.emplace(kNoPriority, &section);
    if (name.starts_with(prefix) && name.substr(prefix.size()).starts_with('.')) {
      found.emplace(std::atoi(std::string(name.substr(prefix.size() + 1)).c_str()), &section);
    }
  }
  return found;
}

std::vector<jitlink::Block*> blocks_by_address(jitlink::Section& section) {
  std::vector<jitlink::Block*> blocks(section.blocks().begin(), section.blocks().end());
  std::sort(blocks.begin(), blocks.end(), [](auto* a, auto* b) { return a->getAddress() < b->getAddress(); });
  return blocks;
}

void keep(jitlink::LinkGraph& graph, std::string_view prefix) {
  for (const auto& [priority, section] : find_sections(graph, prefix)) {
    for (jitlink::Block* block : blocks_by_address(*section)) {
      graph.addAnonymousSymbol(*block, 0, block->getSize(), /*IsCallable=*/false, /*IsLive=*/true);
    }
  }
}

void read(jitlink::LinkGraph& graph, std::string_view prefix, std::vector<InitSections::Function>& functions) {
  for (const auto& [priority, section] : find_sections(graph, prefix)) {
    for (jitlink::Block* block : blocks_by_address(*section)) {
      const auto content = block->getContent();
      for (std::size_t at = 0; at + sizeof(void*) <= content.size(); at += sizeof(void*)) {
        std::uintptr_t address = 0;
        std::memcpy(&address, content.data() + at, sizeof address);
        if (address != 0) functions.push_back(orc::ExecutorAddr(address).toPtr<InitSections::Function>());
      }
    }
  }
}

class Collector final : public orc::ObjectLinkingLayer::Plugin {
 public:
  explicit Collector(InitSections& sections) : sections_(sections) {}

  void modifyPassConfig(orc::MaterializationResponsibility&, jitlink::LinkGraph&,
                        jitlink::PassConfiguration& passes) override {
    passes.PrePrunePasses.emplace_back([](jitlink::LinkGraph& graph) {
      keep(graph, ".init_array");
      keep(graph, ".fini_array");
      return llvm::Error::success();
    });
    passes.PostFixupPasses.emplace_back([this](jitlink::LinkGraph& graph) {
      read(graph, ".init_array", sections_.initialisers);
      read(graph, ".fini_array", sections_.finalisers);
      return llvm::Error::success();
    });
  }
  llvm::Error notifyFailed(orc::MaterializationResponsibility&) override { return llvm::Error::success(); }
  llvm::Error notifyRemovingResources(orc::JITDylib&, orc::ResourceKey) override { return llvm::Error::success(); }
  void notifyTransferringResources(orc::JITDylib&, orc::ResourceKey, orc::ResourceKey) override {}

 private:
  InitSections& sections_;
};

}  // namespace

std::unique_ptr<orc::ObjectLinkingLayer::Plugin> collect_init_sections(InitSections& sections) {
  return std::make_unique<Collector>(sections);
}

void ExitList::add(void (*function)(void*), void* argument) {
  const std::lock_guard lock(mutex_);
  entries_.push_back({function, argument});
}

void ExitList::run() {
  const auto take = [this]() -> std::optional<Entry> {
    const std::lock_guard lock(mutex_);
    if (entries_.empty()) return std::nullopt;
    const Entry last = entries_.back();
    entries_.pop_back();
    return last;
  };
  while (const std::optional<Entry> entry = take()) entry->function(entry->argument);
}

void ExitList::pin() {
  const std::lock_guard lock(mutex_);
  pinned_ = true;
}

bool ExitList::pinned() const {
  const std::lock_guard lock(mutex_);
  return pinned_;
}

int ExitList::at_exit(void (*function)(void*), void* argument, void* handle) {
  static_cast<ExitList*>(handle)->add(function, argument);
  return 0;
}

int ExitList::at_thread_exit(void (*function)(void*), void* argument, void* handle) {
  static_cast<ExitList*>(handle)->pin();
  static char of_this_library;  // which so stays as well; the code's own handle means nothing to the C library
  return __cxa_thread_atexit(function, argument, &of_this_library);
}

}  // namespace kmux::cpu
