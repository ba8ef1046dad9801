// Reads one sentence for frames.h: clauses in frames.cc, sides that are named by what they are to
// somebody in frame_nouns.cc, the end of a clause and what stands behind it in frame_ends.cc.
// Thread-safety: of one thread. Ownership: all arguments of the constructor outlive it. Complexity:
// as frames.h says.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "language/frames/detail/frame_sides.h"
#include "language/frames/detail/name_evidence.h"
#include "language/frames/frames.h"
#include "language/times/times.h"

namespace anima::language::detail {

class FrameReader {
 public:
  // `times`: those of the sentence, which may be what the clauses say.
  FrameReader(std::string_view sentence, const FrameWords& words, const FrameContext& context,
              std::vector<TimeReading> times);
  FramesRead run();

 private:
  static constexpr std::size_t kMostListed = 8;
  static constexpr std::string_view kPerson = "Person", kAnimal = "Animal", kPlace = "Place";

  // Where the verb of a clause stands: behind the subject, before it, at the end.
  enum class Order : std::uint8_t { kPlain, kFronted, kLast };

  // How far a clause is read, with what was passed over in it.
  struct Place {
    std::size_t at = 0;
    const TimeReading* time = nullptr;
    bool adds = false;
  };

  struct Subject {
    FrameSide side;
    std::size_t end = 0;
    std::vector<Frame> told = {};  // what its words say besides: "my husband Tom"
    bool several = false;          // "our", "we": several are meant, of whom the speaker is one
    std::vector<FrameSide> others = {};      // who is named beside: "Claire and I"
    FrameWords::Phrase copula = {};          // what was last said of it began with that
    const FrameRelation* told_of = nullptr;  // and was of this relation
    bool is_first() const { return side.kind == FrameSide::Kind::kSpeaker; }
  };

  // What stands behind a clause and belongs to it.
  struct Behind {
    Place place;
    std::vector<Frame> told = {};   // always true
    std::vector<Frame> timed = {};  // as long as the clause is
  };

  struct NounAt {
    const FrameNoun* noun;
    std::size_t end;
    std::string key;
  };

  // --- moving on
  Place reach(Place place, std::size_t size);
  // Behind fillers and one time.
  Place skip(Place place, bool closing = false);
  // `whole`: nothing may stand between them.
  std::optional<Place> words(const std::vector<std::string>& words, std::size_t from,
                             std::size_t to, Place place, bool whole = false);

  // --- clauses
  // `previous`: whose subject a clause without one has.
  bool next_clause(std::size_t at, const Subject* previous, std::size_t count);
  bool clause(Place place, Order order, const Subject* previous, std::size_t count);
  bool verbs(const Subject& subject, Place place, Order order, std::size_t count);
  // "Call me Nori."
  bool alone(Place place, std::size_t count);
  // "I'm a nurse and vegan": what is said next has the verb of what was said before.
  bool same_verb(const Subject& subject, Place place, std::size_t count);
  // "I don't work at Globex but at Initech".
  bool denied_verbs(const Subject& subject, Place place, std::size_t count);
  // The last one is what holds, the first one does not.
  using Then = std::function<bool(Place)>;
  bool instead_of(const Frame& frame, Place place, const Then& then);
  static bool fits(const FramePattern& pattern, const Subject& subject);
  // "Since 2019 work I at Initech", in a language that has it so.
  bool fronted(Place place, std::size_t count);
  // The objects of a verb, and what stands behind them.
  bool objects_behind(const FramePattern& pattern, const Subject& subject, Place place, Order order,
                      std::size_t count);
  const FrameWords::Words& listed_for(const FrameRelation& relation) const;
  // Words of the list of the relation: "a nurse", "vegan", "asthma and eczema".
  bool listed_objects(const FramePattern& pattern, Place place,
                      const std::function<bool(Place, const std::vector<FrameSide>&)>& behind);
  bool objects(const FramePattern& pattern, const Subject& subject, Place place, Order order,
               std::size_t count);
  template <typename Goes>
  bool each_object(const FrameRelation& relation, Place place, std::vector<FrameSide>& list,
                   const Goes& behind) {
    for (const auto& [side, end] : sides_at(relation, place.at)) {
      list.push_back(side);
      const Place further = reach({end, place.time, place.adds}, 0);
      // "I like tea, unlike Tom": a list ends with a word, "and".
      const bool whole = list.size() == 1 || lexemes_[place.at - 1].kind == Lexeme::Kind::kWord;
      if (whole && behind(further, list)) return true;
      if (relation.list && list.size() < kMostListed) {
        const std::size_t joiner = sides_.phrase(further.at, words_.joiners);
        if (joiner > 0 && each_object(relation, reach(further, joiner), list, behind)) return true;
      }
      list.pop_back();
    }
    return false;
  }
  static void doubt_unlisted_place(FrameSide& side);
  // Behind the country or state of the town that ends there: "Oslo, Norway".
  std::size_t behind_region(std::size_t at) const;
  FrameSide named(const ReadSide& read, std::string_view type, bool topic = false) const;
  // "My brother is called Zork": that says itself that it is a name.
  static std::vector<FrameSide> called_so(std::vector<FrameSide> objects);
  // What may be the object there.
  std::vector<std::pair<FrameSide, std::size_t>> sides_at(const FrameRelation& relation,
                                                          std::size_t at) const;
  // "I work as a team."
  NameDoubt doubt_of_value(const FrameRelation& relation, std::size_t at,
                           const ReadSide& read) const;

