package import CFolio
internal import Folio
internal import Foundation
internal import Interchange

/// A value that the host reads piece by piece, on one thread at a time.
final class StreamContent: HandleContent {
    fileprivate let reader: LargeValueReader

    init(_ reader: LargeValueReader) {
        self.reader = reader
        super.init(.stream)
    }
}

private func content(_ stream: OpaquePointer?) throws -> StreamContent { try HandleTable.content(of: stream, .stream) }

@c @implementation
package func folio_object_open_stream(_ object: OpaquePointer?, _ key: UnsafePointer<CChar>?, _ error: ErrorPlace)
    -> OpaquePointer?
{
    pointer(error) {
        let handle = try objectContent(object)
        return try handle.perform { object in
            let entity = try handle.content.entity(of: object)
            let property = entity.properties[try handle.content.index(of: key, in: entity)]
            let value: LargeValue =
                switch try PropertyAccess(object).value(at: property.index) {
                case .large(let value): value
                case .data(let bytes): LargeValue(bytes)
                case .null:
                    throw InterchangeError(.notFound, "noValue", "\(entity.name).\(property.name) has no value")
                default: throw InterchangeError.usage("\(entity.name).\(property.name) is no binary attribute")
                }
            return HandleTable.handle(of: StreamContent(try value.reader()))
        }
    }
}

@c @implementation
package func folio_stream_size(_ stream: OpaquePointer?) -> Int64 { (try? content(stream))?.reader.count ?? -1 }

@c @implementation
package func folio_stream_read(
    _ stream: OpaquePointer?, _ buffer: UnsafeMutableRawPointer?, _ size: Int, _ read: UnsafeMutablePointer<Int>?,
    _ error: ErrorPlace
) -> folio_status {
    status(error) {
        let reader = try content(stream).reader, read = try place(read, "the place of the number")
        guard size >= 0, buffer != nil || size == 0 else { throw InterchangeError.usage("the buffer is NULL") }
        read.pointee = try reader.read(into: UnsafeMutableRawBufferPointer(start: buffer, count: size))
    }
}

@c @implementation
package func folio_stream_seek(_ stream: OpaquePointer?, _ offset: Int64, _ error: ErrorPlace) -> folio_status {
    status(error) {
        let reader = try content(stream).reader
        guard offset >= 0, offset <= reader.count else {
            throw InterchangeError.usage("the value has no offset \(offset): it has \(reader.count) bytes")
        }
        reader.offset = offset
    }
}

@c @implementation
package func folio_stream_free(_ stream: OpaquePointer?) {
    _ = HandleTable.release(stream, .stream, as: StreamContent.self)
}

// MARK: Writing

@c @implementation
package func folio_object_set_file(
    _ object: OpaquePointer?, _ key: UnsafePointer<CChar>?, _ path: UnsafePointer<CChar>?, _ error: ErrorPlace
) -> folio_status {
    status(error) {
        let handle = try objectContent(object), path = try text(path, "the path")
        try handle.edit { object in
            let property = try binaryProperty(key, of: object, handle.content)
            let value = try LargeValue(contentsOf: URL(fileURLWithPath: path))
            try set(value, property, of: object)
        }
    }
}

@c @implementation
package func folio_object_set_stream(
    _ object: OpaquePointer?, _ key: UnsafePointer<CChar>?, _ source: folio_source?,
    _ context: UnsafeMutableRawPointer?, _ error: ErrorPlace
) -> folio_status {
    status(error) {
        let handle = try objectContent(object)
        guard let source else { throw InterchangeError.usage("the source is NULL") }
        let isLarge = try handle.perform { object in
            try handle.content.checkIsEditable()
            return try binaryProperty(key, of: object, handle.content).attribute?.allowsExternalBinaryDataStorage
                ?? false
        }
        // The host may take its time: others go on meanwhile.
        let value =
            isLarge ? try largeValue(source, context, of: handle.content) : LargeValue(try bytes(source, context))
        try handle.edit { object in
            try set(value, binaryProperty(key, of: object, handle.content), of: object)
        }
    }
}

private func binaryProperty(_ key: UnsafePointer<CChar>?, of object: ManagedObject, _ content: DocumentContent) throws
    -> PropertyDescription
{
    let entity = try content.entity(of: object)
    let property = entity.properties[try content.index(of: key, in: entity)]
    guard property.attribute?.type == .binary else {
        throw InterchangeError.usage("\(entity.name).\(property.name) is no binary attribute")
    }
    return property
}

private func set(_ value: LargeValue, _ property: PropertyDescription, of object: ManagedObject) throws {
    let isLarge = property.attribute?.allowsExternalBinaryDataStorage ?? false
    try object.setPropertyValue(isLarge ? .large(value) : .data(value.data()), forKey: property.name)
}

private let pieceSize = 1 << 20

/// Takes what the host gives, piece by piece.
private func takePieces(
    _ source: folio_source, _ context: UnsafeMutableRawPointer?, _ body: (UnsafeRawBufferPointer) throws -> Void
) throws {
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: pieceSize, alignment: 16)
    defer { buffer.deallocate() }
    while true {
        let count = source(context, buffer.baseAddress, buffer.count)
        if count == 0 { return }
        guard count > 0 else { throw CancellationError() }
        guard count <= buffer.count else {
            throw InterchangeError.usage("the source says that it wrote \(count) bytes into \(buffer.count)")
        }
        try body(UnsafeRawBufferPointer(rebasing: buffer[..<Int(count)]))
    }
}

private func bytes(_ source: folio_source, _ context: UnsafeMutableRawPointer?) throws -> Data {
    var bytes = Data()
    try takePieces(source, context) { bytes.append(contentsOf: $0) }
    return bytes
}

/// Writes what the host gives to a file, which is there until the document's handle is gone.
private func largeValue(_ source: folio_source, _ context: UnsafeMutableRawPointer?, of content: DocumentContent) throws
    -> LargeValue
{
    let url = try content.scratchFile()
    _ = FileManager.default.createFile(atPath: url.path, contents: nil)
    let file = try FileHandle(forWritingTo: url)
    defer { try? file.close() }
    do {
        try takePieces(source, context) { try file.write(contentsOf: Data($0)) }
        return try LargeValue(contentsOf: url)
    } catch {
        try? FileManager.default.removeItem(at: url)
        throw error
    }
}
