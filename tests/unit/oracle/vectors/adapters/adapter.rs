//! A port of LLaMA 2 in float32: right, or with the slip that the variable SLIP names.
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
            let angle = positions[row % shape[2]] as f64 * base.powf(-2.0 * i as f64 / width as f64);
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
