# How what was counted becomes what is learnt: the decision, as rules that anyone can read.
#
# The host counts and keeps; it promotes what `promotion` says, and nothing else. A pattern is the key of a counter:
# "action:reason" of a rejection, "action" of an acceptance, "original→corrected" of a correction.

Decl shard_rejection_count(Shard, Pattern, N) descr [extensional(), doc("how often a shard was refused this")].
Decl shard_acceptance_count(Shard, Pattern, N) descr [extensional()].
Decl shard_correction_count(Shard, Pattern, N) descr [extensional()].
Decl shard_failure_count(Shard, Pattern, N) descr [extensional(), doc("how often a tool failed so; nobody's wish")].
Decl shard_success_count(Shard, Pattern, N) descr [extensional()].
Decl threshold(Kind, N) descr [extensional(), doc("how often is often enough")].
Decl rejected_pattern(Pattern, Action, Reason) descr [extensional()].
Decl accepted_pattern(Pattern, Action) descr [extensional()].
Decl corrected_pattern(Pattern, Original, Corrected) descr [extensional()].
Decl failed_pattern(Pattern, Action, Reason) descr [extensional()].
Decl succeeded_pattern(Pattern, Action) descr [extensional()].
Decl detailed_shard(Shard) descr [extensional(), doc("keeps avoid_action beside avoid_pattern")].
Decl learnt(Shard, FactType, Args, Trust) descr [extensional(), doc("what is visible in the stores")].

# ---- Three strikes

# Over all shards the largest count, never the sum: two here and one there are no pattern.
rejection_count(Pattern, N) :- shard_rejection_count(_, Pattern, M) |> do fn:group_by(Pattern), let N = fn:max(M).
acceptance_count(Pattern, N) :- shard_acceptance_count(_, Pattern, M) |> do fn:group_by(Pattern), let N = fn:max(M).

preference_signal(Pattern) :- rejection_count(Pattern, N), threshold(/rejection, Enough), N >= Enough.

often(Shard, /rejection, Pattern) :-
    shard_rejection_count(Shard, Pattern, N), threshold(/rejection, Enough), N >= Enough.
often(Shard, /acceptance, Pattern) :-
    shard_acceptance_count(Shard, Pattern, N), threshold(/acceptance, Enough), N >= Enough.
often(Shard, /correction, Pattern) :-
    shard_correction_count(Shard, Pattern, N), threshold(/correction, Enough), N >= Enough.
often(Shard, /failure, Pattern) :-
    shard_failure_count(Shard, Pattern, N), threshold(/failure, Enough), N >= Enough.
often(Shard, /success, Pattern) :-
    shard_success_count(Shard, Pattern, N), threshold(/success, Enough), N >= Enough.

# ---- What a pattern says: the first that fits of style, tool, language, pattern, anything else

tool_action("manual_review").

styled(Pattern, Value) :-
    rejected_pattern(Pattern, _, Reason), :string:starts_with(Reason, "style:"), Reason != "style:",
    Value = fn:string:replace(Reason, "style:", "", 1).
tooled(Pattern, Value) :-
    rejected_pattern(Pattern, _, Reason), :string:starts_with(Reason, "tool:"), Reason != "tool:",
    Value = fn:string:replace(Reason, "tool:", "", 1).
hinted(Pattern, Value) :-
    rejected_pattern(Pattern, _, Reason), :string:starts_with(Reason, "lang:"),
    Value = fn:string:replace(Reason, "lang:", "", 1), Parts = fn:string:split(Value, ":"),
    :match_cons(Parts, Language, Rest), :match_cons(Rest, Topic, End), :match_nil(End),
    Language != "", Topic != "".
named(Pattern, Value) :-
    rejected_pattern(Pattern, _, Reason), :string:starts_with(Reason, "pattern:"), Reason != "pattern:",
    Value = fn:string:replace(Reason, "pattern:", "", 1).

