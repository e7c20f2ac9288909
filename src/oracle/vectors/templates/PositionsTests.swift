// Whether a port has the positions of its model. MADE BY PHASOR
//
// Adapter.swift has these functions. Arrays are rows of floats; a function that the port does not have returns [] and
// is skipped. x is [B, H, T, D], positions are [T], or [3, T] of pictures, mask is [B, T]. types are [1, T]: 0 text,
// 1 picture, 2 video; grids are [n, 3] in tokens. bias is ALiBi's, [H, queries, keys], whose last query sees the last
// key; buckets are T5's, [queries, keys].
//
//   func rotate(_ x: [Float], _ shape: [Int], _ positions: [Float], _ layer: Int) -> [Float]
//   func positionIds(_ mask: [Float], _ shape: [Int]) -> [Float]
//   func positionIds3D(_ types: [Float], _ images: [Float], _ videos: [Float]) -> [Float]
//   func embed(_ ids: [Float], _ weights: [String: [Float]]) -> [Float]
//   func bias(_ queries: Int, _ keys: Int) -> [Float]
//   func buckets(_ queries: Int, _ keys: Int, _ causal: Bool) -> [Float]
//
// Both files and the kit's other files in Tests/PositionsTests of a package, then: swift test
//
// If all pass, positions.svg beside this file is a badge for a README, and the line of Markdown is printed.

import Foundation
import XCTest

/// Times the tolerance of float32: 2^13 for float16, 2^16 for bfloat16.
let looser: Float = 1

struct Numbers {
  let data: [Float]
  let shape: [Int]
}

let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()

