//! A port of LLaMA 2, Qwen2-VL, MPT and T5 in float32: right, or with the slip that the variable SLIP names.
use std::collections::BTreeMap;

fn has(slip: &str) -> bool {
    std::env::var("SLIP").is_ok_and(|name| name == slip)
}

pub fn rotate(x: &[f32], shape: &[usize], positions: &[f32], _layer: usize) -> Vec<f32> {
    let (width, pairs) = (shape[3], shape[3] / 2);
    let base: f64 = if has("base") { 5e5 } else { 1e4 };
    let mut result = x.to_vec();
    for (row, from) in x.chunks_exact(width).enumerate() {
        for i in 0..pairs {
            let axis = if positions.len() == shape[2] { 0 } else { (i >= 2) as usize + (i >= 5) as usize }; // 2, 3, 3
            let angle = positions[axis * shape[2] + row % shape[2]] as f64 * base.powf(-2.0 * i as f64 / width as f64);
            let (s, c) = (if has("sign") { -angle } else { angle }).sin_cos();
            let (a, b) = if has("layout") { (2 * i, 2 * i + 1) } else { (i, i + pairs) };
            let (first, second) = (from[a] as f64, from[b] as f64);
            result[row * width + a] = (first * c - second * s) as f32;
            result[row * width + b] = (second * c + first * s) as f32;
        }
    }
    result
}

pub fn position_ids(mask: &[f32], shape: &[usize]) -> Vec<f32> {
    let count = |row: &[f32]| {
        let mut sum = -1.0;
        row.iter().map(|flag| {
            sum += if has("padding") { 1.0 } else { *flag };
            sum
        }).collect::<Vec<f32>>()
    };
    mask.chunks_exact(shape[1]).flat_map(count).collect()
}

pub fn embed(ids: &[f32], weights: &BTreeMap<String, Vec<f32>>) -> Vec<f32> {
    let words = &weights["words"];
    let width = words.len() / 64;
    ids.iter().flat_map(|id| &words[*id as usize * width..][..width]).copied().collect()
}

pub fn position_ids_3d(types: &[f32], images: &[f32], videos: &[f32]) -> Vec<f32> {
    let count = types.len();
    let mut result: Vec<f32> = (0..3 * count).map(|i| (i % count) as f32).collect();
    let (mut t, mut next) = (0, 0);
    while t < count && !has("flat") {
        let grid = [&[1.0, 1.0, 1.0], images, videos][types[t] as usize];
        let [frames, rows, columns] = [0, 1, 2].map(|i| grid[i] as usize);
        for n in 0..frames * rows * columns {
            for (axis, place) in [n / columns / rows, n / columns % rows, n % columns].iter().enumerate() {
                result[axis * count + t] = (next + place) as f32;
            }
            t += 1;
        }
        next += frames.max(rows).max(columns);
    }
    result
}

pub fn bias(queries: usize, keys: usize) -> Vec<f32> {
    let slope = |i: usize| if has("no bias") { 0.0 } else { 4f32.powi(-1 - (i / (queries * keys)) as i32) };
    (0..4 * queries * keys).map(|i| (i % keys) as f32 * slope(i)).collect()
}

pub fn buckets(queries: usize, keys: usize, causal: bool) -> Vec<f32> {
    let all = if causal != has("direction") { 32 } else { 16 };
    let exact = all / 2;
    let bucket = |i: usize| {
        let place = (i % keys) as i32 - (i / keys) as i32 - (keys - queries) as i32;
        let far = if all == 32 { (-place).max(0) } else { place.abs() };
        let share = (far.max(1) as f64 / exact as f64).ln() / (128.0 / exact as f64).ln();
        let own = if far < exact { far } else { (exact + (share * exact as f64 + 1e-9) as i32).min(all - 1) };
        (own + if all == 16 && place > 0 { 16 } else { 0 }) as f32
    };
    (0..queries * keys).map(bucket).collect()
}
