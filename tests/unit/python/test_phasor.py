"""What phasor.py does, against the JavaScript that it calls. Runs with NumPy and without."""

import array
import gc
import inspect
import math
import pickle
import pydoc
import re
import warnings

import javascript
import phasor

try:
    import numpy as np
except ImportError:
    np = None

ph = None


async def start():
    """The tests, by name and what they say."""
    global ph
    ph = await phasor.load(javascript.entry)
    tests = [(name, test.__doc__) for name, test in globals().items() if name.startswith("test_")]
    return [[name, sentence] for name, sentence in tests if np or not name.startswith("test_numpy_")]


async def run(name):
    result = globals()[name]()
    if inspect.isawaitable(result):
        await result


def floats(*numbers):
    """[N] as a caller has it, with or without NumPy."""
    return np.array(numbers, np.float32) if np else array.array("f", numbers)


def same(ours, code):
    """An array has the bytes and the shape of what JavaScript makes; an empty memoryview is flat."""
    theirs = javascript.evaluate(code)
    if np or ours.nbytes > 0:
        assert list(ours.shape) == theirs.shape.to_py(), (ours.shape, code)
    assert bytes(ours) == bytes(theirs.data.to_py()), code


def refused(kind, sentence, call, *args, **options):
    try:
        call(*args, **options)
    except kind as error:
        assert re.search(sentence, str(error)), error
    else:
        raise AssertionError(f"nothing was refused where it must be: {sentence}")


def test_bits():
    """every kind of array comes with the bits and the shape that JavaScript has"""
    same(ph.sinusoidal.table(16, 8), "sinusoidal.table(16, 8)")
    same(ph.alibi.bias(4, 6, form="causal"), 'alibi.bias(4, 6, { form: "causal" })')
    same(ph.t5_bias.buckets(6), "t5Bias.buckets(6)")  # int32
    same(ph.dropout.mask([2, 3], seed=5), "dropout.mask([2, 3], { seed: 5 })")
    same(ph.sinusoidal.table(0, 8), "sinusoidal.table(0, 8)")  # empty
    stored = {"bytes": bytes([0, 60, 0, 192]), "dtype": "float16", "shape": [2]}
    code = '{ bytes: Uint8Array.of(0, 60, 0, 192), dtype: "float16", shape: [2] }'
    same(ph.dtypes.decode(stored), f"dtypes.decode({code})")
    same(ph.dtypes.decode(ph.dtypes.encode([1.0, -2.0], "float16")), f"dtypes.decode({code})")
    assert ph.dtypes.sizes["Q8_0"]["bits"] == 8.5
    same(ph.alibi.slopes(4), "alibi.slopes(4)")


def test_options():
    """options are keyword arguments in snake_case, nested ones too; None is the default"""
    yarn = dict(type="yarn", factor=4, original_length=2048, beta_fast=16)
    code = '{ scaling: { type: "yarn", factor: 4, originalLength: 2048, betaFast: 16 } }'
    same(ph.rope.frequencies(8, scaling=yarn).frequencies, f"rope.frequencies(8, {code}).frequencies")
    same(ph.sinusoidal.table(3, 4, base=None), "sinusoidal.table(3, 4)")
    same(ph.rope.convert([[1, 2, 3, 4]], from_="interleaved", to="halves"),
         'rope.convert([[1, 2, 3, 4]], { from: "interleaved", to: "halves" })')
    same(ph.alibi.key_bias(heads=2, keys=3, biasMax=4), "alibi.keyBias(2, 3, { biasMax: 4 })")


def test_arguments():
    """arguments are taken by place or by name"""
    same(ph.rope.table(length_or_positions=3, dim=4, base=100).sin, "rope.table(3, 4, { base: 100 }).sin")
    same(ph.similarity.matrix([[1, 2], [3, 4]], metric="dot"),
         'similarity.matrix([[1, 2], [3, 4]], undefined, { metric: "dot" })')
    refused(TypeError, "missing a required argument: 'dim'", ph.rope.table, 3)


