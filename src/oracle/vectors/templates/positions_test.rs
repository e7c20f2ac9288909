//! Whether a port has the positions of its model. MADE BY PHASOR
//!
//! adapter.rs beside this file has these functions. Arrays are rows of floats; a function that the port does not have
//! returns vec![] and is skipped. x is [B, H, T, D], positions are [T], or [3, T] of pictures, mask is [B, T]. types are
//! [1, T]: 0 text, 1 picture, 2 video; grids are [n, 3] in tokens. bias is ALiBi's, [H, queries, keys], whose last query
//! sees the last key; buckets are T5's, [queries, keys].
//!
//!     pub fn rotate(x: &[f32], shape: &[usize], positions: &[f32], layer: usize) -> Vec<f32>
//!     pub fn position_ids(mask: &[f32], shape: &[usize]) -> Vec<f32>
//!     pub fn position_ids_3d(types: &[f32], images: &[f32], videos: &[f32]) -> Vec<f32>
//!     pub fn embed(ids: &[f32], weights: &BTreeMap<String, Vec<f32>>) -> Vec<f32>
//!     pub fn bias(queries: usize, keys: usize) -> Vec<f32>
//!     pub fn buckets(queries: usize, keys: usize, causal: bool) -> Vec<f32>
//!
//! rustc --edition 2021 --test positions_test.rs && ./positions_test
//!
//! If all pass, positions.svg beside this file is a badge for a README, and the line of Markdown is printed.

mod adapter;

use std::collections::BTreeMap;
use std::io::Write;
use std::sync::Mutex;

const LOOSER: f32 = 1.0; // times the tolerance of float32: 2^13 for float16, 2^16 for bfloat16

struct Array {
    data: Vec<f32>,
    shape: Vec<usize>,
}

type Arrays = BTreeMap<String, Array>;

fn list(text: &str) -> Vec<usize> {
    let inner = text.split_once('[').unwrap().1.split_once(']').unwrap().0;
    inner.split(',').map(|number| number.parse().unwrap()).collect()
}

fn load(name: &str) -> Arrays {
    let mut arrays = Arrays::new();
    let Ok(bytes) = std::fs::read(format!("{name}.safetensors")) else { return arrays };
    let size = 8 + u64::from_le_bytes(bytes[..8].try_into().unwrap()) as usize;
    let parts: Vec<&str> = std::str::from_utf8(&bytes[8..size]).unwrap().split("\":{\"dtype\":\"").collect();
    for (before, here) in parts.iter().zip(&parts[1..]) {
        let span = list(here.split_once("data_offsets").unwrap().1);
        let data = &bytes[size + span[0]..size + span[1]];
        let four = data.chunks_exact(4).map(|part| <[u8; 4]>::try_from(part).unwrap());
        let data = match &here[..3] {
            "F64" => data.chunks_exact(8).map(|part| f64::from_le_bytes(part.try_into().unwrap()) as f32).collect(),
            "I32" => four.map(|part| i32::from_le_bytes(part) as f32).collect(),
            _ => four.map(f32::from_le_bytes).collect(),
        };
        let name = before.rsplit_once('"').unwrap().1.to_string();
        arrays.insert(name, Array { data, shape: list(here) });
    }
    arrays
}

fn fits(got: &[f32], want: &[f32], tolerance: &[f32], rounding: f32) -> bool {
    let first = got.len() - want.len(); // a slip has the last rows of the last head
    want.iter().enumerate().all(|(i, x)| {
        let allowed = tolerance[(first + i) % tolerance.len()] + rounding * x.abs();
        (got[first + i] - x).abs() <= LOOSER * allowed
    })
}

/// Whether it is right; false if the port does not have it.
fn compare(what: &str, got: &[f32], want: &Array, tolerance: &Array, slips: &str) -> bool {
    let (want, tolerance) = (&want.data, &tolerance.data);
    if got.is_empty() {
        return false;
    }
    assert_eq!(got.len(), want.len(), "{what} has another size");
    if fits(got, want, tolerance, 0.0) {
        return true;
    }
    let all = load("slips");
    let group = all.iter().filter_map(|(name, slip)| Some((name.strip_prefix(slips)?.strip_prefix('/')?, slip)));
    let fitting = group.filter(|(_, slip)| fits(got, &slip.data, tolerance, 2f32.powi(-22)));
    let names: Vec<&str> = fitting.map(|(name, _)| name).collect();
    match names.len() {
        0 => panic!("{what} is wrong; no known slip explains it"),
        _ => panic!("{what} is wrong; likely slip: {}", names.join(", or ")),
    }
}

/// Softmax does not see what a row has in common: the bias of the last key that a query sees becomes 0.
fn centered(mut bias: Vec<f32>, queries: usize, keys: usize) -> Vec<f32> {
    for (row, all) in bias.chunks_exact_mut(keys).enumerate() {
        let last = all[row % queries + keys - queries];
        all.iter_mut().for_each(|x| *x -= last);
    }
    bias
}

