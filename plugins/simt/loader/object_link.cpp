// Implements load_objects of loader.h with LLVM's JITLink. Avoids ORC, which includes most of LLVM's IR:
// docs/design/0055-first-call.md
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <exception>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "llvm/Demangle/Demangle.h"
#include "llvm/ExecutionEngine/JITLink/EHFrameSupport.h"
#include "llvm/ExecutionEngine/JITLink/ELF_aarch64.h"
#include "llvm/ExecutionEngine/JITLink/ELF_x86_64.h"
#include "llvm/ExecutionEngine/JITLink/JITLink.h"
#include "llvm/Support/Process.h"
#include "simt/check/fiber_launch.h"
#include "simt/loader/code_symbols.h"
#include "simt/loader/link_report.h"
#include "simt/loader/loader.h"
#include "simt/runtime/cluster.h"
#include "simt/runtime/launch.h"
#include "simt/units/unit_calls.h"

namespace kmux::simt {
namespace {

namespace jitlink = llvm::jitlink;
namespace orc = llvm::orc;

// The functions of this machine alone: those for any machine link seven linkers.
#if defined(__aarch64__)
constexpr auto read_object = jitlink::createLinkGraphFromELFObject_aarch64;
constexpr auto link_graph = jitlink::link_ELF_aarch64;
#else
constexpr auto read_object = jitlink::createLinkGraphFromELFObject_x86_64;
constexpr auto link_graph = jitlink::link_ELF_x86_64;
#endif

// The addresses in an object's `.init_array` and `.fini_array`, in the order in which they run.
struct InitSections {
  using Function = void (*)();
  std::vector<Function> initialisers;
  std::vector<Function> finalisers;
};

// Returns the sections whose name is `prefix`, or begins with it and a dot, by priority: ".init_array.101" runs before
// ".init_array".
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

// Returns handles of the program, libc, libm, libstdc++ and libgcc_s, which a C program need not have loaded. They are
// opened with RTLD_LOCAL, so that nothing becomes visible to the rest of the process. They are never closed, as code
// refers to them.
const std::array<void*, 5>& libraries() {
  static const std::array<void*, 5> handles = {
      dlopen(nullptr, RTLD_NOW | RTLD_LOCAL), dlopen("libc.so.6", RTLD_NOW | RTLD_LOCAL),
      dlopen("libm.so.6", RTLD_NOW | RTLD_LOCAL), dlopen("libstdc++.so.6", RTLD_NOW | RTLD_LOCAL),
      dlopen("libgcc_s.so.1", RTLD_NOW | RTLD_LOCAL)};
  return handles;
}

// Returns the address of `symbol`, found as by a dynamically linked C++ program: in the program and its libraries
// first.
void* find_in_process(const char* symbol) {
  if (void* const address = fiber_call(symbol)) return address;
  if (void* const address = unit_call(symbol)) return address;
  for (void* library : libraries()) {
    if (void* address = library ? dlsym(library, symbol) : nullptr) return address;
  }
  return nullptr;
}

Status run_guarded(const std::vector<InitSections::Function>& functions) {
  try {
    for (const InitSections::Function function : functions) function();
  } catch (const std::exception& exception) {
    return make_error(ErrorCode::kLaunchFailed, std::string("an initialiser of the kernel's sources threw \"") +
                                                    exception.what() +
                                                    "\" (it runs when the kernel is loaded). Catch it.");
  } catch (...) {
    return make_error(ErrorCode::kLaunchFailed,
                      "an initialiser of the kernel's sources threw (it runs when the kernel is loaded). Catch it.");
  }
  return Ok{};
}

struct PlacedFunction {  // of an object, whose symbol may be dropped while its code stays
  std::string name;
  const jitlink::Block* block;
  std::uint64_t offset;
  std::uint64_t bytes;
};

std::vector<PlacedFunction> functions_of(jitlink::LinkGraph& graph) {
  std::vector<PlacedFunction> functions;
  for (const jitlink::Symbol* const symbol : graph.defined_symbols()) {
    if (!symbol->hasName() || !symbol->isCallable()) continue;
    functions.push_back({symbol->getName().str(), &symbol->getBlock(), symbol->getOffset(), symbol->getSize()});
  }
  return functions;
}

// The objects of a kernel in memory. They are linked together: each waits for its external symbols until all have
// addresses.
class LinkedObjects {
 public:
  explicit LinkedObjects(std::size_t page_size) : memory_(page_size) {}
  ~LinkedObjects();
  LinkedObjects(const LinkedObjects&) = delete;
  LinkedObjects& operator=(const LinkedObjects&) = delete;

