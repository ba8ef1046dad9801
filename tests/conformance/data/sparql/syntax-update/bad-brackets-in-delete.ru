PREFIX : <http://e/> DELETE { [] :p ?o } WHERE { ?s :p ?o }
