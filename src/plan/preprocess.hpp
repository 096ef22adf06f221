// The small preprocessor that puts kernels together from .wgsl files.
//
//   #import lib/name.wgsl      the file's text, once
//   #if EXPR / #else / #endif  EXPR non-zero
//   #repeat k EXPR / #end      the lines between, for k = 0 .. EXPR - 1
//   $name, ${EXPR}             its value, in decimal
//
// Directives stand alone on their line. EXPR is integer arithmetic over the given values and the
// repeat variables: + - * / %, < ==, !, parentheses. Anything wrong is an error that names the file
// and the line.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "cumulo/error.hpp"

namespace cumulo::plan {

// A line without the blanks around it, nor the end of a line of Windows.
std::string_view trim(std::string_view line);

using Values = std::map<std::string, std::int64_t, std::less<>>;
// The text of a file, or nothing where there is no such file.
using FileLookup = std::function<std::optional<std::string_view>(std::string_view path)>;

Result<std::string> preprocess(std::string_view path, const Values& values,
                               const FileLookup& lookup);

// From the embedded kernels.
Result<std::string> preprocess(std::string_view path, const Values& values);

}  // namespace cumulo::plan
