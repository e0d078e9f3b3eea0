"""The explorer: the comparison in a browser, with its question at hand. Needs the extra ``app`` (Streamlit)."""
