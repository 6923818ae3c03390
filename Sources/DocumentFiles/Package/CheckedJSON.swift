internal import Coding

/// Adds a checksum to a JSON file of a document, as its first member: `"check" : "1a2b3c4d"`, the
/// CRC-32 of the whole file with zeros in place of these digits.
///
/// Programs that don't know the member ignore it and write the file without it.
enum CheckedJSON {
    enum Verdict {
        case sound, altered
        /// The file has no checksum.
        case unknown
    }

    private static let digits = 8

    /// Adds the checksum to an object.
    /// - Parameter json: The object. It begins with its brace and has at least one member.
    /// - Parameter indent: The text before each member, such as `"\n  "` in indented JSON.
    static func adding(to json: [UInt8], indent: String = "") -> [UInt8] {
        let opening = opening(indent)
        var checked = opening + zeros + Array("\",".utf8) + json.dropFirst()
        checked.replaceSubrange(opening.count..<opening.count + digits, with: sum(of: checked))
        return checked
    }

    static func verdict(on json: [UInt8], indent: String = "") -> Verdict {
        let opening = opening(indent), end = opening.count + digits
        guard json.starts(with: opening), json.count > end else { return .unknown }
        var whole = json
        whole.replaceSubrange(opening.count..<end, with: zeros)
        return json[opening.count..<end].elementsEqual(sum(of: whole)) ? .sound : .altered
    }

    private static func sum(of bytes: [UInt8]) -> [UInt8] {
        let text = String(CRC32.checksum(bytes), radix: 16)
        return zeros.dropLast(text.utf8.count) + Array(text.utf8)
    }

    private static func opening(_ indent: String) -> [UInt8] {
        Array("{\(indent)\"check\"\(indent.isEmpty ? ":" : " : ")\"".utf8)
    }
    private static var zeros: [UInt8] { Array(repeating: UInt8(ascii: "0"), count: digits) }
}
