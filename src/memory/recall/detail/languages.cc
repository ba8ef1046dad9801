#include "memory/recall/detail/languages.h"

#include <array>
#include <bitset>
#include <string>
#include <unordered_map>

#include "base/text/text.h"

namespace anima::memory::detail {
namespace {

// Words between blanks. The order of the languages is that of the enumeration.
constexpr std::array<std::string_view, kLanguages> kStopWords = {
    "a about above after again against all am an and any are aren as at be because been before "
    "being below between both but by can cannot could couldn d did didn do does doesn doing don "
    "down during each few for from further had hadn has hasn have haven having he her here hers "
    "herself him himself his how i if in into is isn it its itself just let ll m me more most "
    "mustn my myself no nor not now of off on once only or other ought our ours ourselves out over "
    "own re s same shan she should shouldn so some such t than that the their theirs them "
    "themselves then there these they this those through to too under until up ve very was wasn we "
    "were weren what when where which while who whom whose why will with won would wouldn you your "
    "yours yourself yourselves",
    "aber alle allem allen aller alles als also am an ander andere anderen auch auf aus bei beim "
    "bin bis bist da damit dann das dass dazu dein deine deinem deinen deiner dem den denn der des "
    "dich die dies diese diesem diesen dieser dieses dir doch dort du durch ein eine einem einen "
    "einer eines einige er es etwas euch euer eure für gegen gewesen hab habe haben hat hatte "
    "hatten hier hin hinter ich ihm ihn ihnen ihr ihre ihrem ihren ihrer im in indem ins ist jede "
    "jedem jeden jeder jedes jene jetzt kann kein keine keinem keinen keiner können könnte machen "
    "man manche mein meine meinem meinen meiner mich mir mit muss musste nach nicht nichts noch "
    "nun nur ob oder ohne sehr sein seine seinem seinen seiner seit selbst sich sie sind so solche "
    "soll sollte sondern sonst über um und uns unser unsere unter viel vom von vor wann war waren "
    "warst was weg weil weiter welche welchem welchen welcher welches wem wen wenn wer werde "
    "werden weshalb wessen wie wieder wieso will wir wird wirst wo wohin woher wollen wollte "
    "wurde wurden warum würde würden zu zum zur zwar zwischen",
    "a ai aie ait alors après as au aucun aussi autre aux avaient avais avait avant avec avez "
    "avoir avons ayant c ce ceci cela ces cet cette ceux chaque ci comme comment d dans de des du "
    "elle elles en encore est et eu eux fait fut il ils j je l la là le les leur leurs lui m ma "
    "mais me mes moi mon même n ne nos notre nous on ont ou où par parce pas pendant peu peut plus "
    "pour pourquoi qu quand que quel quelle quelles quels qui s sa sans se sera ses si son sont "
    "sous sur suis t ta te tes toi ton tous tout toute très tu un une vos votre vous y été était "
    "étaient être",
    "a al algo algunas algunos ante antes como con contra cual cuando de del desde donde durante e "
    "el ella ellas ellos en entre era eran eres es esa ese eso esta estaba estado estas este esto "
    "estos está están fue fueron ha había han has hasta hay he la las le les lo los me mi mis "
    "mucho "
    "muy más mí nada ni no nos nosotros o os otra otro para pero poco por porque que quien quién "
    "qué se sea ser si sin sobre son soy su sus también tanto te tiene tienen todo todos tu tus tú "
    "un una uno unos y ya yo él cuándo cómo dónde cuál",
};

struct UseList {
  std::string_view words;
  bool WordUse::*use;
};
constexpr std::array<std::array<UseList, 6>, kLanguages> kUses = {{
    {{{"who whom whose where which", &WordUse::asks_name},
      {"what", &WordUse::asks_thing},
      {"when", &WordUse::asks_when},
      {"is are was were do does did has have had will would can could should s re d might may "
       "about if kind happened made makes",
       &WordUse::verb_of_question},
      {"i me my mine myself", &WordUse::first_person},
      {"today yesterday tomorrow tonight week weeks weekend month months year years day days ago "
       "last next morning evening afternoon night soon recently summer winter spring autumn fall "
       "hour hours minutes since o'clock",
       &WordUse::time}}},
    {{{"wer wen wem wessen wo wohin woher welche welcher welches welchen welchem",
       &WordUse::asks_name},
      {"was", &WordUse::asks_thing},
      {"wann", &WordUse::asks_when},
      {"ist sind war waren hat haben hatte hatten tut tat tun macht machte wird wurde werden kann "
       "können könnte soll sollte will",
       &WordUse::verb_of_question},
      {"ich mich mir mein meine meinen meinem meiner meines", &WordUse::first_person},
      {"heute gestern morgen vorgestern übermorgen woche wochen wochenende monat monate monaten "
       "jahr jahre jahren tag tage tagen letzte letzten letztes letzter nächste nächsten nächstes "
       "früh abend abends nachmittag nacht neulich bald sommer winter frühling herbst stunde "
       "stunden minuten seit uhr",
       &WordUse::time}}},
    {{{"qui où quel quelle quels quelles", &WordUse::asks_name},
      {"que quoi", &WordUse::asks_thing},
      {"quand", &WordUse::asks_when},
      {"est sont était a ont fait", &WordUse::verb_of_question},
      {"je me moi mon ma mes j", &WordUse::first_person},
      {"hier demain semaine semaines mois an ans année années jour jours dernier dernière matin "
       "soir nuit été hiver printemps automne heure heures",
       &WordUse::time}}},
    {{{"quién quien dónde donde cuál cual", &WordUse::asks_name},
      {"qué", &WordUse::asks_thing},
      {"cuándo", &WordUse::asks_when},
      {"es son era fue ha han hace hizo", &WordUse::verb_of_question},
      {"yo me mi mis mí", &WordUse::first_person},
      {"hoy ayer mañana semana semanas mes meses año años día días pasado pasada noche tarde "
       "verano invierno primavera otoño hora horas",
       &WordUse::time}}},
}};

constexpr std::array<std::string_view, kLanguages> kMonths = {
    "january february march april may june july august september october november december",
    "januar februar märz april mai juni juli august september oktober november dezember",
    "janvier février mars avril mai juin juillet août septembre octobre novembre décembre",
    "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre",
};
constexpr std::array<std::string_view, kLanguages> kShortMonths = {
    "jan feb mar apr - jun jul aug sep oct nov dec", "jan feb - apr - jun jul aug sep okt nov dez",
    "- - - - - - - - - - - -", "- - - - - - - - - - - -"};
constexpr std::array<std::string_view, kLanguages> kWeekdays = {
    "monday tuesday wednesday thursday friday saturday sunday",
    "montag dienstag mittwoch donnerstag freitag samstag sonntag",
    "lundi mardi mercredi jeudi vendredi samedi dimanche",
    "lunes martes miércoles jueves viernes sábado domingo",
};
constexpr std::array<std::string_view, kLanguages> kNumbers = {
    "a two three four five six seven eight nine ten",
    "einem zwei drei vier fünf sechs sieben acht neun zehn",
    "un deux trois quatre cinq six sept huit neuf dix",
    "un dos tres cuatro cinco seis siete ocho nueve diez",
};

// Most words of a text are none of those: their ends and their length say so without a look-up.
class Filter {
 public:
  void add(std::string_view word) {
    if (!word.empty()) listed_[place_of(word)] = true;
  }
  bool may_hold(std::string_view word) const { return !word.empty() && listed_[place_of(word)]; }

