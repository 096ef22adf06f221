#include "formats/format.hpp"

#include <algorithm>
#include <filesystem>

namespace cumulo::app {
namespace {

constexpr std::array<std::pair<std::string_view, Format>, 6> formats{{{"npy", Format::npy},
                                                                      {"csv", Format::csv},
                                                                      {"tsv", Format::tsv},
                                                                      {"txt", Format::txt},
                                                                      {"bin", Format::bin},
                                                                      {"raw", Format::raw}}};

std::string lower(std::string text) {
  std::ranges::transform(text, text.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  return text;
}

}  // namespace

std::optional<Format> parse_format(std::string_view name) {
  const auto found = std::ranges::find(formats, name, [](const auto& f) { return f.first; });
  if (found == formats.end()) return std::nullopt;
  return found->second;
}

Result<Format> format_of(const std::string& path) {
  const std::string extension = lower(std::filesystem::path(path).extension().string());
  const auto format = parse_format(extension.empty() ? "" : extension.substr(1));
  if (format) return *format;
  return std::unexpected{
      Error{ErrorKind::bad_argument,
            "'" + path + "' has " +
                (extension.empty() ? "no extension" : "the unknown extension '" + extension + "'") +
                "; known are .npy, .csv, .tsv, .txt, .bin and .raw"}};
}

Result<Format> format_to_read(const std::string& path, std::optional<Format> given) {
  if (given) return *given;
  return path == "-" ? Format::txt : format_of(path);
}

std::string how_to_choose_column(const ReadOptions& options) {
  if (options.column_option.empty()) return "and one is needed";
  return "choose one with " + std::string(options.column_option);
}

Error no_columns(const std::string& source, const ReadOptions& options) {
  return {ErrorKind::bad_argument, std::string(options.column_option) +
                                       " is for .csv and .tsv, and for records of an .npy; " +
                                       source + " has no columns"};
}

Result<Array> read_array(const std::string& path, std::optional<Format> given,
                         const ReadOptions& options) {
  const auto format = format_to_read(path, given);
  if (!format) return std::unexpected{format.error()};
  const std::string source = source_name(path);
  const bool may_have_columns =
      *format == Format::csv || *format == Format::tsv || *format == Format::npy;
  if (options.column && !may_have_columns) return std::unexpected{no_columns(source, options)};
  auto bytes = read_whole(path, options.show_progress);
  if (!bytes) return std::unexpected{std::move(bytes.error())};
  switch (*format) {
    case Format::npy: return read_npy(*bytes, source, options);
    case Format::csv: return read_delimited(*bytes, ',', source, options);
    case Format::tsv: return read_delimited(*bytes, '\t', source, options);
    case Format::bin:
    case Format::raw: return read_raw(*bytes, source, options);
    case Format::txt: break;
  }
  return read_text(*bytes, source, options);
}

}  // namespace cumulo::app
