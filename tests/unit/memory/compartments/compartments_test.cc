// Rows K1-K18, N3-N5, V1-V3: compartments over a real space.
#include "memory/compartments/compartments.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <functional>

#include "memory/names.h"
#include "memory/provenance.h"
#include "store/symbols.h"
#include "support/links.h"

namespace anima::memory {
namespace {

constexpr char kAstronomy[] = R"(
id = "astronomy"
name = "Astronomy Knowledge"
kind = "Skill"
description = "Star catalogs and celestial mechanics"
triples_file = "triples.json"
tags = ["science", "astronomy"]
)";
constexpr char kPlanets[] = R"([
  {"subject": "Sun", "predicate": "has_type", "object": "G-type_star", "confidence": 0.95},
  {"subject": "Earth", "predicate": "orbits", "object": "Sun", "confidence": 1.0},
  {"subject": "Mars", "predicate": "orbits", "object": "sun"}
])";
constexpr char kPsyche[] = "id = \"psyche\"\nname = \"Jungian Psyche\"\nkind = \"Core\"\n";

class CompartmentTest : public ::testing::Test {
 protected:
  void SetUp() override {
    space_ = *store::Space::in_memory();
    manager_ = std::make_unique<CompartmentManager>(*space_, system_files(), folder_.path());
  }

  void write(const std::string& id, const std::string& name, std::string_view text) {
    ASSERT_TRUE(system_files().make_directories(folder_.file(id)).has_value());
    ASSERT_TRUE(replace_file(system_files(), join_path(folder_.file(id), name), text).has_value());
  }
  void astronomy(std::string_view triples = kPlanets) {
    write("astronomy", "compartment.toml", kAstronomy);
    write("astronomy", "triples.json", triples);
    ASSERT_TRUE(manager_->discover().has_value());
  }

  std::optional<CompartmentFault> fault(const Status& status) {
    return status ? std::nullopt : fault_of(status.error());
  }
  CompartmentState state(const std::string& id) { return manager_->find(id)->state; }
  std::uint64_t graph_size(const std::string& id) {
    const store::Snapshot view = space_->snapshot().value();
    const auto graph = view.find_graph(compartment_graph(id));
    return graph ? view.graph_size(*graph) : 0;
  }
  store::Triple triple(std::string_view s, std::string_view p, std::string_view o) {
    const store::Snapshot view = space_->snapshot().value();
    return {store::resolve_symbol(view, s).value(),
            store::Predicate::link(store::find_relation(view, p).value()),
            store::Term::entity(store::resolve_symbol(view, o).value())};
  }

  TemporaryDirectory folder_;
  std::shared_ptr<store::Space> space_;
  std::unique_ptr<CompartmentManager> manager_;
  store::Origin origin_;
};

TEST_F(CompartmentTest, K1_DiscoverCountsNewOnes) {
  write("astronomy", "compartment.toml", kAstronomy);
  write("psyche", "compartment.toml", kPsyche);
  EXPECT_EQ(manager_->discover().value(), 2U);
  EXPECT_EQ(manager_->discover().value(), 0U);
}

// The names in the rules of a pack are checked when it is loaded; what comes later changes nothing.
TEST_F(CompartmentTest, Compartments) {
  ASSERT_TRUE(
      space_
          ->write(origin_,
                  [](store::Transaction& t) -> Status {
                    ANIMA_ASSIGN(const store::EntityId type, t.upsert_type("Package"));
                    ANIMA_TRY(t.upsert_concept(type, "curl").map([](store::EntityId) {}));
                    ANIMA_TRY(
                        t.upsert_concept(store::kEntityType, "curl").map([](store::EntityId) {}));
                    return t.upsert_predicate("requires").map([](store::EntityId) {});
                  })
          .has_value());
  write("blocks", "compartment.toml",
        "id = \"blocks\"\nname = \"Blocks\"\nkind = \"Skill\"\nrules_file = \"rules.mg\"\n");
  const std::string head = "Decl requires(X, Y).\nblocked(X) :- requires(X, ";
  write("blocks", "rules.mg", head + "\"curl\").\n");
  ASSERT_TRUE(manager_->discover().has_value());
  const Status refused = manager_->load("blocks", origin_);
  ASSERT_FALSE(refused.has_value());
  EXPECT_NE(refused.error().message.find("\"Package:curl\", \"Entity:curl\""), std::string::npos)
      << refused.error().describe();
  EXPECT_EQ(state("blocks"), CompartmentState::kDormant);
  write("blocks", "rules.mg", head + "\"Package:curl\").\n");
  const Status loaded = manager_->load("blocks", origin_);
  EXPECT_TRUE(loaded.has_value()) << loaded.error().describe();
}

