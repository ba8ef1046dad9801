LOAD "x"
