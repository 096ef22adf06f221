// What a page calls: one request as JSON, one answer as JSON.
//
//   {"call": "slots", "primitive": P, "description": {...}, "counted": false}
//     -> {"slots": [{"name", "element_bytes", "elements", "written"}], "total_bytes", "fallback"}
//   {"call": "plan", ..., "traits": {...}, "buffers": [{"buffer", "offset", "bytes"}]}
//     -> {"plan": {...}, "external": [{"index", "offset"}]}
//   {"call": "trace", ..., "traits": {...}}, of a scan over two buffers of its own
//     -> as of "plan"; the plan's "trace" says what its buffer holds
//   {"call": "run", ..., "places": [address]}
//     -> {"algorithm": "blocked"}
//   {"call": "traits", "limits": {"max_buffer_size"...}, "features": [name], "vendor",
//   "is_software",
//    "user_agent", "subgroup_min_size", "subgroup_max_size", "subgroup_width"}, all of it as the
//    browser
//   names it, the width as one probing kernel saw it
//     -> the traits, for "plan" and "trace"
// "called" may stand beside "primitive": the name that errors are to give it.
// or {"error": {"kind", "message", "reasons"}}. "buffers" and "places" stand in the order of the
// slots; equal numbers in "buffer" mean one buffer. "external" are the plan's buffers that the
// caller gives, and from where they are bound.
#include <algorithm>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <string>

#include "descriptions.hpp"
#include "plan/caller.hpp"
#include "plan/vendors.hpp"
#include "run_on_cpu.hpp"

