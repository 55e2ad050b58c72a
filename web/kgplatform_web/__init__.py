"""The place of the Flask application: pages and the SPARQL endpoint come with issue 3. Nothing imports it yet."""
