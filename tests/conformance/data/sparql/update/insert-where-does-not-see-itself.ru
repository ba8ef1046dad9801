PREFIX : <http://example.org/>
PREFIX xsd: <http://www.w3.org/2001/XMLSchema#>
INSERT { ?x :p ?z } WHERE { ?x :p ?y . ?y :p ?z }
