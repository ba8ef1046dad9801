PREFIX : <http://example.org/>
PREFIX xsd: <http://www.w3.org/2001/XMLSchema#>
DELETE { ?s :p ?v } INSERT { ?s :p ?w } WHERE { ?s :p ?v BIND(?v + 10 AS ?w) }
