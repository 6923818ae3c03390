package import Coding
package import Folio
import Foundation

/// Writes JSON text incrementally. Members are written in the order of the calls (callers sort
/// them), and strings with the fewest escapes.
///
/// Invariants:
/// 1. `levels` has one element for each open object or array, which is true while it is empty.
/// 2. After a name, the next value is that member's value.
package struct JSONWriter {
    package enum Style {
        /// Two spaces per level, one member or element per line.
        case indented
        /// Without white space, on one line.
        case compact
    }

    private let sink: ByteSink
    private let style: Style
    private var levels: [Bool] = []
    private var isAfterName = false

    package init(_ sink: ByteSink, style: Style = .indented) {
        self.sink = sink
        self.style = style
    }

    /// A value on one line.
    package static func text(_ json: JSONValue) -> String {
        let sink = ByteSink(descriptor: nil)
        var writer = JSONWriter(sink, style: .compact)
        writer.value(json)
        return sink.text
    }

    private mutating func separate() {
        if isAfterName {
            isAfterName = false
            return
        }
        guard let isFirst = levels.last else { return }
        if !isFirst { sink.write(UInt8(ascii: ",")) }
        levels[levels.count - 1] = false
        breakLine()
    }

    private func breakLine() {
        guard style == .indented else { return }
        sink.write(0x0A)
        for _ in levels {
            sink.write(0x20)
            sink.write(0x20)
        }
    }

    private mutating func open(_ byte: UInt8) {
        separate()
        sink.write(byte)
        levels.append(true)
    }

    private mutating func close(_ byte: UInt8) {
        let isEmpty = levels.removeLast()
        if !isEmpty { breakLine() }
        sink.write(byte)
    }

    package mutating func beginObject() { open(UInt8(ascii: "{")) }
    package mutating func endObject() { close(UInt8(ascii: "}")) }
    package mutating func beginArray() { open(UInt8(ascii: "[")) }
    package mutating func endArray() { close(UInt8(ascii: "]")) }

    package mutating func name(_ name: String) {
        separate()
        quote(name)
        sink.write(UInt8(ascii: ":"))
        if style == .indented { sink.write(0x20) }
        isAfterName = true
    }

    package mutating func string(_ text: String) {
        separate()
        quote(text)
    }

    /// Writes the rest of a large value as a base64 string, in pieces. A read error ends the
    /// output, because a truncated value would be a different value.
    package mutating func base64(_ reader: LargeValueReader) {
        separate()
        sink.write(UInt8(ascii: "\""))
        do {
            // The size of a piece is a multiple of three, so that the base64 texts can be
            // concatenated.
            while let piece = try reader.read(upTo: 3 << 18) { sink.write(piece.base64EncodedString()) }
        } catch {
            sink.fail(error)
        }
        sink.write(UInt8(ascii: "\""))
    }

    /// Records that a value can't be read. The output fails with this error, and nothing more is
    /// written.
    package mutating func unreadable(_ error: any Error) {
        sink.fail(error)
        null()
    }

    /// Writes a number, or another token without quotes.
    package mutating func word(_ text: String) {
        separate()
        sink.write(text)
    }

    package mutating func null() { word("null") }
    package mutating func bool(_ value: Bool) { word(value ? "true" : "false") }

    package mutating func value(_ value: JSONValue) {
        switch value {
        case .null: null()
        case .bool(let bool): self.bool(bool)
        case .number(let text): word(text)
        case .string(let text): string(text)
        case .array(let elements):
            beginArray()
            for element in elements { self.value(element) }
            endArray()
        case .object(let members):
            beginObject()
            for (name, member) in members.sorted(by: { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }) {
                self.name(name)
                self.value(member)
            }
            endObject()
        }
    }

    private static let hexadecimal = Array("0123456789abcdef".utf8)

    private func quote(_ text: String) {
        sink.write(UInt8(ascii: "\""))
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "\""): sink.write("\\\"")
            case UInt8(ascii: "\\"): sink.write("\\\\")
            case 0x0A: sink.write("\\n")
            case 0x0D: sink.write("\\r")
            case 0x09: sink.write("\\t")
            case 0x08: sink.write("\\b")
            case 0x0C: sink.write("\\f")
            case 0..<0x20:
                sink.write("\\u00")
                sink.write(Self.hexadecimal[Int(byte >> 4)])
                sink.write(Self.hexadecimal[Int(byte & 15)])
            default: sink.write(byte)
            }
        }
        sink.write(UInt8(ascii: "\""))
    }
}
