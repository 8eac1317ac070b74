// SPDX-License-Identifier: Apache-2.0
#include <string>

#include <gtest/gtest.h>

#include <sim/explain/index_expression.hpp>

namespace smem {
namespace {

TEST(IndexExpression, HasCsPrecedenceAndAssociativity) {
  for (const std::int64_t lane : {0, 1, 5, 17, 31}) {
    const auto value = [&](const char* text) {
      return evaluate_index(text, static_cast<unsigned>(lane));
    };
    EXPECT_EQ(value("lane*33*4"), lane * 33 * 4);
    EXPECT_EQ(value("100 - lane - 7"), 100 - lane - 7);
    EXPECT_EQ(value("1000 / 7 / (lane + 1) % 5"), 1000 / 7 / (lane + 1) % 5);
    EXPECT_EQ(value("lane + 3 << 2 | lane & 7 ^ 5"), ((lane + 3) << 2) | ((lane & 7) ^ 5));
    EXPECT_EQ(value("0xff >> 1 & lane * 2 + 1"), (0xff >> 1) & (lane * 2 + 1));
    EXPECT_EQ(value("(lane%8)*144+lane/8*16"), (lane % 8) * 144 + lane / 8 * 16);
    EXPECT_EQ(value(" - -lane * -2 + - 3"), lane * -2 - 3);
  }
}

struct BadExpression {
  const char* text;
  const char* message;
};

class RefusedExpression : public testing::TestWithParam<BadExpression> {};

TEST_P(RefusedExpression, NamesTheColumnAndWhatWasExpectedAndFound) {
  try {
    evaluate_index(GetParam().text, 0);
    FAIL() << "accepted";
  } catch (const IndexExpressionError& error) {
    EXPECT_STREQ(error.what(), GetParam().message);
  }
}

INSTANTIATE_TEST_SUITE_P(
    IndexExpression, RefusedExpression,
    testing::Values(
        BadExpression{"", "column 1: expected a number, 'lane', '-' or '(', found the end"},
        BadExpression{"lane *", "column 7: expected a number, 'lane', '-' or '(', found the end"},
        BadExpression{"lane * lan", "column 8: expected a number, 'lane', '-' or '(', found 'lan'"},
        BadExpression{"lanes", "column 1: expected 'lane', found 'lanes'"},
        BadExpression{"4x", "column 1: expected a number, 'lane', '-' or '(', found '4x'"},
        BadExpression{"(lane", "column 6: expected ')', found the end"},
        BadExpression{"lane)", "column 5: expected an operator or the end, found ')'"},
        BadExpression{"4 lane", "column 3: expected an operator or the end, found 'lane'"},
        BadExpression{"8 / lane", "column 3: expected a divisor that is not 0, found '/ lane'"},
        BadExpression{"8 % lane", "column 3: expected a divisor that is not 0, found '% lane'"},
        BadExpression{"1 << 63",
                      "column 3: expected a shift from 0 to 62 and a result below 2^63, found "
                      "'<< 63'"},
        BadExpression{"9223372036854775807 + 1",
                      "column 21: expected a sum below 2^63, found '+ 1'"},
        BadExpression{"9223372036854775808",
                      "column 1: expected a number, 'lane', '-' or '(', found "
                      "'9223372036854775808'"}));

TEST(IndexExpression, RefusesNestingThatWouldOverflowTheStack) {
  const auto nested = [](std::size_t depth, const char* open, const char* close) {
    std::string text;
    for (std::size_t level = 0; level < depth; ++level) text += open;
    text += "1";
    for (std::size_t level = 0; level < depth; ++level) text += close;
    return text;
  };
  EXPECT_EQ(evaluate_index(nested(60, "(", ")"), 0), 1);
  EXPECT_THROW(evaluate_index(nested(100000, "(", ")"), 0), IndexExpressionError);
  EXPECT_THROW(evaluate_index(nested(100000, "-", ""), 0), IndexExpressionError);
}

}  // namespace
}  // namespace smem