def test_suggestions():
    """misspelled modules, functions, options and methods are refused with the nearest name"""
    refused(AttributeError, '^phasor has no module "ropes"; did you mean "rope"\\?$', getattr, ph, "ropes")
    refused(AttributeError, '^phasor has no module "xyz"; its modules are .*, plots', getattr, ph, "xyz")
    refused(AttributeError, '^rope has no function "tabel"; did you mean "table"\\?$', getattr, ph.rope, "tabel")
    refused(TypeError, '^rope.table: options must have only .*base, .*; got "bass"; did you mean "base"\\?$', ph.rope.table, 3, 4, bass=1)
    refused(TypeError, '^alibi.slopes: options must have only bias_max, .*; got "bias_maxx"; did you mean "bias_max"\\?$',
            ph.alibi.slopes, 4, biasMaxx=1)
    refused(TypeError, '^rope.apply: options must have only layout, .*; got "out"', ph.rope.apply, 3, 4, out=1)
    refused(TypeError, '^rope.to_complex: options must be empty; got "base"$', ph.rope.to_complex, 3, base=1)
    with ph.embedding.create(2, 2) as table:
        refused(AttributeError, '^embedding.create\\(\\) has no attribute "lookp"; did you mean "lookup"\\?$',
                getattr, table, "lookp")
    assert not hasattr(ph.rope, "__wrapped__") and not hasattr(ph, "_repr_html_")


def test_tuples():
    """several results are a named tuple, which ** opens and which goes back in"""
    cos, sin = table = ph.rope.table([0, 5], 4)
    assert cos is table.cos and sin is table["sin"] and table._fields == ("cos", "sin")
    assert dict(**table).keys() == {"cos", "sin"}
    same(ph.rope.apply([[1, 0, 0, 1], [1, 2, 3, 4]], table),
         "rope.apply([[1, 0, 0, 1], [1, 2, 3, 4]], rope.table([0, 5], 4))")
    llama = ph.models.rope("llama-3.1-8b")
    assert (llama.start, llama.inverse) == (0, False)
    copied = pickle.loads(pickle.dumps(llama))
    assert copied == llama and copied.options.scaling == llama.options.scaling and type(copied) is type(llama)
    assert llama.options.scaling.original_length == 8192
    same(ph.rope.table(4, llama.dim, **llama.options).cos,
         '(({ dim, options }) => rope.table(4, dim, options).cos)(models.rope("llama-3.1-8b"))')


def test_models():
    """a config.json is data: its names stay as they are"""
    config = dict(model_type="llama", hidden_size=64, num_attention_heads=4, num_hidden_layers=2,
                  vocab_size=100, max_position_embeddings=32, rope_theta=5000.0)
    assert ph.models.rope(config).options.base == 5000
    assert "gpt2" in ph.models.names
    assert ph.models.get("gpt2").positions.preset == "gpt2"
    assert ph.fourier_features.presets["guided_diffusion"]["layout"] == "flipped"


def test_buffers():
    """whatever has the buffer protocol goes in, in its own shape, whether contiguous or not"""
    flat = array.array("f", range(12))
    matrix = memoryview(flat).cast("B").cast("f", (3, 4))
    same(ph.normalize.l2(matrix), "normalize.l2([[0, 1, 2, 3], [4, 5, 6, 7], [8, 9, 10, 11]])")
    same(ph.normalize.l2(memoryview(flat)[::2]), "normalize.l2([0, 2, 4, 6, 8, 10])")
    code = "embedding.oneHot([2, 0], 3)"
    for kind in "bBhHiIlLqQfd":
        same(ph.embedding.one_hot(array.array(kind, [2, 0]), 3), code)
    same(ph.normalize.l2(memoryview(array.array("q", [3, 4]))), "normalize.l2([3, 4])")
    same(ph.normalize.l2(((3, 4), [0, 1])), "normalize.l2([[3, 4], [0, 1]])")
    same(ph.sinusoidal.table(range(2, 5), 4), "sinusoidal.table([2, 3, 4], 4)")
    mask = memoryview(bytes([1, 0])).cast("?")
    same(ph.position_ids.from_mask(mask), "positionIds.fromMask([1, 0])")
    refused(TypeError, 'an array must hold float32.*; got format "c"',
            ph.normalize.l2, memoryview(b"ab").cast("c"))
    refused(TypeError, "an argument must be a number.*; got object", ph.normalize.l2, object())
    refused(ValueError, "^embedding.one_hot: ids must be whole numbers", ph.embedding.one_hot, array.array("q", [2**60]), 3)


