"""The vectors of texts by Model2Vec and by WordLlama, and how long both take: prints JSON.

Takes the file of the texts, and that of the many texts whose time is taken.
"""

import json
import sys
import time
from pathlib import Path

import static_model
import wordllama
from model2vec import StaticModel
from safetensors.numpy import load_file
from tokenizers import Tokenizer
from wordllama.inference import WordLlamaInference

texts, many = (json.loads(Path(path).read_text(encoding="utf-8")) for path in sys.argv[1:3])
table = Path(static_model.__file__).parent / "model"
model2vec = StaticModel.from_pretrained(table)
# WordLlama.load looks for the tokenizer where the package does not have it.
folder = Path(wordllama.__file__).parent
weights = folder / "weights/l2_supercat_256.safetensors"
tokenizer = folder / "tokenizers/l2_supercat_tokenizer_config.json"
embedding = load_file(weights)["embedding.weight"]
llama = WordLlamaInference(embedding, Tokenizer.from_file(str(tokenizer)))


def rate(encode):
    """Texts a second, the best of three runs."""
    encode(many[:100])
    times = []
    for _ in range(3):
        begin = time.perf_counter()
        encode(many)
        times.append(time.perf_counter() - begin)
    return len(many) / min(times)


print(
    json.dumps(
        {
            "model2vec": {
                "folder": str(table),
                "rows": model2vec.encode(texts).tolist(),
                "rate": rate(lambda some: model2vec.encode(some, use_multiprocessing=False)),
            },
            "wordllama": {
                "weights": str(weights),
                "tokenizer": str(tokenizer),
                "rows": llama.embed(texts).tolist(),
                "rate": rate(llama.embed),
            },
        }
    )
)