// Whoever made the pack chose what lies in its folder: a link to the owner's files, a pipe.
TEST_F(CompartmentTest, NothingOutsideItsFolderIsLoadedAndNoPipeIsWaitedFor) {
  astronomy();
  ASSERT_TRUE(replace_file(system_files(), folder_.file("mine.json"), kPlanets));
  const std::string triples = folder_.file("astronomy/triples.json");
  for (const auto& plant :
       {std::function<int()>([&] { return symlink("../mine.json", triples.c_str()); }),
        std::function<int()>([&] { return mkfifo(triples.c_str(), 0600); })}) {
    ASSERT_TRUE(system_files().remove(triples));
    ASSERT_EQ(plant(), 0);
    EXPECT_EQ(fault(manager_->load("astronomy", origin_)), CompartmentFault::kIo);
    EXPECT_EQ(graph_size("astronomy"), 0U);
  }
  ASSERT_TRUE(system_files().remove(folder_.file("astronomy/compartment.toml")));
  ASSERT_EQ(mkfifo(folder_.file("astronomy/compartment.toml").c_str(), 0600), 0);
  CompartmentManager again(*space_, system_files(), folder_.path());
  EXPECT_EQ(again.discover().value(), 0U);
  EXPECT_EQ(again.discovery_errors().size(), 1U);
}

// The entity with the number 6 is part of genesis; data that says 6 does not mean it.
TEST_F(CompartmentTest, ANumberInATripleIsALabelAndNoEntity) {
  astronomy(
      R"([{"subject": "Deimos", "predicate": "radius_km", "object": "6", "confidence": 1.0}])");
  ASSERT_TRUE(manager_->load("astronomy", origin_).has_value());
  const store::Snapshot view = space_->snapshot().value();
  const auto deimos = store::resolve_symbol(view, "Deimos").value();
  const auto radius = store::Predicate::link(store::find_relation(view, "radius_km").value());
  store::Scratch scratch;
  const auto objects = view.objects(deimos, radius, scratch);
  ASSERT_EQ(objects.size(), 1U);
  EXPECT_EQ(view.name(store::Term{objects[0]}.as_entity()), "6");
}

TEST_F(CompartmentTest, SynonymsComeAndGoWithTheirCompartment) {
  write("words", "compartment.toml",
        "id = \"words\"\nname = \"Words\"\nkind = \"Skill\"\n[synonyms]\n\"box\" = \"Host\"\n"
        "[synonyms.de]\n\"Kiste\" = \"Host\"\n");
  ASSERT_TRUE(manager_->discover().has_value());
  EXPECT_TRUE(manager_->find("words")->manifest.warnings.empty());
  EXPECT_TRUE(manager_->synonyms().empty());
  ASSERT_TRUE(manager_->load("words", origin_).has_value());
  CompartmentManager other(*space_, system_files(), "");
  ASSERT_TRUE(other.refresh().has_value());
  ASSERT_EQ(other.synonyms().size(), 1U);
  EXPECT_EQ(other.synonyms()[0].json, R"({"box":"Host","de":{"Kiste":"Host"}})");
  ASSERT_TRUE(manager_->unload("words", origin_).has_value());
  EXPECT_TRUE(manager_->synonyms().empty());
  write("wrong", "compartment.toml",
        "id = \"wrong\"\nname = \"W\"\nkind = \"Skill\"\n[synonyms]\n\"box\" = 7\n");
  ASSERT_TRUE(manager_->discover().has_value());
  EXPECT_EQ(manager_->find("wrong"), nullptr);
}

