// What is read of the files that chat programs, mail programs and people write.
#include "load/talk.h"

#include <gtest/gtest.h>

namespace anima::load::talk_test {
namespace {

using memory::Turn;

Talk read(std::string_view bytes, const std::string& file, const TalkOptions& options = {}) {
  auto talk = read_talk(bytes, file, options);
  EXPECT_TRUE(talk) << talk.error().describe();
  return talk ? *talk : Talk();
}
std::string time_of(const Turn& turn) {
  return turn.time ? format_timestamp(*turn.time) : std::string();
}

TEST(Talk, ChatGptShowsTheCurrentBranch) {
  const Talk talk = read(R"([{"title":"Tides","conversation_id":"c1","current_node":"d","mapping":{
    "a":{"id":"a","message":null,"parent":null,"children":["b"]},
    "b":{"id":"b","message":{"id":"m1","author":{"role":"user"},"create_time":1683554160.5,
      "content":{"content_type":"text","parts":["When is high tide?"]}},"parent":"a","children":["c","d"]},
    "c":{"id":"c","message":{"id":"m2","author":{"role":"assistant"},
      "content":{"content_type":"text","parts":["At eight."]}},"parent":"b","children":[]},
    "d":{"id":"d","message":{"id":"m3","author":{"role":"assistant"},
      "content":{"content_type":"multimodal_text","parts":["At nine.",{"asset":1}]}},"parent":"b","children":[]}}}])",
                         "conversations.json");
  EXPECT_EQ(talk.format, TalkFormat::kChatGpt);
  ASSERT_EQ(talk.turns.size(), 2u);
  EXPECT_EQ(talk.turns[0].session, "chatgpt c1");
  EXPECT_EQ(talk.turns[0].speaker, "user");
  EXPECT_EQ(time_of(talk.turns[0]), "2023-05-08T13:56:00.5Z");
  EXPECT_EQ(talk.turns[1].id, "m3");
  EXPECT_EQ(talk.turns[1].text, "At nine.");
}

TEST(Talk, ACircleOfNodesEnds) {
  const Talk talk = read(R"([{"id":"c","current_node":"a","mapping":{
    "a":{"message":{"id":"1","author":{"role":"user"},"content":{"parts":["x y"]}},"parent":"b"},
    "b":{"message":null,"parent":"a"}}}])",
                         "f.json");
  EXPECT_EQ(talk.turns.size(), 1u);
}

TEST(Talk, ClaudeNamesTheHumanUser) {
  const Talk talk = read(R"([{"uuid":"u1","name":"Boats","chat_messages":[
    {"uuid":"m1","sender":"human","text":"Which boat?","created_at":"2024-02-03T04:05:06.000Z",
     "attachments":[{"file_name":"boats.pdf","extracted_content":".."}]},
    {"uuid":"m2","sender":"assistant","text":"","content":[{"type":"text","text":"The red one."}]}]}])",
                         "conversations.json");
  EXPECT_EQ(talk.format, TalkFormat::kClaude);
  ASSERT_EQ(talk.turns.size(), 2u);
  EXPECT_EQ(talk.turns[0].speaker, "user");
  EXPECT_EQ(talk.turns[0].attachment, "boats.pdf");
  EXPECT_EQ(talk.turns[1].text, "The red one.");
}

std::string shown(const Talk& talk) {
  std::string text;
  for (const Turn& turn : talk.turns) text += turn.speaker + ": " + turn.text + "\n";
  return text;
}

