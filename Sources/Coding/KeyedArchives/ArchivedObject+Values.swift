package import Foundation

/// The value classes of Foundation in their archived forms. Each property is nil if the object is
/// of another class.
extension ArchivedObject {
    package var string: String? {
        if let text = raw.string { return text }
        guard isKind(of: "NSString") else { return nil }
        if let field = field("NS.string") {
            if let text = field.string { return text }
            return (try? archive.resolve(field))?.raw.string
        }
        return field("NS.bytes")?.data.map { String(decoding: $0, as: UTF8.self) }
    }

    /// A number or boolean, unchanged.
    package var number: PropertyListValue? {
        switch raw {
        case .integer, .unsigned, .real, .boolean: raw
        default: nil
        }
    }

    package var data: Data? {
        if let data = raw.data { return data }
        guard isKind(of: "NSData"), let field = field("NS.data") else { return nil }
        return field.data ?? (try? archive.resolve(field))?.raw.data
    }

    package var date: Date? {
        if let date = raw.date { return date }
        guard isKind(of: "NSDate"), let time = field("NS.time")?.real else { return nil }
        return Date(timeIntervalSinceReferenceDate: time)
    }

    package var uuid: UUID? {
        guard isKind(of: "NSUUID"), let bytes = field("NS.uuidbytes")?.data.map({ [UInt8]($0) }), bytes.count == 16
        else { return nil }
        return UUID(
            uuid: (
                bytes[0], bytes[1], bytes[2], bytes[3], bytes[4], bytes[5], bytes[6], bytes[7],
                bytes[8], bytes[9], bytes[10], bytes[11], bytes[12], bytes[13], bytes[14], bytes[15]
            ))
    }

    package var url: URL? { url(levels: 8) }

    private func url(levels: Int) -> URL? {
        guard levels > 0, isKind(of: "NSURL"), let relative = (try? object("NS.relative"))?.string else { return nil }
        guard let base = try? object("NS.base") else { return URL(string: relative) }
        return URL(string: relative, relativeTo: base.url(levels: levels - 1))?.absoluteURL
    }

    package var decimal: Decimal? {
        guard isKind(of: "NSDecimalNumber"), let mantissa = field("NS.mantissa")?.data.map({ [UInt8]($0) }),
            mantissa.count == 16,
            let exponent = field("NS.exponent")?.integer, (-128...127).contains(exponent),
            let length = field("NS.length")?.integer, (0...8).contains(length)
        else { return nil }
        let isNegative = field("NS.negative")?.boolean ?? false
        if length == 0 { return isNegative ? Decimal.nan : 0 }
        let isBigEndian = field("NS.mantissa.bo")?.integer == 2
        var value = Decimal(0)
        for limb in (0..<Int(length)).reversed() {
            let low = mantissa[2 * limb + (isBigEndian ? 1 : 0)], high = mantissa[2 * limb + (isBigEndian ? 0 : 1)]
            value = value * 65_536 + Decimal(UInt16(high) << 8 | UInt16(low))
        }
        return Decimal(sign: isNegative ? .minus : .plus, exponent: Int(exponent), significand: value)
    }

    package var isNull: Bool { isKind(of: "NSNull") }

    // MARK: Fields

    /// The string in the field, or in the object that it refers to.
    package func string(_ key: String) throws(CodingError) -> String? {
        if let text = field(key)?.string { return text }
        return try object(key)?.string
    }

    /// The integer in the field, or in the object that it refers to.
    package func integer(_ key: String) throws(CodingError) -> Int64? {
        guard let field = field(key) else { return nil }
        guard field.uid != nil else { return field.integer ?? field.boolean.map { $0 ? 1 : 0 } }
        return try object(key)?.number?.integer
    }

    /// The boolean in the field, or in the object that it refers to; false if the field is missing.
    package func boolean(_ key: String) throws(CodingError) -> Bool {
        guard let field = field(key) else { return false }
        guard field.uid != nil else { return field.boolean ?? false }
        return try object(key)?.number?.boolean ?? false
    }
}
