"""Writes what transformers computes for models of 2026 that phasor has no family of: Inkling's relative logits, and the
positions of videos whose frames stand between timestamps (Qwen3-VL) or are dealt with sound (Qwen3-Omni).

    python tests/truth/atlas/recent.py OUTPUT.json
"""

import json
import os
import sys
from pathlib import Path

os.environ |= {"TRANSFORMERS_VERBOSITY": "error", "HF_HUB_OFFLINE": "1", "OMP_NUM_THREADS": "1"}

import torch
from transformers import CONFIG_MAPPING
from transformers.models.inkling.modeling_inkling import InklingRelativeLogits
from transformers.models.inkling2.modeling_inkling2 import Inkling2RelativePositionBias
from transformers.models.qwen3_omni_moe import modeling_qwen3_omni_moe
from transformers.models.qwen3_vl.modeling_qwen3_vl import Qwen3VLModel

B, H, T, R, EXTENT, PAST = 2, 3, 7, 4, 5, 4
FLOOR, ALPHA = 6, 0.1


def drawn(*shape):
    """Numbers that float32 holds and a text of few digits says."""
    return torch.randint(-40, 41, shape) / 32


def rounded(value):
    """To 6 digits, which do not depend on the processor."""
    return [rounded(each) for each in value] if isinstance(value, list) else round(value * 1e6) / 1e6


def inkling():
    states, profiles = drawn(B, T, H, R), drawn(R, EXTENT)
    logits = InklingRelativeLogits(R, EXTENT)
    logits.proj.data = profiles
    positions = torch.arange(T) + PAST
    bias = logits(states, positions, torch.arange(T + PAST))
    return {"states": states.tolist(), "profiles": profiles.tolist(), "past": PAST, "bias": bias.tolist()}


def inkling2():
    """With the logarithmic factor of full attention; states are short enough that nothing is clipped."""
    config = CONFIG_MAPPING["inkling2_text"](
        hidden_size=R * H, d_rel=R, log_scaling_n_floor=FLOOR, log_scaling_alpha=ALPHA, rel_l2_clip_threshold=100.0
    )
    bias = Inkling2RelativePositionBias(config, H, EXTENT, log_scaling=True)
    states, profiles = drawn(B, T, H, R), drawn(R, EXTENT)
    bias.proj.data, bias.linear.weight.data = profiles, torch.eye(R * H)
    positions = torch.arange(T) + PAST
    distance = positions[:, None] - torch.arange(T + PAST)[None, :]
    found = bias(states.flatten(2), distance, positions[None].expand(B, -1))
    facts = {"floor": FLOOR, "alpha": ALPHA, "extent": EXTENT}
    return {**facts, "states": states.tolist(), "profiles": profiles.tolist(), "past": PAST, "bias": rounded(found.tolist())}


def qwen3_vl():
    """Texts of 3, 2, 2 and 4 tokens around the three frames of a video of 4 x 6 patches, 2 x 2 of which are a token."""
    config = CONFIG_MAPPING["qwen3_vl"]()
    frame = [2] * 6
    kinds = [0] * 3 + frame + [0] * 2 + frame + [0] * 2 + frame + [0] * 4
    model = type("Model", (), {"config": config, "get_vision_position_ids": Qwen3VLModel.get_vision_position_ids})()
    kinds = torch.tensor([kinds])
    positions, delta = Qwen3VLModel.get_rope_index(
        model, torch.zeros_like(kinds), kinds, video_grid_thw=torch.tensor([[3, 4, 6]])
    )
    return {"positions": positions[:, 0].tolist(), "delta": delta.item()}


def qwen3_omni(grid, seconds, mels):
    """A text of 3 tokens, a video with sound and its marks, and a text of 2."""
    config = CONFIG_MAPPING["qwen3_omni_moe_thinker"]()
    base = modeling_qwen3_omni_moe.Qwen3OmniMoePreTrainedModelForConditionalGeneration
    vision = base.get_llm_pos_ids_for_vision
    model = type("Model", (), {"config": config, "spatial_merge_size": 2, "get_llm_pos_ids_for_vision": vision})()
    model.config.vision_start_token_id = 151652
    lengths = torch.tensor([mels])
    sound = int(modeling_qwen3_omni_moe._get_feat_extract_output_lengths(lengths, config.audio_config.n_window))
    patches = grid[0] * grid[1] * grid[2] // 4
    marks = [config.vision_start_token_id, config.audio_start_token_id]
    ids = [1] * 3 + marks + [config.video_token_id] * patches + [config.audio_token_id] * sound + [2, 2] + [1] * 2
    ids = torch.tensor([ids])
    positions, delta = base.get_rope_index(
        model,
        ids,
        video_grid_thw=torch.tensor([grid]),
        attention_mask=torch.ones_like(ids),
        use_audio_in_video=True,
        audio_seqlens=lengths,
        second_per_grids=torch.tensor([seconds]),
    )
    facts = {"grid": grid, "step": seconds * config.position_id_per_seconds, "sound": sound}
    return {**facts, "positions": positions[:, 0].int().tolist(), "delta": int(delta.item())}


torch.manual_seed(0)
found = {"inkling": inkling(), "inkling2": inkling2(), "qwen3_vl": qwen3_vl()}
omni = [([4, 4, 6], 1, 230), ([4, 4, 6], 1, 990), ([1, 4, 4], 2, 30), ([2, 60, 4], 1, 130), ([6, 4, 4], 4, 700)]
found["qwen3_omni"] = [qwen3_omni(*each) for each in omni]
lines = ",\n".join(f" {json.dumps(name)}: {json.dumps(facts)}" for name, facts in found.items())
Path(sys.argv[1]).write_text(f"{{\n{lines}\n}}\n")
