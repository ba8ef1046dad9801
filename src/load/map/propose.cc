#include "load/map/propose.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <span>

#include "base/files/file.h"
#include "base/text/text.h"
#include "load/file_words.h"
#include "load/map/words.h"

namespace anima::load {
namespace {

using store::EntityId;

constexpr std::size_t kNotThere = ~std::size_t{0};

constexpr std::string_view kIdTitles[] = {"id",     "uuid", "guid",  "key",        "code",
                                          "number", "no",   "nr",    "_id",        "sku",
                                          "isbn",   "ean",  "ident", "identifier", "slug"};
// Codes that are given to one thing each, whatever it is.
constexpr std::string_view kCodeTitles[] = {"iata", "icao", "iso",    "iso2",    "iso3",   "issn",
                                            "doi",  "vin",  "ticker", "barcode", "upc",    "asin",
                                            "imo",  "gln",  "lei",    "alpha_2", "alpha_3"};
constexpr std::string_view kNameTitles[] = {
    "name",     "title",     "label",  "hostname",     "host_name", "full_name", "fullname",
    "username", "user_name", "login",  "display_name", "file_name", "filename",  "path",
    "domain",   "email",     "e_mail", "url",          "word",      "term"};

bool is_one_of(std::string_view text, std::span<const std::string_view> list) {
  return std::find(list.begin(), list.end(), text) != list.end();
}

bool is_text_like(const ValueForm& form) { return form.type == ValueType::kText; }

// One table with what has been decided of it so far.
struct Draft {
  const ProfiledTable* source = nullptr;
  ProposedTable out;
  std::vector<ChosenForm> forms;
  std::string thing;             // the type in snake case: "network_device"
  std::size_t key = kNotThere;   // of one column
  std::size_t name = kNotThere;  // the column of the name, where it is not the key
  bool key_is_link = false;      // its key is that of another table: one row for each of its things

