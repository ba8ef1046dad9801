// Identifiers of registers and of the net, each in the one form of its scheme, however it is
// written: an ISBN of ten or of thirteen digits, an IBAN with blanks, an ORCID or a DOI as an
// address, a UUID in braces.
//
// A sound identifier has the form of its scheme, with the check digit where the scheme has one, and
// stands for something: it is no placeholder. A placeholder is known by its form: a repetition
// (0000, 121212), a run (1234567890, abc-123), the first or last day of a calendar (1970-01-01,
// 9999-12-31), an address that the net keeps for examples (RFC 2606, 5737,
// 3849, 6761) or for one network. What is not sound
// identifies nothing. Thread-safety: pure functions. Complexity: O(text). Sources: ISO 2108 (ISBN),
// ISO 3297 (ISSN), ISO 7064 (ORCID), ISO 13616 (IBAN), ISO 26324 (DOI), RFC 9562 (UUID), RFC 3986.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace anima {

enum class IdentifierScheme : std::uint8_t {
  kText,  // of no scheme that is known here
  kUuid,
  kIsbn,
  kIssn,
  kOrcid,
  kIban,
  kDoi,
  kWeb,   // with a scheme and "://", or a URN
  kMail,  // an address of mail
};

struct Identifier {
  IdentifierScheme scheme = IdentifierScheme::kText;
  std::string value;  // its normal form; of one that is not sound, the text
  bool sound = false;
};

// Of what the name of an attribute promises ("isbn", "ISBN-13"); kText where that is nothing.
IdentifierScheme scheme_of_attribute(std::string_view attribute);

// With kText, an address of the web or of mail is read as one.
Identifier read_identifier(IdentifierScheme scheme, std::string_view text);

// How people write it, the normal form first: to look a sound identifier up by equality. At most
// some hundred for an ISBN, a few for the others.
std::vector<std::string> spellings_of(const Identifier& identifier);

// Whether the text stands for an identifier that is not known.
bool is_placeholder(std::string_view text);

}  // namespace anima
