# A service goes down with its host, and with what it depends on.
goes_down_with(S, H) :- runs_on(S, H).
goes_down_with(S, X) :- depends_on(S, T), goes_down_with(T, X).
