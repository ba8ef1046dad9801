PREFIX : <http://example.org/>
PREFIX xsd: <http://www.w3.org/2001/XMLSchema#>
DELETE { :a :p 1 } INSERT { :a :p 1 } WHERE {}