has_style(Pattern) :- styled(Pattern, _).
has_tool(Pattern) :- tooled(Pattern, _).
has_hint(Pattern) :- hinted(Pattern, _).
has_name(Pattern) :- named(Pattern, _).
by_action(Pattern, Action) :-
    rejected_pattern(Pattern, Action, _), tool_action(Action), !has_style(Pattern), !has_tool(Pattern).
has_action(Pattern) :- by_action(Pattern, _).
plain(Pattern, Action, Reason) :-
    rejected_pattern(Pattern, Action, Reason), Reason != "",
    !has_style(Pattern), !has_tool(Pattern), !has_action(Pattern), !has_hint(Pattern), !has_name(Pattern).

value_of(/rejection, Pattern, /style_preference, Value) :- styled(Pattern, Value).
value_of(/rejection, Pattern, /tool_preference, Value) :- tooled(Pattern, Value).
value_of(/rejection, Pattern, /tool_preference, Action) :- by_action(Pattern, Action).
value_of(/rejection, Pattern, /language_hint, Value) :- hinted(Pattern, Value), !has_action(Pattern).
value_of(/rejection, Pattern, /avoid_pattern, Value) :- named(Pattern, Value), !has_action(Pattern).
value_of(/rejection, Pattern, /avoid_pattern, Reason) :- plain(Pattern, _, Reason).
value_of(/acceptance, Pattern, /preferred_pattern, Action) :- accepted_pattern(Pattern, Action).
value_of(/success, Pattern, /success_pattern, Action) :- succeeded_pattern(Pattern, Action).

pattern_class(Pattern, FactType, FactValue) :- value_of(_, Pattern, FactType, FactValue).
derived_rule(Pattern, FactType, FactValue) :- pattern_class(Pattern, FactType, FactValue).

promote_to_long_term(FactType, FactValue) :-
    preference_signal(Pattern), derived_rule(Pattern, FactType, FactValue).
promote_in_shard(Shard, FactType, FactValue) :-
    often(Shard, Kind, Pattern), value_of(Kind, Pattern, FactType, FactValue).

# ---- What the host saves: the fact, with all its arguments, in the shard that counted

says(Kind, Pattern, FactType, [FactValue]) :- value_of(Kind, Pattern, FactType, FactValue).
says(/correction, Pattern, /correction_pattern, [Original, Corrected]) :-
    corrected_pattern(Pattern, Original, Corrected).
says(/failure, Pattern, /failure_pattern, [Action, Reason]) :- failed_pattern(Pattern, Action, Reason).

# Where details are kept, also of which action that was said.
details(/rejection, Pattern, /avoid_action, [Action, Reason]) :- plain(Pattern, Action, Reason).
details(/rejection, Pattern, /avoid_action, [Action, Reason]) :-
    tooled(Pattern, _), rejected_pattern(Pattern, Action, Reason).

promotion(Shard, Kind, Pattern, FactType, Args) :-
    often(Shard, Kind, Pattern), says(Kind, Pattern, FactType, Args).
promotion(Shard, Kind, Pattern, FactType, Args) :-
    often(Shard, Kind, Pattern), detailed_shard(Shard), details(Kind, Pattern, FactType, Args).

# A pattern that is learnt already is not learnt anew: one more of it reinforces. Where details are kept, they count:
# who takes them back is asked again.
has_details(Kind, Pattern) :- details(Kind, Pattern, _, _).
known_pattern(Shard, Kind, Pattern) :-
    learnt(Shard, FactType, Args, _), says(Kind, Pattern, FactType, Args), !detailed_shard(Shard).
known_pattern(Shard, Kind, Pattern) :-
    learnt(Shard, FactType, Args, _), says(Kind, Pattern, FactType, Args), !has_details(Kind, Pattern).
known_pattern(Shard, Kind, Pattern) :-
    learnt(Shard, FactType, Args, _), detailed_shard(Shard), details(Kind, Pattern, FactType, Args).

# What brought a learning here, for who takes it back.
brought_by(FactType, Args, Kind, Pattern) :- says(Kind, Pattern, FactType, Args).
brought_by(FactType, Args, Kind, Pattern) :- details(Kind, Pattern, FactType, Args).
