# mypy: disable-error-code="import-not-found,misc"
"""The fusions of LlamaIndex and Haystack over given lists; run in the environment of the peers, never with Veracity.

    python fusions.py < lists.json > fused.json

In: [[list, list], ...], a list per way of searching and query, each [[id, score], ...] best first. Out: name -> ranked ids
per query.
"""

from __future__ import annotations

import json
import os
import sys
from typing import Any

os.environ["HAYSTACK_TELEMETRY_ENABLED"] = "False"
_MOST = 100


def llama_index(queries: list[list[list[list[Any]]]]) -> dict[str, list[list[str]]]:
    """QueryFusionRetriever of LlamaIndex in its three modes, over retrievers that hand out the given lists."""
    from llama_index.core.base.base_retriever import BaseRetriever
    from llama_index.core.llms.mock import MockLLM
    from llama_index.core.retrievers import QueryFusionRetriever
    from llama_index.core.schema import NodeWithScore, QueryBundle, TextNode

    class Given(BaseRetriever):
        def __init__(self, which: int) -> None:
            self.which = which
            super().__init__()

        def _retrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
            found = queries[int(query_bundle.query_str)][self.which]
            return [NodeWithScore(node=TextNode(id_=one, text=one), score=score) for one, score in found]

    fused = {}
    for mode in ("reciprocal_rerank", "relative_score", "dist_based_score"):
        retriever = QueryFusionRetriever(
            [Given(0), Given(1)], llm=MockLLM(), mode=mode, similarity_top_k=_MOST, num_queries=1, use_async=False
        )
        fused[f"LlamaIndex {mode}"] = [
            [node.node.node_id for node in retriever.retrieve(str(at))] for at in range(len(queries))
        ]
    return fused


def haystack(queries: list[list[list[list[Any]]]]) -> dict[str, list[list[str]]]:
    """DocumentJoiner of Haystack in the modes that use ranks or scores of several lists."""
    from haystack import Document
    from haystack.components.joiners import DocumentJoiner

    fused = {}
    for mode in ("reciprocal_rank_fusion", "distribution_based_rank_fusion", "merge"):
        joiner = DocumentJoiner(join_mode=mode, top_k=_MOST)
        fused[f"Haystack {mode}"] = [
            [
                document.id
                for document in joiner.run(
                    documents=[[Document(id=one, content=one, score=score) for one, score in held] for held in lists]
                )["documents"]
            ]
            for lists in queries
        ]
    return fused


if __name__ == "__main__":
    given = json.load(sys.stdin)
    answer: dict[str, Any] = {}
    for peer in (llama_index, haystack):
        try:
            answer |= peer(given)
        except ImportError as error:
            print(f"{peer.__name__} is left out: {error}", file=sys.stderr)
    json.dump(answer, sys.stdout)
