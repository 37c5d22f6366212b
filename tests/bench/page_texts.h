#pragma once

#include <string>
#include <vector>

namespace kmux::bench {

/// Every launcher and source of a page, put together as text_pool.h says: what a reader who follows all links has read.
std::vector<std::string> texts_on(const std::string& page);

}  // namespace kmux::bench
