// What compact, partition, unique and runs write and say.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "formats/npy_header.hpp"
#include "formats/progress.hpp"
#include "select_request.hpp"

namespace cumulo::app {
namespace {

Scalar scalar_at(const Values& values, std::size_t k) {
  return std::visit([k](const auto& v) { return Scalar{v[k]}; }, values);
}

std::string npy_type(Type type) {
  const char letter = is_float(type) ? 'f' : type == Type::u32 || type == Type::u64 ? 'u' : 'i';
  return fmt::format("<{}{}", letter, size_of(type));
}

Result<void> write_rows(const SelectInput& input, const Selected& selected, Writer& writer,
                        bool show_progress) {
  const Table& table = input.table;
  Progress progress("writing", selected.results, show_progress);
  if (auto ok = writer.write(table.mark); !ok) return ok;
  if (auto ok = writer.write(table.header); !ok) return ok;
  // The file's own line end, for a last row without one that is the last no more.
  const std::string_view first = table.count() > 0 ? table.row(0) : table.header;
  const std::string_view line_end = first.ends_with("\r\n") ? "\r\n" : "\n";
  for (std::uint64_t k = 0; k < selected.results && !writer.closed(); ++k) {
    const std::string_view row = table.row(selected.indices[k]);
    if (auto ok = writer.write(row); !ok) return ok;
    const bool ends = row.ends_with('\n') || row.ends_with('\r');
    if (!ends && k + 1 < selected.results) {
      if (auto ok = writer.write(line_end); !ok) return ok;
    }
    constexpr std::uint64_t between_updates = 1 << 16;
    if (k % between_updates == 0) progress.update(k);
  }
  return writer.flush();
}

// Value, length and start of each run: a line, or a record.
Result<void> write_run_lines(const SelectInput& input, const Selected& selected, Format format,
                             Writer& writer, bool show_progress) {
  Progress progress("writing", selected.results, show_progress);
  const char separator = format == Format::csv ? ',' : format == Format::tsv ? '\t' : ' ';
  if (format != Format::txt) {
    const std::string name = input.values.column.empty() ? "value" : input.values.column;
    // A name with a separator in it needs quotes.
    const bool plain = name.find_first_of("\"\r\n,\t") == std::string::npos;
    if (auto ok = writer.write(
            fmt::format("{}{}length{}start\n", plain ? name : "value", separator, separator));
        !ok) {
      return ok;
    }
  }
  for (std::uint64_t k = 0; k < selected.results && !writer.closed(); ++k) {
    const std::string line =
        fmt::format("{}{}{}{}{}\n", to_string(scalar_at(selected.values, k)), separator,
                    selected.lengths[k], separator, selected.indices[k]);
    if (auto ok = writer.write(line); !ok) return ok;
    progress.update(k);
  }
  return writer.flush();
}

Result<void> write_run_records(const Selected& selected, Format format, Writer& writer) {
  const Type type = type_of_values(selected.values);
  if (format == Format::npy) {
    const std::pair<std::string, std::string> record[] = {
        {"value", npy_type(type)}, {"length", "<u4"}, {"start", "<u4"}};
    if (auto ok = writer.write(make_npy_record_header(record, {selected.results})); !ok) return ok;
  }
  return std::visit(
      [&]<class T>(const std::vector<T>& values) -> Result<void> {
        for (std::size_t k = 0; k < selected.results; ++k) {
          char record[sizeof(T) + 8];
          std::memcpy(record, &values[k], sizeof(T));
          std::memcpy(record + sizeof(T), &selected.lengths[k], 4);
          std::memcpy(record + sizeof(T) + 4, &selected.indices[k], 4);
          if (auto ok = writer.write({record, sizeof record}); !ok) return ok;
        }
        return writer.flush();
      },
      selected.values);
}

Result<void> write_runs(const SelectInput& input, const Selected& selected, Format format,
                        Writer& writer, bool show_progress) {
  if (format == Format::txt || format == Format::csv || format == Format::tsv) {
    return write_run_lines(input, selected, format, writer, show_progress);
  }
  return write_run_records(selected, format, writer);
}

// The values or indices as an array like those that are read.
Array results_of(const SelectRequest& r, const SelectInput& input, const Selected& selected) {
  Array array;
  if (r.indices) {
    array.values = selected.indices;
    array.column = "index";
  } else {
    array.values = selected.values;
    array.column = input.values.column;
  }
  return array;
}

std::string_view count_name(SelectKind kind) {
  switch (kind) {
    case SelectKind::partition: return "split";
    case SelectKind::runs: return "runs";
    default: return "count";
  }
}

template <class T>
Json json_array(const std::vector<T>& values) {
  Json array = Json::array();
  for (const T& value : values) array.push_back(json_value(Scalar{value}));
  return array;
}

void add_results(const SelectRequest& r, const SelectInput& input, const Selected& selected,
                 Json& object) {
  if (r.kind == SelectKind::runs || !input.by_rows) {
    if (!r.indices) {
      object["values"] =
          std::visit([](const auto& values) { return json_array(values); }, selected.values);
    }
  } else if (!r.indices) {
    Json rows = Json::array();
    for (const std::uint32_t k : selected.indices) {
      std::string_view row = input.table.row(k);
      while (row.ends_with('\n') || row.ends_with('\r')) row.remove_suffix(1);
      rows.push_back(std::string(row));
    }
    object["rows"] = std::move(rows);
  }
  if (r.indices) object["indices"] = json_array(selected.indices);
  if (r.kind != SelectKind::runs) return;
  object["lengths"] = json_array(selected.lengths);
  object["starts"] = json_array(selected.indices);
}

}  // namespace

std::string_view name(SelectKind kind) {
  switch (kind) {
    case SelectKind::compact: return "compact";
    case SelectKind::partition: return "partition";
    case SelectKind::unique: return "unique";
    case SelectKind::runs: break;
  }
  return "runs";
}

Result<void> write_selected(const SelectRequest& r, const SelectInput& input,
                            const Selected& selected) {
  const bool progress = shows_writing(r);
  return write_output(r, [&](Writer& writer, Format format) {
    if (r.kind == SelectKind::runs) return write_runs(input, selected, format, writer, progress);
    if (input.by_rows && !r.indices) return write_rows(input, selected, writer, progress);
    return write_array(results_of(r, input, selected), format, writer, progress);
  });
}

Json select_report(const SelectRequest& r, const SelectInput& input, const Selected& selected) {
  Json object = json_object(name(r.kind));
  object["n"] = input.n;
  object["type"] = input.by_rows ? "rows" : name(type_of_values(input.values.values));
  object["inferred"] = input.values.inferred;
  if (r.where) object["where"] = *r.where;
  if (r.second) object["second_where"] = *r.second;
  if (r.keep) object["keep"] = *r.keep;
  object["algorithm"] = selected.report.algorithm;
  object["device"] = json_device(selected.device);
  object[std::string(count_name(r.kind))] = selected.report.count;
  if (r.second) object["second_split"] = selected.report.count + selected.report.second;
  if (r.capacity) {
    object["capacity"] = *r.capacity;
    object["overflow"] = selected.report.count > *r.capacity;
  }
  object["check"] = json_check(r.check, selected.difference);
  object["time"] = json_time(selected.report.timing);
  object["output"] = nullptr;
  if (r.output && !selected.difference) object["output"] = *r.output;
  object["picture"] = nullptr;
  if (r.picture) object["picture"] = *r.picture;
  if (!r.output && input.n <= most_json_values) add_results(r, input, selected, object);
  return object;
}

void say_selected(const SelectRequest& r, const SelectInput& input, const Selected& selected) {
  const SelectionReport& report = selected.report;
  if (const auto& found = selected.difference) {
    const std::string what =
        found->in_count ? std::string(count_name(r.kind)) : fmt::format("result {}", found->index);
    return say_wrong(r, {what, found->index, found->expected, found->found});
  }
  const std::string elements =
      input.by_rows
          ? fmt::format("{} row{}", input.n, input.n == 1 ? "" : "s")
          : fmt::format("{} {}{}{}{}", input.n, name(type_of_values(input.values.values)),
                        input.values.inferred ? " (inferred)" : "",
                        input.values.column.empty() ? "" : " of column ", input.values.column);
  std::string line = fmt::format(
      "cumulo: {}, {}, {} on {}: {} {}", elements, primitive_name(selected.description),
      report.algorithm, describe_device(selected.device), count_name(r.kind), report.count);
  if (r.second) line += fmt::format(" and {}", report.count + report.second);
  if (r.capacity && report.count > *r.capacity) {
    line += fmt::format(", of which the capacity lets {} be written", *r.capacity);
  }
  if (report.timing) line += ", " + describe_time(*report.timing);
  if (r.check) line += "; every element checked";
  say(line);
}

}  // namespace cumulo::app
