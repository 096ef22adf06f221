// The words of a slice's parameters are those of the WGSL struct that reads them.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <regex>
#include <string>
#include <utility>
#include <vector>

#include "plan/preprocess.hpp"
#include "plan/scan_plans.hpp"

namespace cumulo::test {
namespace {

struct Field {
  std::string name;
  std::size_t at;  // in words
  std::size_t words;
};

// The fields of struct Params where a uniform has them: a vec4 begins at a multiple of four words.
std::vector<Field> params_struct() {
  static const std::regex field{R"((\w+): (u32|array<vec4<u32>, (\d+)>),)"};
  const std::string text = plan::preprocess("lib/params_struct.wgsl", {}).value();
  std::vector<Field> fields;
  std::size_t end = 0;
  for (std::sregex_iterator at{text.begin(), text.end(), field}, none; at != none; ++at) {
    const bool is_word = (*at)[2] == "u32";
    const std::size_t begin = is_word ? end : (end + 3) / 4 * 4;
    const std::size_t words = is_word ? 1 : 4 * std::stoull((*at)[3]);
    fields.push_back({(*at)[1], begin, words});
    end = begin + words;
  }
  return fields;
}

TEST(SliceParameters, StandWhereTheWgslStructHasThem) {
  const plan::SliceParams slice{.count = 101,
                                .tiles = 102,
                                .first_tile = 103,
                                .is_last = true,
                                .in_offset = 104,
                                .out_offset = 105,
                                .all_tiles = 106,
                                .initial_at = 107,
                                .in_block = 108,
                                .in_last = 109,
                                .out_block = 110,
                                .out_first = 111,
                                .out_whole = 112,
                                .out_begin = 113,
                                .out_words = 114,
                                .batches = 115};
  const ScanDescription description;
  const Traits traits;
  const PlanOptions options;
  const plan::ScanRequest request{description,
                                  traits,
                                  options,
                                  {201, 202, 203, 204, 205, 206, 207, 208},
                                  {211, 212, 213, 214, 215, 216, 217, 218}};
  const std::map<std::string, std::vector<std::uint32_t>> expected{{"count", {101}},
                                                                   {"tiles", {102}},
                                                                   {"first_tile", {103}},
                                                                   {"is_last", {1}},
                                                                   {"in_offset", {104}},
                                                                   {"out_offset", {105}},
                                                                   {"all_tiles", {106}},
                                                                   {"initial_at", {107}},
                                                                   {"zero", {0}},
                                                                   {"in_block", {108}},
                                                                   {"in_last", {109}},
                                                                   {"out_block", {110}},
                                                                   {"out_first", {111}},
                                                                   {"out_whole", {112}},
                                                                   {"out_begin", {113}},
                                                                   {"out_words", {114}},
                                                                   {"batches", {115}},
                                                                   {"absent", request.absent},
                                                                   {"initial", request.initial}};

  const std::vector<std::uint32_t> words = plan::parameter_words(request, slice);
  const std::vector<Field> fields = params_struct();
  ASSERT_EQ(fields.size(), expected.size());
  ASSERT_EQ(words.size(), fields.back().at + fields.back().words);
  for (const Field& field : fields) {
    const auto known = expected.find(field.name);
    ASSERT_NE(known, expected.end()) << field.name;
    const auto first = words.begin() + static_cast<std::ptrdiff_t>(field.at);
    EXPECT_EQ(std::vector(first, first + static_cast<std::ptrdiff_t>(field.words)), known->second)
        << field.name;
  }
}

}  // namespace
}  // namespace cumulo::test
