PREFIX : <http://e/> INSERT DATA { :a :b 1 GRAPH :g { :a :b 2 . :c :d [] } . :e :f 3 GRAPH :h {} }
