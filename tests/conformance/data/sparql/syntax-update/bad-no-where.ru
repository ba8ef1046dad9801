PREFIX : <http://e/> INSERT { :a :p 1 }
