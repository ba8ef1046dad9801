// Conversations that are made up from a seed, with questions whose evidence is known: two people,
// five people, or a person with a long-winded assistant; in English or German. In the form of
// memory/recall/recall_scenarios.h.
//
// What is asked for is said once in many turns of small talk about the same things, in other forms
// of the words, as an answer that has no word of the question, in a caption, or at a date.
#pragma once

#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/random.h"
#include "base/text/text.h"
#include "memory/recall/recall_scenarios.h"

namespace anima::memory::made_conversations {

enum class Company { kTwo, kFive, kAssistant };

struct Deed {
  const char* type;
  const char* lead;  // what another says before; may be empty
  const char* say;
  const char* caption;
  const char* ask;         // of {p}
  const char* ask_myself;  // by who said it
};

struct Tongue {
  std::vector<Deed> deeds;
  std::vector<const char*> talk;  // between them
  std::vector<const char*> advice;
  std::map<std::string, std::vector<const char*>> slots;
  std::array<const char*, 12> months;
};

inline const Tongue& english() {
  static const Tongue kTongue = {
      {
          {"single-hop", "", "Finally I repaired the {object} that my {relative} gave me.", "",
           "What was it that {p} repaired and had from the {relative}?",
           "What was it that I repaired and had from my {relative}?"},
          {"single-hop", "", "We were hiking near {place} when a {animal} crossed our way.", "",
           "What was it that crossed the way of {p} on the hikes near {place}?",
           "What was it that crossed my way on the hikes near {place}?"},
          {"neighbour", "How is your {pet} doing these days?", "Better, it was only {illness}.", "",
           "What was wrong with the {pet} of {p}?", "What was wrong with my {pet}?"},
          {"neighbour", "So which {thing} did you choose for the {room}?",
           "The {colour} one, of course.", "", "How does the {thing} in the {room} of {p} look?",
           "How does the {thing} in my {room} look?"},
          {"picture", "", "Have a look at what I met today!",
           "a photo of a {animal} beside a {object}", "What did {p} meet beside a {object}?",
           "What did I meet beside a {object}?"},
          {"temporal", "", "I travelled to {place} last week.", "",
           "Where did {p} travel in {month} {year}?", "Where did I travel in {month} {year}?"},
          {"temporal", "", "I have joined the {club} now.", "",
           "Which club did {p} join in {month}?", "Which club did I join in {month}?"},
          {"participant", "My {relative} is baking a {cake} for the party.",
           "And I am baking a {cake} for it.", "", "What does {p} bake for the party?",
           "What do I bake for the party?"},
          {"when", "",
           "The {relative} of mine marries in {place}, the day is fixed since yesterday.", "",
           "When was the day fixed on which the {relative} of {p} marries?",
           "When was the day fixed on which my {relative} marries?"},
          {"topic", "", "By the way, the neighbour is called {surname}.", "",
           "Which name has the neighbour of {p}, in the talk of {theme_craft} and {theme_place}?",
           "Which name has my neighbour, in the talk of {theme_craft} and {theme_place}?"},
          {"topic", "", "The parcel has arrived, it holds a {object}.", "",
           "What did the parcel of {p} hold, in the talk of {theme_craft} and {theme_place}?",
           "What did my parcel hold, in the talk of {theme_craft} and {theme_place}?"},
          {"topic", "", "My {relative} called today and sang.", "",
           "Who called {p} and sang, in the talk of {theme_craft} and {theme_place}?",
           "Who called me and sang, in the talk of {theme_craft} and {theme_place}?"},
      },
      {"Did you sleep well?",
       "What was it that you had from the market?",
       "How does that look to you, and to all of them?",
       "It was on the way there, was it not?",
       "Who was it that did that for you?",
       "The weather turns {adjective} again.",
       "My neighbour bought a {object} like that.",
       "I read a story about a {animal} in {place}.",
       "People in {place} know a lot about {craft}.",
       "That sounds {adjective}, tell me more!",
       "A {thing} in the {room} is always {adjective}.",
       "What do you think of {colour} walls?",
       "The party was {adjective} this time.",
       "Shall we have {cake} or soup?",
       "A {pet} needs a {adjective} place to sleep.",
       "Somebody asked me about {place} today.",
       "Which way do you take to work in {month}?",
       "Repairs of a {object} cost a lot.",
       "I travelled a lot when I was young.",
       "Clubs like the {club} are {adjective}."},
      {"It may help to make a list of what matters to you, beginning with {craft} and the like.",
       "Many people find that a {adjective} walk near {place} clears the mind before such a "
       "choice.",
       "If the {thing} is in the {room}, consider how the light falls on it in {month}.",
       "A {object} can often be repaired at little cost when one asks in time.",
       "Remember that a {pet} or a {animal} needs time, and that patience is {adjective}.",
       "In general there are three ways: to wait, to ask somebody, or to begin at once.",
       "Some travel to {place}, others join a course, and both are {adjective} choices."},
      {{"object",
        {"clock", "lamp", "radio", "bicycle", "chair", "mirror", "kettle", "guitar", "camera",
         "wagon", "ladder", "typewriter", "umbrella", "drum", "telescope", "sledge"}},
       {"relative",
        {"uncle", "aunt", "cousin", "sister", "brother", "grandmother", "nephew", "godfather"}},
       {"place",
        {"Bergen", "Turin", "Porto", "Lugano", "Krakow", "Galway", "Malmo", "Tartu", "Nantes",
         "Siena", "Bruges", "Odense", "Linz", "Split", "Varna", "Leiden"}},
       {"animal",
        {"heron", "fox", "badger", "otter", "owl", "hedgehog", "stork", "deer", "lizard", "beaver",
         "falcon", "squirrel"}},
       {"pet", {"cat", "dog", "parrot", "rabbit", "tortoise", "pony", "hamster"}},
       {"illness",
        {"a cold", "a splinter", "hunger", "a tooth", "an old bone", "the heat", "a flea"}},
       {"thing", {"carpet", "curtain", "sofa", "shelf", "table", "wardrobe", "desk"}},
       {"room", {"kitchen", "hall", "bedroom", "study", "cellar", "attic", "garage"}},
       {"colour", {"green", "blue", "yellow", "purple", "orange", "grey", "crimson"}},
       {"craft",
        {"pottery", "weaving", "carving", "sailing", "cooking", "knitting", "beekeeping",
         "bookbinding", "gardening", "fencing"}},
       {"club",
        {"Harbour Choir", "Chess Circle", "Rowing League", "Garden Guild", "Reading Table",
         "Lantern Players", "Quarry Singers"}},
       {"surname",
        {"Keller", "Moretti", "Novak", "Silva", "Larsen", "Dubois", "Okafor", "Tanaka", "Reyes"}},
       {"cake", {"cheesecake", "strudel", "gingerbread", "brownie", "tart", "waffle", "pretzel"}},
       {"adjective", {"cold", "lovely", "strange", "quiet", "warm", "difficult", "cheerful"}}},
      {"January", "February", "March", "April", "May", "June", "July", "August", "September",
       "October", "November", "December"}};
  return kTongue;
}

inline const Tongue& german() {
  static const Tongue kTongue = {
      {
          {"single-hop", "", "Endlich habe ich {object} repariert, ein Geschenk von {relative}.",
           "", "Welches der Geschenke von {relative} reparierte {p}?",
           "Welches der Geschenke von {relative} reparierte ich?"},
          {"single-hop", "", "Wir wanderten bei {place}, und {animal} kreuzte unseren Weg.", "",
           "Welches Tier kreuzte beim Wandern nahe {place} den Weg von {p}?",
           "Welches Tier kreuzte beim Wandern nahe {place} meinen Weg?"},
          {"neighbour", "Wie geht es denn {pet} inzwischen?", "Besser, es war nur {illness}.", "",
           "Was fehlte {pet} von {p}?", "Was fehlte {pet} von mir?"},
          {"neighbour", "Und was für {thing} kommt jetzt in {room}?", "In {colour}, was sonst.", "",
           "Welche Farbe hat {thing} in {room} von {p}?",
           "Welche Farbe hat {thing} in {room} von mir?"},
          {"picture", "", "Schau mal, was mir begegnet ist!", "ein Foto: {animal} neben {object}",
           "Welches Tier begegnete {p} neben {object}?",
           "Welches Tier begegnete mir neben {object}?"},
          {"temporal", "", "Ich bin letzte Woche nach {place} gereist.", "",
           "Wohin reiste {p} im {month} {year}?", "Wohin reiste ich im {month} {year}?"},
          {"temporal", "", "Ich bin jetzt in der {club}.", "",
           "Welche Gruppe hat {p} seit {month}?", "Welche Gruppe habe ich seit {month}?"},
          {"participant", "Von {relative} kommt {cake} zum Fest, selbst gebacken.",
           "Und ich backe {cake} für das Fest.", "", "Was backt {p} für das Fest?",
           "Was backe ich für das Fest?"},
          {"when", "", "Die Hochzeit von {relative} ist in {place}, der Termin steht seit gestern.",
           "", "Seit wann steht der Termin der Hochzeit von {relative} bei {p}?",
           "Seit wann steht der Termin der Hochzeit von {relative} bei mir?"},
          {"topic", "", "Übrigens heißt der Nachbar {surname}.", "",
           "Welchen Namen hat der Nachbar von {p}, als es um {theme_craft} und {theme_place} "
           "ging?",
           "Welchen Namen hat mein Nachbar, als es um {theme_craft} und {theme_place} ging?"},
          {"topic", "", "Das Paket ist da, darin lag {object}.", "",
           "Was lag in dem Paket von {p}, als es um {theme_craft} und {theme_place} ging?",
           "Was lag in meinem Paket, als es um {theme_craft} und {theme_place} ging?"},
          {"topic", "", "Heute rief {relative} an und sang.", "",
           "Wer rief {p} an und sang, als es um {theme_craft} und {theme_place} ging?",
           "Wer rief mich an und sang, als es um {theme_craft} und {theme_place} ging?"},
      },
      {"Hast du gut geschlafen?", "Was war es denn, was ihr da von dem Markt hattet?",
       "Wie kam das mir und dir in den Sinn?", "Und wer war es, der das für dich tat?",
       "Das Wetter wird wieder {adjective}.", "Die Nachbarn haben sich {object} gekauft.",
       "Ich las etwas über {animal} in {place}.", "In {place} verstehen sie viel von {craft}.",
       "Das klingt {adjective}, erzähl weiter!", "Mit {thing} in {room} ist es immer {adjective}.",
       "Was hältst du von Wänden in {colour}?", "Das Fest war diesmal {adjective}.",
       "Wollen wir {cake} oder Suppe?", "Für {pet} ist ein Platz zum Schlafen wichtig.",
       "Heute fragte jemand nach {place}.", "Welchen Weg nimmst du im {month} zur Arbeit?",
       "{object} reparieren zu lassen ist teuer.", "Früher reiste ich viel.",
       "Gruppen wie die {club} sind {adjective}."},
      {"Es kann helfen, eine Liste zu schreiben, was wichtig ist, angefangen mit {craft}.",
       "Vielen Leuten tut vor einer Wahl ein Gang bei {place} gut, wenn das Wetter {adjective} "
       "ist.",
       "Wenn {thing} in {room} kommt, sollte man im {month} auf das Licht achten.",
       "{object} lässt sich oft für wenig Geld reparieren, wenn man früh genug fragt.",
       "Auch {pet} oder {animal} braucht Zeit, und Geduld ist {adjective}.",
       "Im Grunde gibt es drei Wege: warten, jemanden fragen, oder gleich beginnen.",
       "Manche reisen nach {place}, andere beginnen einen Kurs, beides ist {adjective}."},
      {{"object",
        {"die Uhr", "die Lampe", "das Radio", "das Fahrrad", "der Stuhl", "der Spiegel",
         "der Kessel", "die Gitarre", "die Kamera", "der Schlitten", "die Leiter", "der Schirm",
         "die Trommel", "das Fernrohr"}},
       {"relative",
        {"Onkel Karl", "Tante Erna", "Vetter Max", "Schwester Lina", "Bruder Paul", "Oma Hilde",
         "Neffe Tom", "Opa Franz"}},
       {"place",
        {"Bergen", "Turin", "Porto", "Lugano", "Krakau", "Galway", "Malmö", "Dorpat", "Nantes",
         "Siena", "Brügge", "Odense", "Linz", "Split", "Warna", "Leiden"}},
       {"animal",
        {"ein Reiher", "ein Fuchs", "ein Dachs", "ein Otter", "eine Eule", "ein Igel", "ein Storch",
         "ein Reh", "ein Biber", "ein Falke"}},
       {"pet",
        {"die Katze", "der Hund", "der Papagei", "das Kaninchen", "das Pony", "der Hamster"}},
       {"illness",
        {"ein Schnupfen", "ein Splitter", "Hunger", "ein Zahn", "die Hitze", "ein Floh"}},
       {"thing", {"ein Teppich", "ein Vorhang", "ein Sofa", "ein Regal", "ein Tisch"}},
       {"room", {"die Küche", "der Flur", "das Bad", "der Keller", "die Garage"}},
       {"colour", {"grün", "blau", "gelb", "lila", "orange", "grau"}},
       {"craft",
        {"Töpfern", "Weben", "Schnitzen", "Segeln", "Kochen", "Stricken", "Imkern", "Fechten"}},
       {"club",
        {"Singgruppe Anker", "Schachgruppe Turm", "Rudergruppe Welle", "Lesegruppe Blatt",
         "Spielgruppe Laterne"}},
       {"surname",
        {"Keller", "Moretti", "Novak", "Silva", "Larsen", "Dubois", "Okafor", "Tanaka", "Reyes"}},
       {"cake", {"Käsekuchen", "Strudel", "Lebkuchen", "Waffeln", "Brezeln", "Torte"}},
       {"adjective", {"kalt", "herrlich", "seltsam", "ruhig", "warm", "schwierig", "heiter"}}},
      {"Januar", "Februar", "März", "April", "Mai", "Juni", "Juli", "August", "September",
       "Oktober", "November", "Dezember"}};
  return kTongue;
}

class Maker {
 public:
  Maker(Company company, const Tongue& tongue, std::uint64_t seed)
      : company_(company), tongue_(tongue), random_(seed) {
    std::vector<std::string> names = {"Ada",   "Ben",   "Clara", "Dmitri", "Elena",
                                      "Farid", "Greta", "Hugo",  "Ines",   "Jonas"};
    const std::size_t many = company == Company::kFive ? 5 : 2;
    while (speakers_.size() < many) {
      const std::size_t at = random_.below(names.size());
      speakers_.push_back(names[at]);
      names.erase(names.begin() + static_cast<std::ptrdiff_t>(at));
    }
    if (company == Company::kAssistant) speakers_ = {"user", "assistant"};
  }

