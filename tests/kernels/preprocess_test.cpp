// Imports, conditions, repeats and values; every fault names its file and line.
#include "plan/preprocess.hpp"

#include <gtest/gtest.h>

namespace cumulo::plan {
namespace {

const std::map<std::string, std::string, std::less<>> files{
    {"lib/one.wgsl", "one\n"},
    {"lib/two.wgsl", "#import lib/one.wgsl\ntwo\n"},
    {"lib/bad.wgsl", "fine\n${NOT_THERE}\n"}};

Result<std::string> processed(const std::string& text, const Values& values = {}) {
  return preprocess("main.wgsl", values,
                    [&](std::string_view path) -> std::optional<std::string_view> {
                      if (path == "main.wgsl") return text;
                      const auto found = files.find(path);
                      if (found == files.end()) return std::nullopt;
                      return found->second;
                    });
}

TEST(Preprocess, ImportsComeOnceAndBeforeTheirUser) {
  EXPECT_EQ(processed("#import lib/two.wgsl\n#import lib/one.wgsl\nthree\n"), "one\ntwo\nthree\n");
}

TEST(Preprocess, ConditionsChooseAndNest) {
  const std::string text = "#if A\na\n#if B\nab\n#else\na only\n#endif\n#else\nno a\n#endif\nend\n";
  EXPECT_EQ(processed(text, {{"A", 1}, {"B", 1}}), "a\nab\nend\n");
  EXPECT_EQ(processed(text, {{"A", 1}, {"B", 0}}), "a\na only\nend\n");
  EXPECT_EQ(processed(text, {{"A", 0}, {"B", 1}}), "no a\nend\n");
}

TEST(Preprocess, RepeatsUnrollAndNest) {
  EXPECT_EQ(processed("#repeat i N\nx$i = ${i * 10 + 1}u;\n#end\n", {{"N", 3}}),
            "x0 = 1u;\nx1 = 11u;\nx2 = 21u;\n");
  EXPECT_EQ(processed("#repeat i 2\n#repeat j 2\n${i}$j\n#end\n#end\n"), "00\n01\n10\n11\n");
  EXPECT_EQ(processed("#repeat i 0\nx\n#end\n"), "");
}

TEST(Preprocess, ExpressionsFollowTheUsualPrecedence) {
  for (const auto& [expression, value] : {std::pair{"1 + 2 * 3", "7"},
                                          {"(1 + 2) * 3", "9"},
                                          {"7 / 2", "3"},
                                          {"7 % 4", "3"},
                                          {"10 - 2 - 3", "5"},
                                          {"2 < 3", "1"},
                                          {"3 == 4", "0"},
                                          {"!0", "1"},
                                          {"!(1 == 1)", "0"},
                                          {"-3 + 5", "2"}}) {
    EXPECT_EQ(processed("${" + std::string{expression} + "}\n"), std::string{value} + "\n")
        << expression;
  }
}

TEST(Preprocess, FaultsNameFileAndLine) {
  for (const auto& [text, place] : {std::pair{"fine\n$X\n", "main.wgsl:2"},
                                    {"#import lib/none.wgsl\n", "main.wgsl:1"},
                                    {"#import lib/bad.wgsl\n", "lib/bad.wgsl:2"},
                                    {"a\nb\n#if 1\nc\n", "main.wgsl:3"},
                                    {"#endif\n", "main.wgsl:1"},
                                    {"#else\n", "main.wgsl:1"},
                                    {"#iff 1\n", "main.wgsl:1"},
                                    {"#repeat i 2\n#endif\n", "main.wgsl:2"},
                                    {"#repeat i\n#end\n", "main.wgsl:1"},
                                    {"x\n${1 +}\n", "main.wgsl:2"},
                                    {"${1 / 0}\n", "main.wgsl:1"},
                                    {"${(1}\n", "main.wgsl:1"},
                                    {"${1\n", "main.wgsl:1"},
                                    {"#repeat i 2\n#repeat i 2\n#end\n#end\n", "main.wgsl:2"}}) {
    const auto result = processed(text);
    ASSERT_FALSE(result) << text;
    EXPECT_NE(result.error().message.find(place), std::string::npos)
        << text << ": " << result.error().message;
  }
}

}  // namespace
}  // namespace cumulo::plan
