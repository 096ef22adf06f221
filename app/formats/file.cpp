#include "formats/file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <limits>
#include <utility>

#include "formats/pending_names.hpp"
#include "formats/progress.hpp"

namespace cumulo::app {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t piece = std::size_t{8} << 20;  // bytes moved by one system call

std::unexpected<Error> file_error(std::string message) {
  return std::unexpected{Error{ErrorKind::file, std::move(message)}};
}

std::unexpected<Error> refused(std::string message) {
  return std::unexpected{Error{ErrorKind::bad_argument, std::move(message)}};
}

std::string reason(int error) { return std::strerror(error); }

// Closes on every way out; standard input stays open.
struct Descriptor {
  int value = -1;
  ~Descriptor() {
    if (value > STDERR_FILENO) close(value);
  }
};

// Something there that a file of the same name would not replace but destroy.
bool is_special(const fs::path& path) {
  std::error_code ignored;
  const fs::file_status status = fs::status(path, ignored);
  return fs::is_other(status);
}

Result<void> append_all(int descriptor, const std::string& path, std::uint64_t expected,
                        bool show_progress, std::string& bytes) {
  Progress progress("reading", expected, show_progress);
  while (true) {
    const std::size_t had = bytes.size();
    const std::size_t room = std::max<std::size_t>(piece, bytes.capacity() - had);
    if (auto fits = require_memory(had + room > bytes.capacity() ? had + room : 0,
                                   "reading " + source_name(path));
        !fits) {
      return fits;
    }
    if (had + room > bytes.capacity()) bytes.reserve(std::max(had + room, 2 * had));
    ssize_t got = 0;
    const std::size_t wanted = std::min(room, piece);
    bytes.resize_and_overwrite(had + wanted, [&](char* data, std::size_t) {
      do {
        got = ::read(descriptor, data + had, wanted);
      } while (got < 0 && errno == EINTR);
      return had + static_cast<std::size_t>(std::max<ssize_t>(got, 0));
    });
    if (got < 0) return file_error("cannot read " + source_name(path) + ": " + reason(errno));
    if (got == 0) return {};
    progress.update(bytes.size());
  }
}

}  // namespace

std::string source_name(const std::string& path) {
  return path == "-" ? "standard input" : "'" + path + "'";
}

Result<std::string> read_whole(const std::string& path, bool show_progress) {
  Descriptor file{STDIN_FILENO};
  if (path != "-") {
    file.value = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (file.value < 0)
      return file_error("cannot read " + source_name(path) + ": " + reason(errno));
  }
  struct stat status{};
  if (fstat(file.value, &status) != 0) {
    return file_error("cannot read " + source_name(path) + ": " + reason(errno));
  }
  if (S_ISDIR(status.st_mode)) return file_error(source_name(path) + " is a folder, not a file");
  const auto expected =
      S_ISREG(status.st_mode) ? static_cast<std::uint64_t>(status.st_size) : std::uint64_t{0};
  // The file and the values read from it stand in memory together.
  if (auto fits = require_memory(2 * expected, "reading " + source_name(path)); !fits) {
    return std::unexpected{std::move(fits.error())};
  }
  std::string bytes;
  bytes.reserve(expected + piece);
  if (auto read = append_all(file.value, path, expected, show_progress, bytes); !read) {
    return std::unexpected{std::move(read.error())};
  }
  return bytes;
}

Result<void> check_writable(const std::string& path, const std::string& input, bool force) {
  std::error_code ignored;
  const fs::path out(path);
  if (fs::is_directory(out, ignored)) return refused("'" + path + "' is a folder, not a file");
  const fs::path folder = out.has_parent_path() ? out.parent_path() : fs::path(".");
  if (!fs::is_directory(folder, ignored)) {
    return refused("'" + path + "' cannot be written: there is no folder '" + folder.string() +
                   "'");
  }
  // Standard input may be a file as well.
  const fs::path in = input == "-" ? "/dev/stdin" : input;
  if (fs::exists(in, ignored) && fs::exists(out, ignored) && fs::equivalent(out, in, ignored)) {
    return refused("the output '" + path + "' is the input file itself; name another one");
  }
  if (is_special(out)) return refused("'" + path + "' is a device or a pipe, not a file");
  if (!force && fs::exists(fs::symlink_status(out, ignored))) {
    return refused("'" + path + "' is there already; --force overwrites it");
  }
  if (access(folder.c_str(), W_OK) != 0) {
    return refused("'" + path + "' cannot be written: " + reason(errno));
  }
  return {};
}

