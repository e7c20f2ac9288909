// A port of LLaMA 2, Qwen2-VL, MPT and T5 in float32: right, or with the slip that the variable SLIP names.
import Foundation

let slip = ProcessInfo.processInfo.environment["SLIP"] ?? ""

func rotate(_ x: [Float], _ shape: [Int], _ positions: [Float], _ layer: Int) -> [Float] {
  let (t, d) = (shape[2], shape[3])
  let base = slip == "base" ? 5e5 : 1e4
  var result = x
  for row in 0..<x.count / d {
    for i in 0..<d / 2 {
      let axis = positions.count == t ? 0 : (i >= 2 ? 1 : 0) + (i >= 5 ? 1 : 0)  // sections 2, 3, 3
      let angle = Double(positions[axis * t + row % t]) * pow(base, -2 * Double(i) / Double(d))
      let (c, s) = (cos(angle), sin(slip == "sign" ? -angle : angle))
      let (first, second) = slip == "layout" ? (2 * i, 2 * i + 1) : (i, i + d / 2)
      let (a, b) = (Double(x[row * d + first]), Double(x[row * d + second]))
      result[row * d + first] = Float(a * c - b * s)
      result[row * d + second] = Float(b * c + a * s)
    }
  }
  return result
}

func positionIds(_ mask: [Float], _ shape: [Int]) -> [Float] {
  var sum: Float = 0
  return mask.enumerated().map { i, flag in
    if i % shape[1] == 0 { sum = -1 }
    sum += slip == "padding" ? 1 : flag
    return sum
  }
}

func embed(_ ids: [Float], _ weights: [String: [Float]]) -> [Float] {
  let words = weights["words"]!
  let width = words.count / 64
  return ids.flatMap { words[Int($0) * width..<(Int($0) + 1) * width] }
}

func positionIds3D(_ types: [Float], _ images: [Float], _ videos: [Float]) -> [Float] {
  var result = (0..<3 * types.count).map { Float($0 % types.count) }
  var (t, next) = (0, 0)
  while t < types.count && slip != "flat" {
    let grid = [[1, 1, 1], images, videos][Int(types[t])].map { Int($0) }
    for n in 0..<grid[0] * grid[1] * grid[2] {
      let place = [n / grid[2] / grid[1], n / grid[2] % grid[1], n % grid[2]]
      for axis in 0..<3 { result[axis * types.count + t] = Float(next + place[axis]) }
      t += 1
    }
    next += max(grid[0], grid[1], grid[2])
  }
  return result
}

func bias(_ queries: Int, _ keys: Int) -> [Float] {
  (0..<4 * queries * keys).map { i in
    slip == "no bias" ? 0 : Float(i % keys) * pow(4, -1 - Float(i / (queries * keys)))
  }
}

func buckets(_ queries: Int, _ keys: Int, _ causal: Bool) -> [Float] {
  let all = causal != (slip == "direction") ? 32 : 16
  let exact = all / 2
  return (0..<queries * keys).map { i in
    let place = i % keys - i / keys - (keys - queries)
    let far = all == 32 ? max(-place, 0) : abs(place)
    let share = log(Double(max(far, 1)) / Double(exact)) / log(128 / Double(exact))
    let own = far < exact ? far : min(exact + Int(share * Double(exact) + 1e-9), all - 1)
    return Float(own + (all == 16 && place > 0 ? 16 : 0))
  }
}