TEST_F(CompartmentTest, K2_MissingBaseIsEmpty) {
  CompartmentManager manager(*space_, system_files(), folder_.file("nowhere"));
  EXPECT_EQ(manager.discover().value(), 0U);
}

TEST_F(CompartmentTest, K3_OneBrokenManifestDoesNotStopTheOthers) {
  write("broken", "compartment.toml", "id = \"broken\"\nkind = \"Odd\"\nname = \"x\"\n");
  write("astronomy", "compartment.toml", kAstronomy);
  write("twin", "compartment.toml", kAstronomy);
  EXPECT_EQ(manager_->discover().value(), 1U);
  ASSERT_EQ(manager_->discovery_errors().size(), 2U);
  EXPECT_NE(manager_->discovery_errors()[0].where.find("broken"), std::string::npos);
  EXPECT_EQ(state("astronomy"), CompartmentState::kDormant);
}

TEST_F(CompartmentTest, K4_LoadTagsEveryTriple) {
  astronomy();
  ASSERT_TRUE(manager_->load("astronomy", origin_).has_value());
  EXPECT_EQ(manager_->find("astronomy")->triple_count, 3U);
  EXPECT_EQ(state("astronomy"), CompartmentState::kLoaded);
  const store::Snapshot view = space_->snapshot().value();
  const auto assertions = view.assertions(triple("Earth", "orbits", "Sun"));
  ASSERT_EQ(assertions.size(), 1U);
  EXPECT_EQ(view.graph_name(assertions[0].graph), "urn:anima:compartment:astronomy");
}

TEST_F(CompartmentTest, K5_LoadTwice) {
  astronomy();
  ASSERT_TRUE(manager_->load("astronomy", origin_).has_value());
  EXPECT_EQ(fault(manager_->load("astronomy", origin_)), CompartmentFault::kAlreadyLoaded);
}

TEST_F(CompartmentTest, K6_UnknownId) {
  for (const Status& status :
       {manager_->load("x", origin_), manager_->activate("x", origin_),
        manager_->deactivate("x", origin_), manager_->unload("x", origin_)}) {
    EXPECT_EQ(fault(status), CompartmentFault::kNotFound);
  }
}

TEST_F(CompartmentTest, K7_ActivateDormant) {
  astronomy();
  EXPECT_EQ(fault(manager_->activate("astronomy", origin_)), CompartmentFault::kNotLoaded);
  EXPECT_EQ(state("astronomy"), CompartmentState::kDormant);
}

TEST_F(CompartmentTest, K8_DeactivateKeepsTriples) {
  astronomy();
  ASSERT_TRUE(manager_->load("astronomy", origin_).has_value());
  ASSERT_TRUE(manager_->activate("astronomy", origin_).has_value());
  EXPECT_EQ(state("astronomy"), CompartmentState::kActive);
  ASSERT_TRUE(manager_->deactivate("astronomy", origin_).has_value());
  EXPECT_EQ(state("astronomy"), CompartmentState::kLoaded);
  EXPECT_TRUE(space_->snapshot().value().contains(triple("Earth", "orbits", "Sun")));
}

TEST_F(CompartmentTest, K9_UnloadActive) {
  astronomy();
  ASSERT_TRUE(manager_->load("astronomy", origin_).has_value());
  ASSERT_TRUE(manager_->activate("astronomy", origin_).has_value());
  ASSERT_TRUE(manager_->unload("astronomy", origin_).has_value());
  EXPECT_EQ(state("astronomy"), CompartmentState::kDormant);
  EXPECT_EQ(graph_size("astronomy"), 0U);
  EXPECT_FALSE(store::find_symbol(space_->snapshot().value(), "Earth").has_value());
  CompartmentManager other(*space_, system_files(), folder_.path());
  ASSERT_TRUE(other.discover().has_value());
  ASSERT_TRUE(other.refresh().has_value());
  EXPECT_EQ(other.find("astronomy")->state, CompartmentState::kDormant);
}