  void* find(const std::string& symbol) const;
  Result<void*> link(std::span<const std::string> objects, const std::string& entry);
  /// Runs the functions that the code registered for its end.
  void finish();
  bool pinned() const { return exits_.pinned(); }

 private:
  class Context;
  struct Waiting {
    jitlink::JITLinkContext::LookupMap symbols;
    std::unique_ptr<jitlink::JITLinkAsyncLookupContinuation> resume;
  };

  llvm::Expected<jitlink::AsyncLookupResult> resolve(const jitlink::JITLinkContext::LookupMap& symbols);
  void* address_of(const std::string& symbol);
  void register_frames();
  void show(const std::string& object, jitlink::LinkGraph& graph, const std::vector<PlacedFunction>& functions);

  LinkReport report_;
  InitSections sections_;
  ExitList exits_;
  jitlink::InProcessMemoryManager memory_;
  std::map<std::string, void*> symbols_;
  std::vector<jitlink::JITLinkMemoryManager::FinalizedAlloc> allocated_;
  std::vector<orc::ExecutorAddrRange> frames_;
  std::vector<std::unique_ptr<ShownCode>> shown_;
  bool registered_ = false;
};

bool is_visible(const jitlink::Symbol& symbol) {
  return symbol.hasName() && symbol.getScope() != jitlink::Scope::Local;
}

// JITLink's callbacks while it links one object.
class LinkedObjects::Context final : public jitlink::JITLinkContext {
 public:
  Context(LinkedObjects& objects, const std::string& object, std::vector<Waiting>& waiting)
      : JITLinkContext(nullptr), objects_(objects), object_(object), waiting_(waiting) {}

  jitlink::JITLinkMemoryManager& getMemoryManager() override { return objects_.memory_; }
  void notifyFailed(llvm::Error error) override { objects_.report_.add(std::move(error)); }
  void lookup(const LookupMap& symbols, std::unique_ptr<jitlink::JITLinkAsyncLookupContinuation> resume) override {
    waiting_.push_back({symbols, std::move(resume)});
  }
  llvm::Error notifyResolved(jitlink::LinkGraph& graph) override {
    for (const jitlink::Symbol* symbol : graph.defined_symbols()) {
      if (is_visible(*symbol)) objects_.symbols_[symbol->getName().str()] = symbol->getAddress().toPtr<void*>();
    }
    return llvm::Error::success();
  }
  void notifyFinalized(jitlink::JITLinkMemoryManager::FinalizedAlloc memory) override {
    objects_.allocated_.push_back(std::move(memory));
  }
  jitlink::LinkGraphPassFunction getMarkLivePass(const llvm::Triple&) const override {
    return [](jitlink::LinkGraph& graph) {
      for (jitlink::Symbol* symbol : graph.defined_symbols()) symbol->setLive(symbol->isLive() || is_visible(*symbol));
      return llvm::Error::success();
    };
  }
  llvm::Error modifyPassConfig(jitlink::LinkGraph& graph, jitlink::PassConfiguration& passes) override;

