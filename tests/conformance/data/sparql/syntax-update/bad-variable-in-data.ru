PREFIX : <http://e/> INSERT DATA { ?s :p 1 }
