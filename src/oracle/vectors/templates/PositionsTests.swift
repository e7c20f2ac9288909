// Whether a port has the positions of its model. MADE BY PHASOR
//
// Adapter.swift has these functions. Arrays are rows of floats; a function that the port does not have returns [] and
// is skipped. x is [B, H, T, D], positions are [T], or [3, T] of pictures, mask is [B, T].
//
//   func rotate(_ x: [Float], _ shape: [Int], _ positions: [Float], _ layer: Int) -> [Float]
//   func positionIds(_ mask: [Float], _ shape: [Int]) -> [Float]
//   func embed(_ ids: [Float], _ weights: [String: [Float]]) -> [Float]
//
// Both files and the kit's other files in Tests/PositionsTests of a package, then: swift test

import Foundation
import XCTest

/// Times the tolerance of float32: 2^13 for float16, 2^16 for bfloat16.
let looser: Float = 1

struct Numbers {
  let data: [Float]
  let shape: [Int]
}

func load(_ name: String) throws -> [String: Numbers] {
  let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
  guard let bytes = try? Data(contentsOf: folder.appendingPathComponent("\(name).safetensors")) else { return [:] }
  let size = 8 + bytes.prefix(8).reversed().reduce(0) { $0 << 8 | Int($1) }
  let head = try JSONSerialization.jsonObject(with: bytes[8..<size]) as? [String: [String: Any]] ?? [:]
  return head.compactMapValues { entry in
    guard let span = entry["data_offsets"] as? [Int], let shape = entry["shape"] as? [Int] else { return nil }
    let part = [UInt8](bytes[size + span[0]..<size + span[1]])
    func read<T>(_ type: T.Type, _ number: (T) -> Float) -> [Float] {
      stride(from: 0, to: part.count, by: MemoryLayout<T>.size).map { at in
        number(part.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: at, as: T.self) })
      }
    }
    switch entry["dtype"] as? String {
    case "F64": return Numbers(data: read(Double.self) { Float($0) }, shape: shape)
    case "I32": return Numbers(data: read(Int32.self) { Float($0) }, shape: shape)
    default: return Numbers(data: read(Float.self) { $0 }, shape: shape)
    }
  }
}

func fits(_ got: [Float], _ want: [Float], _ tolerance: [Float], _ rounding: Float = 0) -> Bool {
  let first = got.count - want.count  // a slip has the last rows of the last head
  return want.indices.allSatisfy { i in
    let allowed = tolerance[(first + i) % tolerance.count] + rounding * abs(want[i])
    return abs(got[first + i] - want[i]) <= looser * allowed
  }
}

func compare(_ what: String, _ got: [Float], _ want: Numbers, _ tolerance: Numbers, _ slips: String) throws {
  if got.isEmpty { return }
  guard got.count == want.data.count else { return XCTFail("\(what) has another size") }
  if fits(got, want.data, tolerance.data) { return }
  let names = try load("slips").filter { name, slip in
    name.hasPrefix(slips + "/") && fits(got, slip.data, tolerance.data, 0x1p-22)
  }.keys.map { $0.dropFirst(slips.count + 1) }.sorted()
  let why = names.isEmpty ? "no known slip explains it" : "likely slip: " + names.joined(separator: ", or ")
  XCTFail("\(what) is wrong; \(why)")
}

final class PositionsTests: XCTestCase {
  func testRotate() throws {
    let rotary = try load("rotary")
    for of in rotary.keys.filter({ $0.hasSuffix("/q") }).map({ String($0.dropLast(2)) }) {
      let kind = of[..<of.lastIndex(of: "/")!]
      let layers = rotary[kind + "/layers"]!.data.map { Int($0) }
      for layer in of.hasSuffix("/cached") ? layers : Array(layers.prefix(1)) {
        for x in ["q", "k"] {
          let given = rotary["\(of)/\(x)"]!
          let got = rotate(given.data, given.shape, rotary[of + "/positions"]!.data, layer)
          let want = rotary["\(of)/\(x)_rotated"]!
          try compare("\(of): \(x) of layer \(layer)", got, want, rotary[of + "/tolerance"]!, of)
        }
      }
    }
  }

  func testPositionIds() throws {
    let ids = try load("ids")
    guard let mask = ids["ids/mask"] else { return }
    let got = positionIds(mask.data, mask.shape)
    try compare("positionIds", got, ids["ids/position_ids"]!, ids["ids/tolerance"]!, "ids")
  }

  func testEmbed() throws {
    let rows = try load("embedding")
    guard let ids = rows["embedding/ids"] else { return }
    let prefix = "embedding/weights/"
    let weights = rows.filter { $0.key.hasPrefix(prefix) }.map { ($0.key.dropFirst(prefix.count), $0.value.data) }
    let named = Dictionary(uniqueKeysWithValues: weights.map { (String($0), $1) })
    let got = embed(ids.data, named)
    try compare("embed", got, rows["embedding/output"]!, rows["embedding/tolerance"]!, "embedding")
  }
}
