package import CFolio
import Coding
internal import Folio
internal import Foundation
internal import Interchange

@c @implementation
package func folio_document_open(
    _ path: UnsafePointer<CChar>?, _ options: UnsafePointer<folio_open_options>?, _ error: ErrorPlace
) -> OpaquePointer? {
    pointer(error) {
        try ForkGeneration.check()
        let opening = try Opening(path: text(path, "the path"), options)
        return try open { content in content.document = try await opening.open() }
    }
}

@c @implementation
package func folio_document_create(
    _ path: UnsafePointer<CChar>?, _ model: UnsafePointer<CChar>?, _ form: folio_form, _ replace: Bool,
    _ error: ErrorPlace
) -> OpaquePointer? {
    pointer(error) {
        try ForkGeneration.check()
        let path = try text(path, "the path"), model = try text(model, "the model")
        let form = try documentForm(form) ?? DocumentForm(extensionOf: path) ?? .package
        return try open { content in
            let loaded = try await ModelArgument.load(model)
            content.document = try await PersistentDocument.create(
                at: URL(fileURLWithPath: path), model: loaded.model, form: form, modelName: loaded.nameInDocuments,
                replacing: replace)
        }
    }
}

/// Makes the handle of a document that `body` opens.
private func open(_ body: @escaping @Sendable (DocumentContent) async throws -> Void) throws -> OpaquePointer {
    let content = DocumentContent()
    try content.driveAlways { content in
        try await body(content)
        content.didOpen()
    }
    let handle = HandleTable.handle(of: content)
    content.performAlways { content.handle = handle }
    return handle
}

/// The form that a number stands for; nil for the default.
func documentForm(_ form: folio_form) throws -> DocumentForm? {
    switch form {
    case FOLIO_FORM_DEFAULT: nil
    case FOLIO_FORM_PACKAGE: .package
    case FOLIO_FORM_ARCHIVE: .archive
    case FOLIO_FORM_SQLITE: .store
    case FOLIO_FORM_BINARY: .binaryStore
    case FOLIO_FORM_XML: .xmlStore
    default: throw InterchangeError.usage("there is no form \(form.rawValue)")
    }
}

/// What the options of `folio_document_open()` say.
private struct Opening: Sendable {
    private enum Migration: Sendable {
        case refuse, automatic, ask, readingCopy
    }

    private let path: String
    private var mode = PersistentDocument.Mode.editing
    private var recovery = PersistentDocument.Recovery.refuse
    private var model: String?
    private var version: Int?
    private var migration: Migration?
    private var question: (@convention(c) (UnsafeMutableRawPointer?, UnsafePointer<CChar>?) -> Bool)?
    private var context = HostContext(nil)

    init(path: String, _ pointer: UnsafePointer<folio_open_options>?) throws {
        self.path = path
        guard let pointer else { return }
        let options = try structure(pointer, size: pointer.pointee.size, folio_open_options())
        model = try optionalText(options.model, "the model")
        (question, context) = (options.ask, HostContext(options.context))
        switch options.mode {
        case FOLIO_EDITING: mode = .editing
        case FOLIO_READING: mode = .reading
        default: throw InterchangeError.usage("there is no mode \(options.mode.rawValue)")
        }
        switch options.recovery {
        case FOLIO_RECOVERY_REFUSE: recovery = .refuse
        case FOLIO_RECOVERY_KEEP: recovery = .keep
        case FOLIO_RECOVERY_DISCARD: recovery = .discard
        default: throw InterchangeError.usage("there is no treatment of unsaved work \(options.recovery.rawValue)")
        }
        migration =
            switch options.migration {
            case FOLIO_MIGRATION_NONE: nil
            case FOLIO_MIGRATION_REFUSE: .refuse
            case FOLIO_MIGRATION_AUTOMATIC: .automatic
            case FOLIO_MIGRATION_ASK: .ask
            case FOLIO_MIGRATION_READING_COPY: .readingCopy
            default: throw InterchangeError.usage("there is no treatment of models \(options.migration.rawValue)")
            }
        if migration != nil, model == nil { throw InterchangeError.usage("a migration needs a model") }
        if migration == .ask, question == nil { throw InterchangeError.usage("FOLIO_MIGRATION_ASK needs a function") }
        guard options.is_version else {
            guard options.version == 0 else { throw InterchangeError.usage("a version is opened with `is_version`") }
            return
        }
        guard options.version >= 0, migration == nil, recovery == .refuse else {
            throw InterchangeError.usage("a version has no negative number, no unsaved work, and is not migrated")
        }
        version = Int(options.version)
    }

    func open() async throws -> PersistentDocument {
        let url = URL(fileURLWithPath: path)
        if let version {
            return try await DocumentOpening.open(
                url, mode: .reading, state: .version(version), fitting: FittingModel.choice(model))
        }
        guard let migration, let model else {
            return try await DocumentOpening.open(
                url, mode: mode, recovery: recovery, fitting: FittingModel.choice(model))
        }
        let policy: MigrationPolicy =
            switch migration {
            case .refuse: .refuse
            case .automatic: .automatic
            case .readingCopy: .readingCopy
            case .ask: .ask { plan in self.isWanted(plan) }
            }
        return try await PersistentDocument.open(
            url, by: ModelArgument.route(to: model), migration: policy, mode: mode, recovery: recovery)
    }