TEST(Talk, OneConversationIsReadLikeAListOfThem) {
  const Talk chatgpt = read(R"({"title":"Kayak","current_node":"a","conversation_id":"k","mapping":{
      "a":{"message":{"id":"1","author":{"role":"user"},"create_time":1700000000,
           "content":{"content_type":"text","parts":["How do I patch a hull?"]}}}}})",
                            "kayak.json");
  EXPECT_EQ(chatgpt.format, TalkFormat::kChatGpt);
  EXPECT_EQ(shown(chatgpt), "user: How do I patch a hull?\n");
  const Talk claude = read(R"({"uuid":"u1","chat_messages":[
      {"uuid":"1","sender":"human","text":"Fjords?"},
      {"uuid":"2","sender":"assistant","text":"","content":[{"type":"thinking","thinking":"gnu"},
        {"type":"text","text":"Geiranger."},{"type":"tool_use","name":"x","input":{}},
        {"type":"tool_result","content":"raw"}]}]})",
                           "trip.json");
  EXPECT_EQ(claude.format, TalkFormat::kClaude);
  EXPECT_EQ(shown(claude), "user: Fjords?\nassistant: Geiranger.\n");
}

TEST(Talk, ChatGptHidesWhatItsProgramHides) {
  const Talk talk = read(R"([{"id":"h","create_time":1700000000,"current_node":"d","mapping":{
    "a":{"message":{"id":"1","author":{"role":"user"},"create_time":null,
      "content":{"content_type":"user_editable_context","parts":["{\"profile\":\"zebra\"}"]},
      "metadata":{"is_visually_hidden_from_conversation":true}},"parent":null},
    "b":{"message":{"id":"2","author":{"role":"user"},"create_time":null,
      "content":{"content_type":"text","parts":["I moved to Ghent."]}},"parent":"a"},
    "c":{"message":{"id":"3","author":{"role":"assistant"},"recipient":"browser","create_time":1700000009,
      "content":{"content_type":"text","parts":["search Ghent"]}},"parent":"b"},
    "d":{"message":{"id":"4","author":{"role":"assistant"},"recipient":"all","create_time":null,
      "content":{"content_type":"text","parts":["It is lovely."]}},"parent":"c"}}}])",
                         "conversations.json");
  EXPECT_EQ(shown(talk), "user: I moved to Ghent.\nassistant: It is lovely.\n");
  ASSERT_EQ(talk.turns.size(), 2u);
  EXPECT_EQ(time_of(talk.turns[0]), "2023-11-14T22:13:20Z");
}

TEST(Talk, OtherAssistantsAreRead) {
  const Talk webui = read(R"([{"id":"c1","chat":{"history":{"messages":{
      "1":{"id":"1","parentId":null,"role":"user","content":"Where is my boat?","timestamp":1700000000},
      "2":{"id":"2","parentId":"1","role":"assistant","content":"In Ostend.","timestamp":1700000003},
      "3":{"id":"3","parentId":"1","role":"assistant","content":"In Ghent.","timestamp":1700000004}},
      "currentId":"2"}}}])",
                          "export.json");
  EXPECT_EQ(webui.format, TalkFormat::kOpenWebUi);
  EXPECT_EQ(shown(webui), "user: Where is my boat?\nassistant: In Ostend.\n");
  EXPECT_EQ(time_of(webui.turns[1]), "2023-11-14T22:13:23Z");
  const Talk gemini = read(R"([{"header":"Gemini Apps","title":"Prompted Which cheese?",
      "time":"2024-03-01T10:00:00.000Z","safeHtmlItem":[{"html":"<p>Raclette &amp; more.</p>"}]},
      {"header":"Gemini Apps","title":"Turned on a setting","time":"2024-03-01T09:00:00.000Z"}])",
                           "MyActivity.json");
  EXPECT_EQ(gemini.format, TalkFormat::kGemini);
  EXPECT_EQ(shown(gemini), "user: Which cheese?\nassistant: Raclette & more.\n");
  const Talk libre = read(R"({"conversationId":"l1","messages":[
      {"messageId":"a","parentMessageId":"0","text":"The key is outside.","isCreatedByUser":true,
       "createdAt":"2024-03-01T10:00:00Z"},
      {"messageId":"x","parentMessageId":"a","text":"An answer not kept.","isCreatedByUser":false},
      {"messageId":"b","parentMessageId":"a","text":"Noted.","isCreatedByUser":false,
       "createdAt":"2024-03-01T10:00:02Z"}]})",
                          "cellar.json");
  EXPECT_EQ(libre.format, TalkFormat::kLibreChat);
  EXPECT_EQ(shown(libre), "user: The key is outside.\nassistant: Noted.\n");
  EXPECT_EQ(time_of(libre.turns[0]), "2024-03-01T10:00:00Z");
  const Talk code = read(
      "{\"type\":\"summary\",\"summary\":\"x\"}\n"
      R"({"type":"user","uuid":"1","sessionId":"s","timestamp":"2024-03-01T10:00:00Z","message":{"role":"user","content":"Rename the walrus."}})"
      "\n"
      R"({"type":"assistant","uuid":"2","sessionId":"s","message":{"role":"assistant","content":[{"type":"text","text":"Renamed."},{"type":"tool_use","name":"Bash","input":{}}]}})"
      "\n"
      R"({"type":"user","uuid":"3","sessionId":"s","message":{"role":"user","content":[{"type":"tool_result","content":"a b"}]}})"
      "\n",
      "session.jsonl");
  EXPECT_EQ(code.format, TalkFormat::kClaudeCode);
  EXPECT_EQ(shown(code), "user: Rename the walrus.\nassistant: Renamed.\n");
}

