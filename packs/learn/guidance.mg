# What was learnt guides what comes next. None of this allows anything or forbids anything: the policy does that.

Decl code_contains(File, Line, Text) descr [extensional()].
Decl proposed(Call, Action) descr [extensional(), doc("what the agent is about to propose")].
Decl planned(Step, Type) descr [extensional(), doc("a step of a plan, and of what type it is")].

# ---- Style of code

code_style_violation(File, Line, "avoid_pattern_unwrap") :-
    avoid_pattern("unwrap"),
    code_contains(File, Line, ".unwrap()").
clarification_needed("style_violation") :- code_style_violation(_, _, _).

# ---- What the owner refused often is set aside, and nobody else's word does that

owners_word(/operator).
owners_word(/system).

owner_avoids(Action, Reason) :-
    learnt(/owner, /avoid_action, Args, Trust), owners_word(Trust),
    :match_cons(Args, Action, Rest), :match_cons(Rest, Reason, End), :match_nil(End).
set_aside(Call, Action, Reason) :- proposed(Call, Action), owner_avoids(Action, Reason).

# ---- What earlier campaigns say of a plan

plan_warning(Step, Type, Error) :- planned(Step, Type), avoid_error(Type, Error).
plan_hint(Step, Type) :- planned(Step, Type), phase_success(Type).
