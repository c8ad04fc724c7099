"""How attempts are judged; `judge.score` is the whole judgement."""