TEST(Talk, AFileInWhichNobodySaysAnythingIsAnError) {
  for (const char* text : {R"([{"foo":1},{"bar":2}])", "{}", "[]", R"({"messages":[]})",
                           "{\"a\":1}\n{\"b\":2}\n", R"([{"mapping":{}}])"})
    EXPECT_FALSE(read_talk(text, "random.json")) << text;
  const auto zip = read_talk("PK\x03\x04\x14", "export.zip");
  ASSERT_FALSE(zip);
  EXPECT_NE(zip.error().hint.find("unpack"), std::string::npos);
}

TEST(Talk, SlackKnowsPeopleAndChannels) {
  TalkOptions options;
  options.people = slack_people(R"([{"id":"U1","name":"ada","real_name":"Ada L."}])");
  const Talk talk =
      read(R"([{"type":"message","subtype":"channel_join","user":"U1","text":"x","ts":"1.0"},
    {"type":"message","user":"U1","text":"see <https://a.example|the page> &amp; ask <@U1>","ts":"1683554160.000100"},
    {"type":"message","user":"U2","user_profile":{"real_name":"Ben"},"text":"ok fine","ts":"1683554161.000100","thread_ts":"1683554160.000100"}])",
           "export/general/2023-05-08.json", options);
  EXPECT_EQ(talk.format, TalkFormat::kSlack);
  ASSERT_EQ(talk.turns.size(), 2u);
  EXPECT_EQ(talk.turns[0].session, "slack general");
  EXPECT_EQ(talk.turns[0].speaker, "Ada L.");
  EXPECT_EQ(talk.turns[0].text, "see the page https://a.example & ask Ada L.");
  EXPECT_EQ(talk.turns[1].session, "slack general thread 1683554160.000100");
  EXPECT_EQ(talk.turns[1].speaker, "Ben");
}