namespace cumulo::web {
namespace {

using Json = nlohmann::json;

std::string text_of(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string answer_of(const Error& error) {
  return text_of(
      {{"error",
        {{"kind", name(error.kind)}, {"message", error.message}, {"reasons", error.reasons}}}});
}

// A request's parts, read when they are wanted.
struct Request {
  const Json& json;
  Description description;
  bool counted;

  PlanFamily family() const {
    return std::visit(
        [&](const auto& d) {
          if constexpr (requires { plans_of(d, counted); }) {
            return plans_of(d, counted);
          } else {
            return plans_of(d);
          }
        },
        description);
  }
};

const Json* member(const Json& json, const char* key) {
  const auto at = json.find(key);
  return at == json.end() ? nullptr : &*at;
}

Result<std::uint64_t> count_of(const Json& json, const char* key) {
  const Json* const value = member(json, key);
  if (value == nullptr)
    return std::unexpected{bad_argument("'" + std::string(key) + "' is missing")};
  return read_count(key, *value);
}

Result<std::string> answer_slots(const Request& request) {
  const PlanFamily family = request.family();
  Json slots = Json::array();
  for (const CallerSlot& slot : family.slots) {
    slots.push_back({{"name", slot.what},
                     {"element_bytes", slot.element_bytes},
                     {"elements", slot.elements},
                     {"written", slot.is_written}});
  }
  const auto* const scan = std::get_if<ScanDescription>(&request.description);
  return text_of({{"slots", slots},
                  {"total_bytes", scan != nullptr ? element_bytes(*scan) : 0},
                  {"fallback", family.fallback}});
}

Result<std::vector<CallerPlace>> read_places(const Request& request, std::size_t wanted) {
  const Json* const buffers = member(request.json, "buffers");
  if (buffers == nullptr || !buffers->is_array() || buffers->size() != wanted) {
    return std::unexpected{
        bad_argument("'buffers' must list " + std::to_string(wanted) + " places")};
  }
  std::vector<CallerPlace> places;
  for (const Json& buffer : *buffers) {
    std::array<std::uint64_t, 3> numbers{};
    std::size_t k = 0;
    for (const char* const key : {"buffer", "offset", "bytes"}) {
      auto number = buffer.is_object() ? count_of(buffer, key)
                                       : std::unexpected{bad_argument("a place is no object")};
      if (!number) return std::unexpected{std::move(number.error())};
      numbers[k++] = *number;
    }
    // A buffer is only told from others.
    places.push_back({reinterpret_cast<const void*>(static_cast<std::uintptr_t>(numbers[0] + 1)),
                      numbers[1], numbers[2]});
  }
  return places;
}

// The caller's part of a buffer must lie in it.
Result<void> check_room(const CallerSlot& slot, const CallerPlace& place) {
  const std::uint64_t bytes = slot.elements * slot.element_bytes;
  if (place.offset <= place.buffer_bytes && bytes <= place.buffer_bytes - place.offset) return {};
  return std::unexpected{bad_argument(
      "the " + slot.what + " takes " + std::to_string(bytes) + " bytes from offset " +
      std::to_string(place.offset) + ", and its buffer has " + std::to_string(place.buffer_bytes))};
}

Result<Traits> read_traits(const Json& json) {
  const Json* const value = member(json, "traits");
  if (value == nullptr) return Traits{};
  return traits_from_json(text_of(*value));
}

Result<std::string> answer_plan(const Request& request) {
  const PlanFamily family = request.family();
  auto traits = read_traits(request.json);
  if (!traits) return std::unexpected{std::move(traits.error())};
  auto places = read_places(request, family.slots.size());
  if (!places) return std::unexpected{std::move(places.error())};
  for (std::size_t k = 0; k < places->size(); ++k) {
    if (auto ok = check_room(family.slots[k], (*places)[k]); !ok) {
      return std::unexpected{std::move(ok.error())};
    }
  }
  auto arranged = arrange(family.slots, *places, traits->limits, family.can_be_in_place);
  if (!arranged) return std::unexpected{std::move(arranged.error())};
  auto made = family.plan(arranged->layout, *traits, 0);
  if (!made) return std::unexpected{std::move(made.error())};
  Json external = Json::array();
  for (std::size_t k = 0; k < made->external.size(); ++k) {
    external.push_back({{"index", made->external[k]}, {"offset", arranged->bound_offsets[k]}});
  }
  return "{\"plan\": " + to_json(made->plan, true) + ", \"external\": " + text_of(external) + "}";
}

Result<std::string> answer_trace(const Request& request) {
  const auto* const scan = std::get_if<ScanDescription>(&request.description);
  if (scan == nullptr) return std::unexpected{bad_argument("only a scan can be traced")};
  auto traits = read_traits(request.json);
  if (!traits) return std::unexpected{std::move(traits.error())};
  auto plan = plan_scan(*scan, *traits, {.trace = true});
  if (!plan) return std::unexpected{std::move(plan.error())};
  const Json external{{{"index", 0}, {"offset", 0}}, {{"index", 1}, {"offset", 0}}};
  return "{\"plan\": " + to_json(*plan, true) + ", \"external\": " + text_of(external) + "}";
}

Result<std::string> answer_run(const Request& request) {
  const std::size_t slots = request.family().slots.size();
  const bool scans = std::holds_alternative<ScanDescription>(request.description);
  const std::size_t wanted = slots + (scans ? 1 : 0);
  const Json* const addresses = member(request.json, "places");
  if (addresses == nullptr || !addresses->is_array() || addresses->size() != wanted) {
    return std::unexpected{
        bad_argument("'places' must list " + std::to_string(wanted) + " addresses")};
  }
  std::vector<std::byte*> places;
  for (const Json& value : *addresses) {
    auto address = read_count("places", value);
    if (!address) return std::unexpected{std::move(address.error())};
    places.push_back(reinterpret_cast<std::byte*>(static_cast<std::uintptr_t>(*address)));
  }
  if (auto ok = run_on_cpu(request.description, places); !ok) {
    return std::unexpected{std::move(ok.error())};
  }
  const auto* const scan = std::get_if<ScanDescription>(&request.description);
  const bool serial = scan != nullptr && scan->algorithm == Algorithm::serial;
  return text_of({{"algorithm", name(serial ? Algorithm::serial : Algorithm::blocked)}});
}

std::string word_of(const Json& json, const char* key) {
  const Json* const value = member(json, key);
  return value != nullptr && value->is_string() ? value->get<std::string>() : std::string();
}

// False where it is missing.
Result<bool> truth_of(const Json& json, const char* key) {
  const Json* const value = member(json, key);
  if (value == nullptr) return false;
  if (value->is_boolean()) return value->get<bool>();
  return std::unexpected{
      bad_argument("'" + std::string(key) + "' must be true or false, not " +
                   (value->is_structured() ? "a list or an object" : text_of(*value)))};
}

// The limits and sizes by the names of the traits, which tell what there is and what it may be.
Result<std::string> answer_traits(const Json& json) {
  const Json* const limits = member(json, "limits");
  Json given = limits != nullptr ? *limits : Json::object();
  if (!given.is_object()) return std::unexpected{bad_argument("'limits' must be an object")};
  for (const char* const key : {"subgroup_min_size", "subgroup_max_size", "subgroup_width"}) {
    if (const Json* const value = member(json, key)) given[key] = *value;
  }
  auto traits = traits_from_json(text_of(given));
  if (!traits) return std::unexpected{std::move(traits.error())};
  auto is_software = truth_of(json, "is_software");
  if (!is_software) return std::unexpected{std::move(is_software.error())};
  const Json* const features = member(json, "features");
  const auto has = [&](const char* feature) {
    return features != nullptr && features->is_array() &&
           std::ranges::find(*features, Json(feature)) != features->end();
  };
  traits->subgroups = has("subgroups");
  traits->timestamps = has("timestamp-query");
  traits->shader_f16 = has("shader-f16");
  // Firefox compiles WGSL by naga; Chromium by Tint, whose dialect is that of the standard.
  const bool is_naga = word_of(json, "user_agent").contains("Firefox/");
  traits->dialect = is_naga ? Dialect::naga : Dialect::tint;
  plan::set_progress(*traits, plan::vendor_of(word_of(json, "vendor")), *is_software);
  return to_json(*traits);
}

Result<std::string> answer_to(const Json& json) {
  if (!json.is_object()) return std::unexpected{bad_argument("the request is no JSON object")};
  const auto word = [&](const char* key) { return word_of(json, key); };
  const std::string call = word("call");
  if (call == "traits") return answer_traits(json);
  const Json* const fields = member(json, "description");
  const std::string primitive = word("primitive");
  const std::string called = word("called");
  auto description = read_description(primitive, called.empty() ? primitive : called,
                                      fields != nullptr ? *fields : Json::object());
  if (!description) return std::unexpected{std::move(description.error())};
  auto counted = truth_of(json, "counted");
  if (!counted) return std::unexpected{std::move(counted.error())};
  const Request request{json, std::move(*description), *counted};
  if (call == "slots") return answer_slots(request);
  if (call == "plan") return answer_plan(request);
  if (call == "trace") return answer_trace(request);
  if (call == "run") return answer_run(request);
  return std::unexpected{
      bad_argument("unknown call '" + call + "'; known are slots, plan, trace, run and traits")};
}

std::string answer;

}  // namespace
}  // namespace cumulo::web

// Memory for requests and arrays; null where there is no more.
extern "C" [[clang::export_name("cumulo_allocate")]] void* cumulo_allocate(std::size_t bytes) {
  return std::malloc(bytes);
}

extern "C" [[clang::export_name("cumulo_free")]] void cumulo_free(void* memory) {
  std::free(memory);
}

// The answer to a request of so many bytes, ended by a zero; valid until the next call.
extern "C" [[clang::export_name("cumulo_call")]] const char* cumulo_call(const char* request,
                                                                         std::size_t bytes) {
  using namespace cumulo::web;
  auto answered = answer_to(Json::parse(request, request + bytes, nullptr, false));
  answer = answered ? std::move(*answered) : answer_of(answered.error());
  return answer.c_str();
}
