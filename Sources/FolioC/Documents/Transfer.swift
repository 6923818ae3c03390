package import CFolio
internal import Folio
internal import Foundation
internal import Interchange

@c @implementation
package func folio_document_import(
    _ document: OpaquePointer?, _ path: UnsafePointer<CChar>?, _ options: UnsafePointer<folio_import_options>?,
    _ report: UnsafeMutablePointer<folio_import_report>?, _ error: ErrorPlace
) -> folio_status {
    status(error) {
        let path = try text(path, "the path")
        let options = try options.map { try structure($0, size: $0.pointee.size, folio_import_options()) }
        let entity = try optionalText(options?.entity, "the entity")
        let match = try optionalText(options?.match, "the keys to match")
        var wanted = ImportOptions(entity: entity)
        wanted.match = match.map { [$0] } ?? []
        wanted.createsMissing = options?.creates_missing ?? false
        wanted.importsAsNew = options?.imports_as_new ?? false
        let counts = try documentContent(document).edit {
            try $0.importObjects(operand: path, options: wanted)
        }
        guard let report else { return }
        let size = report.pointee.size
        try fill(
            report, size: size,
            folio_import_report(
                size: size, inserted: counts.inserted, updated: counts.updated, unchanged: counts.unchanged))
    }
}

@c @implementation
package func folio_document_export(
    _ document: OpaquePointer?, _ path: UnsafePointer<CChar>?, _ format: folio_format,
    _ entity: UnsafePointer<CChar>?, _ error: ErrorPlace
) -> folio_status {
    status(error) {
        let content = try documentContent(document), path = try text(path, "the path")
        let entity = try optionalText(entity, "the entity")
        let kind: ExportFormat =
            switch format {
            case FOLIO_JSON: .json
            case FOLIO_JSON_LINES: .jsonLines
            case FOLIO_CSV: .csv
            default: throw InterchangeError.usage("there is no format \(format.rawValue)")
            }
        try content.drive { try await $0.export(toFile: path, as: kind, entity: entity) }
    }
}

@c @implementation
package func folio_diff(
    _ old_document: UnsafePointer<CChar>?, _ new_document: UnsafePointer<CChar>?,
    _ different: UnsafeMutablePointer<Bool>?, _ report: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?,
    _ error: ErrorPlace
) -> folio_status {
    status(error) {
        try ForkGeneration.check()
        let old = try text(old_document, "the old document"), new = try text(new_document, "the new document")
        let different = try place(different, "the place of the answer")
        let result = try DocumentContent().driveAlways { _ in
            try await DocumentDifference.json(from: old, to: new)
        }
        different.pointee = result.isDifferent
        report?.pointee = ownedText(result.report)
    }
}

@c @implementation
package func folio_migrate(_ path: UnsafePointer<CChar>?, _ model: UnsafePointer<CChar>?, _ error: ErrorPlace)
    -> folio_status
{
    status(error) {
        try ForkGeneration.check()
        let path = try text(path, "the path"), model = try text(model, "the model")
        try DocumentContent().driveAlways { _ in
            _ = try await PersistentDocument.migrate(
                URL(fileURLWithPath: path), by: ModelArgument.route(to: model))
        }
    }
}

// MARK: Other programs

@c @implementation
package func folio_document_check_outside(
    _ document: OpaquePointer?, _ event: UnsafeMutablePointer<Int32>?, _ error: ErrorPlace
) -> folio_status {
    status(error) {
        let change = try documentContent(document).drive { await $0.checkForOutsideChanges() }
        event?.pointee = Int32(change.flatMap { folio_event_kind($0) }?.rawValue ?? 0)
    }
}

@c @implementation
package func folio_document_resolve_conflict(
    _ document: OpaquePointer?, _ resolution: folio_resolution, _ path: UnsafePointer<CChar>?,
    _ report: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?, _ error: ErrorPlace
) -> folio_status {
    status(error) {
        let path = try optionalText(path, "the path")
        let chosen: ConflictResolution =
            switch resolution {
            case FOLIO_KEEP_MINE_AS_COPY: .keepMineAsCopy(at: path.map { URL(fileURLWithPath: $0) })
            case FOLIO_TAKE_THEIRS: .takeTheirs
            case FOLIO_MERGE_ERROR: .merge(.error)
            case FOLIO_MERGE_MINE: .merge(.mergeByPropertyObjectTrump)
            case FOLIO_MERGE_THEIRS: .merge(.mergeByPropertyStoreTrump)
            default: throw InterchangeError.usage("there is no resolution \(resolution.rawValue)")
            }
        let outcome = try documentContent(document).drive { try await $0.resolveConflict(chosen) }
        report?.pointee = ownedText(JSONWriter.text(outcome.json))
    }
}
