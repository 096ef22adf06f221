// Values from a text, and the choice of their type where none was asked for.
//
// A source is a text cut into tokens:
//   std::string_view text() const;                 all of it, for places
//   const std::string& name() const;               for messages
//   Result<bool> each(sink) const;                 sink(token) for every number until it says
//   false;
//                                                  whether it never did
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cumulo/error.hpp"
#include "formats/array.hpp"
#include "formats/number.hpp"
#include "formats/place.hpp"
#include "formats/progress.hpp"

namespace cumulo::app {

struct Rejected {
  NumberFault fault;
  std::string_view token;
};

template <Element T, class Source>
Result<std::optional<Rejected>> parse_as(const Source& source, bool show_progress,
                                         std::vector<T>& values) {
  constexpr std::size_t between_updates = 1 << 16;
  Progress progress("parsing", source.text().size(), show_progress);
  std::optional<Rejected> rejected;
  auto finished = source.each([&](std::string_view token) {
    T value;
    const NumberFault fault = parse_number(token, value);
    if (fault != NumberFault::none) {
      rejected = Rejected{fault, token};
      return false;
    }
    values.push_back(value);
    if (values.size() % between_updates == 0) {
      progress.update(static_cast<std::size_t>(token.data() - source.text().data()));
    }
    return true;
  });
  if (!finished) return std::unexpected{std::move(finished.error())};
  return rejected;
}

template <class Source>
Result<Values> parse_values(const Source& source, std::optional<Type> type, bool show_progress) {
  // Each type is tried from the start until a token does not fit; most texts decide early.
  static constexpr Type narrow_to_wide[] = {Type::u32, Type::i32, Type::i64, Type::u64, Type::f32};
  std::span<const Type> candidates = narrow_to_wide;
  if (type) candidates = {&*type, 1};
  while (true) {
    const Type candidate = candidates.front();
    Values values;
    auto rejected = with_type(candidate, [&]<class T>() {
      return parse_as(source, show_progress, values.emplace<std::vector<T>>());
    });
    if (!rejected) return std::unexpected{std::move(rejected.error())};
    if (!*rejected) return values;
    const auto [fault, token] = **rejected;
    if (candidates.size() == 1) {
      const auto offset = static_cast<std::size_t>(token.data() - source.text().data());
      return std::unexpected{
          Error{ErrorKind::bad_argument, source.name() + ", " + place(source.text(), offset) +
                                             ": " + describe(fault, token, candidate)}};
    }
    const bool integer = fault == NumberFault::negative || fault == NumberFault::out_of_range;
    candidates = integer ? candidates.subspan(1) : candidates.last(1);
  }
}

}  // namespace cumulo::app
