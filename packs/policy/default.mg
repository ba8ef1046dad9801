# The policy that ships with Anima. A space's own rules go into <config>/policy/*.mg.

deny(Call, "nothing read from outside may choose the recipient of a message") :- recipient(Call, Trust), outside(Trust).

deny(Call, "nothing read from outside may choose an address to talk to") :- address(Call, Trust), outside(Trust).

deny(Call, "nothing read from outside may choose a command") :- command(Call, Trust), outside(Trust).
