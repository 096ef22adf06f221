// cumulo help and cumulo version.
#include <fmt/format.h>

#include <algorithm>

#include "command.hpp"
#include "report.hpp"
#include "version.hpp"

namespace cumulo::app {
namespace {

std::string overview() {
  std::string text =
      "cumulo: where does my output go? Prefix sums on any GPU, and without one.\n\n"
      "usage: cumulo COMMAND ... [--help]\n\n";
  for (const Command& command : all_commands()) {
    text += fmt::format("  {:<9} {}\n", command.name, command.summary);
  }
  text +=
      "\n'cumulo help NAME' shows a command's options with a worked example.\n"
      "Exit status: 0 done; 1 a check failed; 2 the request or the input is wrong; 3 no device as\n"
      "asked; 4 the device failed while working.\n";
  return text;
}

}  // namespace

int run_help(const Arguments& arguments) {
  if (arguments.empty() || arguments[0] == "--help" || arguments[0] == "-h")
    return print_text(overview());
  if (arguments.size() > 1) {
    return report_error({ErrorKind::bad_argument, "cumulo help takes one command"}, false);
  }
  const std::string& word = arguments[0];
  const auto command = std::ranges::find(all_commands(), word, &Command::name);
  if (command == all_commands().end()) {
    std::vector<std::string> names;
    for (const Command& known : all_commands()) names.emplace_back(known.name);
    return report_error(unknown_word("the command", word, names), false);
  }
  if (command->run == run_help) return print_text(overview());
  return command->run({"--help"});
}

int run_version(const Arguments& arguments) {
  bool json = false;
  CLI::App app("The version of cumulo.", "cumulo version");
  app.add_flag("--json", json, "one JSON object on standard output");
  app.footer("Example\n  cumulo version\n");
  if (const auto status = parse_arguments(app, arguments)) return *status;
  if (!json) return print_text(fmt::format("cumulo {}\n", version));
  Json object = json_object("version");
  object["version"] = version;
  return print_json(object);
}

}  // namespace cumulo::app
