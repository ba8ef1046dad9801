PREFIX : <http://e/> DELETE WHERE { _:a :p ?o }
