// .txt: numbers apart by blanks, commas or line ends.
#include "formats/parse_values.hpp"
#include "formats/readers.hpp"

namespace cumulo::app {
namespace {

constexpr bool is_blank(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

class TextSource {
 public:
  TextSource(std::string_view text, std::string name) : text_(text), name_(std::move(name)) {}

  std::string_view text() const { return text_; }
  const std::string& name() const { return name_; }

  template <class Sink>
  Result<bool> each(Sink&& sink) const {
    const char* p = text_.data();
    const char* const end = p + text_.size();
    bool number_before = false;  // since the last comma
    while (p != end) {
      if (is_blank(*p)) {
        ++p;
      } else if (*p == ',') {
        if (!number_before) return missing(p);
        number_before = false;
        ++p;
      } else {
        const char* const first = p;
        while (p != end && *p != ',' && !is_blank(*p)) ++p;
        if (!sink(std::string_view(first, p))) return false;
        number_before = true;
      }
    }
    return true;
  }

 private:
  std::unexpected<Error> missing(const char* comma) const {
    const auto offset = static_cast<std::size_t>(comma - text_.data());
    return std::unexpected{Error{ErrorKind::bad_argument, name_ + ", " + place(text_, offset) +
                                                              ": no number before this comma"}};
  }

  std::string_view text_;
  std::string name_;
};

}  // namespace

Result<Array> read_text(std::string_view bytes, const std::string& source,
                        const ReadOptions& options) {
  auto values =
      parse_values(TextSource(without_mark(bytes), source), options.type, options.show_progress);
  if (!values) return std::unexpected{std::move(values.error())};
  return Array{.values = std::move(*values), .inferred = !options.type};
}

}  // namespace cumulo::app