  RecallScenario make(std::size_t sessions) {
    RecallScenario scenario;
    for (session_ = 0; session_ < sessions; ++session_) {
      // One session in ten days or so, in the second half of a month.
      const std::size_t month = session_ % 12 + 1, year = 2021 + session_ / 12;
      day_ = std::to_string(year) + (month < 10 ? "-0" : "-") + std::to_string(month) + "-" +
             std::to_string(15 + random_.below(13));
      month_ = tongue_.months[month - 1];
      year_ = std::to_string(year);
      turn_ = 0;
      for (const auto& [slot, list] : tongue_.slots)
        theme_[slot] = list[random_.below(list.size())];
      const std::size_t deeds = 2;
      for (std::size_t i = 0; i < deeds; ++i) {
        // People often begin with their news.
        if (i > 0 || random_.below(2) == 0) talk(scenario);
        deed(scenario);
      }
      talk(scenario);
    }
    scenario.questions.push_back({});
    scenario.questions.back().text = "zzyzx?";
    scenario.questions.back().type = "abstention";
    return scenario;
  }

 private:
  using Filled = std::map<std::string, std::string>;

  std::string fill(std::string text, Filled& filled, bool again) {
    for (std::size_t open = text.find('{'); open != text.npos; open = text.find('{', open)) {
      const std::size_t close = text.find('}', open);
      const std::string slot = text.substr(open + 1, close - open - 1);
      std::string word;
      if (slot.starts_with("theme_")) {
        word = theme_[slot.substr(6)];
      } else if (slot == "month" && !filled.contains(slot)) {
        word = tongue_.months[random_.below(12)];
      } else if (again && filled.contains(slot)) {
        word = filled[slot];
      } else {
        // A session has themes of its own, to which people come back.
        const auto& list = tongue_.slots.at(slot);
        word = random_.below(3) != 0 ? theme_[slot] : std::string(list[random_.below(list.size())]);
      }
      filled[slot] = word;
      text.replace(open, close - open + 1, word);
      open += word.size();
    }
    return text;
  }

