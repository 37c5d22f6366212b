#include "engine/loader.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <exception>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kmux/plugin/dynamic_library.h"

#include "check/fiber_launch.h"
#include "llvm/Demangle/Demangle.h"
#include "llvm/ExecutionEngine/JITLink/EHFrameSupport.h"
#include "llvm/ExecutionEngine/Orc/ObjectLinkingLayer.h"
#include "llvm/ExecutionEngine/Orc/TaskDispatch.h"
#include "runtime/launch.h"

// The C++ ABI's own, which runs `function` when the thread ends.
extern "C" int __cxa_thread_atexit(  // NOLINT(bugprone-reserved-identifier)
    void (*function)(void*), void* argument, void* handle) noexcept;

namespace kmux::cpu {
namespace {

namespace jitlink = llvm::jitlink;
namespace orc = llvm::orc;

// The addresses in an object's `.init_array` and `.fini_array`, in the order in which they run.
struct InitSections {
  using Function = void (*)();
  std::vector<Function> initialisers;
  std::vector<Function> finalisers;
};

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

// Keeps those sections while ORC links an object (it would drop them: nothing refers to them) and reads them. Borrows `sections`.
std::unique_ptr<orc::ObjectLinkingLayer::Plugin> collect_init_sections(InitSections& sections) {
  return std::make_unique<Collector>(sections);
}

}  // namespace

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

namespace {

// Opened local, so that nothing becomes visible to the rest of the process; never closed, as code refers to them.
const std::array<void*, 5>& libraries() {
  static const std::array<void*, 5> handles = {
      dlopen(nullptr, RTLD_NOW | RTLD_LOCAL), dlopen("libc.so.6", RTLD_NOW | RTLD_LOCAL),
      dlopen("libm.so.6", RTLD_NOW | RTLD_LOCAL), dlopen("libstdc++.so.6", RTLD_NOW | RTLD_LOCAL),
      dlopen("libgcc_s.so.1", RTLD_NOW | RTLD_LOCAL)};
  return handles;
}

void* find(const char* symbol) {
  if (void* const address = fiber_call(symbol)) return address;
  for (void* library : libraries()) {
    if (void* address = library ? dlsym(library, symbol) : nullptr) return address;
  }
  return nullptr;
}

// Finds symbols as a dynamically linked C++ program would: in the program and its libraries, then in libc, libm,
// libstdc++ and libgcc_s, which a program in C need not have.
class ProcessSymbols final : public orc::DefinitionGenerator {
 public:
  llvm::Error tryToGenerate(orc::LookupState&, orc::LookupKind, orc::JITDylib& dylib, orc::JITDylibLookupFlags,
                            const orc::SymbolLookupSet& wanted) override {
    orc::SymbolMap found;
    for (const auto& [name, flags] : wanted) {
      if (void* address = find((*name).str().c_str())) {
        found[name] = {orc::ExecutorAddr::fromPtr(address), llvm::JITSymbolFlags::Exported};
      }
    }
    if (found.empty()) return llvm::Error::success();
    return dylib.define(orc::absoluteSymbols(std::move(found)));
  }
};

// What to do about `symbol`, which was not found.
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

// What ORC reported, taken apart; by default it would print to stderr.
struct Reports {
  std::vector<std::string> missing;
  std::string text;

