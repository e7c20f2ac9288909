"""How vectors lie: similarity, neighbors, principal components, norms, analogies."""

import exact
import numpy as np
import sinusoidal
import torch
import torch.nn.functional as F
from sklearn import decomposition
from sklearn.metrics.pairwise import cosine_similarity
from store import generator, normal, tensor

NUMPY = "numpy float64"


def make(topic):
    data = tables()
    similarity(topic, data)
    for name in ("random", "clusters"):
        for metric in ("cosine", "dot", "l2"):
            neighbors(topic, name, data[name], metric)
    components(topic, data)
    for name, x in data.items():
        norms(topic, name, x)
    analogies(topic)
    products(topic)


def tables():
    random = generator("clu")
    centers = random.standard_normal((4, 12)) * 3
    clusters = centers[np.arange(50) % 4] + random.standard_normal((50, 12)) * 0.5
    uneven = generator("aniso").standard_normal((40, 8)) * (2.0 ** -np.arange(8)) * 5 + 2
    return {
        "random": normal(generator("rand"), 60, 16),
        "clusters": clusters.astype(np.float32),
        "aniso": uneven.astype(np.float32),
    }


def similarity(topic, data):
    source = "scikit-learn cosine_similarity, float32"
    for name, x in data.items():
        rows = x[:20]
        double = cosine_similarity(rows.astype(np.float64)).astype(np.float32)
        outputs = {"out": cosine_similarity(rows), "out_f64": double}
        both = f"{source} (and on float64 input)"
        topic.add(f"cosine.{name}", "cosine_matrix", {}, {"x": rows}, outputs, both)
    x = data["random"][:8].copy()
    x[2] = 0
    note = "A zero row has similarity 0 with everything, itself too."
    outputs = {"out": cosine_similarity(x)}
    topic.add("cosine.zero_row", "cosine_matrix", {}, {"x": x}, outputs, source, note)

    a, b = data["random"][:10], data["random"][10:20]
    outputs = {"out": F.cosine_similarity(tensor(a), tensor(b))}
    source = "PyTorch F.cosine_similarity, float32"
    topic.add("cosine.pairs", "cosine_pairs", {"eps": 1e-8}, {"a": a, "b": b}, outputs, source)

    def distances(dtype):
        x, y = tensor(a).to(dtype), tensor(b).to(dtype)
        return torch.cdist(x, y, compute_mode="donot_use_mm_for_euclid_dist").float()

    outputs = {"out": distances(torch.float32), "out_f64": distances(torch.float64)}
    source = "PyTorch torch.cdist, float32"
    topic.add("distances", "l2_matrix", {}, {"a": a, "b": b}, outputs, source)


def scores(x, queries, metric):
    """Larger is nearer, float64 [queries, rows]."""
    x, queries = x.astype(np.float64), queries.astype(np.float64)
    if metric == "l2":
        return -np.sqrt(((queries[:, None] - x) ** 2).sum(-1))
    products = queries @ x.T
    if metric == "dot":
        return products
    return products / np.outer(np.linalg.norm(queries, axis=1), np.linalg.norm(x, axis=1))


def neighbors(topic, name, x, metric):
    k, note = 5, ""
    x = x.copy()
    if name == "clusters":
        x[[7, 31]] = x[3]
        note = "Rows [3, 7, 31] are equal. "
    drawn = normal(generator(f"tk{name}"), 3, x.shape[1])
    queries = np.concatenate([x[[3, 10]], drawn])
    found = scores(x, queries, metric)
    order = np.argsort(-found, axis=1, kind="stable")[:, : k + 1]
    ranked = np.take_along_axis(found, order, 1)
    gaps = ranked[:, :-1] - ranked[:, 1:]
    values = ranked[:, :k]
    topic.add(
        f"topk.{name}.{metric}",
        "topk",
        {"k": k, "metric": metric},
        {"x": x, "queries": queries},
        {
            "indices": order[:, :k],
            "values": (-values if metric == "l2" else values).astype(np.float32),
        },
        "numpy float64 scores, stable sort (equal scores: lower index first)",
        f"{note}Smallest gap between ranked scores {gaps[gaps > 1e-12].min():.3g}."
        " values: similarity, or distance for l2 (ascending).",
    )


def component_note(x, k):
    eigenvalues = np.linalg.eigvalsh(np.cov(x.astype(np.float64).T))[::-1]
    gaps = [float(f"{gap:.3g}") for gap in eigenvalues[:k] - eigenvalues[1 : k + 1]]
    return (
        "Components are up to sign (flip a component and its projected column together)."
        " explained_variance divides by n-1. Gaps between the leading eigenvalues:"
        f" {gaps}."
    )


