import Foundation

/// Folio's errors as Cocoa's.
enum CocoaErrors {
    static func made(
        _ code: Int, _ message: String, _ underlying: (any Error)? = nil, _ info: [String: Any] = [:]
    ) -> CocoaError {
        var info = info
        info[NSLocalizedDescriptionKey] = message
        if let underlying { info[NSUnderlyingErrorKey] = underlying }
        return CocoaError(CocoaError.Code(rawValue: code), userInfo: info)
    }
}

/// Foundation's code that Core Data's errors use for a file that there is not.
let NSFileReadNoSuchFileErrorCode = 260
