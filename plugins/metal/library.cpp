#include "library.h"

#include "kmux/plugin/compile_log.h"

#include "constants.h"

namespace kmux::metal {
namespace {

class Loading {
 public:
  Loading(Gpu& gpu, const DeviceCode& code) : objc_(gpu.objc()), device_(gpu.device()), code_(code) {}

  Result<Owned> library() const {
    Id error = nullptr;
    Owned library(objc_, code_.is_library ? of_data(&error) : of_source(&error));
    if (library) return library;
    return compile_error(code_.is_library ? "Metal cannot open the library" : "Metal cannot compile the source",
                         objc_.reason(error));
  }

  Result<LoadedKernel> kernel(const Owned& library, const std::string& name) const {
    Id error = nullptr;
    const Owned function(objc_, new_function(library.get(), name, &error));
    if (!function) return missing(name, error);
    Owned pipeline(objc_, objc_.new_pipeline(device_, function.get(), &error));
    if (!pipeline) return compile_error("Metal cannot make a pipeline of kernel \"" + name + "\"", objc_.reason(error));
    const Count max_threads = objc_.max_threads(pipeline.get());
    const Count memory = objc_.static_threadgroup_memory(pipeline.get());
    return LoadedKernel{name, std::move(pipeline), max_threads, memory};
  }

 private:
  Id of_source(Id* error) const {
    const Owned options(objc_, objc_.make(objc_.compile_options));
    objc_.set_fast_math(options.get(), 0);
    if (code_.options.fast_math) approximate(options.get());
    if (code_.options.language_version != 0) objc_.set_language_version(options.get(), code_.options.language_version);
    return objc_.new_library_of_source(device_, objc_.string(std::string(code_.content)), options.get(), error);
  }

  // Relaxed math, of macOS 15, is as fast as the older fast-math flag but preserves infinities and NaNs. That flag
  // stays off.
  void approximate(Id options) const {
    constexpr long kRelaxed = 1;
    if (objc_.responds_to(options, objc_.set_math_mode.selector) != 0) objc_.set_math_mode(options, kRelaxed);
  }

  // With a null destructor, dispatch_data_create copies the data.
  Id of_data(Id* error) const {
    const Owned data(objc_, objc_.data_create(code_.content.data(), code_.content.size(), nullptr, nullptr));
    return objc_.new_library_of_data(device_, data.get(), error);
  }

  Id new_function(Id library, const std::string& name, Id* error) const {
    if (code_.options.function_constants.empty()) return objc_.new_function(library, objc_.string(name));
    const Owned values(objc_, objc_.make(objc_.constant_values));
    for (const std::string& text : code_.options.function_constants) {
      const auto constant = parse_constant(text);  // valid: `parse_options` has checked it
      if (constant) set(values.get(), *constant);
    }
    return objc_.new_special_function(library, objc_.string(name), values.get(), error);
  }

  void set(Id values, const Constant& constant) const {
    if (constant.name.empty()) {
      objc_.set_constant_at(values, constant.bytes.data(), constant.type, constant.index);
    } else {
      objc_.set_constant_named(values, constant.bytes.data(), constant.type, objc_.string(constant.name));
    }
  }

  Error missing(const std::string& name, Id error) const {
    const std::string log = error == nullptr ? "undefined kernel: " + name : objc_.reason(error);
    return make_error(ErrorCode::kCompileFailed,
                      "kernel \"" + name +
                          "\" is not in the code (Metal finds no function of that name). Add "
                          "it, or correct the launch.")
        .with("log", log);
  }

  const ObjectiveC& objc_;
  Id device_;
  const DeviceCode& code_;
};

}  // namespace

Result<std::vector<LoadedKernel>> load_kernels(Gpu& gpu, const DeviceCode& code,
                                               const std::vector<std::string>& kernels) {
  const AutoreleasePool pool(gpu.objc());
  const Loading loading(gpu, code);
  KMUX_ASSIGN(const Owned library, loading.library());
  std::vector<LoadedKernel> loaded;
  for (const std::string& name : kernels) {
    KMUX_ASSIGN(LoadedKernel kernel, loading.kernel(library, name));
    loaded.push_back(std::move(kernel));
  }
  return loaded;
}

}  // namespace kmux::metal