TEST_F(CompartmentTest, K10_UnloadSparesTheDefaultCopy) {
  astronomy();
  test::link(*space_, {{"Earth", "orbits", "Sun"}}, 1.0, origin_);
  ASSERT_TRUE(manager_->load("astronomy", origin_).has_value());
  const store::Triple link = triple("Earth", "orbits", "Sun");
  EXPECT_EQ(space_->snapshot().value().assertions(link).size(), 2U);
  ASSERT_TRUE(manager_->unload("astronomy", origin_).has_value());
  EXPECT_EQ(space_->snapshot().value().assertions(link).size(), 1U);
  store::Scratch scratch;
  const store::Snapshot view = space_->snapshot().value();
  EXPECT_EQ(view.objects(link.subject, link.predicate, scratch).size(), 1U);
}

TEST_F(CompartmentTest, K11_BadTripleInTheMiddle) {
  const std::uint64_t size = space_->snapshot().value().count({});
  std::string text = "[";
  for (int i = 0; i < 37; ++i) text += R"({"subject":"a","predicate":"p","object":"b"},)";
  astronomy(text + R"({"subject":"a","predicate":"","object":"b"},
                      {"subject":"a","predicate":"p","object":"c"}])");
  const Status loaded = manager_->load("astronomy", origin_);
  EXPECT_EQ(fault(loaded), CompartmentFault::kInvalidManifest);
  // The 38th statement: the only place where the message may have this number from.
  EXPECT_NE(loaded.error().describe().find("37"), std::string::npos) << loaded.error().describe();
  EXPECT_EQ(graph_size("astronomy"), 0U);
  EXPECT_EQ(space_->snapshot().value().count({}), size);
  EXPECT_EQ(state("astronomy"), CompartmentState::kDormant);
}

TEST_F(CompartmentTest, K12_MissingTriplesFile) {
  write("astronomy", "compartment.toml", kAstronomy);
  ASSERT_TRUE(manager_->discover().has_value());
  EXPECT_EQ(fault(manager_->load("astronomy", origin_)), CompartmentFault::kIo);
}

TEST_F(CompartmentTest, K13_CoreIsUnloadedOnlyByForce) {
  write("psyche", "compartment.toml", kPsyche);
  ASSERT_TRUE(manager_->start(origin_).has_value());
  EXPECT_EQ(fault(manager_->unload("psyche", origin_)), CompartmentFault::kKindMismatch);
  EXPECT_TRUE(manager_->unload("psyche", origin_, true).has_value());
  EXPECT_EQ(state("psyche"), CompartmentState::kDormant);
}

TEST_F(CompartmentTest, K14_FilesStayInside) {
  for (const char* path : {"../x", "/etc/passwd", "a/../../x", ""}) {
    write("astronomy", "compartment.toml",
          "id = \"a\"\nname = \"a\"\nkind = \"Skill\"\ntriples_file = \"" + std::string(path) +
              "\"\n");
    const auto manifest = read_manifest(folder_.file("astronomy"));
    if (std::string_view(path).empty()) {
      EXPECT_TRUE(manifest.has_value());
      continue;
    }
    ASSERT_FALSE(manifest.has_value()) << path;
    EXPECT_EQ(fault_of(manifest.error()), CompartmentFault::kInvalidManifest);
  }
}

TEST_F(CompartmentTest, K15_StartLoadsCoreOnly) {
  write("psyche", "compartment.toml", kPsyche);
  write("astronomy", "compartment.toml", kAstronomy);
  write("astronomy", "triples.json", kPlanets);
  ASSERT_TRUE(manager_->start(origin_).has_value());
  EXPECT_EQ(state("psyche"), CompartmentState::kActive);
  EXPECT_EQ(state("astronomy"), CompartmentState::kDormant);
  EXPECT_EQ(manager_->dormant_ids(), std::vector<std::string>{"astronomy"});
  EXPECT_EQ(manager_->by_kind(CompartmentKind::kCore).size(), 1U);
}

