#include "load/talk.h"

#include <algorithm>
#include <array>
#include <set>
#include <utility>

#include "base/json/json.h"
#include "base/text/text.h"
#include "language/text/words.h"
#include "load/sniff/encoding.h"
#include "load/talk/chat_exports.h"
#include "load/talk/html_text.h"
#include "load/talk/mail.h"
#include "load/talk/talk_parts.h"
#include "load/talk/whatsapp.h"

namespace anima::load {
namespace {

// One row a format, in the order of the enumeration; the endings of a file's name that say it is
// one.
struct FormatRow {
  TalkFormat format;
  std::string_view name;
  bool json = false;  // chat_exports.h reads it
  std::array<std::string_view, 2> endings = {};
};
constexpr FormatRow kFormats[] = {
    {TalkFormat::kTurns, "turns", true},
    {TalkFormat::kChatGpt, "chatgpt", true},
    {TalkFormat::kClaude, "claude", true},
    {TalkFormat::kGemini, "gemini", true},
    {TalkFormat::kOpenWebUi, "openwebui", true},
    {TalkFormat::kLibreChat, "librechat", true},
    {TalkFormat::kClaudeCode, "claude-code", true},
    {TalkFormat::kSlack, "slack", true},
    {TalkFormat::kDiscord, "discord", true},
    {TalkFormat::kTelegram, "telegram", true},
    {TalkFormat::kWhatsApp, "whatsapp"},
    {TalkFormat::kMail, "mail", false, {".eml"}},
    {TalkFormat::kMbox, "mbox", false, {".mbox"}},
    {TalkFormat::kHtml, "html", false, {".html", ".htm"}},
    {TalkFormat::kMarkdown, "markdown", false, {".md", ".markdown"}},
    {TalkFormat::kText, "text"},
};
static_assert([] {
  for (std::size_t i = 0; i < std::size(kFormats); ++i)
    if (kFormats[i].format != static_cast<TalkFormat>(i)) return false;
  return std::size(kFormats) == static_cast<std::size_t>(TalkFormat::kText) + 1;
}());
const FormatRow& row_of(TalkFormat format) { return kFormats[static_cast<std::size_t>(format)]; }

constexpr std::size_t kLongParagraph = 1'200;  // bytes; what is longer is cut at a sentence

bool has_ending(std::string_view file, std::string_view ending) {
  return file.size() > ending.size() &&
         equals_ignoring_ascii_case(file.substr(file.size() - ending.size()), ending);
}

bool is_one_object_a_line(std::string_view text) {
  const std::string_view first = trim(text.substr(0, text.find('\n')));
  const std::size_t end = text.find('\n');
  return first.starts_with('{') && first.ends_with('}') && end != text.npos &&
         !trim(text.substr(end)).empty();
}

std::optional<TalkFormat> format_by_name(const std::string& file) {
  for (const FormatRow& row : kFormats) {
    for (const std::string_view ending : row.endings)
      if (!ending.empty() && has_ending(file, ending)) return row.format;
  }
  return std::nullopt;
}

TalkFormat format_of_text(std::string_view text) {
  if (looks_like_mbox(text)) return TalkFormat::kMbox;
  if (looks_like_whatsapp(text)) return TalkFormat::kWhatsApp;
  if (looks_like_mail(text)) return TalkFormat::kMail;
  const std::string_view begin = trim(text.substr(0, 256));
  const auto begins = [&](std::string_view tag) {
    return equals_ignoring_ascii_case(begin.substr(0, tag.size()), tag);
  };
  if (begins("<!doctype html") || begins("<html")) return TalkFormat::kHtml;
  return TalkFormat::kText;
}

// Cuts a long paragraph behind sentences.
std::vector<std::string_view> pieces_of(std::string_view paragraph) {
  std::vector<std::string_view> pieces;
  while (paragraph.size() > kLongParagraph) {
    const std::string_view head = beginning_of(paragraph, kLongParagraph);
    std::size_t end = head.rfind(". ");
    if (end == head.npos || end < kLongParagraph / 4) end = head.rfind(' ');
    end = end == head.npos || end == 0 ? head.size() : end + 1;
    pieces.push_back(trim(paragraph.substr(0, end)));
    paragraph.remove_prefix(end);
  }
  if (!trim(paragraph).empty()) pieces.push_back(trim(paragraph));
  return pieces;
}

// Paragraphs as turns of one session, each once, with the heading above it.
class Paragraphs {
 public:
  Paragraphs(std::string session, Talk& talk) : session_(std::move(session)), talk_(talk) {}

  void head(std::string_view heading) { heading_ = trim(heading); }
  bool has_heading() const { return !heading_.empty(); }
  void add(std::string_view paragraph) {
    for (const std::string_view piece : pieces_of(trim(paragraph))) {
      memory::Turn turn;
      turn.session = session_;
      turn.text = heading_.empty() ? std::string(piece) : heading_ + ": " + std::string(piece);
      turn.id = content_id({turn.text});
      if (ids_.insert(turn.id).second) talk_.turns.push_back(std::move(turn));
    }
  }

