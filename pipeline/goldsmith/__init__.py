"""Build gold datasets for RAG evaluation, and score retrieval and citations against them."""

__version__ = "0.1.0"
