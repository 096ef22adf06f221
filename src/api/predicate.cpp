// Predicates from text, for both backends.
#include <limits>
#include <utility>

#include "cpu/predicate.hpp"
#include "cumulo/predicate_language.hpp"
#include "plan/predicate.hpp"
#include "predicate/names.hpp"
#include "predicate/program.hpp"

namespace cumulo {
namespace {

// More elements than memory holds, and few enough that sums of indices keep to 64 bits.
constexpr std::uint64_t most_index = (std::uint64_t{1} << 48) - 1;
constexpr std::uint64_t most_narrow_index = std::numeric_limits<std::uint32_t>::max();

}  // namespace

Result<Predicate> parse_predicate(std::string_view text, std::span<const PredicateColumn> columns) {
  const auto program = predicate::compile(text, columns, most_index);
  if (!program) return std::unexpected{predicate::error_of(program.error(), text)};
  const auto narrow = predicate::compile(text, columns, most_narrow_index);
  if (!narrow) return std::unexpected{predicate::error_of(narrow.error(), text)};
  auto wgsl = plan::predicate_text(*narrow, columns);
  if (!wgsl) return std::unexpected{std::move(wgsl.error())};
  auto near = cpu::predicate_function(*narrow, columns);
  auto far = cpu::predicate_function(*program, columns);
  Predicate made{.name = std::string(text),
                 .columns = {columns.begin(), columns.end()},
                 .wgsl = std::move(wgsl->body),
                 .wgsl_functions = std::move(wgsl->functions)};
  made.function = [near = std::move(near), far = std::move(far)](
                      const std::byte* const* arrays, std::uint64_t first, std::uint32_t count,
                      std::uint8_t* keep) {
    (first + count <= most_narrow_index ? near : far)(arrays, first, count, keep);
  };
  return made;
}

Result<Predicate> parse_predicate(std::string_view text, Type type) {
  const PredicateColumn x{.name = "x", .type = type};
  return parse_predicate(text, std::span{&x, 1});
}

Result<std::vector<std::size_t>> columns_read(std::string_view text,
                                              std::span<const std::string> names) {
  auto read = predicate::names_read(text, names);
  if (!read) return std::unexpected{predicate::error_of(read.error(), text)};
  return std::move(*read);
}

}  // namespace cumulo
