# The rules of a generation: whether it may begin, whether a proposal may become the tool, when to stop.
#
# Stability is an integer of percent points, 0 to 100. Penalties fall on the proposed step; the baseline is the
# effective stability that the registered version of the tool was kept with, 0 for a new tool. Every proposal is a
# step of its own, so that stagnation can be seen.

# ---- Facts from the host

Decl user_intent(Intent, Category, Verb, Target, Constraint) descr [extensional()].
Decl goal_requires(Intent, Capability) descr [extensional()].
Decl tool_capabilities(Tool, Capability) descr [extensional()].
Decl tool_capability(Tool, Capability) descr [extensional()].
Decl current_mode(Mode) descr [extensional()].
Decl network_restricted_shard() descr [extensional()].
Decl admin_override(Action) descr [extensional()].

Decl proposed(Step) descr [extensional()].
Decl step_tool(Step, Tool) descr [extensional()].
Decl base_stability(Step, Points) descr [extensional()].
Decl baseline(Points) descr [extensional()].
Decl history(Step, Hash) descr [extensional()].
Decl iteration(Step, N) descr [extensional()].
Decl max_iterations(Limit) descr [extensional()].
Decl retry_attempt(Step, N, Reason) descr [extensional()].
Decl max_retries(Limit) descr [extensional()].
Decl error_history(Tool, Kind, Time) descr [extensional()].
Decl state_at_iteration(Step, N, Points) descr [extensional()].

# ---- Tools that are missing

has_capability(C) :- tool_capabilities(_, C).
has_capability(C) :- tool_capability(_, C).
missing_tool_for(Intent, C) :- user_intent(Intent, _, _, _, _), goal_requires(Intent, C), !has_capability(C).
next_action(/generate_tool) :- missing_tool_for(_, _).

# ---- What is permitted

never_made(/exec_arbitrary). never_made(/network_unconstrained). never_made(/system_admin).
never_made(/credential_access).
permitted(/generate_tool) :- current_mode(/development), !network_restricted_shard().
permitted(/generate_tool) :- current_mode(/production), admin_override(/tool_generation), !network_restricted_shard().
block_action(/generate_tool, "production_mode") :- current_mode(/production), !admin_override(/tool_generation).
block_action(/generate_tool, "network_restricted") :- network_restricted_shard().
block_action(/generate_tool, "dangerous_capability") :- goal_requires(_, C), never_made(C).

# ---- Stability

has_panic_penalty(Step) :- step_tool(Step, Tool), error_history(Tool, /panic, _).
has_retry_penalty(Step) :- step_tool(Step, _), retry_attempt(_, N, _), N >= 2.
cumulative_penalty(Step, 30) :- has_panic_penalty(Step), has_retry_penalty(Step).
cumulative_penalty(Step, 20) :- has_panic_penalty(Step), !has_retry_penalty(Step).
cumulative_penalty(Step, 10) :- has_retry_penalty(Step), !has_panic_penalty(Step).
cumulative_penalty(Step, 0) :- step_tool(Step, _), !has_panic_penalty(Step), !has_retry_penalty(Step).
effective_stability(Step, Points) :-
    base_stability(Step, Base), cumulative_penalty(Step, Penalty), Points = fn:minus(Base, Penalty).

valid_transition(Next) :- proposed(Next), effective_stability(Next, N), baseline(C), N >= C.

# ---- When to stop

stagnation_detected() :- history(A, Hash), history(B, Hash), A != B.
max_iterations_exceeded(Step) :- iteration(Step, N), max_iterations(Limit), N >= Limit.
max_retries_exceeded(Step) :- retry_attempt(Step, N, _), max_retries(Limit), N >= Limit.
stability_degrading(C) :-
    state_at_iteration(_, N, S0), state_at_iteration(_, N1, S1), state_at_iteration(C, N2, S2),
    N1 = fn:plus(N, 1), N2 = fn:plus(N, 2), S0 > S1, S1 > S2.
converged(B) :-
    state_at_iteration(_, N, S), state_at_iteration(B, N1, S), N1 = fn:plus(N, 1), N1 >= 2.
should_halt("max_iterations") :- max_iterations_exceeded(_).
should_halt("max_retries") :- max_retries_exceeded(_).
should_halt("stagnation") :- stagnation_detected().
should_halt("degrading") :- stability_degrading(_).

# ---- Tools that are registered

Decl tool_registered(Name, Time) descr [extensional()].
Decl tool_hash(Name, Hash) descr [extensional()].
Decl tool_description(Name, Text) descr [extensional()].
Decl tool_binary_path(Name, Path) descr [extensional()].
Decl tool_hot_loaded(Name, Time) descr [extensional()].
Decl tool_version(Name, Version) descr [extensional()].
