PREFIX : <http://e/> INSERT { _:b :p ?o } WHERE { ?s :p ?o } ; INSERT { _:b :p ?o } WHERE { ?s :p ?o }