TEST_F(CompartmentTest, K16_V1_V2_EveryTripleHasItsRecord) {
  astronomy();
  ASSERT_TRUE(manager_->load("astronomy", origin_).has_value());
  ProvenanceLedger ledger(*space_);
  ASSERT_TRUE(ledger.refresh().has_value());
  EXPECT_EQ(ledger.by_kind(ProvenanceKind::kCompartmentLoaded).size(), 3U);
  const store::Triple link = triple("Earth", "orbits", "Sun");
  const auto assertions = space_->snapshot().value().assertions(link);
  ASSERT_EQ(assertions.size(), 1U);
  const ProvenanceRecord* record = ledger.find(assertions[0].provenance);
  ASSERT_NE(record, nullptr);
  EXPECT_EQ(static_cast<int>(record->kind), 15);
  EXPECT_EQ(record->derived, link.subject);
  EXPECT_EQ(record->sources,
            (std::vector<store::EntityId>{link.predicate.as_link(), link.object.as_entity()}));
  EXPECT_EQ(describe(*record), "CompartmentLoaded(astronomy, triples.json)");
  EXPECT_EQ(ledger.by_derived(link.subject).size(), 1U);
  EXPECT_EQ(ledger.by_source(link.object.as_entity()).size(), 2U);
}

TEST_F(CompartmentTest, V3_IdsGoOn) {
  astronomy();
  ASSERT_TRUE(manager_->load("astronomy", origin_).has_value());
  ASSERT_TRUE(manager_->unload("astronomy", origin_).has_value());
  ASSERT_TRUE(manager_->load("astronomy", origin_).has_value());
  ProvenanceLedger ledger(*space_);
  ASSERT_TRUE(ledger.refresh().has_value());
  EXPECT_EQ(ledger.size(), 6U);
  EXPECT_NE(ledger.find(6), nullptr);
  EXPECT_EQ(ledger.find(7), nullptr);
}

TEST_F(CompartmentTest, K17_LabelsJoinWithoutCase) {
  astronomy();
  ASSERT_TRUE(manager_->load("astronomy", origin_).has_value());
  // What stands there, not what a look-up that minds no case finds.
  const store::Snapshot view = space_->snapshot().value();
  const auto object_of = [&](const char* subject) {
    const store::Triple link = triple(subject, "orbits", "Sun");
    store::Scratch scratch;
    const auto objects = view.objects(link.subject, link.predicate, scratch);
    EXPECT_EQ(objects.size(), 1U) << subject;
    return objects.empty() ? 0 : objects[0];
  };
  EXPECT_EQ(object_of("Mars"), object_of("Earth"));
  EXPECT_EQ(store::symbol_label(space_->snapshot().value(),
                                triple("Mars", "orbits", "SUN").object.as_entity()),
            "Sun");
}

TEST_F(CompartmentTest, K18_Confidence) {
  astronomy();
  ASSERT_TRUE(manager_->load("astronomy", origin_).has_value());
  const store::Snapshot view = space_->snapshot().value();
  EXPECT_EQ(view.assertions(triple("Sun", "has_type", "G-type_star"))[0].confidence, 0.95);
  EXPECT_EQ(view.assertions(triple("Mars", "orbits", "Sun"))[0].confidence, 1.0);
  write("b", "compartment.toml",
        "id = \"b\"\nname = \"b\"\nkind = \"Skill\"\ntriples_file = \"t.json\"\n");
  write("b", "t.json", R"([{"subject":"a","predicate":"p","object":"b","confidence":1.5}])");
  ASSERT_TRUE(manager_->discover().has_value());
  EXPECT_EQ(fault(manager_->load("b", origin_)), CompartmentFault::kInvalidManifest);
}

TEST_F(CompartmentTest, N4_IdsAreSafeToSplice) {
  for (const char* id : {"a>b", "", "../x", "a b", "-a"}) EXPECT_FALSE(is_compartment_id(id)) << id;
  EXPECT_TRUE(is_compartment_id("skill:a.b-c_1"));
}

