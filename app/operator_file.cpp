#include "operator_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>

#include "command.hpp"
#include "formats/file.hpp"
#include "formats/number.hpp"
#include "formats/place.hpp"

namespace cumulo::app {
namespace {

std::string_view trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(" \t\r");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

std::vector<std::string_view> split(std::string_view text) {
  std::vector<std::string_view> parts;
  for (;;) {
    const auto comma = text.find(',');
    parts.push_back(trimmed(text.substr(0, comma)));
    if (comma == std::string_view::npos) return parts;
    text.remove_prefix(comma + 1);
  }
}

struct Entry {
  std::string_view value;
  std::size_t line = 0;
};
using Entries = std::map<std::string, Entry, std::less<>>;

class OperatorFile {
 public:
  OperatorFile(std::string_view text, const std::string& path) : text_(text), path_(path) {}

  Result<Monoid> parse() {
    if (auto ok = read_entries(); !ok) return std::unexpected{std::move(ok.error())};
    for (const char* const key : {"fields", "identity", "combine"}) {
      if (!entries_.contains(key)) {
        return fault(lines_, fmt::format("the file ends without '{} ='", key));
      }
    }
    const std::string stem = std::filesystem::path(path_).stem().string();
    Monoid monoid{.name = entries_.contains("name") ? std::string(entries_["name"].value) : stem,
                  .fields = {},
                  .wgsl = std::string(entries_["combine"].value),
                  .identity = {},
                  .source = path_,
                  .first_line = static_cast<std::uint32_t>(entries_["combine"].line + 1)};
    if (auto ok = read_fields(monoid); !ok) return std::unexpected{std::move(ok.error())};
    const Entry& identity = entries_["identity"];
    auto bytes = parse_element(monoid.fields, identity.value, place(identity.line) + "identity");
    if (!bytes) return std::unexpected{std::move(bytes.error())};
    monoid.identity = std::move(*bytes);
    if (entries_.contains("commutative")) {
      const Entry& word = entries_["commutative"];
      if (word.value != "yes" && word.value != "no") {
        return fault(word.line, "commutative is yes or no");
      }
      monoid.commutative = word.value == "yes";
    }
    if (auto ok = validate(monoid); !ok) {
      return std::unexpected{
          Error{ErrorKind::bad_argument, fmt::format("{}: {}", path_, ok.error().message)}};
    }
    return monoid;
  }

 private:
  std::string place(std::size_t line) const { return fmt::format("{}:{}: ", path_, line); }
  std::unexpected<Error> fault(std::size_t line, const std::string& what) const {
    return std::unexpected{Error{ErrorKind::bad_argument, place(line) + what}};
  }

  // Lines "key = value" up to "combine =", after which all is WGSL.
  Result<void> read_entries() {
    const std::string known[] = {"name", "fields", "identity", "commutative", "combine"};
    std::string_view rest = text_;
    while (!rest.empty()) {
      ++lines_;
      const std::size_t end = std::min(rest.find('\n'), rest.size());
      const std::string_view line = trimmed(rest.substr(0, end));
      rest.remove_prefix(std::min(end + 1, rest.size()));
      if (line.empty() || line.starts_with('#')) continue;
      const std::size_t equals = std::min(line.find('='), line.size());
      const std::string key(trimmed(line.substr(0, equals)));
      if (equals == line.size() || std::ranges::find(known, key) == std::end(known)) {
        Error error = unknown_word(place(lines_) + "the entry", key, known);
        return std::unexpected{std::move(error)};
      }
      const std::string_view value = trimmed(line.substr(equals + 1));
      if (entries_.contains(key)) return fault(lines_, fmt::format("a second '{} ='", key));
      if (key == "combine") {
        if (!value.empty()) {
          return fault(lines_, "the WGSL of combine begins on the line after 'combine ='");
        }
        while (rest.ends_with('\n') || rest.ends_with('\r')) rest.remove_suffix(1);
        entries_[key] = {rest, lines_};
        return {};
      }
      if (value.empty()) return fault(lines_, fmt::format("nothing after '{} ='", key));
      entries_[key] = {value, lines_};
    }
    return {};
  }

  // "a: f32, b: f32"
  Result<void> read_fields(Monoid& monoid) {
    const Entry& entry = entries_["fields"];
    for (const std::string_view part : split(entry.value)) {
      const std::size_t colon = part.find(':');
      if (colon == std::string_view::npos) {
        return fault(entry.line, fmt::format("field {} is not like 'a: f32'", shown(part)));
      }
      const std::string_view word = trimmed(part.substr(colon + 1));
      const auto type = parse_type(word);
      if (!type || size_of(*type) != 4) {
        return fault(entry.line, fmt::format("a field is u32, i32 or f32, not {}", shown(word)));
      }
      monoid.fields.push_back({std::string(trimmed(part.substr(0, colon))), *type});
    }
    return {};
  }

  std::string_view text_;
  const std::string& path_;
  Entries entries_;
  std::size_t lines_ = 0;
};

}  // namespace

Result<Monoid> parse_operator_file(std::string_view text, const std::string& path) {
  return OperatorFile(without_mark(text), path).parse();
}

Result<Monoid> read_operator(const std::string& path) {
  auto text = read_whole(path, false);
  if (!text) return std::unexpected{std::move(text.error())};
  return parse_operator_file(*text, path);
}

Result<std::vector<std::byte>> parse_element(std::span<const MonoidField> fields,
                                             std::string_view words, const std::string& what) {
  const std::vector<std::string_view> parts = split(words);
  if (parts.size() != fields.size()) {
    return std::unexpected{Error{
        ErrorKind::bad_argument,
        fmt::format("{} has {} value{} for the {} field{} of an element", what, parts.size(),
                    parts.size() == 1 ? "" : "s", fields.size(), fields.size() == 1 ? "" : "s")}};
  }
  std::vector<std::byte> bytes;
  for (std::size_t i = 0; i < fields.size(); ++i) {
    const NumberFault fault = with_type(fields[i].type, [&]<class T>() {
      T value{};
      const NumberFault found = parse_number(parts[i], value);
      const auto more = std::as_bytes(std::span{&value, 1});
      bytes.insert(bytes.end(), more.begin(), more.end());
      return found;
    });
    if (fault != NumberFault::none) {
      return std::unexpected{
          Error{ErrorKind::bad_argument, fmt::format("{}, field {}: {}", what, fields[i].name,
                                                     describe(fault, parts[i], fields[i].type))}};
    }
  }
  return bytes;
}

}  // namespace cumulo::app
