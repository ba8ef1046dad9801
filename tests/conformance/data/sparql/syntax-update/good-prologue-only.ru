PREFIX : <http://e/>