  std::string add(RecallScenario& scenario, std::string speaker, std::string text,
                  std::string caption = {}) {
    ScenarioText said;
    said.session = "s" + std::to_string(session_);
    said.id = std::to_string(session_) + ":" + std::to_string(turn_++);
    said.speaker = std::move(speaker);
    said.content = std::move(text);
    said.attachment = std::move(caption);
    said.source = "made";
    said.time = parse_timestamp(day_).value();
    scenario.texts.push_back(said);
    return said.id;
  }

  const std::string& person() {
    return company_ == Company::kAssistant ? speakers_[0]
                                           : speakers_[random_.below(speakers_.size())];
  }
  const std::string& other(const std::string& than) {
    for (;;) {
      const std::string& name = speakers_[random_.below(speakers_.size())];
      if (name != than) return name;
    }
  }

  void talk(RecallScenario& scenario) {
    const std::size_t turns = 3 + random_.below(3);
    for (std::size_t i = 0; i < turns; ++i) {
      Filled filled;
      const std::string speaker = speakers_[random_.below(speakers_.size())];
      if (speaker == "assistant") {
        advise(scenario);
        continue;
      }
      add(scenario, speaker, fill(tongue_.talk[random_.below(tongue_.talk.size())], filled, false));
    }
  }

  void advise(RecallScenario& scenario) {
    std::string text;
    const std::size_t sentences = 5 + random_.below(6);
    for (std::size_t i = 0; i < sentences; ++i) {
      Filled filled;
      const std::string one =
          fill(tongue_.advice[random_.below(tongue_.advice.size())], filled, false);
      text += (text.empty() ? "" : " ") + one;
    }
    add(scenario, "assistant", text);
  }

