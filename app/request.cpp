#include "request.hpp"

#include <fmt/format.h>

#include "picture/picture.hpp"

namespace cumulo::app {
namespace {

Result<void> check_files(Request& r) {
  if (r.output == "-") r.output.reset();
  if (r.output) {
    auto format = format_of(*r.output);
    if (!format) return std::unexpected{std::move(format.error())};
    r.output_format = *format;
    if (auto free = check_writable(*r.output, r.input, r.force); !free) return free;
  }
  if (!r.picture) return {};
  if (auto known = picture::check_picture_path(*r.picture); !known) return known;
  if (r.output && *r.output == *r.picture) {
    return std::unexpected{
        Error{ErrorKind::bad_argument, "-o and --picture name the same file '" + *r.picture + "'"}};
  }
  return check_writable(*r.picture, r.input, r.force);
}

}  // namespace

void add_file_options(CLI::App& app, Request& r) {
  app.add_option("IN", r.input, "a file, or - for standard input: .npy .csv .tsv .txt .bin .raw");
  app.add_option("-o,--output", r.output,
                 "a file to write, by its extension; else text, a value a line");
}

void add_common_options(CLI::App& app, Request& r, const std::string& picture) {
  add_device_option(app, r.device);
  app.add_option("--dtype", r.dtype,
                 "u32, i32, f32, u64, i64, f64 or f16; needed for .bin and .raw");
  app.add_option("--column", r.column,
                 "of a .csv, .tsv or records of an .npy: its name, or index from 0");
  app.add_option("--format", r.format_word, "read IN as npy, csv, tsv, txt, bin or raw");
  app.add_flag("--check", r.check, "compare every result with a sequential computation");
  app.add_flag("--time", r.time, "the median time of 5 runs, and its clock");
  if (!picture.empty()) {
    app.add_option("--picture", r.picture, "draw " + picture + ": a .png, .svg or .pdf");
  }
  app.add_flag("--force", r.force, "overwrite files that are there");
  add_report_options(app, r.report);
  add_break_option(app, r.break_word);
}

Result<void> interpret_common(Request& r, std::string_view command) {
  if (r.input.empty()) {
    return std::unexpected{Error{
        ErrorKind::bad_argument,
        std::string(command) + " needs an input: a file of numbers, or - for standard input"}};
  }
  auto type = parse_dtype(r.dtype);
  if (!type) return std::unexpected{std::move(type.error())};
  r.type = *type;
  if (r.type == Type::f16 && command != "scan" && command != "reduce") {
    return std::unexpected{Error{
        ErrorKind::bad_argument,
        "--dtype f16 is for scan and reduce; " + std::string(command) +
            " takes numbers of 4 and 8 bytes, as which .npy files of f16 are read without it"}};
  }
  if (r.format_word) {
    r.input_format = parse_format(*r.format_word);
    if (!r.input_format) {
      return std::unexpected{Error{
          ErrorKind::bad_argument,
          "--format '" + *r.format_word + "' is unknown; known are " + std::string(known_formats)}};
    }
  }
  auto broken = parse_break(r.break_word);
  if (!broken) return std::unexpected{std::move(broken.error())};
  r.broken = *broken;
  return check_files(r);
}

Result<void> write_picture(const Request& r, Result<picture::Scene> scene) {
  if (!scene) return std::unexpected{std::move(scene.error())};
  auto file = PendingFile::create(*r.picture);
  if (!file) return std::unexpected{std::move(file.error())};
  if (auto drawn = picture::write_picture(*scene, file->temporary_path()); !drawn) return drawn;
  return file->commit();
}

Json json_values(const Request& r, const Values& values) {
  if (r.output || count(values) > most_json_values) return nullptr;
  Json list = Json::array();
  std::visit(
      [&](const auto& v) {
        for (const auto x : v) list.push_back(json_value(x));
      },
      values);
  return list;
}

void say_wrong(const Request& r, const Difference& difference) {
  say(fmt::format("cumulo: the result is wrong: {} is {}, and a sequential computation gives {}{}",
                  difference.what, to_string(difference.found), to_string(difference.expected),
                  r.output ? "; '" + *r.output + "' was not written" : ""));
}

Result<void> write_values(const Request& r, const Array& array) {
  return write_output(r, [&](Writer& writer, Format format) {
    return write_array(array, format, writer, shows_writing(r));
  });
}

bool shows_writing(const Request& r) {
  return !r.report.quiet && (r.output || isatty(STDOUT_FILENO) == 0);
}

}  // namespace cumulo::app
