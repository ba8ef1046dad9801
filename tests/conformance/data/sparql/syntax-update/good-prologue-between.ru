PREFIX : <http://e/> INSERT DATA { :a :b 1 } ; PREFIX x: <http://x/> DELETE DATA { x:a :b 1 }
