PREFIX : <http://e/> CLEAR ALL ;
