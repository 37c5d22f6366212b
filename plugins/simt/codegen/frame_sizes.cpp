// Determines how much stack the code of kernels needs, which is known once the code is generated.
#include "simt/codegen/frame_sizes.h"

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "llvm/Object/ELFObjectFile.h"
#include "llvm/Support/DataExtractor.h"
#include "simt/analysis/names.h"
#include "simt/runtime/launch.h"

namespace kmux::simt {
namespace {

using Object = llvm::object::ELF64LEObjectFile;

// Returns the sum of all frame sizes of one section of code: an address and a size per function.
std::uint64_t sum_of_sizes(llvm::StringRef content) {
  const llvm::DataExtractor data(content, /*IsLittleEndian=*/true, /*AddressSize=*/8);
  llvm::DataExtractor::Cursor cursor(0);
  std::uint64_t sum = 0;
  while (cursor && !data.eof(cursor)) {
    data.getAddress(cursor);
    sum += data.getULEB128(cursor);
  }
  llvm::consumeError(cursor.takeError());
  return sum;
}

llvm::Expected<std::uint64_t> frame_bytes(const Object& object) {
  std::uint64_t sum = 0;
  for (const llvm::object::SectionRef& section : object.sections()) {
    auto name = section.getName();
    if (!name) return name.takeError();
    if (*name != ".stack_sizes") continue;
    auto content = section.getContents();
    if (!content) return content.takeError();
    sum += sum_of_sizes(*content);
  }
  return sum;
}

// Returns the kmux_cpu_kernel of a kernel that runs blocks in the object's bytes; null for another symbol.
llvm::Expected<const char*> facts_of(const llvm::object::ELFSymbolRef& symbol) {
  auto name = symbol.getName();
  if (!name) return name.takeError();
  if (!name->ends_with(kFactsOfBlocks) || symbol.getSize() != sizeof(kmux_cpu_kernel)) return nullptr;
  auto section = symbol.getSection();
  if (!section) return section.takeError();
  auto content = (*section)->getContents();
  if (!content) return content.takeError();
  auto offset = symbol.getValue();
  if (!offset) return offset.takeError();
  return content->size() >= *offset + sizeof(kmux_cpu_kernel) ? content->data() + *offset : nullptr;
}

llvm::Error write_sizes(std::string& bytes) {
  auto object = Object::create(llvm::MemoryBufferRef(bytes, "kernel.o"));
  if (!object) return object.takeError();
  auto sum = frame_bytes(*object);
  if (!sum) return sum.takeError();
  for (const llvm::object::ELFSymbolRef symbol : object->symbols()) {
    auto facts = facts_of(symbol);
    if (!facts) return facts.takeError();
    if (*facts == nullptr) continue;
    const std::size_t at = static_cast<std::size_t>(*facts - bytes.data()) + offsetof(kmux_cpu_kernel, stack_bytes);
    std::memcpy(bytes.data() + at, &*sum, sizeof *sum);
  }
  return llvm::Error::success();
}

}  // namespace

Status write_frame_sizes(std::string& object) {
  llvm::Error error = write_sizes(object);
  if (!error) return Ok{};
  return make_error(ErrorCode::kInternal,
                    "LLVM cannot read the object file that it has written (" + llvm::toString(std::move(error)) + ").");
}

}  // namespace kmux::simt