func load(_ name: String) throws -> [String: Numbers] {
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

enum Outcome { case right, wrong, missing }

func compare(_ what: String, _ got: [Float], _ want: Numbers, _ tolerance: Numbers, _ slips: String) throws -> Outcome {
  if got.isEmpty { return .missing }
  guard got.count == want.data.count else {
    XCTFail("\(what) has another size")
    return .wrong
  }
  if fits(got, want.data, tolerance.data) { return .right }
  let names = try load("slips").filter { name, slip in
    name.hasPrefix(slips + "/") && fits(got, slip.data, tolerance.data, 0x1p-22)
  }.keys.map { $0.dropFirst(slips.count + 1) }.sorted()
  let why = names.isEmpty ? "no known slip explains it" : "likely slip: " + names.joined(separator: ", or ")
  XCTFail("\(what) is wrong; \(why)")
  return .wrong
}

/// Softmax does not see what a row has in common: the bias of the last key that a query sees becomes 0.
func centered(_ bias: [Float], _ queries: Int, _ keys: Int) -> [Float] {
  bias.indices.map { i in
    let row = i / keys
    return bias[i] - bias[row * keys + row % queries + keys - queries]
  }
}

/// Cases that the port passed, failed or does not have.
final class Counts: @unchecked Sendable {
  var passed = 0
  var failed = 0
  var skipped = 0

  func add(_ outcomes: [Outcome]) {
    if outcomes.contains(.wrong) {
      failed += 1
    } else if outcomes.contains(.missing) {
      skipped += 1
    } else {
      passed += 1
    }
  }
}

let counts = Counts()

/// The names of the groups that have an array.
func groups(_ arrays: [String: Numbers], _ suffix: String) -> [String] {
  arrays.keys.filter { $0.hasSuffix(suffix) }.map { String($0.dropLast(suffix.count)) }.sorted()
}

/// The cases of the kit.
func cases() throws -> Int {
  let ids = try load("ids")
  let more = try [ids["ids/mask"], ids["picture/position_ids"], load("embedding")["embedding/ids"]].compactMap { $0 }
  return try groups(load("rotary"), "/q").count + groups(load("bias"), "/tolerance").count + more.count
}

/// Writes the badge, or removes that of another run. A part of the tests proves nothing of the others.
func badge() throws {
  let file = folder.appendingPathComponent("positions.svg")
  try? FileManager.default.removeItem(at: file)
  let all = try cases()
  if counts.failed > 0 || counts.passed == 0 || counts.passed + counts.skipped < all { return }
  let tolerance = looser > 1 ? ", tolerance x \(Int(looser))" : ""
  let words = "checked with phasor PHASOR VERSION: \(counts.passed) of \(all)\(tolerance)"
  let width = 76 + 7 * words.count
  let svg = """
    <svg xmlns="http://www.w3.org/2000/svg" width="\(width)" height="20" role="img">
    <title>positions \(words)</title><desc>MADE BY PHASOR swift test</desc>
    <rect width="\(width)" height="20" rx="3" fill="#2a6b3c"/><rect width="68" height="20" rx="3" fill="#444"/>
    <g fill="#fff" font-family="Verdana,sans-serif" font-size="11"><text x="6" y="14" textLength="56">positions</text>
    <text x="72" y="14" textLength="\(width - 78)">\(words)</text></g></svg>

    """
  try svg.write(to: file, atomically: true, encoding: .utf8)
  print("[![positions \(words)](positions.svg)](PositionsTests.swift \"swift test\")")
}

final class PositionsTests: XCTestCase {
  override class func tearDown() {
    try? badge()
    super.tearDown()
  }

  func testRotate() throws {
    let rotary = try load("rotary")
    for of in groups(rotary, "/q") {
      let kind = of[..<of.lastIndex(of: "/")!]
      let layers = rotary[kind + "/layers"]!.data.map { Int($0) }
      var outcomes: [Outcome] = []
      for layer in of.hasSuffix("/cached") ? layers : Array(layers.prefix(1)) {
        for x in ["q", "k"] {
          let given = rotary["\(of)/\(x)"]!
          let got = rotate(given.data, given.shape, rotary[of + "/positions"]!.data, layer)
          let want = rotary["\(of)/\(x)_rotated"]!
          let outcome = try compare("\(of): \(x) of layer \(layer)", got, want, rotary[of + "/tolerance"]!, of)
          outcomes.append(outcome)
        }
      }
      counts.add(outcomes)
    }
  }

  func testPositionIds() throws {
    let ids = try load("ids")
    guard let mask = ids["ids/mask"] else { return }
    let got = positionIds(mask.data, mask.shape)
    counts.add([try compare("positionIds", got, ids["ids/position_ids"]!, ids["ids/tolerance"]!, "ids")])
  }

  func testPositionIds3D() throws {
    let ids = try load("ids")
    guard let want = ids["picture/position_ids"] else { return }
    let grids = [ids["picture/image_grid"]!.data, ids["picture/video_grid"]!.data]
    let got = positionIds3D(ids["picture/token_types"]!.data, grids[0], grids[1])
    counts.add([try compare("positionIds3D", got, want, ids["picture/tolerance"]!, "picture")])
  }

  func testBias() throws {
    let biases = try load("bias")
    for of in groups(biases, "/tolerance") {
      let isT5 = biases[of + "/buckets"] != nil
      let want = biases[of + (isT5 ? "/buckets" : "/bias")]!
      let (queries, keys) = (want.shape[want.shape.count - 2], want.shape[want.shape.count - 1])
      let got =
        isT5 ? buckets(queries, keys, of.contains("/causal/")) : centered(bias(queries, keys), queries, keys)
      counts.add([try compare(of, got, want, biases[of + "/tolerance"]!, of)])
    }
  }

  func testEmbed() throws {
    let rows = try load("embedding")
    guard let ids = rows["embedding/ids"] else { return }
    let prefix = "embedding/weights/"
    let weights = rows.filter { $0.key.hasPrefix(prefix) }.map { ($0.key.dropFirst(prefix.count), $0.value.data) }
    let named = Dictionary(uniqueKeysWithValues: weights.map { (String($0), $1) })
    let got = embed(ids.data, named)
    counts.add([try compare("embed", got, rows["embedding/output"]!, rows["embedding/tolerance"]!, "embedding")])
  }
}
