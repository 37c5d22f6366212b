#pragma once

#include "kmux/dispatch.h"
#include "kmux/dispatch_json.h"

#include "json_reader.h"

namespace kmux {

/// The program at `in`, whose "format" and "version" are taken away already; problems go to the list of `in`.
Program read_program(const JsonReader& in, const FileReader& files);
Signature read_signature(const JsonReader& in);

}  // namespace kmux
