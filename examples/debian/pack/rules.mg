# What follows from the package database. The facts come from import.py; each is one relation:
#
#   version(P, V)         P is an installed package of version V (also: architecture, section,
#                         maintainer, priority, installed_size)
#   depends(P, G)         one group of P's Depends; pre_depends and recommends likewise
#   alternative(G, A)     A is one of the alternatives of the group G
#   satisfied_by(A, Q)    the installed package Q satisfies A: its name or what it provides, its
#                         version and its architecture fit
#   provides(P, V)        P provides the virtual package V
#   conflicts(P, A)       P conflicts with A; breaks likewise

package(P) :- version(P, _).
virtual(V) :- provides(_, V), !package(V).
known(X) :- package(X).
known(X) :- virtual(X).

# A group that must hold: of Depends or of Pre-Depends.
requires(P, G) :- depends(P, G).
requires(P, G) :- pre_depends(P, G).

# The installed packages that satisfy a group, and how many they are.
accepts(G, Q) :- alternative(G, A), satisfied_by(A, Q).
choices(G, N) :- accepts(G, Q) |> do fn:group_by(G), let N = fn:count().

# What goes when X is removed: X itself, or all that provide X when X is only virtual.
goes_with(X, X) :- package(X).
goes_with(X, P) :- provides(P, X), virtual(X).

# A group relies on X when everything that satisfies it goes with X.
lost_choices(X, G, N) :- goes_with(X, Q), accepts(G, Q) |> do fn:group_by(X, G), let N = fn:count().
relies_on(G, X) :- lost_choices(X, G, N), choices(G, N).

# P needs X when X is the only installed one that satisfies one of P's groups.
needs(P, X) :- requires(P, G), relies_on(G, X), !goes_with(X, P).

# P stops working without X when it needs X, directly or through others.
stops_working(P, X) :- needs(P, X).
stops_working(P, X) :- needs(P, Q), stops_working(Q, X), !goes_with(X, P).

# Weaker ties: what P recommends, and what would miss X without stopping.
recommended_by(X, P) :- recommends(P, G), relies_on(G, X), !goes_with(X, P).

# How many stop working with each package.
weight(X, N) :- stops_working(P, X) |> do fn:group_by(X), let N = fn:count().