TEST(Talk, DiscordAndTelegramAreRead) {
  const Talk discord =
      read(R"({"guild":{"name":"g"},"channel":{"id":"77","name":"general"},"messages":[
    {"id":"1","type":"Default","timestamp":"2023-05-08T13:56:00+02:00","content":"Hello harbour",
     "author":{"id":"5","name":"ada","nickname":"Ada"},"attachments":[{"fileName":"boat.png"}]},
    {"id":"2","type":"GuildMemberJoin","content":"joined"}]})",
           "d.json");
  EXPECT_EQ(discord.format, TalkFormat::kDiscord);
  ASSERT_EQ(discord.turns.size(), 1u);
  EXPECT_EQ(discord.turns[0].speaker, "Ada");
  EXPECT_EQ(discord.turns[0].attachment, "boat.png");
  EXPECT_EQ(time_of(discord.turns[0]), "2023-05-08T11:56:00Z");
  const Talk telegram = read(R"({"name":"Ben","type":"personal_chat","id":9,"messages":[
    {"id":1,"type":"service","date":"2023-05-08T13:00:00","text":""},
    {"id":2,"type":"message","date":"2023-05-08T13:56:00","date_unixtime":"1683554160","from":"Ben",
     "text":["look at ",{"type":"link","text":"https://a.example"}]}]})",
                             "result.json");
  EXPECT_EQ(telegram.format, TalkFormat::kTelegram);
  ASSERT_EQ(telegram.turns.size(), 1u);
  EXPECT_EQ(telegram.turns[0].text, "look at https://a.example");
  EXPECT_EQ(telegram.turns[0].session, "telegram 9");
  EXPECT_EQ(time_of(telegram.turns[0]), "2023-05-08T13:56:00Z");
}

TEST(Talk, WhatsAppIsReadInEachOfItsForms) {
  const Talk points = read(
      "08.05.23, 13:56 - Nachrichten sind verschlüsselt.\n"
      "08.05.23, 13:56 - Ada: Wann kommt die Fähre?\nUnd wo?\n"
      "08.05.23, 13:57 - Ben: <Medien ausgeschlossen>\n",
      "WhatsApp Chat mit Ben.txt");
  EXPECT_EQ(points.format, TalkFormat::kWhatsApp);
  ASSERT_EQ(points.turns.size(), 1u);
  EXPECT_EQ(points.turns[0].text, "Wann kommt die Fähre?\nUnd wo?");
  EXPECT_EQ(time_of(points.turns[0]), "2023-05-08T13:56:00Z");
  const Talk half = read("5/18/23, 1:56\u202fPM - Ada: The ferry is late\n", "c.txt");
  ASSERT_EQ(half.turns.size(), 1u);
  EXPECT_EQ(time_of(half.turns[0]), "2023-05-18T13:56:00Z");
  const Talk brackets = read(
      "[08/05/2023, 13:56:03] Ada: one boat\r\n\u200e[18/05/2023, 13:56:04] Ben: two boats\r\n",
      "_chat.txt");
  EXPECT_EQ(brackets.format, TalkFormat::kWhatsApp);
  ASSERT_EQ(brackets.turns.size(), 2u);
  EXPECT_EQ(time_of(brackets.turns[0]), "2023-05-08T13:56:03Z");
  const Talk iso = read(
      "2026-11-29, 14:02 - Messages are encrypted.\n2026-11-29, 14:02 - Ada: hi\n"
      "2026-12-01, 2:03 p.m. - Ben: one boat\n",
      "c.txt");
  EXPECT_EQ(iso.format, TalkFormat::kWhatsApp);
  EXPECT_TRUE(iso.notes.empty());
  ASSERT_EQ(iso.turns.size(), 2u);
  EXPECT_EQ(iso.turns[0].speaker, "Ada");
  EXPECT_EQ(iso.turns[0].text, "hi");
  EXPECT_EQ(time_of(iso.turns[0]), "2026-11-29T14:02:00Z");
  EXPECT_EQ(time_of(iso.turns[1]), "2026-12-01T14:03:00Z");
  const Talk iso_brackets =
      read("[2026-11-29, 14:02:11] Ada: hi\n[2026-01-02, 14:02:12] Ben: ho\n", "_chat.txt");
  EXPECT_EQ(iso_brackets.format, TalkFormat::kWhatsApp);
  ASSERT_EQ(iso_brackets.turns.size(), 2u);
  EXPECT_EQ(time_of(iso_brackets.turns[1]), "2026-01-02T14:02:12Z");
  const Talk log = read("2026-11-29 14:02:11 - main: started\n", "c.txt");
  EXPECT_EQ(log.format, TalkFormat::kText);
  const Talk unsure = read("08/05/2023, 13:56 - Ada: one boat\n", "c.txt");
  EXPECT_EQ(unsure.notes.size(), 1u);
}

