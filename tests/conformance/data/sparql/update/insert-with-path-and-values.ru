PREFIX : <http://example.org/>
PREFIX xsd: <http://www.w3.org/2001/XMLSchema#>
INSERT { ?x :reach ?y } WHERE { VALUES ?x { :a } ?x :p+ ?y }