  const SourceTable& table() const { return *source->table; }
  const ColumnProfile& profile(std::size_t column) const { return source->columns[column]; }
  std::size_t find(std::string_view column) const {
    const auto& columns = table().columns;
    const auto at = std::find(columns.begin(), columns.end(), column);
    return at == columns.end() ? kNotThere : static_cast<std::size_t>(at - columns.begin());
  }
};

std::size_t find_column(const Draft& draft, std::string_view wanted) {
  const std::size_t exact = draft.find(wanted);
  if (exact != kNotThere) return exact;
  for (std::size_t i = 0; i < draft.table().columns.size(); ++i) {
    if (equals_ignoring_ascii_case(draft.table().columns[i], wanted)) return i;
  }
  return kNotThere;
}

bool is_whole_and_unique(const Draft& draft, std::size_t column) {
  const ColumnProfile& profile = draft.profile(column);
  return profile.rows > 0 && profile.empty == 0 && profile.unique && profile.lists == 0;
}

// --- the type

// Types that Anima fills itself, and that questions leave out.
constexpr std::string_view kTakenTypes[] = {"Event", "Domain", "SleepTask", "Word", "Entity"};

std::string known_spelling(const store::Snapshot& snapshot, std::string type) {
  if (is_one_of(type, kTakenTypes)) type += "Record";
  if (snapshot.find_type(type)) return type;
  for (const EntityId entity : snapshot.concepts_labelled(type)) {
    if (snapshot.type_of(entity) == store::kConceptType && snapshot.exists(entity))
      return std::string(snapshot.name(entity));
  }
  return type;
}

std::string type_of_table(const SourceTable& table) {
  const std::string type = type_name(table.name);
  if (type != kNoTypeName) return type;
  const std::string_view file = file_name(table.file);
  return type_name(file.substr(0, file.size() - extension(file).size()));
}

// --- the key and the name

enum class Calling : std::uint8_t { kNothing, kName, kIdentifier };

Calling calling_of(const Draft& draft, std::size_t column) {
  const std::string title = snake_case(draft.table().columns[column]);
  if (is_one_of(title, kIdTitles) || title == draft.thing + "_id" ||
      title == draft.thing + "_code" || title == draft.thing + "_key" ||
      title == draft.thing + "_number" || title == draft.thing + "_no")
    return Calling::kIdentifier;
  if (is_one_of(title, kNameTitles) || title == draft.thing || title == draft.thing + "_name" ||
      title == draft.thing + "_title")
    return Calling::kName;
  return Calling::kNothing;
}

bool is_declared_link(const Draft& draft, std::size_t column) {
  const auto& links = draft.table().declared_links;
  return std::any_of(links.begin(), links.end(), [&](const DeclaredLink& link) {
    return link.column == draft.table().columns[column];
  });
}

bool may_be_key(const Draft& draft, std::size_t column) {
  const ValueForm& form = draft.forms[column].form;
  const ColumnProfile& profile = draft.profile(column);
  if (!is_whole_and_unique(draft, column) || draft.forms[column].wrong > 0) return false;
  if (is_declared_link(draft, column)) return false;  // what is nested in a row tells nothing of it
  if (form.type == ValueType::kDecimal || form.type == ValueType::kBoolean) return false;
  return profile.line_ends == 0 && profile.bytes <= 200 * profile.rows;
}

bool ends_like_identifier(std::string_view title) {
  return std::ranges::any_of(std::array{"_id", "_code", "_key", "_number", "_no", "_nr", "_uuid"},
                             [&](std::string_view ending) { return title.ends_with(ending); });
}

// A column that another table of the command is called after: `order_id` beside orders.csv.
bool is_of_another(const Draft& draft, std::size_t column, const std::vector<Draft>& drafts) {
  const std::string thing = named_thing(draft.table().columns[column]);
  return std::ranges::any_of(drafts, [&](const Draft& other) {
    return &other != &draft && !other.thing.empty() &&
           (thing == other.thing || thing.ends_with("_" + other.thing));
  });
}

// Which column tells rows apart, by its title and place; 0: none says so. What is called like an
// identifier goes before what is there once by chance, and at the front before a name.
int rank_of_key(const Draft& draft, std::size_t column, bool of_another) {
  const ValueForm& form = draft.forms[column].form;
  const ColumnProfile& profile = draft.profile(column);
  const std::string title = snake_case(draft.table().columns[column]);
  const Calling calling = calling_of(draft, column);
  if (calling == Calling::kIdentifier) return 7;
  const bool like_identifier = ends_like_identifier(title) && !of_another;
  if (is_one_of(title, kCodeTitles) || (like_identifier && column == 0 && title.ends_with("_id")))
    return 6;
  if (calling == Calling::kName) return 5;
  if (like_identifier || (of_another && column == 0)) return 4;
  if (is_text_like(form) && profile.bytes <= 60 * profile.rows) return 3;
  if (form.type == ValueType::kInteger && column == 0) return 2;
  return form.type == ValueType::kDate && column == 0 ? 1 : 0;
}

std::size_t best_key(const Draft& draft, const std::vector<Draft>& drafts) {
  std::size_t best = kNotThere;
  int best_rank = 0;
  for (std::size_t i = 0; i < draft.table().columns.size(); ++i) {
    if (!may_be_key(draft, i)) continue;
    const int rank = rank_of_key(draft, i, is_of_another(draft, i, drafts));
    if (rank > best_rank) {
      best_rank = rank;
      best = i;
    }
  }
  // In a table of one row everything is unique.
  return best;
}

// `kiln` in kilns.csv.
bool is_called_as_type(const Draft& draft, std::size_t column) {
  return snake_case(draft.table().columns[column]) == draft.thing;
}

// Rows of a column in front of it, of which several have one kiln, are no kilns: firings F1, F2.
bool is_of_rows_before(const Draft& draft, std::size_t column) {
  return is_called_as_type(draft, column) && !draft.profile(column).unique &&
         draft.key != kNotThere && draft.key < column &&
         calling_of(draft, draft.key) != Calling::kIdentifier;
}

// A column that people would call the row by; not necessarily unique.
std::size_t best_name(const Draft& draft) {
  for (std::size_t i = 0; i < draft.table().columns.size(); ++i) {
    const ColumnProfile& profile = draft.profile(i);
    if (i == draft.key || calling_of(draft, i) != Calling::kName) continue;
    if (is_declared_link(draft, i)) continue;
    const bool number = is_called_as_type(draft, i) && is_whole_and_unique(draft, i) &&
                        draft.forms[i].form.type == ValueType::kInteger;
    if (!is_text_like(draft.forms[i].form) && !number) continue;
    if (profile.empty > 0 || profile.lists > 0 || is_of_rows_before(draft, i)) continue;
    if (profile.line_ends > 0 || profile.bytes > 100 * profile.rows) continue;
    const std::size_t things =
        draft.key == kNotThere ? profile.rows : draft.profile(draft.key).distinct.size();
    if (profile.distinct.size() * 2 >= things) return i;
  }
  return kNotThere;
}

bool is_plain_name(const Draft& draft, std::size_t column) {
  const ValueType type = draft.forms[column].form.type;
  if (type != ValueType::kText) return false;
  // "007" reads as a number too, and a number is no name to ask for.
  return draft.profile(column).leading_zeros == 0 ||
         draft.profile(column).leading_zeros * 2 < draft.profile(column).rows;
}

void decide_name(Draft& draft) {
  TableMapping& mapping = draft.out.mapping;
  if (mapping.key.size() > 1) {
    for (const std::string& column : mapping.key)
      mapping.name += (mapping.name.empty() ? "{" : " {") + column + "}";
    return;
  }
  if (mapping.key.empty()) {
    mapping.name = mapping.type + " {#}";
    return;
  }
  const std::string key = "{" + mapping.key[0] + "}";
  if (draft.key_is_link) {
    mapping.name = mapping.type + " " + key;
    return;
  }
  // A column that is merely unique may be a code: a column of names beside it says it better.
  const bool is_identifier =
      calling_of(draft, draft.key) != Calling::kName || !is_plain_name(draft, draft.key);
  if (is_identifier) draft.name = best_name(draft);
  if (draft.name != kNotThere) {
    const bool number = draft.forms[draft.name].form.type == ValueType::kInteger;
    mapping.name = (number ? mapping.type + " {" : "{") + draft.table().columns[draft.name] + "}";
  } else {
    mapping.name = is_plain_name(draft, draft.key) ? key : mapping.type + " " + key;
  }
}

// A name of one or two letters, or without any, is no word: "s.csv", "t10.csv", "2025.csv". A
// letter of another script than Latin has more than one byte, and may be a word.
bool is_word_for_things(std::string_view type) {
  return type != kNoTypeName && type.find_last_not_of("0123456789") + 1 > 2;
}

// The column that is likely to tell the rows apart, before the type is known.
std::size_t key_in_sight(const Draft& draft, const MappingWishes& wishes,
                         const std::vector<Draft>& drafts) {
  const std::vector<std::string>& declared = draft.table().declared_key;
  if (!wishes.key.empty()) {
    const std::size_t wished = find_column(draft, wishes.key[0]);
    if (wished != kNotThere) return wished;
  }
  if (!declared.empty()) return draft.find(declared[0]);
  // "ship_id" at the front, also before a unique text.
  const std::string title = snake_case(draft.table().columns[0]);
  return named_thing(title) != title && may_be_key(draft, 0) ? 0 : best_key(draft, drafts);
}

// Where the name of the file says nothing, the title of the key does: "ship_id" is of a Ship.
std::string type_of_rows(const Draft& draft, const MappingWishes& wishes,
                         const std::vector<Draft>& drafts) {
  const std::string type = type_of_table(draft.table());
  if (is_word_for_things(type)) return type;
  const std::size_t key = key_in_sight(draft, wishes, drafts);
  if (key == kNotThere) return type;
  const std::string thing = named_thing(draft.table().columns[key]);
  if (is_one_of(thing, kIdTitles) || is_one_of(thing, kNameTitles)) return type;
  const std::string titled = type_name(thing);
  return is_word_for_things(titled) ? titled : type;
}

// Two columns that together tell the rows apart, when no single one does: links between things.
bool pair_key(Draft& draft) {
  const auto& columns = draft.table().columns;
  std::vector<std::size_t> able;
  for (std::size_t i = 0; i < columns.size() && able.size() < 6; ++i) {
    const ColumnProfile& profile = draft.profile(i);
    const ValueType type = draft.forms[i].form.type;
    if (profile.empty > 0 || profile.lists > 0 || profile.line_ends > 0) continue;
    if (profile.rows == 0 || profile.bytes > 60 * profile.rows) continue;
    if (type != ValueType::kDecimal && type != ValueType::kBoolean && profile.distinct.size() > 1)
      able.push_back(i);
  }
  struct Pair {
    std::size_t a, b;
    HashSet64 seen;
    bool good = true;
  };
  std::vector<Pair> pairs;
  for (std::size_t a = 0; a < able.size(); ++a) {
    for (std::size_t b = a + 1; b < able.size(); ++b) pairs.push_back({able[a], able[b], {}, true});
  }
  if (pairs.empty()) return false;
  auto reader = draft.table().open();
  Row row;
  while (reader) {
    const auto more = (*reader)->next(row);
    if (!more || !*more) break;
    for (Pair& pair : pairs) {
      if (!pair.good) continue;
      std::string one, two;
      const std::string_view a = cell_text(row.cells[pair.a], one);
      const std::string_view b = cell_text(row.cells[pair.b], two);
      pair.good = pair.seen.insert(hash_text(a) * 31 + hash_text(b));
      if (!pair.good) pair.seen.clear();
    }
  }
  for (const Pair& pair : pairs) {
    if (!pair.good) continue;
    draft.out.mapping.key = {columns[pair.a], columns[pair.b]};
    return true;
  }
  return false;
}

Status wished_key(Draft& draft, const std::vector<std::string>& key) {
  for (const std::string& wanted : key) {
    const std::size_t column = find_column(draft, wanted);
    if (column == kNotThere) return {};  // of another table
  }
  for (const std::string& wanted : key) {
    const std::size_t column = find_column(draft, wanted);
    const ColumnProfile& profile = draft.profile(column);
    if (profile.empty > 0) {
      return fail(ErrorCode::kInvalidArgument,
                  fmt::format("the key \"{}\" is empty in {} rows", wanted, profile.empty),
                  draft.table().file);
    }
    draft.out.mapping.key.push_back(draft.table().columns[column]);
    if (key.size() == 1) {
      draft.key = column;
      draft.out.repeated_keys = !profile.unique;
    }
  }
  return {};
}

Status decide_key(Draft& draft, const MappingWishes& wishes, const std::vector<Draft>& drafts) {
  TableMapping& mapping = draft.out.mapping;
  if (!wishes.key.empty()) ANIMA_TRY(wished_key(draft, wishes.key));
  if (mapping.key.empty() && !draft.table().declared_key.empty()) {
    mapping.key = draft.table().declared_key;
    if (mapping.key.size() == 1) draft.key = draft.find(mapping.key[0]);
  }
  if (mapping.key.empty()) {
    draft.key = best_key(draft, drafts);
    if (draft.key != kNotThere) {
      mapping.key = {draft.table().columns[draft.key]};
      draft.key_is_link = is_of_another(draft, draft.key, drafts) &&
                          calling_of(draft, draft.key) == Calling::kNothing;
    }
  }
  if (mapping.key.empty() && !pair_key(draft)) {
    draft.out.notes.push_back(fmt::format(
        "{}: no column tells the rows apart, so they are numbered", draft.table().file));
  }
  if (mapping.key.size() > 1) draft.out.repeated_keys = !wishes.key.empty();
  decide_name(draft);
  if (draft.out.repeated_keys && mapping.key.size() == 1) {
    draft.out.notes.push_back(
        fmt::format("{}: several rows have the same {}; their values are put together",
                    draft.table().file, mapping.key[0]));
  }
  return {};
}

// --- links

double part_within(const HashSet64& values, const HashSet64& keys) {
  std::size_t found = 0;
  values.each([&](std::uint64_t hash) { found += keys.contains(hash) ? 1 : 0; });
  return values.size() == 0 ? 0 : static_cast<double>(found) / static_cast<double>(values.size());
}

struct FoundLink {
  std::string target;
  ValueForm form;
  std::string separator;
};

class LinkFinder {
 public:
  LinkFinder(const std::vector<Draft>& drafts, const store::Snapshot& snapshot)
      : drafts_(drafts), snapshot_(snapshot) {}