  void add(llvm::Error error) {
    llvm::handleAllErrors(
        std::move(error),
        [this](const orc::SymbolsNotFound& found) {
          for (const auto& symbol : found.getSymbols()) missing.push_back((*symbol).str());
        },
        [](const orc::FailedToMaterialize&) {},  // only repeats that the entry depends on what failed
        [this](const llvm::ErrorInfoBase& other) { text += (text.empty() ? "" : "; ") + other.message(); });
  }
};

Error explain(const Reports& reports) {
  if (reports.missing.empty()) {
    return make_error(ErrorCode::kInvalidArgument, "the object code cannot be linked (" + reports.text +
                                                       "). Compile it for this machine with -fPIC.");
  }
  std::string names;
  for (const std::string& symbol : reports.missing) {
    names += (names.empty() ? "\"" : ", \"") + llvm::demangle(symbol) + "\"";
  }
  return make_error(ErrorCode::kUnavailable,
                    "the kernel needs " + names +
                        " (neither its sources nor the libraries of this process define it). " +
                        advice_for_missing(reports.missing.front()));
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

// One session a module: its errors, its memory and its life have nothing to do with those of any other.
class Session {
 public:
  explicit Session(std::unique_ptr<orc::ExecutorProcessControl> control) : session_(std::move(control)) {}
  ~Session() { llvm::consumeError(session_.endSession()); }
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  void* find(const std::string& symbol);
  Result<void*> link(std::span<const std::string> objects, const std::string& entry);
  /// Runs what the code registered for its end.
  void finish();
  bool pinned() const { return exits_.pinned(); }

 private:
  llvm::Error add(std::span<const std::string> objects);
  llvm::Error define_runtime();

  Reports reports_;
  InitSections sections_;
  ExitList exits_;
  orc::ExecutionSession session_;
  orc::ObjectLinkingLayer layer_{session_};
  orc::JITDylib* dylib_ = nullptr;
};

llvm::Error Session::define_runtime() {
  const auto symbol = [](auto* address) {
    return orc::ExecutorSymbolDef(orc::ExecutorAddr::fromPtr(address), llvm::JITSymbolFlags::Exported);
  };
  return dylib_->define(orc::absoluteSymbols({
      {session_.intern("__dso_handle"), symbol(&exits_)},
      {session_.intern("__cxa_atexit"), symbol(&ExitList::at_exit)},
      {session_.intern("__cxa_thread_atexit"), symbol(&ExitList::at_thread_exit)},
      {session_.intern("kmux_cpu_run"), symbol(&kmux_cpu_run)},
      {session_.intern("kmux_cpu_fail"), symbol(&kmux_cpu_fail)},
  }));
}

llvm::Error Session::add(std::span<const std::string> objects) {
  auto dylib = session_.createJITDylib("kernel");
  if (!dylib) return dylib.takeError();
  dylib_ = &*dylib;
  if (auto error = define_runtime()) return error;
  dylib_->addGenerator(std::make_unique<ProcessSymbols>());
  layer_.addPlugin(std::make_unique<orc::EHFrameRegistrationPlugin>(
      session_, std::make_unique<llvm::jitlink::InProcessEHFrameRegistrar>()));
  layer_.addPlugin(collect_init_sections(sections_));
  for (const std::string& object : objects) {
    auto buffer = llvm::MemoryBuffer::getMemBufferCopy(object, "kernel.o");
    if (auto error = layer_.add(*dylib_, std::move(buffer))) return error;
  }
  return llvm::Error::success();
}

Result<void*> Session::link(std::span<const std::string> objects, const std::string& entry) {
  session_.setErrorReporter([this](llvm::Error error) { reports_.add(std::move(error)); });
  if (auto error = add(objects)) {
    reports_.add(std::move(error));
    return explain(reports_);
  }
  auto found = session_.lookup({dylib_}, entry);
  if (!found) {
    reports_.add(found.takeError());
    return explain(reports_);
  }
  KMUX_TRY(run_guarded(sections_.initialisers));
  return found->getAddress().toPtr<void*>();
}

void* Session::find(const std::string& symbol) {
  const auto all =
      orc::makeJITDylibSearchOrder({dylib_}, orc::JITDylibLookupFlags::MatchAllSymbols);  // hidden ones, too
  auto found = session_.lookup(all, session_.intern(symbol));
  if (found) return found->getAddress().toPtr<void*>();
  llvm::consumeError(found.takeError());
  return nullptr;
}

void Session::finish() {
  exits_.run();
  (void)run_guarded({sections_.finalisers.rbegin(), sections_.finalisers.rend()});
}

// Leaves `session` in memory on purpose: a thread will still run destructors of its code. Reachable, so that it is no leak.
void keep(std::unique_ptr<Session> session) {
  static std::mutex mutex;
  static auto& kept = *new std::vector<std::unique_ptr<Session>>;
  const std::lock_guard lock(mutex);
  kept.push_back(std::move(session));
}

class JitCode final : public LoadedCode {
 public:
  JitCode(std::unique_ptr<Session> session, void* entry) : session_(std::move(session)) { entry_ = entry; }
  void* find(const std::string& symbol) override { return session_->find(symbol); }
  ~JitCode() override {
    if (session_->pinned()) {
      keep(std::move(session_));
    } else {
      session_->finish();
    }
  }

 private:
  std::unique_ptr<Session> session_;
};

class SharedObject final : public LoadedCode {
 public:
  SharedObject(MemoryLibrary library, void* entry) : library_(std::move(library)) { entry_ = entry; }
  void* find(const std::string& symbol) override { return library_.symbol(symbol); }

 private:
  MemoryLibrary library_;
};

}  // namespace

Result<std::unique_ptr<LoadedCode>> load_objects(std::span<const std::string> objects, const std::string& entry) {
  auto control = orc::SelfExecutorProcessControl::Create(nullptr, std::make_unique<orc::InPlaceTaskDispatcher>());
  if (!control) return make_error(ErrorCode::kInternal, llvm::toString(control.takeError()));
  auto session = std::make_unique<Session>(std::move(*control));
  KMUX_ASSIGN(void* const address, session->link(objects, entry));
  return std::unique_ptr<LoadedCode>(std::make_unique<JitCode>(std::move(session), address));
}

Result<std::unique_ptr<LoadedCode>> load_shared_object(const std::string& bytes, const std::string& entry) {
  KMUX_ASSIGN(MemoryLibrary library, MemoryLibrary::open(bytes, "kernel"));
  void* const address = library.symbol(entry);
  if (address != nullptr) return std::unique_ptr<LoadedCode>(new SharedObject(std::move(library), address));
  return make_error(ErrorCode::kUnavailable, "the compiled kernel cannot be loaded (it does not define \"" + entry +
                                                 "\"). Build it again on this machine.");
}

}  // namespace kmux::cpu