Result<PendingFile> PendingFile::create(const std::string& path) {
  std::error_code problem;
  fs::path target(path);
  // The file behind a link is replaced, not the link.
  if (fs::is_symlink(target, problem)) {
    const fs::path behind = fs::weakly_canonical(target, problem);
    if (!problem) target = behind;
  }
  // No longer than a name may be that is itself as long as one may be.
  constexpr std::size_t longest_stem = 100;
  const std::string extension = target.extension().string();
  if (is_special(target)) return file_error("'" + path + "' is a device or a pipe, not a file");
  const std::string name =
      "." + target.stem().string().substr(0, longest_stem) + ".XXXXXX" + extension;
  PendingFile file;
  file.path_ = target.string();
  file.temporary_ = (target.parent_path() / name).string();
  const HeldInterrupts held;
  file.descriptor_ =
      ::mkostemps(file.temporary_.data(), static_cast<int>(extension.size()), O_CLOEXEC);
  if (file.descriptor_ < 0) {
    return file_error("cannot write beside '" + path + "': " + reason(errno));
  }
  file.slot_ = remember_pending(file.temporary_);
  // A file that is replaced keeps its mode: what was private stays so.
  struct stat before{};
  if (stat(file.path_.c_str(), &before) == 0 && S_ISREG(before.st_mode)) {
    fchmod(file.descriptor_, before.st_mode & static_cast<mode_t>(0777));
  } else {
    const mode_t mask = umask(0);
    umask(mask);
    fchmod(file.descriptor_, static_cast<mode_t>(0666) & ~mask);
  }
  return file;
}

PendingFile::PendingFile(PendingFile&& other) noexcept
    : path_(std::move(other.path_)),
      temporary_(std::move(other.temporary_)),
      descriptor_(std::exchange(other.descriptor_, -1)),
      slot_(std::exchange(other.slot_, -1)) {}

PendingFile::~PendingFile() {
  if (descriptor_ < 0) return;
  close(descriptor_);
  unlink(temporary_.c_str());
  forget_pending(slot_);
}

Result<void> PendingFile::commit() {
  const int closed = close(std::exchange(descriptor_, -1));
  const bool moved = closed == 0 && std::rename(temporary_.c_str(), path_.c_str()) == 0;
  const int error = errno;
  if (!moved) unlink(temporary_.c_str());
  forget_pending(slot_);
  if (!moved) return file_error("cannot write '" + path_ + "': " + reason(error));
  return {};
}

Writer::Writer(int descriptor, std::string name) : descriptor_(descriptor), name_(std::move(name)) {
  buffer_.reserve(piece);
}

Result<void> Writer::write(std::string_view bytes) {
  if (bytes.size() >= piece) {
    if (auto flushed = flush(); !flushed) return flushed;
    return send(bytes);
  }
  if (buffer_.size() + bytes.size() > piece) {
    if (auto flushed = flush(); !flushed) return flushed;
  }
  buffer_ += bytes;
  return {};
}

Result<void> Writer::flush() {
  auto sent = send(buffer_);
  buffer_.clear();
  return sent;
}

Result<void> Writer::send(std::string_view bytes) {
  while (!bytes.empty() && !closed_) {
    const ssize_t sent = ::write(descriptor_, bytes.data(), std::min(bytes.size(), piece));
    if (sent >= 0) {
      bytes.remove_prefix(static_cast<std::size_t>(sent));
    } else if (errno == EPIPE) {
      closed_ = true;
    } else if (errno != EINTR) {
      return file_error("cannot write " + name_ + ": " + reason(errno));
    }
  }
  return {};
}

}  // namespace cumulo::app