def test_own():
    """a result is a new array"""
    first = ph.sinusoidal.table(2, 4)
    first[0, 1] = 7
    same(ph.sinusoidal.table(2, 4), "sinusoidal.table(2, 4)")
    given = floats(3, 4)
    ph.normalize.l2(given)[0] = 9
    assert list(given) == [3, 4]


def test_resident():
    """a table stays in memory until its with statement ends; everything that can be done with it is there"""
    with ph.embedding.from_([[1, 2], [3, 4], [5, 6], [7, 8]]) as table:
        assert (table.vocabulary, table.dim, table.parameter_count, table.padding_idx) == (4, 2, 8, None)
        assert table.lookup([[3, 0]], scale="sqrt").shape == (1, 2, 2)
        gradient = table.gradient([2, 0, 2], [[1, 0], [0, 1], [1, 0]], sparse=True)
        assert gradient.rows.tolist() == [0, 2] and gradient.values.tolist() == [[0, 1], [2, 0]]
        assert table.step(gradient, learning_rate=0.5) is None
        assert table.weights().tolist() == [[1, 1.5], [3, 4], [4, 6], [7, 8]]
        assert ph.nearest(table, [7, 8], k=1).ids.tolist() == [3]
        assert repr(table) == "<embedding.from_() vocabulary=4 dim=2 parameter_count=8 byte_length=32>"
    refused(TypeError, "has been disposed", table.lookup, [0])
    table.dispose()


def test_training():
    """skip-gram trains, and an index searches"""
    text = [0, 1, 2, 0, 1, 3, 4, 5, 3, 4] * 4
    with ph.skipgram.create(6, 8, window=1, seed=3) as words:
        training = words.train(text, epochs=2)
        code = "(w => (w.train(TEXT, { epochs: 2 }), w))(skipgram.create(6, 8, { window: 1, seed: 3 }))"
        code = code.replace("TEXT", str(text))
        same(words.vectors(), f"{code}.vectors()")
        assert training.touched.vectors.tolist() == [0, 1, 2, 3, 4, 5]
        assert math.isfinite(words.loss(text))
        with ph.nearest.index(words.vectors()) as index:
            assert index.search(words.vectors(), k=1).ids.tolist() == [[word] for word in range(6)]
    axes = ph.pca([[1, 2], [3, 5], [5, 4]], components=1)
    assert axes.project([[1, 2]]).shape == (1, 1)


LAB = dict(vocabulary=16, dim=16, seed=3, std={"words": 0.4}, position={"scheme": "t5Bias", "max_distance": 16})
JS_LAB = '{ vocabulary: 16, dim: 16, seed: 3, std: { words: 0.4 }, position: { scheme: "t5Bias", maxDistance: 16 } }'
RUN = dict(length=16, batch=4, steps=24, learning_rate=1e-2, every=5)
JS_RUN = "{ length: 16, batch: 4, steps: 24, learningRate: 1e-2, every: 5 }"
TRAINED = f"""((use) => {{
    const model = lab.decoder({JS_LAB}), task = lab.tasks.back({{ symbols: 16, distance: 2 }});
    const steps = [...model.train(task, {JS_RUN})];
    return use(model, task, steps);
}})"""


def javascript_lab(code):
    """What JavaScript makes of the same training, `model`, its `task` and its `steps`."""
    return f"{TRAINED}((model, task, steps) => {code})"


def trained():
    model, task = ph.lab.decoder(**LAB), ph.lab.tasks.back(symbols=16, distance=2)
    return model, task, list(model.train(task, **RUN))