  std::optional<FoundLink> find(const Draft& draft, std::size_t column) const {
    if (const auto declared = declared_link(draft, column)) return declared;
    const ColumnProfile& profile = draft.profile(column);
    if (profile.distinct.size() == 0) return std::nullopt;
    const ValueType type = draft.forms[column].form.type;
    if (type == ValueType::kDecimal || type == ValueType::kBoolean || type == ValueType::kDate)
      return std::nullopt;
    for (const bool need_title : {true, false}) {
      for (const Draft& other : drafts_) {
        const auto link = link_to(draft, column, other, need_title);
        if (link) return link;
      }
    }
    return type == ValueType::kText ? link_to_known(draft, column) : std::nullopt;
  }

 private:
  std::optional<FoundLink> declared_link(const Draft& draft, std::size_t column) const {
    for (const DeclaredLink& link : draft.table().declared_links) {
      if (link.column != draft.table().columns[column]) continue;
      for (const Draft& other : drafts_) {
        if (other.table().file == draft.table().file && other.table().name == link.table)
          return FoundLink{other.out.mapping.type, key_form(other), {}};
      }
    }
    return std::nullopt;
  }

  static ValueForm key_form(const Draft& other) {
    return other.key == kNotThere ? ValueForm() : other.forms[other.key].form;
  }

