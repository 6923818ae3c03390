package import Foundation

/// Reads and writes binary and XML property lists.
package enum PropertyList {
    /// Parses a property list; the first bytes decide whether it is binary or XML.
    package static func decode(_ data: Data, limits: PropertyListLimits = .standard) throws(CodingError)
        -> PropertyListValue
    {
        if isBinary(data) { return try BinaryPropertyListReader.read(data, limits: limits) }
        return try XMLPropertyListReader.read(data, limits: limits)
    }

    /// Encodes a binary property list. The same value always gives the same bytes.
    package static func encodeBinary(_ value: PropertyListValue) -> Data {
        BinaryPropertyListWriter.write(value)
    }

    /// Encodes an XML property list with sorted keys.
    ///
    /// - Throws: `CodingError.unsupported` for a reference of a keyed archive, or a character that
    ///   XML can't represent.
    package static func encodeXML(_ value: PropertyListValue) throws(CodingError) -> Data {
        try XMLPropertyListWriter.write(value)
    }

    package static func isBinary(_ data: Data) -> Bool {
        data.starts(with: Array("bplist0".utf8))
    }
}
