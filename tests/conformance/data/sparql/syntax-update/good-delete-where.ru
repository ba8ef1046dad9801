PREFIX : <http://e/> DELETE WHERE { ?s :p ?o GRAPH ?g { ?s :q ?r } }
