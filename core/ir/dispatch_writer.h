#pragma once

#include "kmux/dispatch.h"
#include "kmux/json.h"

namespace kmux {

/// The JSON form of a program without "format" and "version", and of its signature; files by path and SHA-256.
Json write_program(const Program& program);
Json write_signature(const Signature& signature);

}  // namespace kmux