def test_lab():
    """a decoder is trained and tested to the bits that JavaScript gets, and its weights are arrays"""
    model, task, steps = trained()
    assert model.bits() == javascript.evaluate(javascript_lab("model.bits()"))
    assert [each.step for each in steps] == [4, 9, 14, 19, 23]
    numbers = "({ data: Float64Array.from(steps.flatMap((s) => [s.loss, s.rate, s.norm])), shape: [15] })"
    ours = [number for each in steps for number in (each.loss, each.rate, each["norm"])]
    same(np.array(ours) if np else memoryview(array.array("d", ours)), javascript_lab(numbers))
    test = model.evaluate(task, length=64, tokens=512, temperature=1.5)
    asked = "model.evaluate(task, { length: 64, tokens: 512, temperature: 1.5 })"
    same(test.by_position, javascript_lab(f"{asked}.byPosition"))
    same(test.by_distance, javascript_lab(f"{asked}.byDistance"))
    assert [repr(float(test.loss)), test.tokens] == [javascript.evaluate(javascript_lab(f"String({asked}.loss)")), 496]
    weights = model.weights()
    assert list(weights)[:2] == ["tokens", "layers.0.norm1.weight"] and weights["bias.t5"].shape == (16, 2)
    for name in weights:
        same(weights[name], javascript_lab(f'model.weights()["{name}"]'))
    same(model.logits([[1, 2, 3]]), javascript_lab("model.logits([[1, 2, 3]])"))
    same(model.attention([1, 2, 3]), javascript_lab("model.attention([1, 2, 3])"))
    gradients = model.gradients([[1, 2, 3]], [[-1, 5, 1]]).gradients
    same(gradients["bias.t5"], javascript_lab('model.gradients([[1, 2, 3]], [[-1, 5, 1]]).gradients["bias.t5"]'))
    file = "({ data: model.save({ names: task.names }), shape: [model.save({ names: task.names }).length] })"
    same(model.save(names=task.names), javascript_lab(file))
    model.dispose()
    refused(TypeError, "has been disposed", model.bits)


def test_lab_goes_on():
    """a loop that ends early goes on, and weights with AdamW's moments go on elsewhere"""
    whole, task, steps = trained()
    model = ph.lab.decoder(**LAB)
    for step in model.train(task, **RUN):
        if step.step == 9:
            break
    weights, options = model.weights(optimizer=True), model.options()
    assert options.resume[:3] == (10, 10, 16) and options.position.max_distance == 16
    twin = ph.lab.decoder.from_(weights, **options)
    for each in (model, twin):
        assert [step.step for step in each.train(task, **RUN)] == [14, 19, 23]
        assert each.bits() == whole.bits()


def test_lab_change():
    """a decoder takes another scheme, whose options are in snake_case here too"""
    model, task, _ = trained()
    assert repr(model).startswith("<lab.decoder() parameters=") and model.position.scheme == "t5Bias"
    had = model.parameters
    model.change({"scheme": "alibi", "bias_max": 4})
    assert model.position == ("alibi", 4) and model.parameters == had - 32
    code = '(model.change({ scheme: "alibi", biasMax: 4 }), model.logits([1, 2, 3]))'
    same(model.logits([1, 2, 3]), javascript_lab(code))
    rope = ph.lab.decoder(vocabulary=16, position={"layers": [{"scheme": "rope", "base": 100}]}, seed=1)
    yarn = dict(type="yarn", factor=2, original_length=16)
    code = 'lab.decoder({ vocabulary: 16, position: { layers: [{ scheme: "rope", base: 100 }] }, seed: 1 })'
    scaling = '{ scaling: { type: "yarn", factor: 2, originalLength: 16 } }'
    same(rope.logits([1, 2, 3], scaling=yarn), f"{code}.logits([1, 2, 3], {scaling})")


def test_lab_tasks():
    """every task of the lab trains, and says its names and where its tokens stand"""
    tasks = ph.lab.tasks
    assert sorted(tasks.__all__) == sorted("addition back even first induction latest needle text".split())
    assert tasks.needle(keys=2, values=2).names[4] == javascript.evaluate("lab.tasks.needle({ keys: 2, values: 2 }).names[4]")
    assert (tasks.even().has_distances, tasks.even(symbols=4).chance) == (False, 0.5)
    text = "the cat sat on the mat, and the dog sat on the cat. " * 8
    made = [getattr(tasks, name)() for name in tasks.__all__ if name != "text"] + [tasks.text(text, alphabet=" abcdehmnost,.g")]
    for task in made:
        with ph.lab.decoder(vocabulary=task.vocabulary, dim=8, seed=1) as model:
            (step,) = model.train(task, length=32, steps=2, batch=2)
            assert math.isfinite(step.loss) and not hasattr(task, "fill")
    coupled = tasks.addition(digits=2, ids="coupled")
    places = coupled.positions(array.array("i", [1, 2, 10, 3, 4, 11, 4, 6, 0, 12]))
    assert list(places) == [3, 2, 4, 3, 2, 4, 3, 2, 1, 0]


