#pragma once

#include "deadline.h"
#include "worker_frame.h"

namespace kmux {

/// How far the bytes came.
enum class Transfer : std::uint8_t { kDone, kClosed, kTimeUp };

/// Sends all of `bytes`. No SIGPIPE is raised; an interrupted call goes on.
Transfer send_all(int socket, std::string_view bytes, const Deadline& deadline);

/// Gives `reader` what has arrived, waiting for at least one byte. kClosed at the end of the stream.
Transfer receive_some(int socket, FrameReader& reader);

}  // namespace kmux