TEST(Talk, MailIsDecodedAndItsQuotationsLeftOut) {
  const Talk talk = read(
      "From: =?utf-8?Q?J=C3=BCrgen?= <j@x.example>\r\nTo: ada@x.example\r\n"
      "Date: Mon, 8 May 2023 13:56:00 +0200\r\nSubject: =?UTF-8?B?RsOkaHJl?=\r\n "
      "=?UTF-8?B?IGhldXRl?=\r\n"
      "Message-ID: <m2@x>\r\nReferences: <m0@x>\r\n <m1@x>\r\n"
      "MIME-Version: 1.0\r\nContent-Type: multipart/mixed;\r\n boundary=\"b\"\r\n\r\n"
      "--b\r\nContent-Type: text/plain; charset=iso-8859-1\r\nContent-Transfer-Encoding: "
      "quoted-printable\r\n\r\n"
      "Die F=E4hre f=\r\nuhr.\r\n\r\nOn Sunday Ada wrote:\r\n> when?\r\n-- \r\nJ.\r\n"
      "--b\r\nContent-Type: application/pdf; name=plan.pdf\r\nContent-Transfer-Encoding: "
      "base64\r\n\r\nAAAA\r\n--b--\r\n",
      "a.eml");
  EXPECT_EQ(talk.format, TalkFormat::kMail);
  ASSERT_EQ(talk.turns.size(), 1u);
  const Turn& turn = talk.turns[0];
  EXPECT_EQ(turn.speaker, "Jürgen");
  EXPECT_EQ(turn.text, "Fähre heute\nDie Fähre fuhr.");
  EXPECT_EQ(turn.attachment, "plan.pdf");
  EXPECT_EQ(turn.session, "mail m0@x");
  EXPECT_EQ(turn.id, "m2@x");
  EXPECT_EQ(time_of(turn), "2023-05-08T11:56:00Z");
}

// What is read of a mail with this body.
std::string mail_text(const std::string& body, const std::string& type = "text/plain") {
  const Talk talk = read(
      "From: Ada <ada@x.example>\nDate: Mon, 8 May 2023 13:56:00 +0200\n"
      "Message-ID: <1@x>\nContent-Type: " +
          type + "; charset=utf-8\n\n" + body,
      "a.eml");
  return talk.turns.size() == 1 ? talk.turns[0].text : "no turn";
}

TEST(Talk, AMailSaysWhatItsWriterWrites) {
  const std::string own = "I sail at noon.\n\n";
  for (const std::string quoted :
       {"-----Original Message-----\nFrom: Ben\n\nThe boat is mine.",
        "-----Ursprüngliche Nachricht-----\nVon: Ben\n\nDas Boot ist meins.",
        "-----Message d'origine-----\nDe : Ben\n\nLe bateau est à moi.",
        "-----Mensaje original-----\nDe: Ben\n\nEl barco es mío.",
        "---------- Forwarded message ---------\nFrom: Ben <b@x>\n\nThe boat is mine.",
        "-------- Weitergeleitete Nachricht --------\nBetreff: Boot\n\nDas Boot ist meins.",
        "Begin forwarded message:\n\n> From: Ben\n> The boat is mine.\n\nmine",
        "________________________________\nFrom: Ben\nSent: Monday, 1 May 2023\nTo: Ada\n"
        "Subject: boat\n\nThe boat is mine.",
        "*From:* Ben <b@x>\n*Sent:* Monday, 1 May 2023\n*To:* Ada\n*Subject:* boat\n\nmine",
        "Von: Ben\nGesendet: Montag, 1. Mai 2023\nAn: Ada\nBetreff: Boot\n\nDas Boot.",
        "De : Ben\nEnvoyé : lundi 1 mai 2023\nÀ : Ada\nObjet : bateau\n\nLe bateau.",
        "De: Ben\nEnviado: lunes, 1 de mayo de 2023\nPara: Ada\nAsunto: barco\n\nEl barco.",
        "On Mon, 1 May 2023 at 09:14, Ben <b@x> wrote:\n\n> The boat is mine.\n",
        "On Mon, 1 May 2023 at 09:14, Ben Somebody\n<ben.somebody@x.example> wrote:\n> mine\n",
        "On Mon, 1 May 2023 at 09:14, Ben <b@x> wrote:\n\nThe boat is mine.\n",
        "Am Mo., 1. Mai 2023 um 09:14 Uhr schrieb Ben <b@x>:\n> Das Boot ist meins.\n",
        "Am 01.05.23 um 09:14 schrieb Ben:\n> Das Boot ist meins.\n",
        "Le lun. 1 mai 2023 à 09:14, Ben <b@x> a écrit\u00a0:\n> Le bateau.\n",
        "El lun, 1 may 2023 a las 9:14, Ben (<b@x>) escribió:\n> El barco.\n",
        "2023-05-01 9:14 GMT+02:00 Ben <b@x>:\n> The boat is mine.\n"})
    EXPECT_EQ(mail_text(own + quoted), "I sail at noon.") << quoted;
  EXPECT_EQ(mail_text("> Who sails?\nI do.\n> When?\nAt noon.\n"), "I do.\nAt noon.");
  // His own words look a little like it.
  for (const std::string words :
       {"From: Oslo\nTo: Bergen\nDate: 8 May", "Ben wrote:\nthe boat is mine",
        "On Monday we sail.\nBen wrote me.", "--- so long ---", "The original message:\nnone"})
    EXPECT_EQ(mail_text(words), words);
}

