"""Hybrid search over a folder or a Qdrant collection: documents -> passages -> BM25 and vectors -> one ranking."""

from veracity.retrieval.search.corpus import Hit, Mode, SearchCorpus, open_corpus
from veracity.retrieval.search.index import IndexReport

__all__ = ["Hit", "IndexReport", "Mode", "SearchCorpus", "open_corpus"]
