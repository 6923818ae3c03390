package import Foundation

/// The format of Folio's small JSON files, and the limits for reading them.
package enum JSONCoding {
    package static let maximumSize = 1 << 20
    static let maximumDepth = 64

    package static var encoder: JSONEncoder {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        encoder.dateEncodingStrategy = .iso8601
        return encoder
    }

    package static var decoder: JSONDecoder {
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .iso8601
        return decoder
    }

    /// The reason why bytes must not be decoded: they are too long, nested too deeply, or contain a
    /// duplicate key; nil if there is none. The decoder reports invalid JSON.
    package static func objection(to bytes: [UInt8]) -> String? {
        if bytes.count > maximumSize { return "more than \(maximumSize) bytes" }
        // The keys of each open object; nil for an array.
        var open: [Set<ArraySlice<UInt8>>?] = []
        var index = 0
        var expectsKey = false
        while index < bytes.count {
            switch bytes[index] {
            case UInt8(ascii: "{"), UInt8(ascii: "["):
                let isObject = bytes[index] == UInt8(ascii: "{")
                open.append(isObject ? [] : nil)
                expectsKey = isObject
                if open.count > maximumDepth { return "nested deeper than \(maximumDepth) levels" }
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                _ = open.popLast()
                expectsKey = false
            case UInt8(ascii: ","):
                expectsKey = open.last.map { $0 != nil } ?? false
            case UInt8(ascii: "\""):
                let start = index + 1
                index = start
                while index < bytes.count, bytes[index] != UInt8(ascii: "\"") {
                    index += bytes[index] == UInt8(ascii: "\\") ? 2 : 1
                }
                let key = bytes[start..<max(start, min(index, bytes.count))]
                if expectsKey, !open.isEmpty, open[open.count - 1]?.insert(key).inserted == false {
                    return "the key “\(String(decoding: key, as: UTF8.self))” comes twice"
                }
                expectsKey = false
            default: break
            }
            index += 1
        }
        return nil
    }
}