TEST(Talk, AMailOfHtmlSaysWhatItsWriterWrites) {
  const std::string own = "<div>I sail at <b>noon</b>.</div>";
  for (const std::string quoted :
       {"<blockquote type=\"cite\"><div>The boat <blockquote>is</blockquote> "
        "mine</div></blockquote>",
        "<div class=\"gmail_quote\"><div class=\"gmail_attr\">On Mon, 1 May 2023 at 09:14, Ben "
        "&lt;<a href=\"mailto:b@x\">b@x</a>&gt; wrote:<br></div><blockquote class=\"gmail_quote\">"
        "The boat is mine</blockquote></div>",
        "<DIV CLASS='gmail_quote'><div>---------- Forwarded message ---------<br>From: Ben</div>"
        "The <div>boat</div> is mine</DIV>",
        "<div id=appendonsend></div><hr><div id=\"divRplyFwdMsg\"><b>Von:</b> Ben</div>Das Boot",
        "<div style=\"border:none;border-top:solid #E1E1E1 1.0pt;padding:3.0pt 0cm 0cm 0cm\">"
        "<p><b>发件人:</b> Ben</p></div><p>The boat is mine</p>",
        "<p><b>From:</b> Ben<br><b>Sent:</b> Monday, 1 May 2023<br><b>To:</b> Ada<br>"
        "<b>Subject:</b> boat</p><p>The boat is mine</p>",
        "<div class=\"moz-cite-prefix\">Am 01.05.23 um 09:14 schrieb Ben:<br></div>"
        "<blockquote type=\"cite\">Das Boot ist meins</blockquote>"})
    EXPECT_EQ(mail_text(own + quoted, "text/html"), "I sail at noon.") << quoted;
  EXPECT_EQ(mail_text("<div class=\"gmail_quote\"><blockquote>Who?</blockquote><div>I do.</div>"
                      "<blockquote>When?</blockquote>At noon.</div>",
                      "text/html"),
            "I do.\n\n\nAt noon.");
}

