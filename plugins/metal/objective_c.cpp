#include "objective_c.h"

#include <vector>

namespace kmux::metal {
namespace {

// A command-line program has a default device only if Core Graphics is also loaded.
// Source: Apple, MTLCreateSystemDefaultDevice.
constexpr const char* kRuntime = "/usr/lib/libobjc.A.dylib";
constexpr const char* kSystem = "/usr/lib/libSystem.B.dylib";
constexpr const char* kMetal = "/System/Library/Frameworks/Metal.framework/Metal";
constexpr const char* kAlsoLoaded[] = {"/System/Library/Frameworks/Foundation.framework/Foundation",
                                       "/System/Library/Frameworks/CoreGraphics.framework/CoreGraphics"};

template <class Function>
Status find(const DynamicLibrary& library, const char* name, Function& function) {
  KMUX_ASSIGN(void* const address, library.symbol(name));
  function = reinterpret_cast<Function>(address);
  return Ok{};
}

}  // namespace

Result<ObjectiveC> ObjectiveC::open(const std::string& library) {
  ObjectiveC objc;
  KMUX_TRY(objc.open_system(library));
  return objc;
}

Status ObjectiveC::open_system(const std::string& library) {
  if (!library.empty()) {
    KMUX_ASSIGN(const DynamicLibrary all, DynamicLibrary::open({library}));
    return look_up(all, all, all);
  }
  if (!is_macos()) {
    return make_error(ErrorCode::kUnavailable,
                      "Metal needs macOS (this is another system; MSL and plans are made here all the same). Run the "
                      "program on a Mac.");
  }
  for (const char* also : kAlsoLoaded) {
    KMUX_ASSIGN(DynamicLibrary loaded, DynamicLibrary::open({also}));
    libraries_.push_back(std::move(loaded));
  }
  KMUX_ASSIGN(const DynamicLibrary runtime, DynamicLibrary::open({kRuntime}));
  KMUX_ASSIGN(const DynamicLibrary system, DynamicLibrary::open({kSystem}));
  KMUX_ASSIGN(const DynamicLibrary metal, DynamicLibrary::open({kMetal}));
  return look_up(runtime, system, metal);
}

Status ObjectiveC::look_up(const DynamicLibrary& runtime, const DynamicLibrary& system, const DynamicLibrary& metal) {
  libraries_.insert(libraries_.end(), {runtime, system, metal});
  void* send = nullptr;
  Selector (*selector_of)(const char*) = nullptr;
  Id (*class_of)(const char*) = nullptr;
  KMUX_TRY(find(runtime, "objc_msgSend", send));
  KMUX_TRY(find(runtime, "sel_registerName", selector_of));
  KMUX_TRY(find(runtime, "objc_getClass", class_of));
  KMUX_TRY(find(runtime, "objc_autoreleasePoolPush", pool_push));
  KMUX_TRY(find(runtime, "objc_autoreleasePoolPop", pool_pop));
  KMUX_TRY(find(system, "dispatch_data_create", data_create));
  KMUX_TRY(find(system, "_NSConcreteGlobalBlock", global_block_class));
  KMUX_TRY(find(metal, "MTLCreateSystemDefaultDevice", system_default_device));
#define KMUX_METAL_LOOK_UP(name, signature, selector) \
  name = {reinterpret_cast<Message<signature>::Function>(send), selector_of(selector)};
  KMUX_METAL_MESSAGES(KMUX_METAL_LOOK_UP)
#undef KMUX_METAL_LOOK_UP
  ns_string = class_of("NSString");
  compile_options = class_of("MTLCompileOptions");
  constant_values = class_of("MTLFunctionConstantValues");
  if (ns_string != nullptr && compile_options != nullptr && constant_values != nullptr) return Ok{};
  return make_error(ErrorCode::kUnavailable,
                    "a class of Metal is missing (\"" + metal.name() + "\" was opened). Use macOS 10.15 or later.");
}

std::string ObjectiveC::text(Id string) const {
  const char* const bytes = string == nullptr ? nullptr : utf8(string);
  return bytes == nullptr ? "" : bytes;
}

std::string ObjectiveC::reason(Id error) const {
  const std::string said = error == nullptr ? "" : text(localized_description(error));
  return said.empty() ? "no reason was given" : said;
}

}  // namespace kmux::metal
