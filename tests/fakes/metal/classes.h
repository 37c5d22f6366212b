#pragma once

#include "object.h"

namespace kmux::fake_metal {

const Class& object_class();

/// What `objc_getClass` gives: an object that class messages are sent to; null for an unknown name.
Object* find_class(const char* name);

}  // namespace kmux::fake_metal
