PREFIX : <http://e/> DELETE { _:a :p ?o } WHERE { ?s :p ?o }
