#include "engine/init_sections.h"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <map>
#include <string>
#include <string_view>

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

}  // namespace kmux::cpu
