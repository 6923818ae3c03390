package import CFolio
internal import Coding
internal import Foundation
internal import Interchange

/// An error as the host reads it.
final class ErrorContent: HandleContent {
    let status: folio_status
    fileprivate let code: CText
    fileprivate let message: CText
    fileprivate let path: CText?
    fileprivate let hint: CText?
    fileprivate let detail: CText

    init(_ error: any Error) {
        let error = InterchangeError(mapping: error)
        let exit = error.exit.rawValue
        status = folio_status(rawValue: exit == 0 ? FOLIO_SOFTWARE.rawValue : UInt32(exit))
        code = CText(error.code)
        // The obstacles of a migration stand on lines of their own only where people read them.
        let reasons = error.code == "migration" ? error.excerpt.joined(separator: "; ") : ""
        message = CText(reasons.isEmpty ? error.message : "\(error.message): \(reasons)")
        path = error.path.map { CText($0) }
        hint = error.hint.map { CText($0) }
        detail = CText(JSONWriter.text(error.detail))
        super.init(.error)
    }
}

/// Text that the host reads as long as this is there.
final class CText {
    let pointer: UnsafePointer<CChar>

    init(_ text: String) { pointer = UnsafePointer(ownedText(text)) }

    deinit { free(UnsafeMutablePointer(mutating: pointer)) }
}

private func content(_ error: OpaquePointer?) -> ErrorContent? { try? HandleTable.content(of: error, .error) }

@c @implementation
package func folio_error_status(_ error: OpaquePointer?) -> folio_status { content(error)?.status ?? FOLIO_USAGE }

@c @implementation
package func folio_error_code(_ error: OpaquePointer?) -> UnsafePointer<CChar>? { content(error)?.code.pointer }

@c @implementation
package func folio_error_message(_ error: OpaquePointer?) -> UnsafePointer<CChar>? { content(error)?.message.pointer }

@c @implementation
package func folio_error_path(_ error: OpaquePointer?) -> UnsafePointer<CChar>? { content(error)?.path?.pointer }

@c @implementation
package func folio_error_hint(_ error: OpaquePointer?) -> UnsafePointer<CChar>? { content(error)?.hint?.pointer }

@c @implementation
package func folio_error_detail(_ error: OpaquePointer?) -> UnsafePointer<CChar>? { content(error)?.detail.pointer }

@c @implementation
package func folio_error_free(_ error: OpaquePointer?) {
    _ = HandleTable.release(error, .error, as: ErrorContent.self)
}
