#pragma once

#include <cstddef>
#include <cstdint>

#include <netinet/in.h>

namespace kmux {

/// Port `port` of this machine.
sockaddr_in loopback(std::uint16_t port);

/// Has `socket` listen there, on a port that is free, and returns that. Throws std::runtime_error.
std::uint16_t listen_on_loopback(int socket);

/// Has `socket` something to read? Waits for 20 ms at most.
bool is_readable(int socket);

/// False once the other end does not read any more.
bool send_all(int socket, const char* bytes, std::size_t size);

}  // namespace kmux
