PREFIX : <http://e/> INSERT DATA { _:a :p 1 } ; INSERT DATA { _:a :p 2 }