  static bool is_called_like(const Draft& draft, std::size_t column, const Draft& other) {
    const std::string& title = draft.table().columns[column];
    const std::string thing = named_thing(title);
    if (thing == other.thing || thing.ends_with("_" + other.thing)) return true;
    if (other.key == kNotThere) return false;
    const std::string& key = other.table().columns[other.key];
    return &draft != &other && snake_case(key) == snake_case(title) &&
           !is_one_of(snake_case(key), kIdTitles) && !is_one_of(snake_case(key), kNameTitles);
  }

  static bool reads_as_reference(std::string_view title) {
    const std::string snake = snake_case(title);
    return snake.ends_with("_id") || snake == "parent" || snake == "manager" ||
           snake.ends_with("_ref");
  }

  std::optional<FoundLink> link_to(const Draft& draft, std::size_t column, const Draft& other,
                                   bool need_title) const {
    if (other.key == kNotThere) return std::nullopt;
    const ColumnProfile& profile = draft.profile(column);
    const bool called = is_called_like(draft, column, other);
    if (need_title != called) return std::nullopt;
    const bool is_self = &draft == &other;
    const bool numeric = draft.forms[column].form.type == ValueType::kInteger;
    if (!called && numeric && !(is_self && reads_as_reference(draft.table().columns[column])))
      return std::nullopt;
    // Unique values that are keys of their own table are another way to write its key.
    if (is_self && is_whole_and_unique(draft, column) &&
        !reads_as_reference(draft.table().columns[column])) {
      return std::nullopt;
    }
    const double least = called ? 0.5 : 1.0;
    const std::size_t few = called || is_self ? 1 : 2;
    for (const std::size_t key : {other.key, other.name}) {
      if (key == kNotThere || (is_self && key == column)) continue;
      const HashSet64& keys = other.profile(key).distinct;
      if (profile.distinct.size() >= few && part_within(profile.distinct, keys) >= least)
        return FoundLink{other.out.mapping.type, other.forms[key].form, {}};
      for (std::size_t i = 0; i < kSeparators.size(); ++i) {
        if (!profile.separated[i] || !profile.items_open[i]) continue;
        if (part_within(profile.items[i], keys) >= (called ? 0.8 : 1.0))
          return FoundLink{other.out.mapping.type, other.forms[key].form,
                           std::string(1, kSeparators[i])};
      }
    }
    return std::nullopt;
  }

