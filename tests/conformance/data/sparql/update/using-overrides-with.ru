PREFIX : <http://example.org/>
PREFIX xsd: <http://www.w3.org/2001/XMLSchema#>
WITH :g1 INSERT { ?s :q ?v } USING :g2 WHERE { ?s :p ?v }
