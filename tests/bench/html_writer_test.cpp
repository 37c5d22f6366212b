#include "html_writer.h"

#include <gtest/gtest.h>

namespace kmux::bench {
namespace {

TEST(HtmlWriterTest, EscapesTextAndAttributes) {
  EXPECT_EQ(escaped("a < b && \"c\" > d"), "a &lt; b &amp;&amp; &quot;c&quot; &gt; d");
  HtmlWriter html;
  html.open("p", attribute("title", "\"><script>")).text("</p>").close("p");
  EXPECT_EQ(html.str(), "<p title=\"&quot;&gt;&lt;script&gt;\">&lt;/p></p>\n");
}

TEST(HtmlWriterTest, WritesElementsAndNumbers) {
  HtmlWriter html;
  html.element("td", "1", R"(class="number")").open("rect", attribute("x", 1.25)).close("rect");
  EXPECT_EQ(html.str(), "<td class=\"number\">1</td>\n<rect x=\"1.2\"></rect>\n");
}

}  // namespace
}  // namespace kmux::bench