 private:
  LinkedObjects& objects_;
  const std::string& object_;  // its bytes
  std::vector<PlacedFunction> functions_;  // shown to gdb and perf
  std::vector<Waiting>& waiting_;
};

// Keeps the sections of initialisers: nothing refers to them, so the linker would drop them.
llvm::Error LinkedObjects::Context::modifyPassConfig(jitlink::LinkGraph& linked, jitlink::PassConfiguration& passes) {
  passes.PrePrunePasses.emplace_back([](jitlink::LinkGraph& graph) {
    keep(graph, ".init_array");
    keep(graph, ".fini_array");
    return llvm::Error::success();
  });
  passes.PostFixupPasses.emplace_back([this](jitlink::LinkGraph& graph) {
    kmux::simt::read(graph, ".init_array", objects_.sections_.initialisers);
    kmux::simt::read(graph, ".fini_array", objects_.sections_.finalisers);
    return llvm::Error::success();
  });
  if (shows_code()) {
    passes.PrePrunePasses.emplace_back([this](jitlink::LinkGraph& graph) {
      functions_ = functions_of(graph);
      return llvm::Error::success();
    });
    passes.PostFixupPasses.emplace_back([this](jitlink::LinkGraph& graph) {
      objects_.show(object_, graph, functions_);
      return llvm::Error::success();
    });
  }
  passes.PostFixupPasses.push_back(
      jitlink::createEHFrameRecorderPass(linked.getTargetTriple(), [this](orc::ExecutorAddr begin, std::size_t size) {
        if (size != 0) objects_.frames_.emplace_back(begin, begin + size);
      }));
  return llvm::Error::success();
}

LinkedObjects::~LinkedObjects() {
  shown_.clear();
  jitlink::InProcessEHFrameRegistrar registrar;
  for (const orc::ExecutorAddrRange& frames : frames_) {
    if (registered_) llvm::consumeError(registrar.deregisterEHFrames(frames));
  }
  memory_.deallocate(std::move(allocated_), [](llvm::Error error) { llvm::consumeError(std::move(error)); });
}

using Graphs = std::vector<std::unique_ptr<jitlink::LinkGraph>>;  // each refers to the bytes of its object

llvm::Expected<Graphs> read_all(std::span<const std::string> objects) {
  Graphs graphs;
  for (const std::string& object : objects) {
    auto graph = read_object(llvm::MemoryBufferRef(object, "kernel.o"));
    if (!graph) return graph.takeError();
    graphs.push_back(std::move(*graph));
  }
  return graphs;
}

// Keeps one definition of each name: the strong one, or the first. Code in the other objects uses that definition.
llvm::Error settle_definitions(const Graphs& graphs) {
  if (graphs.size() < 2) return llvm::Error::success();
  std::map<std::string, std::pair<jitlink::LinkGraph*, jitlink::Symbol*>> chosen;
  for (const auto& graph : graphs) {
    const std::vector<jitlink::Symbol*> symbols(graph->defined_symbols().begin(), graph->defined_symbols().end());
    for (jitlink::Symbol* symbol : symbols) {
      if (!is_visible(*symbol)) continue;
      const auto [at, added] = chosen.try_emplace(symbol->getName().str(), graph.get(), symbol);
      if (added) continue;
      auto& [owner, kept] = at->second;
      if (symbol->getLinkage() == jitlink::Linkage::Weak) {
        graph->makeExternal(*symbol);
      } else if (kept->getLinkage() == jitlink::Linkage::Weak) {
        owner->makeExternal(*kept);
        at->second = {graph.get(), symbol};
      } else {
        return llvm::createStringError("two objects define \"" + llvm::demangle(at->first) + "\"");
      }
    }
  }
  return llvm::Error::success();
}

void* LinkedObjects::address_of(const std::string& symbol) {
  if (const auto found = symbols_.find(symbol); found != symbols_.end()) return found->second;
  const auto address = [](auto* function) { return reinterpret_cast<void*>(function); };
  if (symbol == "__dso_handle") return &exits_;
  if (symbol == "__cxa_atexit") return address(&ExitList::at_exit);
  if (symbol == "__cxa_thread_atexit") return address(&ExitList::at_thread_exit);
  if (symbol == "kmux_cpu_run") return address(&kmux_cpu_run);
  if (symbol == "kmux_cpu_set_cluster") return address(&kmux_cpu_set_cluster);
  if (symbol == "kmux_cpu_fail") return address(&kmux_cpu_fail);
  return find_in_process(symbol.c_str());
}

llvm::Expected<jitlink::AsyncLookupResult> LinkedObjects::resolve(const jitlink::JITLinkContext::LookupMap& symbols) {
  jitlink::AsyncLookupResult found;
  for (const auto& [name, flags] : symbols) {
    if (void* const address = address_of(name.str())) {
      found[name] = {orc::ExecutorAddr::fromPtr(address), llvm::JITSymbolFlags::Exported};
    } else if (flags == jitlink::SymbolLookupFlags::RequiredSymbol) {
      report_.missing.push_back(name.str());
    }
  }
  if (report_.missing.empty()) return found;
  return llvm::createStringError("symbols are missing");
}

Result<void*> LinkedObjects::link(std::span<const std::string> objects, const std::string& entry) {
  llvm::Expected<Graphs> graphs = read_all(objects);
  if (llvm::Error error = graphs ? settle_definitions(*graphs) : graphs.takeError()) {
    report_.add(std::move(error));
    return report_.explain();
  }
  std::vector<Waiting> waiting;
  for (std::size_t i = 0; i < graphs->size(); ++i)
    link_graph(std::move((*graphs)[i]), std::make_unique<Context>(*this, objects[i], waiting));
  for (Waiting& link : waiting) link.resume->run(resolve(link.symbols));
  if (report_.empty() && !symbols_.contains(entry)) report_.missing.push_back(entry);
  if (!report_.empty()) return report_.explain();
  register_frames();
  KMUX_TRY(run_guarded(sections_.initialisers));
  return symbols_.at(entry);
}

// Shows the code to gdb and perf, under its own names of functions.
void LinkedObjects::show(const std::string& object, jitlink::LinkGraph& graph,
                         const std::vector<PlacedFunction>& functions) {
  std::map<std::string, std::uint64_t> sections;
  for (jitlink::Section& section : graph.sections()) {
    const jitlink::SectionRange range(section);
    if (!range.empty()) sections[section.getName().str()] = range.getStart().getValue();
  }
  const std::set<const jitlink::Block*> loaded(graph.blocks().begin(), graph.blocks().end());
  std::vector<CodeSymbol> symbols;
  for (const PlacedFunction& one : functions) {
    if (!loaded.contains(one.block)) continue;
    symbols.push_back({one.name, one.block->getAddress().getValue() + one.offset, one.bytes});
  }
  add_to_perf_map(symbols);
  shown_.push_back(std::make_unique<ShownCode>(object, sections));
}

void LinkedObjects::register_frames() {
  jitlink::InProcessEHFrameRegistrar registrar;
  for (const orc::ExecutorAddrRange& frames : frames_) llvm::consumeError(registrar.registerEHFrames(frames));
  registered_ = true;
}

void* LinkedObjects::find(const std::string& symbol) const {
  const auto found = symbols_.find(symbol);
  return found == symbols_.end() ? nullptr : found->second;
}

void LinkedObjects::finish() {
  exits_.run();
  (void)run_guarded({sections_.finalisers.rbegin(), sections_.finalisers.rend()});
}

// Leaves `objects` in memory on purpose: a thread will still run destructors of its code. They stay reachable, so that
// no leak is reported.
void keep(std::unique_ptr<LinkedObjects> objects) {
  static std::mutex mutex;
  static auto& kept = *new std::vector<std::unique_ptr<LinkedObjects>>;
  const std::lock_guard lock(mutex);
  kept.push_back(std::move(objects));
}

class JitCode final : public LoadedCode {
 public:
  JitCode(std::unique_ptr<LinkedObjects> objects, void* entry) : objects_(std::move(objects)) { entry_ = entry; }
  void* find(const std::string& symbol) override { return objects_->find(symbol); }
  ~JitCode() override {
    if (objects_->pinned()) {
      keep(std::move(objects_));
    } else {
      objects_->finish();
    }
  }

 private:
  std::unique_ptr<LinkedObjects> objects_;
};

}  // namespace

Result<std::unique_ptr<LoadedCode>> load_objects(std::span<const std::string> objects, const std::string& entry) {
  auto page_size = llvm::sys::Process::getPageSize();
  if (!page_size) return make_error(ErrorCode::kInternal, llvm::toString(page_size.takeError()));
  auto linked = std::make_unique<LinkedObjects>(*page_size);
  KMUX_ASSIGN(void* const address, linked->link(objects, entry));
  return std::unique_ptr<LoadedCode>(std::make_unique<JitCode>(std::move(linked), address));
}

}  // namespace kmux::simt
