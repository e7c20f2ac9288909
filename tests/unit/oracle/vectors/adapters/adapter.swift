// A port of LLaMA 2 in float32: right, or with the slip that the variable SLIP names.
import Foundation

let slip = ProcessInfo.processInfo.environment["SLIP"] ?? ""

func rotate(_ x: [Float], _ shape: [Int], _ positions: [Float], _ layer: Int) -> [Float] {
  let (t, d) = (shape[2], shape[3])
  let base = slip == "base" ? 5e5 : 1e4
  var result = x
  for row in 0..<x.count / d {
    for i in 0..<d / 2 {
      let angle = Double(positions[row % t]) * pow(base, -2 * Double(i) / Double(d))
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
