#include "bench/page_texts.h"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <string_view>

namespace kmux::bench {
namespace {

using Lines = std::map<std::size_t, std::string>;  // by number; those that stand elsewhere are missing

struct Link {
  std::size_t line;
  std::size_t text;
  std::size_t from;
  std::size_t count;
};
struct Text {
  Lines own;
  std::vector<Link> links;
  std::size_t count = 0;
};

std::string unescaped(std::string text) {
  for (const auto& [entity, character] :
       {std::pair("&lt;", "<"), std::pair("&gt;", ">"), std::pair("&quot;", "\""), std::pair("&amp;", "&")}) {
    for (std::size_t at = text.find(entity); at != std::string::npos; at = text.find(entity, at + 1)) {
      text.replace(at, std::string_view(entity).size(), character);
    }
  }
  return text;
}

std::size_t number_after(std::string_view text, std::string_view mark) {
  return std::strtoul(text.data() + text.find(mark) + mark.size(), nullptr, 10);
}

std::string without_anchor(const std::string& line) {
  const std::size_t end = line.starts_with("<span id=") ? line.find("</span>") + 7 : 0;
  return line.substr(end);
}

Text read(const std::string& inside) {
  Text text;
  for (std::size_t begin = 0; begin <= inside.size();) {
    const std::size_t end = std::min(inside.find('\n', begin), inside.size());
    const std::string line = inside.substr(begin, end - begin);
    begin = end + 1;
    if (line.starts_with("<a class=\"same\"")) {
      const Link link{text.count, number_after(line, "#t"), number_after(line.substr(line.find('#')), "-"),
                      number_after(line, "data-count=\"")};
      text.links.push_back(link);
      text.count += link.count;
    } else {
      text.own[text.count++] = unescaped(without_anchor(line));
    }
  }
  return text;
}

std::string joined(const std::map<std::size_t, Text>& texts, const Text& text) {
  Lines lines = text.own;
  for (const Link& link : text.links) {
    for (std::size_t i = 0; i < link.count; ++i) lines[link.line + i] = texts.at(link.text).own.at(link.from + i);
  }
  std::string result;
  for (const auto& [number, line] : lines) result += (number == 0 ? "" : "\n") + line;
  return result;
}

}  // namespace

std::vector<std::string> texts_on(const std::string& page) {
  constexpr std::string_view kBegin = "<pre id=\"t";
  std::map<std::size_t, Text> texts;
  for (std::size_t at = page.find(kBegin); at != std::string::npos; at = page.find(kBegin, at + 1)) {
    const std::size_t begin = page.find(">\n", at) + 2;
    texts[number_after(std::string_view(page).substr(at), kBegin)] =
        read(page.substr(begin, page.find("</pre>", begin) - begin));
  }
  std::vector<std::string> result;
  result.reserve(texts.size());
  for (const auto& [number, text] : texts) result.push_back(joined(texts, text));
  return result;
}

}  // namespace kmux::bench
