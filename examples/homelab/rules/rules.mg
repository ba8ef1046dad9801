# What follows from hosts.csv and services.csv.
#
#   runs_on(S, H)       the service S runs on the host H
#   depends_on(S, T)    the service S calls the service T

# S goes down with the host that it runs on, or with a service that it depends on.
goes_down_with(S, H) :- runs_on(S, H).
goes_down_with(S, T) :- depends_on(S, T).
goes_down_with(S, X) :- depends_on(S, T), goes_down_with(T, X).
