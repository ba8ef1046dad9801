PREFIX : <http://e/> WITH :g INSERT DATA { :a :p 1 }
