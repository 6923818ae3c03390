package import CFolio
internal import Folio
internal import Foundation
internal import Interchange

@c @implementation
package func folio_document_save(_ document: OpaquePointer?, _ error: ErrorPlace) -> folio_status {
    status(error) { try documentContent(document).drive { try await $0.save() } }
}

@c @implementation
package func folio_document_start_save(
    _ document: OpaquePointer?, _ completion: folio_completion?, _ context: UnsafeMutableRawPointer?,
    _ error: ErrorPlace
) -> folio_status {
    status(error) {
        let content = try documentContent(document), context = HostContext(context)
        guard let completion else { throw InterchangeError.usage("the completion is NULL") }
        try content.perform { _ in
            content.start(ProgressContent.current) { content in
                var failure: (any Error)?
                do { try await content.opened.save() } catch { failure = error }
                content.add(.completion(completion, context, failure))
                content.noteState()
            }
        }
    }
}

@c @implementation
package func folio_document_save_as(
    _ document: OpaquePointer?, _ path: UnsafePointer<CChar>?, _ form: folio_form, _ replace: Bool,
    _ error: ErrorPlace
) -> folio_status {
    status(error) {
        let path = try text(path, "the path")
        let form = try documentForm(form) ?? DocumentForm(extensionOf: path)
        try documentContent(document).drive { document in
            try await document.save(as: URL(fileURLWithPath: path), form: form, replacing: replace)
        }
    }
}

@c @implementation
package func folio_document_write_copy(
    _ document: OpaquePointer?, _ path: UnsafePointer<CChar>?, _ form: folio_form, _ replace: Bool,
    _ include_versions: Bool, _ error: ErrorPlace
) -> folio_status {
    status(error) {
        let path = try text(path, "the path")
        let form = try documentForm(form) ?? DocumentForm(extensionOf: path)
        try documentContent(document).drive { document in
            try await document.write(
                to: URL(fileURLWithPath: path), form: form, replacing: replace, includingVersions: include_versions)
        }
    }
}

@c @implementation
package func folio_document_autosave(_ document: OpaquePointer?, _ error: ErrorPlace) -> folio_status {
    status(error) { try documentContent(document).drive { try await $0.autosave() } }
}

@c @implementation
package func folio_document_revert(_ document: OpaquePointer?, _ error: ErrorPlace) -> folio_status {
    status(error) { try documentContent(document).drive { try await $0.revert() } }
}

@c @implementation
package func folio_document_set_policy(
    _ document: OpaquePointer?, _ policy: UnsafePointer<folio_policy>?, _ error: ErrorPlace
) -> folio_status {
    status(error) {
        let content = try documentContent(document), policy = try savingPolicy(policy)
        try content.perform { _ in
            try content.actor.assumeIsolated { actor in
                try content.opened.startBackgroundTasks(policy, isolation: actor)
            }
        }
    }
}

@c @implementation
package func folio_document_stop_policy(_ document: OpaquePointer?, _ error: ErrorPlace) -> folio_status {
    status(error) { try documentContent(document).perform { $0.stopBackgroundTasks() } }
}

private func savingPolicy(_ pointer: UnsafePointer<folio_policy>?) throws -> SavingPolicy {
    guard let pointer else { return .explicit }
    let policy = try structure(pointer, size: pointer.pointee.size, folio_policy())
    // A century: a policy has no use for more, and its end can be computed with.
    let limit = 3.2e9
    guard !policy.idle.isNaN, policy.idle <= limit, (0...limit).contains(policy.minimum_interval),
        (0...limit).contains(policy.maximum_delay)
    else { throw InterchangeError.usage("a time of the policy is no number of seconds") }
    return SavingPolicy(
        idle: policy.idle < 0 ? nil : .seconds(policy.idle), minimumInterval: .seconds(policy.minimum_interval),
        maximumDelay: .seconds(policy.maximum_delay), savesWhenIdle: policy.saves_when_idle,
        unsavedWorkOnClose: try unsavedWork(policy.on_close))
}
