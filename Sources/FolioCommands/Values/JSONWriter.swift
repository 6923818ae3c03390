import Folio
import Foundation

/// Writes JSON text piece by piece: members as they are given (the caller gives them sorted),
/// strings with the fewest escapes.
///
/// Invariants:
/// 1. `levels` holds one entry for each open object or array, true while nothing stands in it.
/// 2. After a name, the next piece is that member's value.
struct JSONWriter {
    enum Style {
        /// Two spaces a level, one member or element a line.
        case indented
        /// No space at all, on one line.
        case compact
    }

    private let sink: ByteSink
    private let style: Style
    private var levels: [Bool] = []
    private var isAfterName = false

    init(_ sink: ByteSink, style: Style = .indented) {
        self.sink = sink
        self.style = style
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

    mutating func beginObject() { open(UInt8(ascii: "{")) }
    mutating func endObject() { close(UInt8(ascii: "}")) }
    mutating func beginArray() { open(UInt8(ascii: "[")) }
    mutating func endArray() { close(UInt8(ascii: "]")) }

    mutating func name(_ name: String) {
        separate()
        quote(name)
        sink.write(UInt8(ascii: ":"))
        if style == .indented { sink.write(0x20) }
        isAfterName = true
    }

    mutating func string(_ text: String) {
        separate()
        quote(text)
    }

    /// The rest of a large value as a string of base64, in pieces. What can't be read ends the
    /// output: a shorter value would be another one.
    mutating func base64(_ reader: LargeValueReader) {
        separate()
        sink.write(UInt8(ascii: "\""))
        do {
            // By threes, so that the pieces' texts make up that of the whole.
            while let piece = try reader.read(upTo: 3 << 18) { sink.write(piece.base64EncodedString()) }
        } catch {
            sink.fail(error)
        }
        sink.write(UInt8(ascii: "\""))
    }

    /// A value that can't be had: the output ends with this error, whatever is written still.
    mutating func unreadable(_ error: any Error) {
        sink.fail(error)
        null()
    }

    /// A number, or another word that needs no quotes.
    mutating func word(_ text: String) {
        separate()
        sink.write(text)
    }

    mutating func null() { word("null") }
    mutating func bool(_ value: Bool) { word(value ? "true" : "false") }

    mutating func value(_ value: JSONValue) {
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
