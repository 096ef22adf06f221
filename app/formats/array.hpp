// Numbers as a file holds them: typed values and what the file said about them.
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "cumulo/type.hpp"

namespace cumulo::app {

// The alternatives stand in the order of Type.
using Values = std::variant<std::vector<std::uint32_t>, std::vector<std::int32_t>,
                            std::vector<float>, std::vector<std::uint64_t>,
                            std::vector<std::int64_t>, std::vector<double>, std::vector<Half>>;

struct Array {
  Values values;
  std::vector<std::uint64_t> shape = {};  // of an .npy file, in C order; empty for other formats
  bool shaped = false;                    // shape holds: () is a shape too
  std::string column = {};                // the header's name of a column, "" where there is none
  bool inferred = false;                  // the type was chosen from the text
};

inline Type type_of_values(const Values& values) { return static_cast<Type>(values.index()); }

inline std::size_t count(const Values& values) {
  return std::visit([](const auto& v) { return v.size(); }, values);
}

}  // namespace cumulo::app
