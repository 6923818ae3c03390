package import Foundation

/// Reads and writes property lists of both kinds.
package enum PropertyList {
    /// Reads a property list, binary or XML by its first bytes.
    package static func decode(_ data: Data, limits: PropertyListLimits = .standard) throws(CodingError)
        -> PropertyListValue
    {
        if isBinary(data) { return try BinaryPropertyListReader.read(data, limits: limits) }
        return try XMLPropertyListReader.read(data, limits: limits)
    }

    /// Writes a binary property list; the same value always gives the same bytes.
    package static func encodeBinary(_ value: PropertyListValue) -> Data {
        BinaryPropertyListWriter.write(value)
    }

    /// Writes an XML property list with its keys sorted.
    ///
    /// - Throws: `CodingError.unsupported` for a reference of a keyed archive or a character that
    ///   XML has no place for.
    package static func encodeXML(_ value: PropertyListValue) throws(CodingError) -> Data {
        try XMLPropertyListWriter.write(value)
    }

    package static func isBinary(_ data: Data) -> Bool {
        data.starts(with: Array("bplist0".utf8))
    }
}