def test_lab_errors():
    """what the lab refuses has the words of JavaScript, and a training that nothing steps is noticed"""
    lab = ph.lab
    refused(AttributeError, '^lab has no function "decodr"; did you mean "decoder"\\?$', getattr, lab, "decodr")
    refused(AttributeError, '^lab.tasks has no function "bak"; did you mean "back"\\?$', getattr, lab.tasks, "bak")
    refused(TypeError, 'got "vocabulry"; did you mean "vocabulary"\\?$', lab.decoder, vocabulry=3)
    refused(ValueError, 'got "rop"; did you mean "rope"\\?$', lab.decoder, vocabulary=4, position={"scheme": "rop"})
    model, task, _ = trained()
    refused(AttributeError, 'lab.decoder\\(\\) has no attribute "trian"; did you mean "train"\\?$', getattr, model, "trian")
    refused(TypeError, '^lab.decoder\\(\\).train: options must have only .*; got "stepss"; did you mean "steps"', model.train, task, stepss=3)
    refused(TypeError, "task must be an object with vocabulary and fill; got 3", model.train, 3)
    refused(ValueError, "^lab.decoder\\(\\).train: steps must be", model.train, task, steps=0)
    refused(RuntimeError, "^The loss of step 1 is not a number, at a learning rate of", list, model.train(task, learning_rate=1e30, steps=40))
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        model.train(task)
        gc.collect()
    assert "lab.decoder().train: no step was made; use it in a for loop" in [str(each.message) for each in seen]


def test_errors():
    """errors are Python's, and say what JavaScript says"""
    refused(TypeError, '^rope.table: positions must be a tensor .*; got "x"', ph.rope.table, "x", 4)
    for kind in (ValueError, IndexError):
        refused(kind, r"^embedding.one_hot: ids must be whole numbers from 0 to 2; got 7 at 0$", ph.embedding.one_hot, [7], 3)
        refused(kind, "^rope.table: dim must be even; got 3$", ph.rope.table, 8, 3)
    refused(MemoryError, "must fit in memory", ph.embedding.create, 2**31 - 1, 2**31 - 1)


def test_figures():
    """figures are text that a notebook shows as a picture"""
    code = 'plots.heatmap(sinusoidal.table(8, 4), { title: "Sinusoids", rowTitle: "position" })'
    figure = ph.plots.heatmap(ph.sinusoidal.table(8, 4), title="Sinusoids", row_title="position")
    assert figure == javascript.evaluate(code)
    assert figure._repr_mimebundle_()["image/svg+xml"].startswith("<svg ")
    assert len(repr(figure)) < 80  # what a notebook keeps beside the picture
    png = ph.plots.bias(ph.alibi.bias(2, 3), as_="png")._repr_mimebundle_()["image/png"]
    assert png.startswith("iVBORw0KGg")
    refused(ValueError, "^plots.heatmap: matrix must have the shape", ph.plots.heatmap, [1])


def test_documentation():
    """every function has its signature and its text, as help() shows them"""
    functions = 0
    for room in vars(ph).values():
        members = vars(room).values() if inspect.ismodule(room) else [room, *vars(room).values()]
        for function in filter(inspect.isfunction, members):
            functions += 1
            path = function.__qualname__
            assert path in phasor.DOCUMENTATION, path
            assert path.startswith("plots.") or len(function.__doc__) > 40, path
            kinds = {each.kind for each in inspect.signature(function).parameters.values()}
            assert inspect.Parameter.VAR_KEYWORD not in kinds, path
    assert functions > 80
    signature = str(inspect.signature(ph.rope.table))
    assert signature.startswith("(length_or_positions, dim, *, ") and "base=None" in signature, signature
    assert "Llama 3 uses 500000. Default: 10000." in pydoc.plain(pydoc.render_doc(ph.rope.table))
    assert "`lab.decoder.from_`" in pydoc.plain(pydoc.render_doc(ph.lab.decoder(vocabulary=4).options))
    assert "Rotary position embedding" in pydoc.plain(pydoc.render_doc(ph.rope))
    assert "Rotates the pairs of each row" in pydoc.plain(pydoc.render_doc(ph.rope))
    with ph.embedding.create(2, 2) as table:
        documented = {path for path in phasor.DOCUMENTATION if path.startswith("embedding.create().")}
        methods = {name for name, value in vars(table).items() if inspect.isfunction(value)}
        assert documented == {f"embedding.create().{name}" for name in methods}


