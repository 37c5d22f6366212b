#include "foundation.h"

#include <cstring>

#include "classes.h"
#include "library.h"
#include "world.h"

namespace kmux::fake_metal {
namespace {

Text* string_with_utf8(Object&, const char* text) {
  Text* const string = make_string(text);
  autorelease(string);
  return string;
}

const char* utf8(Text& self) { return self.text.c_str(); }

// Returns a separate string, as an NSError does.
Text* localized_description(Text& self) {
  Text* const string = make_string(self.text);
  autorelease(string);
  return string;
}

const Class& text_class() {
  static const Class isa{"NSString", &object_class(), {{selector_of("UTF8String"), method<utf8>()}}};
  return isa;
}

const Class& error_class() {
  static const Class isa{
      "NSError", &object_class(), {{selector_of("localizedDescription"), method<localized_description>()}}};
  return isa;
}

const Class& data_class() {
  static const Class isa{"dispatch_data_t", &object_class(), {}};
  return isa;
}

}  // namespace

Text* make_string(std::string text) { return new Text(text_class(), std::move(text)); }
Text* make_error(std::string text) { return new Text(error_class(), std::move(text)); }
Text* make_data(const void* bytes, std::size_t size) {
  return new Text(data_class(), std::string(static_cast<const char*>(bytes), size));
}

Object* string_class() {
  static const Class isa{
      "NSString class", &object_class(), {{selector_of("stringWithUTF8String:"), method<string_with_utf8>()}}};
  static auto* const object = new Object(isa);
  return object;
}

Object* find_class(const char* name) {
  const std::lock_guard guard(lock());
  if (std::strcmp(name, "NSString") == 0) return string_class();
  if (std::strcmp(name, "MTLCompileOptions") == 0) return compile_options_class();
  if (std::strcmp(name, "MTLFunctionConstantValues") == 0) return constant_values_class();
  return nullptr;
}

}  // namespace kmux::fake_metal
