#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "bench/repeat.hpp"

namespace cumulo::bench {

bool RepeatReport::ok() const {
  return std::ranges::all_of(
      rows, [](const RepeatRow& row) { return row.refused || (!row.failure && row.others == 0); });
}

std::string to_text(const RepeatReport& report) {
  std::string text = fmt::format(
      "Runs of the same input on {}, beside copies and {} scans of another thread\n{:<14}{:>12}  "
      "{:<18}{:>8}{:>9}{:>8}  {:<35}  {}\n",
      report.device.name, report.other_scans, "scan", "n", "algorithm", "runs", "stalled", "others",
      "digest of results and total", "CPU backend");
  for (const RepeatRow& row : report.rows) {
    text += fmt::format("{:<14}{:>12}  {:<18}", row.scan, row.n, row.algorithm);
    if (row.failure) {
      text += fmt::format(" {}: {}\n", row.refused ? "refused" : "failed", *row.failure);
      continue;
    }
    text +=
        fmt::format("{:>8}{:>9}{:>8}  {:<35}  {}{}\n", row.runs, row.stalled, row.others,
                    row.digest, row.as_on_cpu ? "the same" : "others",
                    row.first_other ? fmt::format("; FAILED from run {}", *row.first_other) : "");
  }
  return text;
}

std::string to_json(const RepeatReport& report) {
  nlohmann::ordered_json root{{"schema", "cumulo-repeat/1"},
                              {"ok", report.ok()},
                              {"device",
                               {{"name", report.device.name},
                                {"api", report.device.api},
                                {"driver", report.device.driver}}},
                              {"other_scans", report.other_scans},
                              {"rows", nlohmann::ordered_json::array()}};
  for (const RepeatRow& row : report.rows) {
    nlohmann::ordered_json entry{
        {"scan", row.scan}, {"n", row.n}, {"algorithm", row.algorithm}, {"runs", row.runs}};
    if (row.failure) {
      entry[row.refused ? "refused" : "failure"] = *row.failure;
    } else {
      entry["stalled"] = row.stalled;
      entry["others"] = row.others;
      if (row.first_other) entry["first_other"] = *row.first_other;
      entry["digest"] = row.digest;
      entry["as_on_cpu"] = row.as_on_cpu;
    }
    root["rows"].push_back(std::move(entry));
  }
  return root.dump(2);
}

}  // namespace cumulo::bench
