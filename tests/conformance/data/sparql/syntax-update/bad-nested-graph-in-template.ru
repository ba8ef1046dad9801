PREFIX : <http://e/> INSERT DATA { GRAPH :g { GRAPH :h { :a :p 1 } } }
