#include "command.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "predicate/nearest.hpp"
#include "report.hpp"

namespace cumulo::app {
namespace {

constexpr std::array commands{
    Command{"scan", "prefix sums (or products, minima ...) of a file of numbers", run_scan},
    Command{"compact", "the numbers or rows that flags or a predicate keep, in order", run_compact},
    Command{"partition", "the kept ones first, the others after, both in order", run_partition},
    Command{"unique", "the first of each run of equal neighbours", run_unique},
    Command{"runs", "value, length and start of each run", run_runs},
    Command{"allocate", "where each item's places begin, and how many items fit", run_allocate},
    Command{"expand", "every item as often as its count says", run_expand},
    Command{"reduce", "one sum (or product, minimum ...) of a file of numbers", run_reduce},
    Command{"devices", "all adapters, their limits, and for each one not usable the reason",
            run_devices},
    Command{"demo", "two lessons on prefix sums: numbers, verdicts, times, pictures", run_demo},
    Command{"plan", "what a device would be told to do; needs none", run_plan},
    Command{"bench", "times a primitive beside copies and rivals, results checked", run_bench},
    Command{"help", "this list, or a command's options with a worked example", run_help},
    Command{"version", "the version of cumulo", run_version},
};

struct Example {
  std::string_view option;
  std::string_view value;
};
constexpr std::array examples{Example{"--algorithm", "single-pass"},
                              Example{"--algorithms", "all"},
                              Example{"--capacity", "1e6"},
                              Example{"--column", "price"},
                              Example{"--device", "cpu"},
                              Example{"--dtype", "u32"},
                              Example{"--flags", "bits"},
                              Example{"--format", "csv"},
                              Example{"--heat", "2"},
                              Example{"--init", "10"},
                              Example{"--keep", "flags.npy"},
                              Example{"--kind", "exclusive"},
                              Example{"--kinds", "inclusive,exclusive"},
                              Example{"--layouts", "all"},
                              Example{"--n", "2^20"},
                              Example{"--op", "max"},
                              Example{"--ops", "add,max"},
                              Example{"--out", "pictures"},
                              Example{"--output", "results.npy"},
                              Example{"--pages", "huge"},
                              Example{"--picture", "picture.png"},
                              Example{"--runs", "5"},
                              Example{"--second", "'x < 6'"},
                              Example{"--shares", "0.01,0.5"},
                              Example{"--traits", "devices.json"},
                              Example{"--type", "f32"},
                              Example{"--types", "u32,f32"},
                              Example{"--values", "values.npy"},
                              Example{"--values-column", "value"},
                              Example{"--values-dtype", "f32"},
                              Example{"--where", "'x > 3'"}};

// ", as in --op max"
std::string as_in(const std::string& option) {
  const auto example = std::ranges::find(examples, option, &Example::option);
  return example == examples.end() ? "" : fmt::format(", as in {} {}", option, example->value);
}

// The option that a message of CLI11 is about: it names it.
const CLI::Option* option_of(const CLI::App& app, std::string_view message) {
  for (const CLI::Option* option : app.get_options()) {
    const std::string name = option->get_name();
    const bool first = message.starts_with(name + ":") || message.starts_with(name + " ");
    if (first || message.find(": " + name + " = ") != message.npos) return option;
  }
  return nullptr;
}

// What CLI11 found wrong, in this command's words.
Error misused(const CLI::App& app, const CLI::ParseError& error) {
  const std::string message = error.what();
  const CLI::Option* const option = option_of(app, message);
  if (option == nullptr) {
    return {ErrorKind::bad_argument, fmt::format("{}: {}", app.get_name(), message)};
  }
  const std::string name = option->get_name();
  const std::string given = fmt::format("{}", fmt::join(option->results(), " "));
  std::string what;
  if (dynamic_cast<const CLI::RequiredError*>(&error) != nullptr) {
    what = fmt::format("needs {}: {}", name, option->get_description());
  } else if (option->get_expected_max() == 0) {
    what = fmt::format("takes no value after {}: '{}' is none for it", name, given);
  } else if (dynamic_cast<const CLI::ArgumentMismatch*>(&error) != nullptr) {
    what = option->results().size() > 1
               ? fmt::format("takes {} once, not with each of {}{}", name, given, as_in(name))
               : fmt::format("needs a value after {}{}", name, as_in(name));
  } else {
    what = fmt::format("cannot take {} '{}': {}{}", name, given, option->get_description(),
                       as_in(name));
  }
  return {ErrorKind::bad_argument, fmt::format("{} {}", app.get_name(), what)};
}

std::vector<std::string> option_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options()) {
    if (option->get_group().empty()) continue;  // hidden
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
    for (const std::string& name : option->get_snames()) names.push_back("-" + name);
  }
  return names;
}

Error surplus(const CLI::App& app, const std::vector<std::string>& left_over) {
  const auto option = std::ranges::find_if(
      left_over, [](const std::string& word) { return word.size() > 1 && word[0] == '-'; });
  if (option == left_over.end()) {
    return {ErrorKind::bad_argument,
            fmt::format("{} takes no further argument '{}'", app.get_name(), left_over.front())};
  }
  const std::string word = option->substr(0, option->find('='));
  std::string message = fmt::format("{} has no option {}", app.get_name(), word);
  const std::vector<std::string> names = option_names(app);
  if (const auto near = predicate::nearest(word, names); !near.empty()) {
    message += fmt::format("; did you mean {}?", near);
  }
  return {ErrorKind::bad_argument, std::move(message)};
}

}  // namespace

int exit_status(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::bad_argument:
    case ErrorKind::unsupported:
    case ErrorKind::file: return bad_request;
    case ErrorKind::no_device: return no_device;
    case ErrorKind::out_of_memory:
    case ErrorKind::device_lost:
    case ErrorKind::validation:
    case ErrorKind::stalled: break;
  }
  return device_failed;
}

std::span<const Command> all_commands() { return commands; }

bool wants_json(const Arguments& arguments) {
  return std::ranges::find(arguments, "--json") != arguments.end();
}

std::optional<int> parse_arguments(CLI::App& app, const Arguments& arguments) {
  const bool json = wants_json(arguments);
  app.allow_extras();
  app.get_formatter()->column_width(34);
  try {
    app.parse(std::vector<std::string>(arguments.rbegin(), arguments.rend()));
  } catch (const CLI::CallForHelp&) {
    return print_text(app.help());
  } catch (const CLI::ParseError& error) {
    return report_error(misused(app, error), json);
  }
  auto left_over = app.remaining();
  // What separates options from files is neither.
  if (const auto mark = std::ranges::find(left_over, "--"); mark != left_over.end()) {
    left_over.erase(mark);
  }
  if (!left_over.empty()) {
    return report_error(surplus(app, left_over), json);
  }
  return std::nullopt;
}

Error unknown_word(std::string_view what, std::string_view word, std::span<const std::string> known,
                   std::string_view fault) {
  std::string message =
      fmt::format("{} '{}' {}; known are {}", what, word, fault, fmt::join(known, ", "));
  if (const auto near = predicate::nearest(word, known); !near.empty()) {
    message += fmt::format("; did you mean {}?", near);
  }
  return {ErrorKind::bad_argument, std::move(message)};
}

}  // namespace cumulo::app
