#include "api/monoid.hpp"

#include <algorithm>
#include <charconv>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "plan/preprocess.hpp"
#include "plan/scan_plans.hpp"

namespace cumulo {
namespace {

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    lines.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

std::optional<std::size_t> leading_number(std::string_view text) {
  std::size_t number = 0;
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (status != std::errc{}) return std::nullopt;
  return number;
}

struct Complaint {
  std::string text;
  std::optional<std::size_t> line;  // of the kernel, from 1
  std::optional<std::size_t> column;
};

// What naga says, out of its picture of the source:
//
//   Shader 'combine' parsing error: TEXT     or     Shader validation error: ...
//      ┌─ wgsl:LINE:COLUMN
//   16 │     return Element(1u, older.b);
//      │            ^^^^^^^^^^^^^^^^^^^^
//      = TEXT
Complaint read_complaint(std::string_view message) {
  constexpr std::string_view corner = "┌─ ";
  constexpr std::string_view end_of_block = "╰─^";  // marks a whole function, and so nothing
  Complaint complaint;
  std::string notes;
  std::optional<std::size_t> shown;
  bool pointed = false;
  for (const std::string_view line : lines_of(message)) {
    if (const auto at = line.find(" error: "); complaint.text.empty() && at != line.npos) {
      complaint.text = line.substr(at + 8);
    } else if (const auto place = line.find(corner); place != line.npos) {
      const std::string_view name = line.substr(place + corner.size());
      const auto colon = std::min(name.find(':'), name.size() - 1);
      complaint.line = leading_number(name.substr(colon + 1));
      if (const auto next = name.find(':', colon + 1); next != name.npos) {
        complaint.column = leading_number(name.substr(next + 1));
      }
    } else if (plan::trim(line).starts_with("= ")) {
      notes += (notes.empty() ? "" : "; ") + std::string(plan::trim(line).substr(2));
    } else if (const auto number = leading_number(line)) {
      shown = number;
    } else if (!pointed && shown && line.find('^') != line.npos &&
               line.find(end_of_block) == line.npos) {
      pointed = true;
      if (complaint.line != shown) complaint.column.reset();
      complaint.line = shown;
    }
  }
  if (!notes.empty()) complaint.text = notes;
  if (complaint.text.empty()) complaint.text = message;
  return complaint;
}

std::string in_users_words(const Monoid& monoid, std::string_view kernel, const Complaint& found) {
  const bool in_file = !monoid.source.empty();
  std::string place = in_file ? monoid.source : "operator '" + monoid.name + "'";
  const std::string_view before = kernel.substr(0, kernel.find(plan::before_monoid_text));
  const auto opening = static_cast<std::size_t>(std::ranges::count(before, '\n')) + 1;
  const auto lines = static_cast<std::size_t>(std::ranges::count(monoid.wgsl, '\n')) + 1;
  if (found.line && *found.line >= opening && *found.line <= opening + lines + 1) {
    // What is said of the whole function is said of its first line, what of its end of the last.
    const std::size_t line = std::clamp(*found.line, opening + 1, opening + lines) - opening - 1;
    place += (in_file ? ":" : ", line ") + std::to_string(monoid.first_line + line);
    if (in_file && found.column && *found.line > opening) {
      place += ":" + std::to_string(*found.column);
    }
  }
  return place + ": " + found.text;
}

}  // namespace

Result<void> check_monoid(gpu::Context& context, const ScanDescription& description) {
  auto kernel = plan::make_monoid_check(description, context.traits());
  if (!kernel) return std::unexpected{std::move(kernel.error())};
  auto compiled = context.pipeline(*kernel);
  if (compiled) return {};
  Error error = std::move(compiled.error());
  if (error.kind != ErrorKind::validation) return std::unexpected{std::move(error)};
  return std::unexpected{
      Error{ErrorKind::bad_argument,
            in_users_words(*description.monoid, kernel->wgsl, read_complaint(error.message))}};
}

}  // namespace cumulo