TEST_F(CompartmentTest, N5_RestartKeepsEverything) {
  TemporaryDirectory home;
  store::SpaceOptions options;
  options.create = true;
  write("astronomy", "compartment.toml", kAstronomy);
  write("astronomy", "triples.json", kPlanets);
  {
    auto space = store::Space::open(home.file("space"), options);
    ASSERT_TRUE(space.has_value()) << space.error().describe();
    CompartmentManager manager(**space, system_files(), folder_.path());
    ASSERT_TRUE(manager.discover().has_value());
    ASSERT_TRUE(manager.load("astronomy", origin_).has_value());
    ASSERT_TRUE(manager.activate("astronomy", origin_).has_value());
  }
  auto space = store::Space::open(home.file("space"), options);
  ASSERT_TRUE(space.has_value());
  space_ = *space;
  CompartmentManager manager(*space_, system_files(), folder_.path());
  ASSERT_TRUE(manager.start(origin_).has_value());
  EXPECT_EQ(manager.find("astronomy")->state, CompartmentState::kActive);
  EXPECT_EQ(manager.find("astronomy")->triple_count, 3U);
  EXPECT_EQ(manager.find("astronomy")->manifest.tags,
            (std::vector<std::string>{"science", "astronomy"}));
  EXPECT_EQ(
      space_->snapshot().value().assertions(triple("Sun", "has_type", "G-type_star"))[0].confidence,
      0.95);
}

// A client of the graph may say that something is a loaded compartment with rules; it is none.
TEST_F(CompartmentTest, OnlyTheManagersOwnBookLoadsRules) {
  store::Origin stranger;
  stranger.trust = store::Trust::kUntrusted;
  ASSERT_TRUE(space_->write(stranger, [](store::Transaction& transaction) -> Status {
    ANIMA_ASSIGN(const auto type, transaction.upsert_type("Compartment"));
    ANIMA_ASSIGN(const auto fake, transaction.upsert_concept(type, "fake"));
    for (const auto& [key, text] : {std::pair{"state", "Active"}, std::pair{"kind", "Core"},
                                    std::pair{"rules", "trusted(X) :- concept(_, _, X)."}}) {
      const store::Value value = store::Value::string(text);
      ANIMA_ASSIGN(const store::Term term, transaction.term(value.view()));
      ANIMA_TRY(transaction.set_attribute(fake, key, std::span(&term, 1)));
    }
    return {};
  }));
  ASSERT_TRUE(manager_->refresh());
  EXPECT_EQ(manager_->find("fake"), nullptr);
  EXPECT_TRUE(manager_->rules().empty());
}

TEST_F(CompartmentTest, RulesHaveTheTrustOfTheirPack) {
  write("rules", "compartment.toml",
        "id = \"rules\"\nname = \"Rules\"\nkind = \"Skill\"\nrules_file = \"r.mg\"\n");
  write("rules", "r.mg", "kind(X) :- concept(_, _, X).\n");
  ASSERT_TRUE(manager_->discover());
  origin_.trust = store::Trust::kOperator;
  ASSERT_TRUE(manager_->load("rules", origin_));
  ASSERT_EQ(manager_->rules().size(), 1U);
  EXPECT_EQ(manager_->rules()[0].trust, store::Trust::kStandard);  // nobody signed it
  // Another process reads it from the space.
  CompartmentManager other(*space_, system_files(), folder_.path());
  ASSERT_TRUE(other.refresh());
  ASSERT_EQ(other.rules().size(), 1U);
  EXPECT_EQ(other.rules()[0].trust, store::Trust::kStandard);
}

TEST_F(CompartmentTest, ProjectSwitch) {
  for (const char* id : {"p1", "p2"}) {
    write(id, "compartment.toml",
          "id = \"" + std::string(id) + "\"\nname = \"p\"\nkind = \"Project\"\n");
  }
  ASSERT_TRUE(manager_->discover().has_value());
  ASSERT_TRUE(manager_->switch_project("p1", origin_).has_value());
  ASSERT_TRUE(manager_->switch_project("p2", origin_).has_value());
  EXPECT_EQ(state("p1"), CompartmentState::kDormant);
  EXPECT_EQ(state("p2"), CompartmentState::kActive);
}

}  // namespace
}  // namespace anima::memory
