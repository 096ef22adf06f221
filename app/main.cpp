// cumulo: the command. Finds the subcommand and keeps whatever happens inside it from ending in a
// crash.
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <new>
#include <stdexcept>

#include "command.hpp"
#include "formats/file.hpp"
#include "report.hpp"

namespace cumulo::app {
namespace {

int unknown_command(const std::string& word, bool json) {
  std::vector<std::string> names;
  for (const Command& command : all_commands()) names.emplace_back(command.name);
  if (word.starts_with('-')) {
    return report_error(
        {ErrorKind::bad_argument,
         fmt::format("'{}' stands before the command; a command comes first: cumulo scan {} ...",
                     word, word)},
        json);
  }
  return report_error(unknown_word("the command", word, names), json);
}

int dispatch(const Arguments& words) {
  if (words.empty()) {
    run_help({});
    return bad_request;
  }
  if (words[0] == "--help" || words[0] == "-h") return run_help({});
  if (words[0] == "--version") return run_version({});
  const auto command = std::ranges::find(all_commands(), words[0], &Command::name);
  if (command == all_commands().end()) return unknown_command(words[0], wants_json(words));
  return command->run(Arguments(words.begin() + 1, words.end()));
}

// The library reports errors as values; what is thrown comes from the standard library.
int run(const Arguments& words) {
  const bool json = wants_json(words);
  try {
    return dispatch(words);
  } catch (const std::bad_alloc&) {
    return report_error({ErrorKind::bad_argument, "this takes more memory than there is"}, json);
  } catch (const std::length_error&) {
    return report_error({ErrorKind::bad_argument, "this takes more memory than there is"}, json);
  } catch (const std::exception& error) {
    return report_error(
        {ErrorKind::validation, std::string("an unexpected fault: ") + error.what()}, json);
  }
}

// A standard descriptor that the parent has closed would become the number of the next file opened,
// and what is said would end in that file. /dev/null the wrong way round: its use fails as before.
void occupy_standard_descriptors() {
  for (const int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (fcntl(descriptor, F_GETFD) != -1 || errno != EBADF) continue;
    open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY);
  }
}

// Mesa's Vulkan drivers complain on standard error when they find no such folder, as in containers
// and services; what stands there must be cumulo's alone.
void provide_runtime_folder() {
  const char* const folder = std::getenv("XDG_RUNTIME_DIR");
  if (folder != nullptr && *folder != '\0') return;
  std::error_code problem;
  const auto temporary = std::filesystem::temp_directory_path(problem);
  if (!problem) setenv("XDG_RUNTIME_DIR", temporary.c_str(), 1);
}

}  // namespace
}  // namespace cumulo::app

int main(int argc, char** argv) {
  cumulo::app::occupy_standard_descriptors();
  cumulo::app::install_signal_handlers();
  cumulo::app::provide_runtime_folder();
  return cumulo::app::run(cumulo::app::Arguments(argv + std::min(argc, 1), argv + argc));
}
