#include <random>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "text_pool.h"

namespace kmux::bench {
namespace {

using ::testing::ElementsAre;

constexpr std::size_t kFewest = TextPieces::kFewest;

/// "name0\nname1\n...", `count` lines.
std::string block(const std::string& name, std::size_t count) {
  std::string text;
  for (std::size_t i = 0; i < count; ++i) text += name + std::to_string(i) + "\n";
  return text;
}

std::vector<TextPiece> add(TextPieces& pieces, const std::string& text) { return pieces.add(lines_of(text)); }

TEST(TextPiecesTest, FindsLinesOfEarlierTexts) {
  TextPieces pieces;
  EXPECT_THAT(add(pieces, block("head", 3) + block("layer", 40) + block("tail", 2)), ElementsAre(TextPiece{0, 46, {}}))
      << "the last line is empty";
  EXPECT_THAT(add(pieces, block("other", 5) + block("layer", 40) + block("end", 1)),
              ElementsAre(TextPiece{0, 5, {}}, TextPiece{5, 40, TextPlace{0, 3}}, TextPiece{45, 2, {}}));
}

TEST(TextPiecesTest, KeepsShortMatchesInPlace) {
  TextPieces pieces;
  add(pieces, block("layer", kFewest - 1) + "x");
  EXPECT_THAT(add(pieces, block("layer", kFewest - 1) + "y"), ElementsAre(TextPiece{0, kFewest, {}}));
}

TEST(TextPiecesTest, RefersToFirstOccurrence) {
  TextPieces pieces;
  add(pieces, block("a", 20));
  add(pieces, block("b", 20) + block("a", 20));
  EXPECT_THAT(add(pieces, block("b", 20) + block("a", 20)),
              ElementsAre(TextPiece{0, 20, TextPlace{1, 0}}, TextPiece{20, 21, TextPlace{0, 0}}));
}

/// The lines of text number `text`, put together from the pieces of all.
std::vector<std::string_view> joined(const std::vector<std::vector<std::string_view>>& lines,
                                     const std::vector<std::vector<TextPiece>>& pieces, std::size_t text) {
  std::vector<std::string_view> result;
  for (const TextPiece& piece : pieces[text]) {
    const TextPlace from = piece.same_as.value_or(TextPlace{text, piece.line});
    EXPECT_EQ(piece.line, result.size());
    for (std::size_t i = 0; i < piece.count; ++i) result.push_back(lines[from.text][from.line + i]);
  }
  return result;
}

TEST(TextPiecesTest, ReassemblesRandomTexts) {
  std::mt19937 random(1);
  const auto pick = [&](std::size_t below) { return std::uniform_int_distribution<std::size_t>(0, below - 1)(random); };
  TextPieces pieces;
  std::vector<std::string> texts(60);
  std::vector<std::vector<std::string_view>> lines;
  std::vector<std::vector<TextPiece>> found;
  std::size_t references = 0;
  for (std::string& text : texts) {
    for (std::size_t i = pick(6); i > 0; --i)
      text += block(std::string(1, static_cast<char>('a' + pick(4))), 5 + pick(30));
    lines.push_back(lines_of(text));
    found.push_back(pieces.add(lines.back()));
  }
  for (std::size_t i = 0; i < texts.size(); ++i) {
    EXPECT_EQ(joined(lines, found, i), lines[i]) << texts[i];
    for (const TextPiece& piece : found[i]) references += piece.same_as ? 1 : 0;
  }
  EXPECT_GT(references, 50U);
}

}  // namespace
}  // namespace kmux::bench