 private:
  static std::size_t place_of(std::string_view word) {
    const auto byte = [](char c) {
      return static_cast<std::size_t>(static_cast<unsigned char>(c));
    };
    return (byte(word.front()) * 31 + byte(word[word.size() / 2]) * 1021 + byte(word.back()) * 257 +
            word.size()) %
           kPlaces;
  }
  static constexpr std::size_t kPlaces = 65'536;
  std::bitset<kPlaces> listed_;
};

struct Tables {
  std::unordered_map<std::string_view, unsigned> stop_words;
  Filter listed_stop_words, listed_uses;
  std::array<std::unordered_map<std::string_view, WordUse>, kLanguages> uses;

  Tables() {
    for (std::size_t i = 0; i < kLanguages; ++i) {
      for (const std::string_view word : split(kStopWords[i], ' ')) stop_words[word] |= 1u << i;
      for (const UseList& list : kUses[i])
        for (const std::string_view word : split(list.words, ' ')) uses[i][word].*list.use = true;
      number(kMonths[i], uses[i], &WordUse::month);
      number(kShortMonths[i], uses[i], &WordUse::month);
      number(kWeekdays[i], uses[i], &WordUse::weekday);
      number(kNumbers[i], uses[i], &WordUse::number);
      for (const auto& [word, use] : uses[i]) listed_uses.add(word);
    }
    for (const auto& [word, of] : stop_words) listed_stop_words.add(word);
  }

 private:
  static void number(std::string_view words, std::unordered_map<std::string_view, WordUse>& uses,
                     int WordUse::*use) {
    int place = 0;
    for (const std::string_view word : split(words, ' ')) {
      ++place;
      if (word != "-") uses[word].*use = place;
    }
  }
};

const Tables& tables() {
  static const Tables kTables;
  return kTables;
}

}  // namespace

WordUse use_of(Language language, std::string_view word) {
  if (!tables().listed_uses.may_hold(word)) return {};
  const auto& uses = tables().uses[static_cast<std::size_t>(language)];
  const auto found = uses.find(word);
  return found == uses.end() ? WordUse() : found->second;
}

bool is_stop_word(Language language, std::string_view word) {
  return (stop_word_of(word) & 1u << static_cast<unsigned>(language)) != 0;
}

unsigned stop_word_of(std::string_view word) {
  if (!tables().listed_stop_words.may_hold(word)) return 0;
  const auto& words = tables().stop_words;
  const auto found = words.find(word);
  return found == words.end() ? 0 : found->second;
}

std::vector<std::string_view> stop_words(Language language) {
  return split(kStopWords[static_cast<std::size_t>(language)], ' ');
}

}  // namespace anima::memory::detail
