// Traits as JSON: all of them come back, and every fault is named.
#include <nlohmann/json.hpp>

#include "plan/vendors.hpp"
#include "plan_check.hpp"

namespace cumulo::test {
namespace {

TEST(TraitsJson, EverySyntheticDeviceComesBack) {
  for (const NamedTraits& device : synthetic_devices()) {
    const std::string json = to_json(device.traits);
    const auto traits = traits_from_json(json);
    ASSERT_TRUE(traits) << describe(traits.error());
    EXPECT_EQ(to_json(*traits), json) << device.name;
    EXPECT_EQ(traits->limits.max_storage_binding_size,
              device.traits.limits.max_storage_binding_size);
    EXPECT_EQ(traits->subgroups, device.traits.subgroups);
    EXPECT_EQ(traits->dialect, device.traits.dialect);
  }
}

TEST(TraitsJson, MissingFieldsKeepTheirDefaults) {
  const auto traits = traits_from_json(R"({"max_workgroup_memory": 1024})");
  ASSERT_TRUE(traits);
  EXPECT_EQ(traits->limits.max_workgroup_memory, 1024U);
  EXPECT_EQ(traits->limits.max_workgroups_per_dimension, 65535U);
}

TEST(TraitsJson, FaultsAreNamed) {
  struct Fault {
    const char* json;
    const char* named;
  };
  for (const Fault& fault :
       {Fault{R"({"max_workgroup_memroy": 1})", "max_workgroup_memroy"},
        Fault{R"({"max_workgroup_memory": "1024"})", "max_workgroup_memory"},
        Fault{R"({"max_workgroup_memory": -1})", "max_workgroup_memory"},
        Fault{R"({"max_workgroup_memory": 4294967296})", "max_workgroup_memory"},
        Fault{R"({"max_workgroup_memory": 10.5})", "max_workgroup_memory"},
        Fault{R"({"subgroups": 1})", "subgroups"}, Fault{R"({"dialect": "glsl"})", "dialect"},
        Fault{R"({"min_storage_offset_alignment": 0})", "min_storage_offset_alignment"},
        Fault{R"({"min_storage_offset_alignment": 100})", "min_storage_offset_alignment"},
        Fault{"[]", "object"}, Fault{"", "JSON"}, Fault{"{", "JSON"}}) {
    const auto traits = traits_from_json(fault.json);
    ASSERT_FALSE(traits) << fault.json;
    EXPECT_EQ(traits.error().kind, ErrorKind::bad_argument);
    EXPECT_NE(traits.error().message.find(fault.named), std::string::npos)
        << traits.error().message;
  }
}

// Numbers that no device has must not crash the planner: zero is a limit like any other.
TEST(TraitsJson, ZeroLimitsAreRefusedByThePlanner) {
  const auto fields = nlohmann::json::parse(to_json(Traits{}));
  for (const auto& [field, value] : fields.items()) {
    if (!value.is_number() || field == "min_storage_offset_alignment") continue;
    const auto traits = traits_from_json("{\"" + field + "\": 0}");
    if (!traits) continue;
    const ScanDescription d{.n = 10'000};
    const auto plan = plan_scan(d, *traits);
    if (plan) {
      EXPECT_TRUE(keeps_limits(*plan, d, *traits)) << field;
    } else {
      EXPECT_TRUE(names_a_limit(plan.error())) << field;
    }
  }
}

TEST(TraitsJson, ValuesNestedWithoutEndAreRefused) {
  const std::string deep =
      R"({"dialect": )" + std::string(500'000, '[') + std::string(500'000, ']') + "}";
  const auto traits = traits_from_json(deep);
  ASSERT_FALSE(traits);
  EXPECT_NE(traits.error().message.find("'dialect' cannot be a list"), std::string::npos);
  EXPECT_FALSE(traits_from_json(R"({"subgroups": {"a": 1}})"));
  const auto long_text = traits_from_json(R"({"dialect": ")" + std::string(100'000, 'x') + R"("})");
  ASSERT_FALSE(long_text);
  EXPECT_LT(long_text.error().message.size(), 100U);
}

TEST(Vendors, ThreeMakeProgressUnlessTheyAreSoftware) {
  struct Case {
    plan::Vendor vendor;
    bool progresses;
    bool orders;
  };
  for (const Case& c :
       {Case{plan::vendor_of(0x10deU), true, true}, Case{plan::vendor_of("nvidia"), true, true},
        Case{plan::vendor_of(0x1002U), true, false}, Case{plan::vendor_of("amd"), true, false},
        Case{plan::vendor_of(0x8086U), true, false}, Case{plan::vendor_of("intel"), true, false},
        Case{plan::vendor_of(0x106bU), false, false}, Case{plan::vendor_of("apple"), false, false},
        Case{plan::vendor_of(""), false, false}}) {
    Traits traits;
    plan::set_progress(traits, c.vendor, false);
    EXPECT_EQ(traits.forward_progress, c.progresses);
    EXPECT_EQ(traits.ordered_workgroups, c.orders);
    plan::set_progress(traits, c.vendor, true);
    EXPECT_FALSE(traits.forward_progress || traits.ordered_workgroups);
  }
}

}  // namespace
}  // namespace cumulo::test
