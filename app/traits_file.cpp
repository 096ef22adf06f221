#include "traits_file.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <vector>

#include "formats/file.hpp"
#include "report.hpp"

namespace cumulo::app {
namespace {

constexpr const char* how_to_get = "'cumulo devices --json > FILE' writes what --traits reads";

struct Adapter {
  std::string index;
  std::string name;
  Json traits;
};

std::string in_small_letters(std::string text) {
  std::ranges::transform(text, text.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  return text;
}

std::optional<Adapter> adapter_of(const Json& entry) {
  if (!entry.is_object() || !entry.contains("traits") || !entry["traits"].is_object()) {
    return std::nullopt;
  }
  const auto index = entry.find("index");
  const auto name = entry.find("name");
  return Adapter{.index = index != entry.end() ? index->dump() : "",
                 .name = name != entry.end() && name->is_string() ? name->get<std::string>() : "",
                 .traits = entry["traits"]};
}

// By the same words as --device of the other commands: an index of the list, else part of a name.
std::vector<Adapter>::const_iterator find_meant(const std::vector<Adapter>& adapters,
                                                const std::string& word) {
  const auto at = std::ranges::find(adapters, word, &Adapter::index);
  if (at != adapters.end()) return at;
  return std::ranges::find_if(adapters, [&](const Adapter& adapter) {
    return in_small_letters(adapter.name).contains(in_small_letters(word));
  });
}

class TraitsFile {
 public:
  TraitsFile(std::string source, const std::optional<std::string>& device)
      : source_(std::move(source)), device_(device) {}

  Result<Traits> read(const std::string& text) const {
    const Json json = Json::parse(text, nullptr, false);
    if (json.is_object() && json.contains("devices")) return chosen(json["devices"]);
    if (const auto adapter = adapter_of(json)) return traits_of(adapter->traits.dump());
    if (device_) return refused("lists no devices, among which --device would choose");
    return traits_of(text);
  }

 private:
  std::unexpected<Error> refused(const std::string& what) const {
    return std::unexpected{Error{ErrorKind::bad_argument, fmt::format("{} {}", source_, what)}};
  }

  Result<Traits> traits_of(const std::string& text) const {
    auto traits = traits_from_json(text);
    if (traits) return traits;
    traits.error().message = fmt::format("{}: {}; {}", source_, traits.error().message, how_to_get);
    return std::unexpected{std::move(traits.error())};
  }

  Result<Traits> chosen(const Json& devices) const {
    std::vector<Adapter> adapters;
    for (const Json& entry : devices) {
      if (auto adapter = adapter_of(entry)) adapters.push_back(std::move(*adapter));
    }
    if (adapters.empty()) {
      return refused("lists no adapter with traits; the CPU backend has none, as it runs no plans");
    }
    if (!device_ && adapters.size() == 1) return traits_of(adapters.front().traits.dump());
    if (device_ && !device_->empty()) {
      const auto meant = find_meant(adapters, *device_);
      if (meant != adapters.end()) return traits_of(meant->traits.dump());
    }
    std::vector<std::string> names;
    for (const Adapter& adapter : adapters) {
      names.push_back(fmt::format("{} ({})", adapter.index, adapter.name));
    }
    const std::string list = fmt::format("{}", fmt::join(names, ", "));
    if (device_) return refused(fmt::format("lists no adapter '{}'; it has {}", *device_, list));
    return refused(
        fmt::format("lists {} adapters; choose one with --device, by index or part of its name: {}",
                    adapters.size(), list));
  }

  std::string source_;
  const std::optional<std::string>& device_;
};

}  // namespace

Result<Traits> read_traits_file(const std::string& path, const std::optional<std::string>& device) {
  auto text = read_whole(path, false);
  if (!text) return std::unexpected{std::move(text.error())};
  return TraitsFile(source_name(path), device).read(*text);
}

}  // namespace cumulo::app