  void deed(RecallScenario& scenario) {
    // Two of a session differ: who says the same again is not heard.
    std::size_t which = random_.below(tongue_.deeds.size());
    if (which == last_deed_) which = (which + 1) % tongue_.deeds.size();
    last_deed_ = which;
    const Deed& deed = tongue_.deeds[which];
    const std::string who = person();
    Filled filled = {{"month", month_}, {"year", year_}, {"p", who}};
    if (*deed.lead != 0) {
      Filled lead = filled;
      const std::string text = fill(deed.lead, lead, true);
      // Where two tell of the same, each tells of his own.
      if (std::string_view(deed.type) != "participant") filled = lead;
      add(scenario, other(who), text);
    }
    const std::string said = fill(deed.say, filled, true);
    const std::string caption = fill(deed.caption, filled, true);
    const std::string id = add(scenario, who, said, caption);
    const bool own = company_ == Company::kAssistant;
    ScenarioQuestion question;
    question.text = fill(own ? deed.ask_myself : deed.ask, filled, true);
    question.type = deed.type;
    question.evidence = {id};
    if (own) question.asker = who;
    question.now = parse_timestamp("2027-01-01").value();
    scenario.questions.push_back(std::move(question));
  }

  Company company_;
  const Tongue& tongue_;
  SeededRandom random_;
  std::vector<std::string> speakers_;
  std::size_t session_ = 0, turn_ = 0, last_deed_ = 0;
  std::string day_, month_, year_;
  std::map<std::string, std::string> theme_;
};

// `count` conversations of one kind, of so many sessions each.
inline std::vector<RecallScenario> make(Company company, const Tongue& tongue, std::size_t count,
                                        std::size_t sessions, std::uint64_t seed) {
  std::vector<RecallScenario> scenarios;
  for (std::size_t i = 0; i < count; ++i)
    scenarios.push_back(Maker(company, tongue, seed * 1000 + i).make(sessions));
  return scenarios;
}

}  // namespace anima::memory::made_conversations