    private func isWanted(_ plan: DocumentMigration) -> Bool {
        let json = JSONWriter.text(
            .object([
                "from": plan.from.map { .string($0) } ?? .null, "steps": .strings(plan.steps),
                "losses": .strings(plan.losses.map(\.description)), "rows": .int(plan.rows), "bytes": .int(plan.bytes),
            ]))
        return json.withCString { question?(context.pointer, $0) ?? false }
    }
}

extension DocumentContent {
    /// Begins to tell the host of what happens to the document, which is open.
    func didOpen() {
        document?.outsideChangeHandler = { [weak self] change in self?.note(change) }
        document?.autosaveErrorHandler = { [weak self] error in self?.add(.event(FOLIO_EVENT_AUTOSAVE_FAILED, error)) }
        shownState = document.map { ShownState($0) }
    }

    private func note(_ change: OutsideChange) {
        guard let event = folio_event_kind(change) else { return }
        if case .unreadable(let error) = change { add(.event(event, error)) } else { add(.event(event, nil)) }
        noteState()
    }
}

extension folio_event_kind {
    init?(_ change: OutsideChange) {
        switch change {
        case .moved: self = FOLIO_EVENT_MOVED
        case .reloaded: self = FOLIO_EVENT_RELOADED
        case .conflict: self = FOLIO_EVENT_CONFLICT
        case .deleted: self = FOLIO_EVENT_DELETED
        case .unreadable: self = FOLIO_EVENT_UNREADABLE
        case .resolved: return nil
        }
    }
}

// MARK: Closing

@c @implementation
package func folio_document_close(_ document: OpaquePointer?, _ work: folio_close, _ error: ErrorPlace) -> folio_status
{
    status(error) {
        let content = try documentContent(document)
        let treatment = try unsavedWork(work)
        try content.drive { document in
            if let treatment { try await document.close(treatment) } else { try await document.close() }
        }
    }
}

/// What a number says of unsaved work; nil for what the policy says.
func unsavedWork(_ work: folio_close) throws -> PersistentDocument.UnsavedWork? {
    switch work {
    case FOLIO_CLOSE_POLICY: nil
    case FOLIO_CLOSE_SAVE: .save
    case FOLIO_CLOSE_KEEP: .keep
    case FOLIO_CLOSE_DISCARD: .discard
    default: throw InterchangeError.usage("there is no treatment of unsaved work \(work.rawValue)")
    }
}

func documentContent(_ handle: OpaquePointer?) throws -> DocumentContent {
    try HandleTable.content(of: handle, .document)
}

@c @implementation
package func folio_document_is_open(_ document: OpaquePointer?) -> Bool {
    guard let content = try? documentContent(document) else { return false }
    return (try? content.perform(reading: true) { _ in true }) ?? false
}

@c @implementation
package func folio_document_free(_ document: OpaquePointer?) {
    // A function that the library calls can't free what the call is about.
    guard let content = try? documentContent(document), !content.monitor.isInside,
        HandleTable.release(document, .document, as: DocumentContent.self) != nil
    else { return }
    content.monitor.setNotify(nil)
    content.performAlways {
        content.handle = nil
        content.handler = nil
        content.notices = []
    }
    try? content.driveAlways { content in
        if let document = content.document, document.isOpen { _ = await document.closeForLastTime(nil) }
        // Also where it could not be closed: the lock goes with it, and autosaved work stays.
        content.document = nil
    }
}

// MARK: State

@c @implementation
package func folio_document_change_count(_ document: OpaquePointer?) -> UnsafePointer<UInt64>? {
    (try? documentContent(document)).map { UnsafePointer($0.monitor.changeCount) }
}

@c @implementation
package func folio_document_get_info(
    _ document: OpaquePointer?, _ info: UnsafeMutablePointer<folio_document_info>?, _ error: ErrorPlace
) -> folio_status {
    status(error) {
        let content = try documentContent(document), info = try place(info, "the info")
        try content.perform(reading: true) { document in
            let size = info.pointee.size
            let kind =
                switch document.kind {
                case .package: FOLIO_KIND_PACKAGE
                case .archive: FOLIO_KIND_ARCHIVE
                case .store: FOLIO_KIND_STORE
                case .managedDocument: FOLIO_KIND_MANAGED_DOCUMENT
                }
            try fill(
                info, size: size,
                folio_document_info(
                    size: size, kind: kind, mode: document.mode == .editing ? FOLIO_EDITING : FOLIO_READING,
                    path: content.keptText(document.url.path), uuid: content.keptText(document.uuid),
                    model_name: document.manifest.map { content.keptText($0.model.name) },
                    has_unsaved_changes: document.hasUnsavedChanges, has_autosaved_work: document.hasAutosavedWork,
                    has_recovered_work: document.recovered != nil, has_conflict: document.outsideChange == .conflict,
                    generation: Int64(document.generation ?? 0), saved: seconds(document.saved),
                    autosaved: seconds(document.autosaved),
                    missing_parts: content.keptText(JSONWriter.text(.strings(document.store.missingParts)))))
        }
    }
}

/// A date for the host; NaN for none.
func seconds(_ date: Date?) -> Double { date?.timeIntervalSinceReferenceDate ?? .nan }
