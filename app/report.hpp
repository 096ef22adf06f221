// What the command says: text, JSON (schema "cumulo/1") and errors.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "cumulo/device.hpp"
#include "cumulo/error.hpp"
#include "cumulo/plan.hpp"
#include "cumulo/type.hpp"

namespace cumulo::app {

using Json = nlohmann::ordered_json;

// An object that begins with the schema and the primitive.
Json json_object(std::string_view primitive);

// 64-bit integers beyond 2^53 and numbers that are not finite become strings.
Json json_value(const Scalar& value);
Json json_device(const DeviceInfo& device);
Json json_counts(const Counts& counts);
Json json_time(const std::optional<Timing>& timing);

// The first result that a sequential computation does not confirm.
struct Difference {
  std::string what;         // "index 3", "the total"
  std::uint64_t index = 0;  // of the result; where a total differs, the number of results
  Scalar expected;
  Scalar found;
};

// What differs, with an index, expected and found; or null.
template <class T>
Json json_difference(const std::optional<T>& difference) {
  if (!difference) return nullptr;
  return {{"index", difference->index},
          {"expected", json_value(difference->expected)},
          {"found", json_value(difference->found)}};
}

// The field "check": null where none was asked for.
template <class T>
Json json_check(bool asked, const std::optional<T>& difference) {
  if (!asked) return nullptr;
  return {{"ok", !difference}, {"first_difference", json_difference(difference)}};
}

// "NVIDIA L4 (webgpu, discrete)"
std::string describe_device(const DeviceInfo& device);
// "0.012 ms (median of 5, device clock)"
std::string describe_time(const Timing& timing);

// To standard output; a reader that went away is no error. Returns the exit status.
int print_text(std::string_view text);
int print_json(const Json& object);

// One line to standard error.
void say(std::string_view line);

// Says what went wrong on standard error, and with json as the one object on standard output.
// Returns the exit status.
int report_error(const Error& error, bool json);

}  // namespace cumulo::app
