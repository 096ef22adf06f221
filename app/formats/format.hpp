// The file formats, told by a file's extension.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "cumulo/error.hpp"
#include "formats/array.hpp"
#include "formats/file.hpp"
#include "formats/readers.hpp"

namespace cumulo::app {

enum class Format : std::uint8_t { npy, csv, tsv, txt, bin, raw };

inline constexpr std::string_view known_formats = "npy, csv, tsv, txt, bin, raw";

std::optional<Format> parse_format(std::string_view name);  // "npy", ...

// By the extension, any case; a bad_argument that names the known ones.
Result<Format> format_of(const std::string& path);

// The format to read a path as: the one given, else the extension's; of "-" text.
Result<Format> format_to_read(const std::string& path, std::optional<Format> given);

// format: over the extension's; standard input ("-") is text without it.
Result<Array> read_array(const std::string& path, std::optional<Format> format,
                         const ReadOptions& options);

// Writes a file of the format; `shape` and `column` of the array are kept where the format has
// them.
Result<void> write_array(const Array& array, Format format, Writer& writer, bool show_progress);

}  // namespace cumulo::app
