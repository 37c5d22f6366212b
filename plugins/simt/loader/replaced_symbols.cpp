// Definitions that the linker finds before those of the C library and LLVM's archives, which do not suit the libraries.

// Static objects of these libraries are never destroyed: neither the plugin's, nor those of LLVM and Clang, which are
// linked in. A thread inside Clang cannot be interrupted, so it is left alone when the process ends. The objects that
// it uses, or creates just then, must stay valid. docs/design/0030-process-end.md
//
// Compilers register the destructor of a static object with __cxa_atexit. check_replaced.cmake checks after linking
// that sources and archives use this definition.
// NOLINTNEXTLINE(bugprone-reserved-identifier): its name in the C++ ABI
extern "C" __attribute__((visibility("hidden"))) int __cxa_atexit(void (*)(void*), void*, void*) noexcept { return 0; }

#if defined(KMUX_CPU_LINKS_ELF_ALONE)
// The plugin links ELF objects into its process. LLVM's sources for that refer to readers of other formats in the
// archives, and thereby to LLVM's IR and assembler. These are 3 MB, whose static objects would be made whenever a
// program opens the plugin. Nothing calls these functions. The compiler, a separate library, has the real ones.

#include "llvm/ExecutionEngine/JITLink/COFF.h"
#include "llvm/ExecutionEngine/JITLink/MachO.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Object/Archive.h"
#include "llvm/Object/COFF.h"
#include "llvm/Object/MachO.h"
#include "llvm/Object/MachOUniversal.h"
#include "llvm/Object/Minidump.h"
#include "llvm/Object/OffloadBinary.h"
#include "llvm/Object/SymbolicFile.h"
#include "llvm/Object/TapiUniversal.h"
#include "llvm/Object/Wasm.h"
#include "llvm/Object/WindowsResource.h"
#include "llvm/Object/XCOFFObjectFile.h"

namespace llvm {
namespace {

Error refuse() { return createStringError("it is not an ELF object"); }

}  // namespace

const Target* TargetRegistry::lookupTarget(StringRef, std::string&) { return nullptr; }

namespace jitlink {

Expected<std::unique_ptr<LinkGraph>> createLinkGraphFromCOFFObject(MemoryBufferRef) { return refuse(); }
Expected<std::unique_ptr<LinkGraph>> createLinkGraphFromMachOObject(MemoryBufferRef) { return refuse(); }
void link_COFF(std::unique_ptr<LinkGraph>, std::unique_ptr<JITLinkContext> context) { context->notifyFailed(refuse()); }
void link_MachO(std::unique_ptr<LinkGraph>, std::unique_ptr<JITLinkContext> context) {
  context->notifyFailed(refuse());
}

}  // namespace jitlink

namespace object {

SymbolicFile::SymbolicFile(unsigned type, MemoryBufferRef source) : Binary(type, source) {}
SymbolicFile::~SymbolicFile() = default;
Expected<std::unique_ptr<SymbolicFile>> SymbolicFile::createSymbolicFile(MemoryBufferRef, file_magic, LLVMContext*,
                                                                         bool) {
  return refuse();
}

Expected<std::unique_ptr<Archive>> Archive::create(MemoryBufferRef) { return refuse(); }
Expected<std::unique_ptr<OffloadBinary>> OffloadBinary::create(MemoryBufferRef) { return refuse(); }
Expected<std::unique_ptr<TapiUniversal>> TapiUniversal::create(MemoryBufferRef) { return refuse(); }
Expected<std::unique_ptr<MinidumpFile>> MinidumpFile::create(MemoryBufferRef) { return refuse(); }
Expected<std::unique_ptr<MachOUniversalBinary>> MachOUniversalBinary::create(MemoryBufferRef) { return refuse(); }
Expected<std::unique_ptr<WindowsResource>> WindowsResource::createWindowsResource(MemoryBufferRef) { return refuse(); }
Expected<std::unique_ptr<COFFObjectFile>> ObjectFile::createCOFFObjectFile(MemoryBufferRef) { return refuse(); }
Expected<std::unique_ptr<ObjectFile>> ObjectFile::createXCOFFObjectFile(MemoryBufferRef, unsigned) { return refuse(); }
Expected<std::unique_ptr<MachOObjectFile>> ObjectFile::createMachOObjectFile(MemoryBufferRef, uint32_t, uint32_t,
                                                                             size_t) {
  return refuse();
}
Expected<std::unique_ptr<WasmObjectFile>> ObjectFile::createWasmObjectFile(MemoryBufferRef) { return refuse(); }

}  // namespace object
}  // namespace llvm
#endif