TEST(Talk, ALineOfAMailMayBeginWithFrom) {
  const Talk talk = read(
      "From a@x Mon May  8 13:56:00 2023\nFrom: Ada <a@x>\nDate: Mon, 8 May 2023 13:56:00 GMT\n"
      "Message-ID: <1@x>\n\nWe sail.\n\nFrom Oslo at 12:00 in 2023\nwe go on.\n\n"
      "From here: nothing\n\n>From Rome too\n\n"
      "From 1@xxx Sun May 07 13:56:00 +0000 2023\nFrom: Ben <b@x>\n"
      "Date: Sun, 7 May 2023 13:56:00 GMT\nMessage-ID: <2@x>\n\nAhoy.\n\n"
      "From nobody\nFrom: Eve <e@x>\nDate: Tue, 9 May 2023 13:56:00 GMT\nMessage-ID: <3@x>\n\n"
      "Hello.\n",
      "box.mbox");
  ASSERT_EQ(talk.turns.size(), 3u);
  EXPECT_EQ(talk.turns[0].text,
            "We sail.\n\nFrom Oslo at 12:00 in 2023\nwe go on.\n\nFrom here: nothing\n\n"
            "From Rome too");
  EXPECT_EQ(talk.turns[1].text, "Ahoy.");
  EXPECT_EQ(talk.turns[2].speaker, "Eve");
}

TEST(Talk, ABoxOfMailIsReadThreadByThread) {
  const Talk talk = read(
      "From a@x Mon May  8 13:56:00 2023\nFrom: Ada <a@x>\nDate: Mon, 8 May 2023 13:56:00 GMT\n"
      "Message-ID: <2@x>\nIn-Reply-To: <1@x>\n\nthe second\n>From here\n\n"
      "From b@x Sun May  7 13:56:00 2023\nFrom: Ben <b@x>\nDate: Sun, 7 May 2023 13:56:00 GMT\n"
      "Message-ID: <1@x>\nContent-Type: text/html\n\n<p>the <b>first</b> &uuml;</p>\n",
      "box.mbox");
  EXPECT_EQ(talk.format, TalkFormat::kMbox);
  ASSERT_EQ(talk.turns.size(), 2u);
  EXPECT_EQ(talk.turns[0].text, "the first ü");
  EXPECT_EQ(talk.turns[1].text, "the second\nFrom here");
  EXPECT_EQ(talk.turns[0].session, talk.turns[1].session);
}

TEST(Talk, PagesAndTextsAreParagraphs) {
  const Talk page = read(
      "<html><head><title>Tide &amp; table</title><style>p{}</style></head><body>"
      "<script>if (a<b) {}</script><h1>High</h1><p>At nine\n o'clock &#x2014; sharp"
      "<p>Low at three<!-- no --></body>",
      "p.html");
  EXPECT_EQ(page.format, TalkFormat::kHtml);
  ASSERT_EQ(page.turns.size(), 2u);
  EXPECT_EQ(page.turns[0].session, "Tide & table");
  EXPECT_EQ(page.turns[0].text, "High: At nine o'clock — sharp");
  EXPECT_EQ(page.turns[1].text, "High: Low at three");
  const Talk manual = read(
      "<html><body><nav><ul><li>Home <a href='/'>of it</a></ul></nav><p>None.</p>"
      "<ul><li><a href='#1'>1. Gates</a></li><li>Open <a href='#2'>until six</a></li></ul>"
      "<h2><a name='1'>Gates</a></h2><p>None.</p><p>&lt;gate&gt;</p></body></html>",
      "m.html");
  ASSERT_EQ(manual.turns.size(), 3u);
  EXPECT_EQ(manual.turns[0].text, "Open until six");
  EXPECT_EQ(manual.turns[1].text, "Gates: None.");
  EXPECT_EQ(manual.turns[2].text, "Gates: <gate>");
  const Talk markdown = read("# Harbour\n\nThe gate opens.\n\n## Ferry\nIt leaves.\n", "n.md");
  ASSERT_EQ(markdown.turns.size(), 2u);
  EXPECT_EQ(markdown.turns[0].text, "Harbour: The gate opens.");
  EXPECT_EQ(markdown.turns[1].text, "Ferry: It leaves.");
  const Talk code = read("# Run\n\n```\n# first\nmake\n\nmake check\n```\nThen sail.\n", "c.md");
  ASSERT_EQ(code.turns.size(), 1u);
  EXPECT_EQ(code.turns[0].text, "Run: # first\nmake\n\nmake check\nThen sail.");
  const Talk text = read("one\ntwo\n\nthree", "n.txt");
  EXPECT_EQ(text.format, TalkFormat::kText);
  ASSERT_EQ(text.turns.size(), 2u);
  EXPECT_EQ(read("one\ntwo\n\nnew\n\nthree", "n.txt").turns[2].id, text.turns[1].id);
}

