PREFIX : <http://e/> WITH :g DELETE { ?s :p ?o } INSERT { ?s :q ?o } USING :h USING NAMED :i WHERE { ?s :p ?o }