 private:
  const std::string session_;
  Talk& talk_;
  std::string heading_;
  std::set<std::string> ids_;
};

// Paragraphs are apart by empty lines; of Markdown, a heading stands before each of its own, and
// fenced code is one paragraph without headings.
void read_paragraphs(std::string_view text, const std::string& session, bool markdown, Talk& talk) {
  Paragraphs paragraphs(session, talk);
  std::string paragraph;
  bool fenced = false;
  const auto finish = [&] {
    paragraphs.add(paragraph);
    paragraph.clear();
  };
  for (std::string_view line : split(text, '\n')) {
    if (line.ends_with('\r')) line.remove_suffix(1);
    const std::size_t marks = std::min(line.find_first_not_of('#'), line.size());
    if (markdown && (trim(line).starts_with("```") || trim(line).starts_with("~~~"))) {
      fenced = !fenced;
    } else if (!fenced && markdown && marks > 0 && marks <= 6 &&
               line.substr(marks).starts_with(' ')) {
      finish();
      paragraphs.head(line.substr(marks));
    } else if (!fenced && trim(line).empty()) {
      finish();
    } else {
      paragraph += std::string(line) + "\n";
    }
  }
  finish();
}

// A page: a heading stands before each block of its own; a block of one word without a heading
// ("None.") says nothing of anything.
void read_page(std::string_view html, const std::string& file, Talk& talk) {
  const std::string title = html_title(html);
  Paragraphs paragraphs(title.empty() ? stem_of(file) : title, talk);
  for (const HtmlBlock& block : html_blocks(html)) {
    if (block.heading) {
      paragraphs.head(block.text);
    } else if (block.text != title &&
               (paragraphs.has_heading() || language::plain_words(block.text).size() > 1)) {
      paragraphs.add(block.text);
    }
  }
}

Result<Talk> read_json_file(std::string_view text, const std::string& file,
                            const TalkOptions& options) {
  if (is_one_object_a_line(text) || options.format == TalkFormat::kClaudeCode)
    return read_json_lines(text, file, options.format);
  const auto json = parse_json(text);
  if (!json) return fail(json.error().code, json.error().message, file + ":" + json.error().where);
  const auto found = options.format ? options.format : json_talk_format(*json);
  if (!found) {
    return fail(ErrorCode::kInvalidArgument, "the file holds no turns of a conversation", file,
                "a list of {\"text\", \"speaker\", \"time\"}, or an export of a chat program; "
                "tables are for `anima load`");
  }
  return read_json_talk(*json, *found, file, options);
}

}  // namespace

std::string_view to_string(TalkFormat format) { return row_of(format).name; }

std::optional<TalkFormat> parse_talk_format(std::string_view name) {
  for (const FormatRow& row : kFormats)
    if (row.name == name) return row.format;
  return std::nullopt;
}

std::vector<std::string> talk_format_names() {
  std::vector<std::string> names;
  for (const FormatRow& row : kFormats) names.emplace_back(row.name);
  return names;
}

Result<Talk> read_talk(std::string_view bytes, const std::string& file,
                       const TalkOptions& options) {
  if (bytes.starts_with("PK\x03\x04")) {
    return fail(ErrorCode::kInvalidArgument, "this is a ZIP archive", file,
                "unpack it, and give the folder or the files in it");
  }
  DecodedText decoded;
  ANIMA_TRY(decode_text(bytes, file, decoded));
  const std::string_view text = decoded.text;
  Result<Talk> talk;
  const std::string_view begin = trim(text.substr(0, 4096));
  const auto named = options.format ? options.format : format_by_name(file);
  const bool json = named ? row_of(*named).json : begin.starts_with('{') || begin.starts_with('[');
  // A chat's line may begin with a bracket, too.
  if (json && !(!named && looks_like_whatsapp(text))) {
    talk = read_json_file(text, file, options);
  } else {
    const TalkFormat format = named ? *named : format_of_text(text);
    talk = Talk();
    talk->format = format;
    if (format == TalkFormat::kWhatsApp) talk = read_whatsapp(text, file);
    if (format == TalkFormat::kMail) talk = read_mail(text, file);
    if (format == TalkFormat::kMbox) talk = read_mbox(text, file);
    if (format == TalkFormat::kHtml) read_page(text, file, *talk);
    if (format == TalkFormat::kMarkdown || format == TalkFormat::kText)
      read_paragraphs(text, stem_of(file), format == TalkFormat::kMarkdown, *talk);
  }
  if (talk && !decoded.note.empty()) talk->notes.push_back(decoded.note);
  return talk;
}

}  // namespace anima::load
