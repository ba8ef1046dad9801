# Autopoiesis: the rules by which an agent learns from rejections, notices missing tools, and changes itself in
# steps that it can stop.
#
# They follow the printed rules of the autopoiesis source, repaired where those cannot be evaluated as meant:
#  * every predicate that facts come from is declared, so the file loads by itself;
#  * should_halt on stagnation binds its step: the printed rule leaves StepID free;
#  * every step with a base stability has an effective one: the printed rules know only steps with both penalties,
#    so a step without any could never be compared;
#  * stability is a float and is computed with fn:minus over floats, which this dialect allows in a body.

# ---- Facts from outside

Decl rejection_count(Pattern, Count) descr [extensional(), doc("how often a pattern was rejected")].
Decl derived_rule(Pattern, FactType, FactValue) descr [extensional()].
Decl tool_capabilities(Tool, Capability) descr [extensional()].
Decl user_intent(Intent, Category, Verb, Target, Constraint) descr [extensional()].
Decl goal_requires(Goal, Capability) descr [extensional()].

Decl state(StepID, Stability, Loc) descr [extensional()].
Decl proposed(StepID) descr [extensional()].
Decl history(StepID, Hash) descr [extensional()].
Decl iteration(StepID, IterNum) descr [extensional()].
Decl max_iterations(Limit) descr [extensional()].
Decl retry_attempt(StepID, AttemptNum, Reason) descr [extensional()].
Decl max_retries(Limit) descr [extensional()].
Decl error_history(StepID, Kind, Detail) descr [extensional()].
Decl base_stability(StepID, Score) descr [extensional()].
Decl state_at_iteration(StepID, IterNum, Stability) descr [extensional()].

Decl current_mode(Mode) descr [extensional()].
Decl network_restricted_shard() descr [extensional()].
Decl admin_override(Action) descr [extensional()].

Decl campaign_phase(PhaseID, CampaignID, Name, Seq, Status, Profile) descr [extensional()].
Decl phase_objective(PhaseID, PhaseType, Desc, Priority) descr [extensional()].
Decl phase_checkpoint(PhaseID, CheckpointID, Passed, ValidatedAt, Validator) descr [extensional()].
Decl current_campaign(CampaignID) descr [extensional()].
Decl campaign_task(TaskID, PhaseID, Desc, Status, TaskType) descr [extensional()].
Decl task_error(TaskID, ErrorType, Message) descr [extensional()].
Decl current_time(Now) descr [extensional()].

Decl avoid_pattern(Pattern) descr [extensional()].
Decl code_contains(File, Line, Text) descr [extensional()].

# ---- Learning from rejections: three strikes

preference_signal(Pattern) :- rejection_count(Pattern, N), N >= 3.
promote_to_long_term(FactType, FactValue) :-
    preference_signal(Pattern),
    derived_rule(Pattern, FactType, FactValue).

# ---- Tools that are missing

has_capability(Cap) :- tool_capabilities(_, Cap).
missing_tool_for(IntentID, Cap) :-
    user_intent(IntentID, _, _, _, _),
    goal_requires(_, Cap),
    !has_capability(Cap).
next_action(/generate_tool) :- missing_tool_for(_, _).

# ---- The state machine of a self-change

has_panic_penalty(StepID) :- error_history(StepID, /panic, _).
has_retry_penalty(StepID) :- retry_attempt(StepID, N, _), N >= 2.

cumulative_penalty(StepID, 0.3) :- has_panic_penalty(StepID), has_retry_penalty(StepID).
cumulative_penalty(StepID, 0.2) :- has_panic_penalty(StepID), !has_retry_penalty(StepID).
cumulative_penalty(StepID, 0.1) :- has_retry_penalty(StepID), !has_panic_penalty(StepID).
cumulative_penalty(StepID, 0.0) :-
    base_stability(StepID, _),
    !has_panic_penalty(StepID),
    !has_retry_penalty(StepID).

effective_stability(StepID, Effective) :-
    base_stability(StepID, Base),
    cumulative_penalty(StepID, Penalty),
    Effective = fn:minus(Base, Penalty).

# A step is taken only when stability does not degrade.
valid_transition(Next) :-
    state(Curr, _, _),
    proposed(Next),
    effective_stability(Curr, CurrEff),
    effective_stability(Next, NextEff),
    NextEff >= CurrEff.
stability_degrading(Next) :-
    state(Curr, _, _),
    proposed(Next),
    effective_stability(Curr, CurrEff),
    effective_stability(Next, NextEff),
    NextEff < CurrEff.

# ---- When to stop

# Two steps with the same code.
stagnation_detected() :- history(StepA, Hash), history(StepB, Hash), StepA != StepB.

max_iterations_exceeded(StepID) :- iteration(StepID, N), max_iterations(Limit), N > Limit.
max_retries_exceeded(StepID) :- retry_attempt(StepID, N, _), max_retries(Limit), N > Limit.

should_halt(StepID) :- max_iterations_exceeded(StepID).
should_halt(StepID) :- max_retries_exceeded(StepID).
should_halt(StepID) :- history(StepID, _), stagnation_detected().
should_halt(StepID) :- stability_degrading(StepID).

# Stable over two iterations.
converged(StepID) :-
    state_at_iteration(StepID, N1, S1),
    state_at_iteration(StepID, N2, S2),
    N2 = fn:plus(N1, 1),
    S1 = S2,
    N2 >= 2.

# ---- What is permitted

permitted(/generate_tool) :- current_mode(/development), !network_restricted_shard().
block_action(/generate_tool, "production_mode") :-
    current_mode(/production),
    !admin_override(/tool_generation).

# ---- Campaigns

phase_success_pattern(PhaseType) :-
    campaign_phase(PhaseID, _, _, _, /completed, _),
    phase_objective(PhaseID, PhaseType, _, _),
    phase_checkpoint(PhaseID, _, /true, _, _).
promote_to_long_term(/phase_success, PhaseType) :- phase_success_pattern(PhaseType).
campaign_learning(CampaignID, /failure_pattern, TaskType, ErrorMsg, Now) :-
    current_campaign(CampaignID),
    campaign_task(TaskID, _, _, /failed, TaskType),
    task_error(TaskID, _, ErrorMsg),
    current_time(Now).

# ---- What was learnt guides the next session

code_style_violation(File, Line, "avoid_pattern_unwrap") :-
    avoid_pattern("unwrap"),
    code_contains(File, Line, ".unwrap()").
clarification_needed("style_violation") :- code_style_violation(_, _, _).
