# What may be learnt: the predicates that a store of learnings takes, and the types of their arguments.
#
# A learning never adds to this list; the configuration does, by facts of the same form in <space>/learn/*.mg.
# Types: /string, /name, /int, /float, and /language_topic, a string of the form "language:topic".

learnable(/avoid_pattern, 1, [/string]).
learnable(/style_preference, 1, [/string]).
learnable(/tool_preference, 1, [/string]).
learnable(/language_hint, 1, [/language_topic]).
learnable(/preferred_pattern, 1, [/string]).
learnable(/success_pattern, 1, [/string]).
learnable(/failure_pattern, 2, [/string, /string]).
learnable(/correction_pattern, 2, [/string, /string]).

# What was refused outright, with the reason: the row beside avoid_pattern that says of which action.
learnable(/avoid_action, 2, [/string, /string]).

# What campaigns teach, in their own store alone.
learnable(/avoid_error, 2, [/string, /string]).
learnable(/phase_success, 1, [/string]).
learnable_only_in(/avoid_error, /campaign).
learnable_only_in(/phase_success, /campaign).

# Another name that an import may use.
learnable_alias(/style_pref, /style_preference).
