PREFIX : <http://example.org/>
PREFIX xsd: <http://www.w3.org/2001/XMLSchema#>
WITH :g DELETE { ?s :p ?v } INSERT { ?s :q ?v } WHERE { ?s :p ?v }
