"""What the model's own encoder, in Rust, makes of texts: prints one row of numbers for each, as JSON."""

import json
import sys
from pathlib import Path

import static_model

texts = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
folder = str(Path(static_model.__file__).parent / "model")
print(json.dumps({"folder": folder, "rows": static_model.get_embeddings(texts)}))
