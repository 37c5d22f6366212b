// The checks of the text fuzzer, on damaged texts that are the same in each run. ./kmux.sh fuzz searches for others.
#include <cstdio>
#include <random>
#include <regex>

#include <gmock/gmock.h>

#include "kmux/plugin/file_io.h"
#include "kmux/plugin/word_list.h"
#include "kmux/text.h"

#include "fuzz/corpus.h"
#include "fuzz/text_check.h"

namespace kmux {
namespace {

constexpr std::uint32_t kTexts = 1'000;

/// Damages texts as editing by hand does, and worse. Equal seeds give equal damage.
class Damage {
 public:
  Damage(std::uint32_t seed, const std::vector<std::string>& texts, const std::vector<std::string>& words)
      : random_(seed), texts_(texts), words_(words), text_(any(texts)) {}

  std::string text() && {
    for (std::size_t times = below(4) + 1; times > 0; --times) below(2) == 0 ? damage_bytes() : damage_lines();
    return std::move(text_);
  }

 private:
  std::size_t below(std::size_t count) { return random_() % count; }
  const std::string& any(const std::vector<std::string>& items) { return items[below(items.size())]; }
  std::size_t somewhere(const std::string& text) { return below(text.size() + 1); }

  void damage_bytes() {
    const std::size_t at = somewhere(text_);
    switch (below(4)) {
      case 0:
        text_.insert(at, any(words_));
        break;
      case 1:
        text_.erase(at, below(20));
        break;
      case 2:
        text_.insert(at, text_.substr(somewhere(text_), below(80)));
        break;
      default:
        if (at < text_.size()) text_[at] = static_cast<char>(random_());
    }
  }

  void damage_lines() {
    std::vector<std::string> lines = split_lines(text_);
    if (lines.empty()) lines.emplace_back();
    const std::size_t at = below(lines.size());
    switch (below(6)) {
      case 0:
        lines[at].insert(0, below(4) + 1, ' ');
        break;
      case 1:
        lines[at].erase(0, below(5));
        break;
      case 2:
        lines[at] += "  # " + any(words_);
        break;
      case 3:
        std::swap(lines[at], lines[below(lines.size())]);
        break;
      case 4:
        lines.insert(lines.begin() + static_cast<std::ptrdiff_t>(at), line_of(any(texts_)));
        break;
      default:
        lines.erase(lines.begin() + static_cast<std::ptrdiff_t>(at));
    }
    text_.clear();
    for (const std::string& line : lines) text_.append(line).append("\n");
  }

  std::string line_of(const std::string& text) { return any(split_lines(text)); }

  std::mt19937 random_;
  const std::vector<std::string>& texts_;
  const std::vector<std::string>& words_;
  std::string text_;
};

TEST(TextFuzzTest, SeedsSatisfyInvariants) {
  const std::vector<std::string> texts = seed_texts();
  for (const std::string& text : texts) ASSERT_EQ(broken_promise(text), "");
  EXPECT_GT(texts.size(), 130U);
}

TEST(TextFuzzTest, CorpusSatisfiesInvariants) {
  const std::vector<std::string> kept = corpus_of("text");
  EXPECT_FALSE(kept.empty());
  for (const std::string& text : kept) EXPECT_EQ(broken_promise(text), "");
}

TEST(TextFuzzTest, MutatedTextsSatisfyInvariants) {
  const std::vector<std::string> texts = seed_texts(), words = dictionary();
  std::uint32_t programs = 0;
  for (std::uint32_t seed = 0; seed < kTexts; ++seed) {
    const std::string text = Damage(seed, texts, words).text();
    ASSERT_EQ(broken_promise(text), "") << "seed " << seed;
    if (from_text({"fuzz.kmux", text}, [](const std::string&) { return std::string(); })) ++programs;
  }
  std::printf("seeds 0 to %u: %u of the texts are programs\n", kTexts - 1, programs);
  EXPECT_GT(programs, kTexts / 30);
}

// The dictionary must have every quoted word of the grammar in the page.
TEST(TextFuzzTest, DictionaryContainsEveryGrammarWord) {
  const std::string page = read_file(KMUX_TEST_SOURCE_DIR "/docs/text-form.md").value();
  const std::size_t begin = page.find("```ebnf");
  const std::string grammar = page.substr(begin, page.find("```\n", begin) - begin);
  const std::regex word("\"([^\"]+)\"");
  const std::vector<std::string> words = dictionary();
  int count = 0;
  for (std::sregex_iterator at(grammar.begin(), grammar.end(), word); at != std::sregex_iterator(); ++at, ++count)
    EXPECT_THAT(words, testing::Contains((*at)[1].str()));
  EXPECT_GT(count, 60);
}

}  // namespace
}  // namespace kmux