TEST(Talk, TurnsMayBeWrittenInManyWays) {
  const Talk lines = read(
      "{\"speaker\":\"Ada\",\"text\":\"one boat\",\"time\":\"2023-05-08 13:56\"}\n\n"
      "{\"role\":\"assistant\",\"content\":[{\"type\":\"text\",\"text\":\"two "
      "boats\"}],\"session\":\"s2\"}\n",
      "a/t.jsonl");
  ASSERT_EQ(lines.turns.size(), 2u);
  EXPECT_EQ(lines.turns[0].session, "t");
  EXPECT_EQ(time_of(lines.turns[0]), "2023-05-08T13:56:00Z");
  EXPECT_EQ(lines.turns[1].session, "s2");
  EXPECT_EQ(lines.turns[1].text, "two boats");
  const Talk nested = read(
      R"([{"messages":[{"role":"system","content":"be kind"},{"role":"user","content":"hi boat"}]},
    {"messages":[{"role":"user","content":"hi boat"}]}])",
      "m.json");
  ASSERT_EQ(nested.turns.size(), 2u);
  EXPECT_NE(nested.turns[0].session, nested.turns[1].session);
}

TEST(Talk, HalfALetterIsToldAndTheRestIsRead) {
  struct Case {
    const char* line;
    const char* text;
    bool told;
  };
  const Case cases[] = {
      {R"({"text":"cut \ud800 here"})", "cut \xef\xbf\xbd here", true},
      {R"({"text":"cut \ud83d"})", "cut \xef\xbf\xbd", true},
      {R"({"text":"cut \ude00 here"})", "cut \xef\xbf\xbd here", true},
      {R"({"text":"two \ud800\ud83d\ude00"})", "two \xef\xbf\xbd\xf0\x9f\x98\x80", true},
      {R"({"text":"whole \ud83d\ude00"})", "whole \xf0\x9f\x98\x80", false},
      {R"({"text":"no escape \\ud800"})", "no escape \\ud800", false}};
  for (const Case& one : cases) {
    const Talk talk = read(
        std::string("{\"text\":\"first\"}\n") + one.line + "\n{\"text\":\"last\"}\n", "t.jsonl");
    ASSERT_EQ(talk.turns.size(), 3u) << one.line;
    EXPECT_EQ(talk.turns[1].text, one.text) << one.line;
    EXPECT_EQ(talk.turns[2].text, "last");
    ASSERT_EQ(talk.notes.size(), one.told ? 1u : 0u) << one.line;
    const std::string note = one.told ? talk.notes[0] : "t.jsonl:2: ";
    EXPECT_TRUE(note.starts_with("t.jsonl:2: ")) << note;
  }
}

TEST(Talk, WhatIsWrongIsSaidWithItsPlace) {
  const auto broken = read_talk("{\"text\":\"a\"}\n{\"text\":\n", "t.jsonl");
  ASSERT_FALSE(broken);
  EXPECT_EQ(broken.error().where, "t.jsonl:2");
  const auto numbers = read_talk("[1,2]", "n.json");
  ASSERT_FALSE(numbers);
  EXPECT_FALSE(numbers.error().hint.empty());
  EXPECT_FALSE(read_talk("{}", "n.json", {.format = TalkFormat::kChatGpt}));
  EXPECT_FALSE(read_talk(std::string_view("a\0b", 3), "n.txt"));
}

}  // namespace
}  // namespace anima::load::talk_test
