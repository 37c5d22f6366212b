#pragma once

#include "object.h"

namespace kmux::fake_metal {

const Class& object_class();

/// Returns the result of `objc_getClass`: an object that receives class messages; null for an unknown name.
Object* find_class(const char* name);

}  // namespace kmux::fake_metal
