#pragma once

#include <cstddef>
#include <string>

#include "object.h"

namespace kmux::fake_metal {

/// NSString, NSError and dispatch_data_t: a text.
class Text final : public Object {
 public:
  Text(const Class& isa, std::string content) : Object(isa), text(std::move(content)) {}
  const std::string text;
};

Text* make_string(std::string text);
Text* make_error(std::string text);
Text* make_data(const void* bytes, std::size_t size);
/// Returns the object that receives `stringWithUTF8String:`.
Object* string_class();

}  // namespace kmux::fake_metal
