internal import CFolio
internal import Foundation
internal import Interchange

/// Where a function stores an error.
package typealias ErrorPlace = UnsafeMutablePointer<OpaquePointer?>?

/// Runs the body of a function that returns a status.
@inline(__always)
func status(_ place: ErrorPlace, _ body: () throws -> Void) -> folio_status {
    do {
        try body()
        return FOLIO_OK
    } catch {
        return report(error, to: place)
    }
}

/// Runs the body of a function that returns a handle or text.
@inline(__always)
func pointer<Pointer>(_ place: ErrorPlace, _ body: () throws -> Pointer) -> Pointer? {
    do { return try body() } catch {
        _ = report(error, to: place)
        return nil
    }
}

private func report(_ error: any Error, to place: ErrorPlace) -> folio_status {
    let content = ErrorContent(error)
    let status = content.status
    if let place { place.pointee = HandleTable.handle(of: content) }
    return status
}

/// Text of the host.
/// - Throws: a usage error for NULL and for what is no UTF-8.
func text(_ pointer: UnsafePointer<CChar>?, _ name: String) throws -> String {
    guard let text = try optionalText(pointer, name) else { throw InterchangeError.usage("\(name) is NULL") }
    return text
}

/// Text of the host that may be NULL.
func optionalText(_ pointer: UnsafePointer<CChar>?, _ name: String) throws -> String? {
    guard let pointer else { return nil }
    guard let text = String(validatingCString: pointer) else {
        throw InterchangeError.usage("\(name) is no UTF-8 text: \(String(cString: pointer))")
    }
    return text
}

/// A place of the host's for a result.
/// - Throws: a usage error for NULL.
func place<Value>(_ pointer: UnsafeMutablePointer<Value>?, _ name: String) throws -> UnsafeMutablePointer<Value> {
    guard let pointer else { throw InterchangeError.usage("\(name) is NULL") }
    return pointer
}

/// Text for the host, who frees it.
func ownedText(_ text: String) -> UnsafeMutablePointer<CChar> {
    guard let copy = strdup(text) else { preconditionFailure("There is no memory for \(text.utf8.count) bytes") }
    return copy
}

/// A structure that may have grown since the host was compiled: what the host knows of it is read.
/// - Throws: a usage error where its size was not set.
func structure<Value>(_ pointer: UnsafePointer<Value>, size: Int, _ empty: Value) throws -> Value {
    guard size >= MemoryLayout<Int>.size, size <= MemoryLayout<Value>.size else {
        throw InterchangeError.usage("the size of the structure is \(size): set it to its sizeof")
    }
    var value = empty
    withUnsafeMutableBytes(of: &value) { $0.copyMemory(from: UnsafeRawBufferPointer(start: pointer, count: size)) }
    return value
}

/// Fills a structure of the host's as far as the host knows it.
/// - Throws: a usage error where its size was not set.
func fill<Value>(_ pointer: UnsafeMutablePointer<Value>, size: Int, _ value: Value) throws {
    guard size >= MemoryLayout<Int>.size, size <= MemoryLayout<Value>.size else {
        throw InterchangeError.usage("the size of the structure is \(size): set it to its sizeof")
    }
    withUnsafeBytes(of: value) {
        UnsafeMutableRawPointer(pointer).copyMemory(from: $0.baseAddress ?? UnsafeRawPointer(pointer), byteCount: size)
    }
}

/// What a function of the host's is called with.
struct HostContext: @unchecked Sendable {
    // Sendable by proof: the library never looks at what it points to. It hands it back to the
    // host, who knows which threads may.
    let pointer: UnsafeMutableRawPointer?

    init(_ pointer: UnsafeMutableRawPointer?) { self.pointer = pointer }
}

@c @implementation
package func folio_version() -> UnsafePointer<CChar>? { versionText }

@c @implementation
package func folio_handle_count() -> Int { HandleTable.count }

@c @implementation
package func folio_string_free(_ text: UnsafeMutablePointer<CChar>?) { free(text) }

// Made once, and never freed or changed.
nonisolated(unsafe) private let versionText = UnsafePointer(ownedText(Release.version))
