// Expected values: the examples of the schemes' own documents, and check digits reckoned by hand.
#include "base/text/identifier.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace anima::identifier_test {
namespace {

using enum IdentifierScheme;

struct Case {
  IdentifierScheme scheme;
  const char* text;
  const char* value;
};

TEST(Identifier, HasOneFormHoweverItIsWritten) {
  for (const Case& one : std::initializer_list<Case>{
           {kIsbn, "978-3-16-148410-0", "9783161484100"},
           {kIsbn, "ISBN 978 3 16 148410 0", "9783161484100"},
           {kIsbn, "ISBN-13: 9783161484100", "9783161484100"},
           {kIsbn, "urn:isbn:9783161484100", "9783161484100"},
           {kIsbn, "3-16-148410-X", "9783161484100"},
           {kIsbn, "３-16-148410-x", "9783161484100"},
           {kIssn, "0317-8471", "0317-8471"},
           {kIssn, "ISSN 03178471", "0317-8471"},
           {kOrcid, "0000-0002-1825-0097", "0000-0002-1825-0097"},
           {kOrcid, "https://orcid.org/0000-0002-1825-0097", "0000-0002-1825-0097"},
           {kOrcid, "http://www.orcid.org/0000000218250097/", "0000-0002-1825-0097"},
           {kOrcid, "0000-0002-9079-593X", "0000-0002-9079-593X"},
           {kIban, "GB29 NWBK 6016 1331 9268 19", "GB29NWBK60161331926819"},
           {kIban, "IBAN: gb29nwbk60161331926819", "GB29NWBK60161331926819"},
           {kIban, "BE71 0961 2345 6769", "BE71096123456769"},
           {kDoi, "10.1000/182", "10.1000/182"},
           {kDoi, "https://doi.org/10.1038/NPHYS1170", "10.1038/nphys1170"},
           {kDoi, "http://dx.doi.org/10.1038/nphys1170", "10.1038/nphys1170"},
           {kDoi, "doi: 10.1038/nphys1170", "10.1038/nphys1170"},
           {kUuid, "{F81D4FAE-7DEC-11D0-A765-00A0C91E6BF6}",
            "f81d4fae-7dec-11d0-a765-00a0c91e6bf6"},
           {kUuid, "urn:uuid:f81d4fae-7dec-11d0-a765-00a0c91e6bf6",
            "f81d4fae-7dec-11d0-a765-00a0c91e6bf6"},
           {kWeb, "HTTPS://Harbour.Internal", "https://harbour.internal/"},
           {kWeb, "https://harbour.internal/A?b#C", "https://harbour.internal/A?b#C"},
           {kWeb, "http://[2606:4700::6810:84e5]:80/a", "http://[2606:4700::6810:84e5]:80/a"},
           {kWeb, "http://192.0.3.1/a", "http://192.0.3.1/a"},
           {kMail, "Ada@Harbour.internal", "ada@harbour.internal"},
           {kMail, "mailto:ada@harbour.internal", "ada@harbour.internal"},
           {kText, "Ada@Harbour.internal", "ada@harbour.internal"},
           {kText, " AB-4711 ", "AB-4711"},
       }) {
    const Identifier read = read_identifier(one.scheme, one.text);
    EXPECT_TRUE(read.sound) << one.text;
    EXPECT_EQ(read.value, one.value) << one.text;
  }
}

TEST(Identifier, WithAWrongCheckDigitOrFormIsNotSound) {
  for (const Case& one : std::initializer_list<Case>{
           {kIsbn, "978-3-16-148410-1", ""},
           {kIsbn, "3-16-148410-1", ""},
           {kIsbn, "977-3-16-148410-3", ""},
           {kIsbn, "unknown", ""},
           {kIssn, "0317-8472", ""},
           {kOrcid, "0000-0002-1825-0098", ""},
           {kOrcid, "0000-0002-1825-009", ""},
           {kIban, "GB29 NWBK 6016 1331 9268 18", ""},
           {kIban, "GB29", ""},
           {kDoi, "10.1000", ""},
           {kDoi, "10.x/182", ""},
           {kDoi, "11.1000/182", ""},
           {kUuid, "f81d4fae", ""},
           {kWeb, "www", ""},
           {kMail, "test@test", ""},
           {kMail, "@harbour.internal", ""},
           {kMail, "ada@b@harbour.internal", ""},
       })
    EXPECT_FALSE(read_identifier(one.scheme, one.text).sound) << one.text;
}

TEST(Identifier, ThatIsAPlaceholderIsNotSound) {
  for (const Case& one : std::initializer_list<Case>{
           {kText, "1234567890", ""},
           {kText, "987654321", ""},
           {kText, "0000", ""},
           {kText, "AAAA-0000", ""},
           {kText, "12121212", ""},
           {kText, "123123", ""},
           {kText, "EMP-9999", ""},
           {kText, "abc123", ""},
           {kText, "1970-01-01", ""},
           {kText, "1970-01-01T00:00:00Z", ""},
           {kText, "–", ""},
           {kText, "https://example.com/ada", ""},
           {kText, "http://www.example.org", ""},
           {kText, "ada@mail.example", ""},
           {kIsbn, "978-0-00-000000-2", ""},
           {kIsbn, "9781234567897", ""},
           {kIssn, "0000-0000", ""},
           {kOrcid, "0000-0001-2345-6789", ""},
           {kDoi, "10.1234/5678", ""},
           {kUuid, "00000000-0000-0000-0000-000000000000", ""},
           {kUuid, "12345678-1234-1234-1234-123456789012", ""},
           {kUuid, "12345678-1234-1234-1234-123456789abc", ""},
           {kUuid, "deadbeef-dead-beef-dead-beefdeadbeef", ""},
           {kUuid, "00000000-0000-0000-0000-000000000001", ""},
           {kText, "http://127.0.0.1/a", ""},
           {kText, "http://192.168.0.1/", ""},
           {kText, "http://10.1.2.3:80/x", ""},
           {kMail, "ada.lovelace@example.com", ""},
           {kMail, "ada@localhost", ""},
           {kWeb, "http://localhost:8080/ada", ""},
           {kWeb, "http://192.0.2.1/a", ""},
           {kWeb, "http://ada@198.51.100.7:81/a", ""},
           {kText, "https://203.0.113.9", ""},
           {kText, "http://[2001:db8::1]/a", ""},
           {kText, "http://[::ffff:192.0.2.1]/a", ""},
           {kText, "http://[fe80::1]:80/a", ""},
           {kText, "978-1-234567-89-7", ""},
           {kText, "1234-5679", ""},
           {kText, "urn:isbn:9781234567897", ""},
       })
    EXPECT_FALSE(read_identifier(one.scheme, one.text).sound) << one.text;
  for (const char* text :
       {"4711", "AB-12", "2024-17", "19700102", "1970-01-015", "x7f3", "номер 7"})
    EXPECT_FALSE(is_placeholder(text)) << text;
}

TEST(Identifier, IsFoundByItsSpellings) {
  const auto has = [](IdentifierScheme scheme, const char* of, const char* spelling) {
    const auto all = spellings_of(read_identifier(scheme, of));
    EXPECT_LT(all.size(), 200u);
    return std::ranges::find(all, spelling) != all.end();
  };
  EXPECT_TRUE(has(kIsbn, "9783161484100", "978-3-16-148410-0"));
  EXPECT_TRUE(has(kIsbn, "9783161484100", "978 3 16 148410 0"));
  EXPECT_TRUE(has(kIsbn, "9783161484100", "316148410X"));
  EXPECT_TRUE(has(kIsbn, "978-3-16-148410-0", "3-16-148410-X"));
  EXPECT_TRUE(has(kIssn, "0317-8471", "03178471"));
  EXPECT_TRUE(has(kOrcid, "0000000218250097", "https://orcid.org/0000-0002-1825-0097"));
  EXPECT_TRUE(has(kIban, "GB29NWBK60161331926819", "GB29 NWBK 6016 1331 9268 19"));
  EXPECT_TRUE(has(kDoi, "10.1038/nphys1170", "https://doi.org/10.1038/nphys1170"));
  EXPECT_TRUE(
      has(kUuid, "f81d4fae-7dec-11d0-a765-00a0c91e6bf6", "F81D4FAE-7DEC-11D0-A765-00A0C91E6BF6"));
}

TEST(Identifier, SchemesArePromisedByNames) {
  EXPECT_EQ(scheme_of_attribute("isbn"), kIsbn);
  EXPECT_EQ(scheme_of_attribute("ISBN-13"), kIsbn);
  EXPECT_EQ(scheme_of_attribute("e_mail"), kMail);
  EXPECT_EQ(scheme_of_attribute("staff_number"), kText);
}

}  // namespace
}  // namespace anima::identifier_test
