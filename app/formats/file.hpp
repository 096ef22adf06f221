// Whole files in; files out that appear complete or not at all.
#pragma once

#include <string>
#include <string_view>

#include "cumulo/error.hpp"

namespace cumulo::app {

// The bytes of a file, or of standard input for "-". bad_argument where they do not fit in memory.
Result<std::string> read_whole(const std::string& path, bool show_progress);

// "standard input" for "-", else the path in quotes.
std::string source_name(const std::string& path);

// Errors that can be told before any work: the folder is missing, the file is there and force is
// not given, or it is the input itself, through links too.
Result<void> check_writable(const std::string& path, const std::string& input, bool force);

// Bytes this process can still take without swapping; the largest value where that is not known.
std::uint64_t available_memory();

// Not enough memory for `bytes` more: a bad_argument that says what needs them.
Result<void> require_memory(std::uint64_t bytes, std::string_view what);

// A file beside `path` that takes its place on commit() and vanishes without it, also when an
// interrupt ends the process.
class PendingFile {
 public:
  static Result<PendingFile> create(const std::string& path);
  PendingFile(PendingFile&& other) noexcept;
  PendingFile& operator=(PendingFile&&) = delete;
  ~PendingFile();

  const std::string& temporary_path() const { return temporary_; }
  int descriptor() const { return descriptor_; }
  Result<void> commit();

 private:
  PendingFile() = default;

  std::string path_;
  std::string temporary_;
  int descriptor_ = -1;
  int slot_ = -1;
};

// Collects small pieces and writes them in large ones.
class Writer {
 public:
  explicit Writer(int descriptor, std::string name);
  // Ends early and quietly: a reader that closed the pipe wants no more.
  bool closed() const { return closed_; }
  Result<void> write(std::string_view bytes);
  Result<void> flush();

 private:
  Result<void> send(std::string_view bytes);

  int descriptor_;
  std::string name_;
  std::string buffer_;
  bool closed_ = false;
};

// SIGINT, SIGTERM and SIGHUP remove pending files before they end the process; a closed pipe or
// a file too large is a write error, not a signal.
void install_signal_handlers();

}  // namespace cumulo::app
