#include "descriptions.hpp"

#include <array>
#include <charconv>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cumulo/predicate_language.hpp"
#include "predicate/nearest.hpp"

namespace cumulo::web {
namespace {

using Json = nlohmann::json;

std::string shown(const Json& value) {
  if (value.is_array()) return "a list";
  if (value.is_object()) return "an object";
  return value.dump(-1, ' ', false, Json::error_handler_t::replace);
}

// A field as the page writes it: includeInitial for include_initial.
std::string in_script(std::string_view field) {
  std::string name;
  for (std::size_t i = 0; i < field.size(); ++i) {
    if (field[i] == '_' && i + 1 < field.size() && field[i + 1] >= 'a' && field[i + 1] <= 'z') {
      name += static_cast<char>(field[++i] - 'a' + 'A');
    } else {
      name += field[i];
    }
  }
  return name;
}

std::string listed(std::span<const std::string> words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : ", ") + word;
  return text;
}

template <class T>
std::optional<T> parsed_number(const std::string& text) {
  T value{};
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (status != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::optional<double> named_float(const std::string& text) {
  using limits = std::numeric_limits<double>;
  if (text == "nan") return limits::quiet_NaN();
  if (text == "inf") return limits::infinity();
  if (text == "-inf") return -limits::infinity();
  return std::nullopt;
}

// Integers that JavaScript's numbers cannot hold come as text, and so do infinity and NaN.
template <Element T>
std::optional<T> number_of(const Json& value) {
  if constexpr (!std::is_integral_v<T>) {
    if (value.is_number()) return static_cast<T>(value.get<double>());
    if (!value.is_string()) return std::nullopt;
    const auto named = named_float(value.get<std::string>());
    return named ? std::optional<T>(static_cast<T>(*named)) : std::nullopt;
  } else {
    if (value.is_string()) return parsed_number<T>(value.get<std::string>());
    if (!value.is_number_integer()) return std::nullopt;
    const std::string text = value.dump();
    return parsed_number<T>(text);
  }
}

template <class E, std::size_t N>
using Words = std::array<std::pair<std::string_view, E>, N>;

template <class E, std::size_t N>
Words<E, N> names_of(const std::array<E, N>& values) {
  Words<E, N> words;
  std::ranges::transform(values, words.begin(),
                         [](E value) { return std::pair{name(value), value}; });
  return words;
}

// An object's fields, each to be read by its name once; the first fault is kept.
class Fields {
 public:
  Fields(std::string what, const Json& object) : what_(std::move(what)), object_(object) {
    if (!object.is_object()) fail("is no object");
  }

  // What finish() returns of the fields never asked for.
  Result<void> finish() {
    if (fault_) return std::unexpected{std::move(*fault_)};
    for (const auto& [key, value] : object_.items()) {
      const std::string name = in_script(key);
      if (std::ranges::find(known_, name) == known_.end()) {
        const std::string nearest = predicate::nearest(name, known_);
        return std::unexpected{
            bad_argument(what_ + " has an unknown field '" + name + "'; " +
                         (nearest.empty() ? "known are " + listed(known_)
                                          : "the nearest known one is '" + nearest + "'"))};
      }
    }
    return {};
  }

  const Json* find(const char* key) {
    known_.push_back(in_script(key));
    if (fault_ || !object_.is_object()) return nullptr;
    const auto at = object_.find(key);
    return at == object_.end() || at->is_null() ? nullptr : &*at;
  }

  void fail(std::string text) {
    if (!fault_) fault_ = bad_argument(what_ + " " + std::move(text));
  }
  // `wanted` says what the field may be.
  void refuse(const char* key, const Json& value, const std::string& wanted) {
    fail("has a field '" + in_script(key) + "' that cannot be " + shown(value) + ": it is " +
         wanted);
  }
  void fail(Error error) {
    if (!fault_) fault_ = std::move(error);
  }

  template <class T>
    requires std::is_unsigned_v<T> && (!std::is_same_v<T, bool>)
  void read(const char* key, T& field) {
    const Json* const value = find(key);
    if (value == nullptr) return;
    const auto count = read_count(key, *value);
    if (!count || *count > std::numeric_limits<T>::max()) {
      return refuse(key, *value,
                    "a whole number from 0 to " + std::to_string(std::numeric_limits<T>::max()));
    }
    field = static_cast<T>(*count);
  }

  void read(const char* key, bool& field) {
    const Json* const value = find(key);
    if (value == nullptr) return;
    if (!value->is_boolean()) return refuse(key, *value, "true or false");
    field = value->get<bool>();
  }

  void read(const char* key, std::string& field) {
    const Json* const value = find(key);
    if (value == nullptr) return;
    if (!value->is_string()) return refuse(key, *value, "text");
    field = value->get<std::string>();
  }

  // One of `words`.
  template <class E, std::size_t N>
  void read_word(const char* key, E& field, const Words<E, N>& words) {
    const Json* const value = find(key);
    if (value == nullptr) return;
    std::vector<std::string> known;
    for (const auto& [word, meaning] : words) {
      if (*value == word) field = meaning;
      known.emplace_back(word);
    }
    if (!value->is_string() || std::ranges::find(known, value->get<std::string>()) == known.end()) {
      refuse(key, *value, "one of " + listed(known));
    }
  }

  // Calls item(value) for each of a list.
  template <class F>
  void read_list(const char* key, F&& item) {
    const Json* const value = find(key);
    if (value == nullptr) return;
    if (!value->is_array()) return refuse(key, *value, "a list");
    for (const Json& each : *value) item(each);
  }

 private:
  std::string what_;
  const Json& object_;
  std::vector<std::string> known_;
  std::optional<Error> fault_;
};

constexpr Words<FlagType, 3> flag_types{
    {{"u8", FlagType::u8}, {"u32", FlagType::u32}, {"bits", FlagType::bits}}};
constexpr Words<Rest, 3> rests{
    {{"dropped", Rest::dropped}, {"follows", Rest::follows}, {"three-way", Rest::three_way}}};
constexpr Words<IndirectCall, 5> calls{{{"dispatch", IndirectCall::dispatch},
                                        {"vertices", IndirectCall::vertices},
                                        {"instances", IndirectCall::instances},
                                        {"indices", IndirectCall::indices},
                                        {"indexed-instances", IndirectCall::indexed_instances}}};

// Whole words of 32 bits, the bytes of an element.
std::vector<std::byte> read_words(Fields& fields, const char* key) {
  std::vector<std::byte> bytes;
  fields.read_list(key, [&](const Json& value) {
    const auto word = number_of<std::uint32_t>(value);
    if (!word) return fields.refuse(key, value, "a list of whole words of 32 bits");
    const auto view = std::as_bytes(std::span{&*word, 1});
    bytes.insert(bytes.end(), view.begin(), view.end());
  });
  return bytes;
}

// What both a scan and a reduction combine by.
struct Combining {
  Type type = Type::u32;
  Operator op = Operator::add;
  std::optional<Monoid> monoid = std::nullopt;
};

Monoid read_monoid(Fields& outer, const Json& object) {
  Fields fields("the monoid", object);
  Monoid monoid;
  fields.read("name", monoid.name);
  fields.read("wgsl", monoid.wgsl);
  fields.read("commutative", monoid.commutative);
  monoid.identity = read_words(fields, "identity");
  fields.read_list("fields", [&](const Json& value) {
    Fields field("a field of the monoid", value);
    MonoidField made;
    field.read("name", made.name);
    field.read_word("type", made.type, names_of(all_types));
    if (auto ok = field.finish(); !ok) return outer.fail(std::move(ok.error()));
    monoid.fields.push_back(std::move(made));
  });
  if (auto ok = fields.finish(); !ok) outer.fail(std::move(ok.error()));
  return monoid;
}

Combining read_combining(Fields& fields) {
  Combining c;
  fields.read_word("type", c.type, names_of(all_types));
  fields.read_word("op", c.op, names_of(all_operators));
  if (const Json* const value = fields.find("monoid")) c.monoid = read_monoid(fields, *value);
  return c;
}

void read_initial(Fields& fields, ScanDescription& d) {
  if (d.monoid) {
    d.monoid_init = read_words(fields, "init");
    return;
  }
  const Json* const value = fields.find("init");
  if (value == nullptr) return;
  with_type(init_type(d), [&]<class T>() {
    const auto number = number_of<T>(*value);
    if (!number) {
      return fields.refuse("init", *value, "a number of " + std::string(name(init_type(d))));
    }
    d.init = Scalar{*number};
  });
}

ScanDescription read_scan(Fields& fields) {
  Combining c = read_combining(fields);
  ScanDescription d{.type = c.type, .op = c.op, .monoid = std::move(c.monoid)};
  bool exclusive = false;
  fields.read("n", d.n);
  fields.read("exclusive", exclusive);
  fields.read("reverse", d.reverse);
  fields.read("include_initial", d.include_initial);
  fields.read("wide", d.wide);
  fields.read_word("algorithm", d.algorithm, names_of(all_algorithms));
  d.kind = exclusive ? ScanKind::exclusive : ScanKind::inclusive;
  read_initial(fields, d);
  return d;
}

ReduceDescription read_reduce(Fields& fields) {
  Combining c = read_combining(fields);
  ReduceDescription d{.type = c.type, .op = c.op, .monoid = std::move(c.monoid)};
  fields.read("n", d.n);
  fields.read("wide", d.wide);
  return d;
}

SelectionDescription read_selection(Fields& fields) {
  SelectionDescription d;
  fields.read("n", d.n);
  fields.read_list("arrays", [&](const Json& value) {
    Fields array("an array", value);
    SelectionArray made;
    array.read("element_bytes", made.element_bytes);
    array.read("is_kept", made.is_kept);
    if (auto ok = array.finish(); !ok) return fields.fail(std::move(ok.error()));
    d.arrays.push_back(made);
  });
  std::vector<PredicateColumn> columns;
  fields.read_list("columns", [&](const Json& value) {
    Fields column("a column", value);
    PredicateColumn made;
    column.read("name", made.name);
    column.read_word("type", made.type, names_of(all_types));
    if (auto ok = column.finish(); !ok) return fields.fail(std::move(ok.error()));
    columns.push_back(std::move(made));
  });
  const auto read_predicate = [&](const char* key, std::optional<Predicate>& predicate) {
    if (fields.find(key) == nullptr) return;
    std::string text;
    fields.read(key, text);
    auto made = parse_predicate(text, columns);
    if (!made) return fields.fail(std::move(made.error()));
    predicate = std::move(*made);
  };
  read_predicate("where", d.predicate);
  read_predicate("second", d.second);
  if (fields.find("flags") != nullptr) {
    FlagType flags{};
    fields.read_word("flags", flags, flag_types);
    d.flags = flags;
  }
  fields.read("heads", d.heads);
  fields.read_word("rest", d.rest, rests);
  fields.read("indices", d.indices);
  fields.read("lengths", d.lengths);
  fields.read("capacity", d.capacity);
  fields.read_word("algorithm", d.algorithm, names_of(all_selection_algorithms));
  return d;
}

std::vector<IndirectForm> read_forms(Fields& fields, const char* key) {
  std::vector<IndirectForm> forms;
  fields.read_list(key, [&](const Json& value) {
    Fields form("an indirect call", value);
    IndirectForm made;
    form.read_word("call", made.call, calls);
    form.read("per", made.per);
    form.read("of_items", made.of_items);
    if (auto ok = form.finish(); !ok) return fields.fail(std::move(ok.error()));
    forms.push_back(made);
  });
  return forms;
}

AllocateDescription read_allocation(Fields& fields) {
  AllocateDescription d;
  fields.read("n", d.n);
  fields.read("wide", d.wide);
  std::uint64_t capacity = std::numeric_limits<std::uint64_t>::max();
  if (fields.find("capacity") != nullptr) {
    fields.read("capacity", capacity);
    d.capacity = capacity;
  }
  fields.read("capacity_on_device", d.capacity_on_device);
  d.arguments = read_forms(fields, "arguments");
  fields.read_word("algorithm", d.algorithm, names_of(all_algorithms));
  return d;
}

ExpandDescription read_expansion(Fields& fields) {
  ExpandDescription d;
  fields.read("n", d.n);
  fields.read("element_bytes", d.element_bytes);
  fields.read("capacity", d.capacity);
  fields.read("from_offsets", d.from_offsets);
  d.arguments = read_forms(fields, "arguments");
  fields.read_word("algorithm", d.algorithm, names_of(all_algorithms));
  return d;
}

ArgumentsDescription read_arguments(Fields& fields) {
  ArgumentsDescription d;
  d.forms = read_forms(fields, "forms");
  fields.read("capacity", d.capacity);
  return d;
}

template <class Read>
Result<Description> checked(const std::string& called, const Json& object, Read&& read) {
  Fields fields("the description of " + called, object);
  auto description = read(fields);
  if (auto ok = fields.finish(); !ok) return std::unexpected{std::move(ok.error())};
  if constexpr (requires { validate(description); }) {
    if (auto ok = validate(description); !ok) return std::unexpected{std::move(ok.error())};
  }
  return Description{std::move(description)};
}

}  // namespace

Result<std::uint64_t> read_count(const std::string& field, const Json& value) {
  if (value.is_number_unsigned()) return value.get<std::uint64_t>();
  if (value.is_string()) {
    if (const auto count = parsed_number<std::uint64_t>(value.get<std::string>())) return *count;
  }
  return std::unexpected{
      bad_argument("'" + field + "' must be a whole number from 0 on, not " + shown(value))};
}

Result<Description> read_description(const std::string& primitive, const std::string& called,
                                     const Json& fields) {
  if (primitive == "scan") return checked(called, fields, read_scan);
  if (primitive == "reduce") return checked(called, fields, read_reduce);
  if (primitive == "select") return checked(called, fields, read_selection);
  if (primitive == "allocate") return checked(called, fields, read_allocation);
  if (primitive == "expand") return checked(called, fields, read_expansion);
  if (primitive == "arguments") return checked(called, fields, read_arguments);
  return std::unexpected{
      bad_argument("unknown primitive '" + primitive +
                   "'; known are scan, reduce, select, allocate, expand and arguments")};
}

}  // namespace cumulo::web
