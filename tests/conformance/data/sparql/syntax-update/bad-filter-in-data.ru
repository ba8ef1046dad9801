PREFIX : <http://e/> INSERT DATA { :a :p 1 FILTER(true) }