  // All that was sampled are names of things of one type.
  std::optional<FoundLink> link_to_known(const Draft& draft, std::size_t column) const {
    const ColumnProfile& profile = draft.profile(column);
    std::map<EntityId, std::size_t> types;
    for (const std::string& sample : profile.samples) {
      std::set<EntityId> of_one;
      for (const EntityId entity : snapshot_.concepts_named(sample)) {
        const EntityId type = snapshot_.type_of(entity);
        if (snapshot_.exists(entity) && type != store::kConceptType &&
            type != store::kPropositionType && type != store::kEntityType)
          of_one.insert(type);
      }
      if (of_one.empty()) return std::nullopt;
      for (const EntityId type : of_one) ++types[type];
    }
    for (const auto& [type, count] : types) {
      const std::string name(snapshot_.name(type));
      const bool called = named_thing(draft.table().columns[column]) == snake_case(name);
      if (count == profile.samples.size() && (count > 1 || called)) return FoundLink{name, {}, {}};
    }
    return std::nullopt;
  }

  const std::vector<Draft>& drafts_;
  const store::Snapshot& snapshot_;
};

std::string free_key(const TableMapping& mapping, const std::string& wanted) {
  std::string key = wanted;
  const auto taken = [&](const std::string& name) {
    return std::any_of(mapping.columns.begin(), mapping.columns.end(), [&](const auto& column) {
      return column.attribute == name || column.predicate == name;
    });
  };
  for (int n = 2; taken(key); ++n) key = wanted + "_" + std::to_string(n);
  return key;
}

void note_doubt(Draft& draft, std::size_t i, std::string_view what_follows) {
  if (draft.forms[i].doubt.empty()) return;
  draft.out.notes.push_back(fmt::format("{}, column {}: {}, {}", draft.table().file,
                                        draft.table().columns[i], draft.forms[i].doubt,
                                        what_follows));
}

void decide_column(Draft& draft, std::size_t i, const LinkFinder& links) {
  TableMapping& mapping = draft.out.mapping;
  const std::string& title = draft.table().columns[i];
  ColumnMapping column;
  column.column = title;
  column.form = draft.forms[i].form;
  const bool is_key = std::find(mapping.key.begin(), mapping.key.end(), title) != mapping.key.end();
  const bool named_by_key = is_named_by_key(mapping) && !mapping.key.empty();
  const bool is_name = mapping.name.find("{" + title + "}") != std::string::npos;
  const bool is_only_name = is_name && (mapping.name == "{" + title + "}");
  if (is_only_name && (named_by_key || i == draft.name)) {
    column.role = ColumnRole::kSkip;  // the name holds it
  } else if (const auto link = is_key && mapping.key.size() == 1 && !draft.key_is_link
                                   ? std::nullopt
                                   : links.find(draft, i)) {
    column.role = ColumnRole::kLink;
    column.target = link->target;
    column.form = link->form;
    if (column.form.type == ValueType::kText)
      column.form.na_is_nothing = draft.forms[i].form.na_is_nothing;
    column.separator = link->separator;
    column.predicate = free_key(mapping, link_name(title));
  } else if (draft.profile(i).filled() == 0) {
    column.role = ColumnRole::kSkip;
  } else {
    column.attribute = free_key(mapping, snake_case(title));
    note_doubt(draft, i, "so it stays text");
  }
  if (column.role != ColumnRole::kSkip && column.form.na_is_nothing) {
    draft.out.notes.push_back(
        fmt::format("{}, column {}: {} says that there is no value (--as {}=text keeps it)",
                    draft.table().file, title, kNotAvailable, quote_json(title)));
  }
  mapping.columns.push_back(std::move(column));
}

// --- wishes and what was kept

Status apply_links(std::vector<Draft>& drafts, const MappingWishes& wishes) {
  for (const LinkWish& wish : wishes.links) {
    bool found = false;
    for (Draft& draft : drafts) {
      const std::size_t at = find_column(draft, wish.column);
      if (at == kNotThere) continue;
      found = true;
      ColumnMapping& column = draft.out.mapping.columns[at];
      if (column.role == ColumnRole::kLink && column.target == wish.target) {
        column.predicate = wish.predicate;
        continue;
      }
      column.role = ColumnRole::kLink;
      column.attribute.clear();
      column.target = wish.target;
      column.predicate = wish.predicate;
      column.form = draft.forms[at].form;
      if (column.form.type != ValueType::kInteger) column.form = {};
      for (const Draft& other : drafts) {
        if (other.out.mapping.type == wish.target && other.key != kNotThere)
          column.form = other.forms[other.key].form;
      }
    }
    if (!found)
      return fail(ErrorCode::kInvalidArgument, "there is no column \"" + wish.column + "\"",
                  "--link");
  }
  return {};
}

Status apply_forms(std::vector<Draft>& drafts, const MappingWishes& wishes) {
  for (const auto& [name, form] : wishes.forms) {
    bool found = false;
    const auto parsed = parse_form(form);
    if (!parsed && form != "skip")
      return fail(ErrorCode::kInvalidArgument, "there is no type \"" + form + "\"", "--as",
                  "one of skip, " + join(form_names(), ", "));
    for (Draft& draft : drafts) {
      const std::size_t at = find_column(draft, name);
      if (at == kNotThere) continue;
      found = true;
      ColumnMapping& column = draft.out.mapping.columns[at];
      if (form == "skip") {
        column.role = ColumnRole::kSkip;
        continue;
      }
      column.form = *parsed;
      if (column.role == ColumnRole::kLink || column.attribute.empty()) {
        column.role = ColumnRole::kAttribute;
        column.attribute = snake_case(column.column);
      }
    }
    if (!found)
      return fail(ErrorCode::kInvalidArgument, "there is no column \"" + name + "\"", "--as");
  }
  return {};
}

// An earlier mapping of the same table: its columns as they were, new ones as they are proposed.
bool fits_kept(const Draft& draft, const TableMapping& kept, const MappingWishes& wishes) {
  if (!wishes.key.empty() || (wishes.type && *wishes.type != kept.type)) return false;
  for (const std::string& column : kept.key) {
    const std::size_t at = draft.find(column);
    if (at == kNotThere || draft.profile(at).empty > 0) return false;
  }
  for (const NamePiece& piece : name_pieces(kept.name)) {
    if (!piece.column.empty() && piece.column != "#" && draft.find(piece.column) == kNotThere)
      return false;
  }
  std::size_t shared = 0;
  for (const std::string& column : draft.table().columns) shared += kept.find(column) ? 1u : 0u;
  return shared * 2 >= draft.table().columns.size();
}

// What was a number before, and would be text if it were new: the file has changed, or somebody
// said so.
void note_kept_doubt(Draft& draft, std::size_t i, const ValueForm& kept) {
  const bool number = kept.type == ValueType::kInteger || kept.type == ValueType::kDecimal;
  if (number && draft.forms[i].form.type == ValueType::kText)
    note_doubt(draft, i, "but it is read as " + form_name(kept) + ", as it was before");
}

void take_kept(Draft& draft, const TableMapping& kept) {
  TableMapping& mapping = draft.out.mapping;
  draft.out.kept = true;
  mapping.type = kept.type;
  mapping.key = kept.key;
  mapping.name = kept.name;
  draft.thing = snake_case(mapping.type);
  draft.key = mapping.key.size() == 1 ? draft.find(mapping.key[0]) : kNotThere;
  draft.out.repeated_keys =
      draft.key != kNotThere ? !draft.profile(draft.key).unique : mapping.key.size() > 1;
  const auto pieces = name_pieces(mapping.name);
  if (pieces.size() == 1 && draft.key != kNotThere && draft.find(pieces[0].column) != draft.key)
    draft.name = draft.find(pieces[0].column);
}

}  // namespace

Result<std::vector<ProposedTable>> propose_mappings(const std::vector<ProfiledTable>& tables,
                                                    const MappingWishes& wishes,
                                                    const Mapping& kept,
                                                    const store::Snapshot& snapshot) {
  std::vector<Draft> drafts;
  for (const ProfiledTable& source : tables) {
    Draft& draft = drafts.emplace_back();
    draft.source = &source;
    for (std::size_t i = 0; i < source.columns.size(); ++i) {
      const ColumnPlace place{source.table->comma_is_free, says_version(source.table->columns[i])};
      draft.forms.push_back(choose_form(source.columns[i], place));
    }
    draft.out.mapping.table = source.table->id;
    const TableMapping* before = kept.find(source.table->id);
    if (before != nullptr && fits_kept(draft, *before, wishes)) {
      take_kept(draft, *before);
      continue;
    }
    draft.out.mapping.type =
        wishes.type ? *wishes.type : known_spelling(snapshot, type_of_rows(draft, wishes, drafts));
    draft.thing = snake_case(draft.out.mapping.type);
  }
  for (Draft& draft : drafts) {
    if (!draft.out.kept) ANIMA_TRY(decide_key(draft, wishes, drafts));
  }
  if (!wishes.key.empty() && std::none_of(drafts.begin(), drafts.end(), [&](const Draft& draft) {
        return draft.out.mapping.key.size() == wishes.key.size() &&
               find_column(draft, wishes.key[0]) != kNotThere;
      })) {
    return fail(ErrorCode::kInvalidArgument,
                "there is no column \"" + join(wishes.key, "\", \"") + "\"", "--key");
  }
  for (const auto& [name, form] : wishes.forms) {  // what is said is no doubt
    for (Draft& draft : drafts) {
      const std::size_t at = find_column(draft, name);
      if (at != kNotThere) draft.forms[at].doubt.clear();
    }
  }
  const LinkFinder links(drafts, snapshot);
  for (Draft& draft : drafts) {
    const TableMapping* before = draft.out.kept ? kept.find(draft.table().id) : nullptr;
    for (std::size_t i = 0; i < draft.table().columns.size(); ++i) {
      const ColumnMapping* column =
          before != nullptr ? before->find(draft.table().columns[i]) : nullptr;
      if (column != nullptr) {
        draft.out.mapping.columns.push_back(*column);
        note_kept_doubt(draft, i, column->form);
      } else {
        decide_column(draft, i, links);
      }
    }
  }
  ANIMA_TRY(apply_links(drafts, wishes));
  ANIMA_TRY(apply_forms(drafts, wishes));
  std::vector<ProposedTable> out;
  for (Draft& draft : drafts) out.push_back(std::move(draft.out));
  return out;
}

}  // namespace anima::load