def components(topic, data):
    wide = generator("wide").standard_normal((6, 20)) * np.linspace(3, 0.5, 20)
    for name, x in {**data, "wide": wide.astype(np.float32)}.items():
        k = 2
        pca = decomposition.PCA(n_components=k, svd_solver="full")
        projected = pca.fit_transform(x.astype(np.float64))
        case, note = f"pca.{name}.k{k}", component_note(x, k)
        if name == "wide":
            case, note = "pca.wide", "Fewer rows than columns."
        outputs = {
            "mean": pca.mean_,
            "components": pca.components_,
            "explained_variance": pca.explained_variance_,
            "explained_variance_ratio": pca.explained_variance_ratio_,
            "singular_values": pca.singular_values_,
            "projected": projected,
        }
        topic.add(
            case,
            "pca",
            {"n_components": k},
            {"x": x},
            {key: value.astype(np.float32) for key, value in outputs.items()},
            "scikit-learn PCA(svd_solver='full') on float64, stored float32",
            note,
        )


def norms(topic, name, x):
    lengths = np.linalg.norm(x.astype(np.float64), axis=1)
    percentiles = [0, 1, 5, 25, 50, 75, 95, 99, 100]
    statistics = {
        "min": lengths.min(),
        "max": lengths.max(),
        "mean": lengths.mean(),
        "std_population": lengths.std(),
        "std_sample": lengths.std(ddof=1),
        "median": np.median(lengths),
    }
    topic.add(
        f"norms.{name}",
        "norm_stats",
        {"percentiles": percentiles, "stats": list(statistics)},
        {"x": x},
        {
            "norms": lengths.astype(np.float32),
            "stats": np.array(list(statistics.values()), np.float32),
            "percentile_values": np.percentile(lengths, percentiles).astype(np.float32),
        },
        f"{NUMPY}, stored float32",
        "Row L2 norms; numpy's linear percentile.",
    )


def analogies(topic):
    random = generator("ana")
    dim, count, relations, k = 16, 12, 3, 4
    words = random.standard_normal((count, dim))
    shifts = random.standard_normal((relations, dim)) * 1.5
    shifted = [words + shift + 0.05 * random.standard_normal((count, dim)) for shift in shifts]
    x = np.concatenate([words, *shifted]).astype(np.float32)
    triples = np.array(
        [[i, count * (1 + j) + i, m] for i, j, m in [(0, 0, 5), (2, 1, 7), (4, 2, 9)]]
    )
    double = x.astype(np.float64)
    unit = double / np.linalg.norm(double, axis=1, keepdims=True)
    for kind, rows in [("raw", double), ("normalized", unit)]:
        indices, values, gap = [], [], 1.0
        for a, b, c in triples:
            target = rows[b] - rows[a] + rows[c]
            found = unit @ (target / np.linalg.norm(target))
            found[[a, b, c]] = -np.inf
            order = np.argsort(-found, kind="stable")[: k + 1]
            ranked = found[order]
            gap = min(gap, (ranked[:-1] - ranked[1:]).min())
            indices.append(order[:k])
            values.append(ranked[:k])
        which = "unit-length rows" if kind == "normalized" else "rows as they are"
        topic.add(
            f"analogy.{kind}",
            "analogy",
            {"k": k, "method": "3cosadd", "vectors": kind},
            {"x": x, "triples": triples},
            {"indices": np.array(indices), "values": np.array(values, np.float32)},
            NUMPY,
            f"a is to b as c is to ?: target = b - a + c ({which}), ranked by cosine, a, b, c left"
            f" out. triples rows are (a, b, c). Smallest gap {gap:.3g}.",
        )


def products(topic):
    """Dot products of sinusoidal rows, also from sum_i cos((m - n) f_i)."""
    length, dim = 32, 32
    positions = np.arange(length)
    params = sinusoidal.interleaved(dim)
    rows = exact.sinusoidal(positions, params).astype(np.float64)
    frequencies = np.array([float(f) for f in exact.powers(10000, dim / 2, dim // 2)])
    angles = (positions[:, None] - positions)[..., None] * frequencies
    topic.add(
        "pe_dot",
        "pe_dot_products",
        params,
        {"positions": positions},
        {
            "dot": (rows @ rows.T).astype(np.float32),
            "dot_f64": np.cos(angles).sum(-1).astype(np.float32),
        },
        f"{NUMPY}; *_f64 from the identity sum_i cos((m-n) f_i)",
        "Dot products of sinusoidal rows depend only on the distance.",
    )