/// Tests that ended, cases that the model has, and those that passed.
static DONE: Mutex<[usize; 3]> = Mutex::new([0; 3]);

/// The tests of this file.
const TESTS: usize = 5;

/// A test begins without a badge, and the last one that ends writes it.
fn begin() {
    std::fs::remove_file("positions.svg").ok();
}

fn end(cases: &[bool]) {
    let right = cases.iter().filter(|is_right| **is_right).count();
    let mut done = DONE.lock().unwrap();
    *done = [done[0] + 1, done[1] + cases.len(), done[2] + right];
    let [ended, all, passed] = *done;
    if ended < TESTS || passed == 0 {
        return;
    }
    let looser = if LOOSER == 1.0 { String::new() } else { format!(", tolerance x {LOOSER}") };
    let words = format!("checked with phasor PHASOR VERSION: {passed} of {all}{looser}");
    let (width, length) = (76 + 7 * words.len(), 7 * words.len() - 2);
    let badge = format!(
        r##"<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="20" role="img">
<title>positions {words}</title><desc>MADE BY PHASOR ./positions_test</desc>
<rect width="{width}" height="20" rx="3" fill="#2a6b3c"/><rect width="68" height="20" rx="3" fill="#444"/>
<g fill="#fff" font-family="Verdana,sans-serif" font-size="11"><text x="6" y="14" textLength="56">positions</text>
<text x="72" y="14" textLength="{length}">{words}</text></g></svg>
"##
    );
    std::fs::write("positions.svg", badge).unwrap();
    // What tests print by macros is shown of failed ones alone.
    let line = format!("[![positions {words}](positions.svg)](positions_test.rs \"./positions_test\")\n");
    std::io::stdout().write_all(line.as_bytes()).unwrap();
}

#[test]
fn rotate() {
    begin();
    let mut cases = vec![];
    let rotary = load("rotary");
    for of in rotary.keys().filter_map(|name| name.strip_suffix("/q")) {
        let kind = of.rsplit_once('/').unwrap().0;
        let array = |name: &str| &rotary[&format!("{of}/{name}")];
        let layers = &rotary[&format!("{kind}/layers")].data;
        let count = if of.ends_with("/cached") { layers.len() } else { 1 };
        let mut is_right = true;
        for layer in layers[..count].iter().map(|layer| *layer as usize) {
            for x in ["q", "k"] {
                let Array { data, shape } = array(x);
                let got = adapter::rotate(data, shape, &array("positions").data, layer);
                let want = array(&format!("{x}_rotated"));
                let what = format!("{of}: {x} of layer {layer}");
                is_right &= compare(&what, &got, want, array("tolerance"), of);
            }
        }
        cases.push(is_right);
    }
    end(&cases);
}

#[test]
fn position_ids() {
    begin();
    let mut cases = vec![];
    let ids = load("ids");
    if let Some(Array { data, shape }) = ids.get("ids/mask") {
        let got = adapter::position_ids(data, shape);
        let (want, tolerance) = (&ids["ids/position_ids"], &ids["ids/tolerance"]);
        cases.push(compare("position_ids", &got, want, tolerance, "ids"));
    }
    end(&cases);
}

#[test]
fn position_ids_3d() {
    begin();
    let mut cases = vec![];
    let ids = load("ids");
    if let Some(want) = ids.get("picture/position_ids") {
        let array = |name: &str| &ids[&format!("picture/{name}")];
        let [types, images, videos] = ["token_types", "image_grid", "video_grid"].map(|name| &array(name).data);
        let got = adapter::position_ids_3d(types, images, videos);
        cases.push(compare("position_ids_3d", &got, want, array("tolerance"), "picture"));
    }
    end(&cases);
}

#[test]
fn bias() {
    begin();
    let mut cases = vec![];
    let biases = load("bias");
    for of in biases.keys().filter_map(|name| name.strip_suffix("/tolerance")) {
        let array = |name: &str| biases.get(&format!("{of}/{name}"));
        let buckets = array("buckets");
        let want = buckets.or(array("bias")).unwrap();
        let [.., queries, keys] = want.shape[..] else { panic!("{of} has no rows") };
        let got = match buckets {
            Some(_) => adapter::buckets(queries, keys, of.contains("/causal/")),
            None => centered(adapter::bias(queries, keys), queries, keys),
        };
        cases.push(compare(of, &got, want, array("tolerance").unwrap(), of));
    }
    end(&cases);
}

#[test]
fn embed() {
    begin();
    let mut cases = vec![];
    let rows = load("embedding");
    let named = rows.iter().filter_map(|(name, x)| Some((name.strip_prefix("embedding/weights/")?, x)));
    let weights = named.map(|(name, x)| (name.to_string(), x.data.clone())).collect();
    if let Some(ids) = rows.get("embedding/ids") {
        let got = adapter::embed(&ids.data, &weights);
        let (want, tolerance) = (&rows["embedding/output"], &rows["embedding/tolerance"]);
        cases.push(compare("embed", &got, want, tolerance, "embedding"));
    }
    end(&cases);
}
