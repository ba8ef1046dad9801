# A vote is a call like any other, and this is its rule: no text, wherever it came from, chooses the ballot of a member.

deny(Call, "a member of the council votes by its own judgement alone") :- call(Call, "council:vote", _, _), made_from(Call, "ballot", Source, _), Source != "self".