  // --- sides that are named by what they are to somebody
  std::vector<NounAt> nouns_at(std::size_t at) const;
  static std::string noun_of(const FrameNoun& noun);
  static bool is_kin(const FrameNoun& noun);
  // "My brother Tom", "Ada's brother (Tom)", "my brother, Tom,".
  void add_named_relative(const NounAt& noun, const FrameSide& owner, std::vector<Subject>& found);
  // "My brother", "our brother Tom".
  void add_relatives(std::size_t at, std::vector<Subject>& found);
  std::vector<Subject> subjects(std::size_t at);
  std::vector<Subject> lone_subjects(std::size_t at);
  // "Claire and I", "Tom and Anna".
  void add_pairs(std::size_t at, std::vector<Subject>& found);
  // Whose noun stands behind it: "my", "Ada's", "my brother's".
  std::vector<Subject> owners(std::size_t at);
  // Somebody's noun, in either order: "Ada's phone", "the phone of Ada". Calls with(owner, noun,
  // end) until that gives true.
  template <typename With>
  bool each_noun(std::size_t at, const With& with) {
    for (const Subject& owner : owners(at)) {
      const Place noun_place = skip(reach({owner.end}, 0));
      for (const NounAt& noun : nouns_at(noun_place.at)) {
        if (owner.several && !is_of_each(*noun.noun->relation)) continue;
        if (with(owner, noun, noun.end)) return true;
      }
    }
    const std::size_t the = sides_.phrase(at, words_.the);
    if (the == 0) return false;
    for (const NounAt& noun : nouns_at(at + the)) {
      const std::size_t of = sides_.phrase(noun.end, words_.of_words);
      const auto name = of > 0 ? sides_.person(noun.end + of) : std::nullopt;
      if (!name) continue;
      if (with(Subject{named(*name, kPerson), name->end}, noun, name->end)) return true;
    }
    return false;
  }
  // What several call theirs is the speaker's, too: "our dog", but not "our phone".
  static bool is_of_each(const FrameRelation& relation) {
    return relation.shared || relation.object == kPerson || relation.object == kAnimal;
  }
  Frame noun_frame(const NounAt& noun, const Subject& owner) const;
  // "My phone is 333", "Ada's brother is called Tom".
  bool nouns(Place place, std::size_t count);
  // "Tom is my brother", "Tom is the brother of Ada".
  bool inverse_nouns(Place place, std::size_t count);
  // A noun in the singular there, or in the plural.
  std::vector<NounAt> counted_nouns(std::size_t at, bool many) const;
  // Exactly so many names, one after the other.
  std::optional<std::vector<FrameSide>> names(std::string_view type, std::int64_t count,
                                              Place& place);
  // "My kids are Sam and Ellie", "my sons are called Leo and Max".
  bool plural_nouns(Place place, std::size_t count);
  // So many names, or as many as stand there, and the clause ends behind them.
  bool named_so(const NounAt& noun, const Subject& owner, Place place, std::int64_t wanted,
                bool called, std::size_t count);
  // "I changed my number to 555-0123".
  bool changed_nouns(const Subject& subject, Place place, std::size_t count);
  // "I have a brother named Tom", "I have two kids, Sam and Ellie".
  bool possession(const Subject& subject, Place place, std::size_t count);

  // --- what stands behind a clause
  bool stands_behind(const FrameRelation& relation, std::size_t at) const;
  // "Works at Initech as a nurse", "is a nurse at Initech".
  void add_others(const Frame& frame, const Subject& subject, Place place,
                  std::vector<Behind>& found);
  // "With my wife Claire and with Tom". Who has no name is told nothing of.
  void add_companions(const Frame& frame, const FrameSide& object, const Behind& so_far,
                      std::vector<Behind>& found);
  // "Tea to coffee": the other one is none.
  void add_passed_over(const Frame& frame, const FrameSide& object, Place place,
                       std::vector<Behind>& found) const;
  std::vector<Behind> behind_clause(const Frame& frame, const std::vector<FrameSide>& objects,
                                    const Subject& subject, Place place);

  // --- what was read
  bool begins_with_since(const TimeReading& reading) const;
  // Whether the time of a clause is one that its frame may have.
  bool set_time(Frame& frame, const TimeReading* reading) const;
  // In the clause that ends there: "gerade" of a journey.
  bool says_now(std::size_t end) const;
  bool emit(const Frame& frame, const std::vector<FrameSide>& objects, const Subject& subject,
            Place place, std::size_t count, bool inverse = false);
  bool emit_with(Frame frame, const std::vector<FrameSide>& objects, const Subject& subject,
                 const Behind& behind, std::size_t count, bool inverse);
  // "At Globex, not at Initech": the other one is said to be none.
  bool contrast(Frame denied, const FrameSide& told, const Subject& subject, Place place,
                std::size_t count, bool inverse);
  // What is said of one of several, with this noun, is said of the others, too.
  void say_of_others(const Subject& subject, std::size_t from, const std::string& noun);
  // "I was born in Oslo on 3 May 1990": the time is a fact of its own.
  bool add_time_fact(const FrameRelation& relation, const Subject& subject,
                     const TimeReading& time);
  // The sentence ends there, or goes on with another clause.
  bool ends(Place place, const Subject& subject, std::size_t count);

  const FrameWords& words_;
  const FrameContext& context_;
  const Lexemes lexemes_;
  const std::vector<TimeReading> times_;
  const FrameSides sides_;
  const NameEvidence evidence_;
  std::vector<Frame> frames_;
  std::size_t furthest_ = 0;
  bool shouted_ = false;
};

}  // namespace anima::language::detail
