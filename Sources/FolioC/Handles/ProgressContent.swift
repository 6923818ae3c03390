package import CFolio
internal import DocumentFiles
internal import Foundation
internal import Interchange

/// The progress of the calls of the threads that use it.
final class ProgressContent: HandleContent {
    let meter = WorkMeter()

    init() { super.init(.progress) }

    // Made once, before its first use, and never changed: the key under which each thread has the
    // handle that it uses.
    private static let key: pthread_key_t = {
        var key = pthread_key_t()
        guard pthread_key_create(&key, nil) == 0 else { preconditionFailure("There are no more keys of threads") }
        return key
    }()

    /// What the calling thread uses; nil for none.
    static var current: WorkMeter? {
        guard let handle = OpaquePointer(pthread_getspecific(key)) else { return nil }
        return (try? HandleTable.content(of: handle, .progress, as: ProgressContent.self))?.meter
    }

    fileprivate static func use(_ handle: OpaquePointer?) { pthread_setspecific(key, UnsafeRawPointer(handle)) }
}

@c @implementation
package func folio_progress_create() -> OpaquePointer? { HandleTable.handle(of: ProgressContent()) }

private func content(_ progress: OpaquePointer?) throws -> ProgressContent {
    try HandleTable.content(of: progress, .progress)
}

@c @implementation
package func folio_progress_use(_ progress: OpaquePointer?, _ error: ErrorPlace) -> folio_status {
    status(error) {
        if progress != nil { _ = try content(progress) }
        ProgressContent.use(progress)
    }
}

@c @implementation
package func folio_progress_fraction(_ progress: OpaquePointer?) -> Double {
    (try? content(progress))?.meter.fraction ?? .nan
}

@c @implementation
package func folio_progress_cancel(_ progress: OpaquePointer?) { (try? content(progress))?.meter.cancel() }

@c @implementation
package func folio_progress_free(_ progress: OpaquePointer?) {
    _ = HandleTable.release(progress, .progress, as: ProgressContent.self)
}