def test_names():
    """names come back as JavaScript has them"""
    for path, (parameters, options, _) in phasor.DOCUMENTATION.items():
        for name in [*options, *(each.rstrip("=") for each in parameters)]:
            assert phasor._snake(phasor._camel(name)) == name, (path, name)


async def test_entries():
    """the module is found at an address or in a file, or the error says where it was looked for"""
    kept = await phasor.load("package/index.js")
    same(kept.sinusoidal.table(2, 4), "sinusoidal.table(2, 4)")
    assert kept.plots.heatmap([[1]]).startswith("<svg ")
    assert kept.lab.decoder(vocabulary=4, seed=1).bits() == ph.lab.decoder(vocabulary=4, seed=1).bits()
    refused(AttributeError, "models, plots and lab need", getattr, kept, "models")
    for address in ("nowhere/index.js", "file:///nowhere/index.js"):
        try:
            await phasor.load(address)
        except ImportError as error:
            assert str(error).startswith(f"phasor must be at {address}; got "), error
        else:
            raise AssertionError(address)


def test_numpy_arrays():
    """results are NumPy arrays, of the one copy that was made"""
    table = ph.rope.table(8, 64)
    assert type(table.cos) is np.ndarray and table.cos.dtype == np.float32
    assert table.cos.flags.writeable and table.cos.flags.c_contiguous

    class Data:
        def __init__(self, kind):
            self.copied = memoryview(bytearray(24)).cast(kind)

        def to_py(self):
            return self.copied

    floats, halves = Data("f"), Data("H")
    made = phasor._array(floats, [2, 3])
    assert np.shares_memory(made, np.asarray(floats.copied)) and made.shape == (2, 3)
    assert phasor._array(halves, [12], "float16").dtype == np.float16


def test_numpy_arguments():
    """NumPy arrays go in, of any dtype that JavaScript has and any strides"""
    x = np.arange(12, dtype=np.float64).reshape(3, 4)
    rows = "[[0, 1, 2, 3], [4, 5, 6, 7], [8, 9, 10, 11]]"
    for dtype in (np.float32, np.float64, np.int8, np.uint8, np.int32, np.int64, np.uint64):
        same(ph.normalize.l2(x.astype(dtype)), f"normalize.l2({rows})")
    same(ph.normalize.l2(x.T), "normalize.l2([[0, 4, 8], [1, 5, 9], [2, 6, 10], [3, 7, 11]])")
    same(ph.normalize.l2(x[:, ::2]), "normalize.l2([[0, 2], [4, 6], [8, 10]])")
    same(ph.normalize.l2([np.float32(3), np.int64(4)]), "normalize.l2([3, 4])")
    same(ph.sinusoidal.table(np.int64(3), 4), "sinusoidal.table(3, 4)")
    same(ph.position_ids.from_mask(np.array([True, False])), "positionIds.fromMask([1, 0])")
    for halves in (x, x.T, x[:, ::2]):
        same(ph.normalize.l2(halves.astype(np.float16), eps=np.float16(10)), f"normalize.l2({halves.tolist()}, {{ eps: 10 }})")
    same(ph.normalize.l2(x[:0].astype(np.float16)), "normalize.l2({ data: [], shape: [0, 4] })")
    refused(TypeError, 'an array must hold .*; got format "Zd"', ph.normalize.l2, x.astype(complex))
    refused(TypeError, 'an array must hold .*; got format ">d"', ph.normalize.l2, x.astype(">f8"))
