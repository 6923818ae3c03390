package import CFolio
internal import Folio
internal import Foundation
internal import Interchange

/// The earlier states of a document, as they were listed.
final class VersionsContent: HandleContent {
    fileprivate let versions: [DocumentVersion]
    fileprivate let names: [CText?]

    init(_ versions: [DocumentVersion]) {
        self.versions = versions
        names = versions.map { $0.name.map { CText($0) } }
        super.init(.versions)
    }
}

@c @implementation
package func folio_document_versions(_ document: OpaquePointer?, _ error: ErrorPlace) -> OpaquePointer? {
    pointer(error) {
        HandleTable.handle(of: VersionsContent(try documentContent(document).perform { try $0.versions() }))
    }
}

private func content(_ versions: OpaquePointer?) throws -> VersionsContent {
    try HandleTable.content(of: versions, .versions)
}

@c @implementation
package func folio_versions_count(_ versions: OpaquePointer?) -> Int { (try? content(versions))?.versions.count ?? 0 }

@c @implementation
package func folio_versions_get(
    _ versions: OpaquePointer?, _ index: Int, _ info: UnsafeMutablePointer<folio_version_info>?, _ error: ErrorPlace
) -> folio_status {
    status(error) {
        let content = try content(versions), info = try place(info, "the info")
        guard content.versions.indices.contains(index) else {
            throw InterchangeError.usage("there is no index \(index)")
        }
        let version = content.versions[index], size = info.pointee.size
        try fill(
            info, size: size,
            folio_version_info(
                size: size, generation: Int64(version.generation), saved: seconds(version.saved), bytes: version.bytes,
                name: content.names[index]?.pointer, is_pinned: version.isPinned))
    }
}

@c @implementation
package func folio_versions_free(_ versions: OpaquePointer?) {
    _ = HandleTable.release(versions, .versions, as: VersionsContent.self)
}

/// - Throws: an error with the status `FOLIO_NOT_FOUND`.
private func version(_ generation: Int64, of document: PersistentDocument) throws -> DocumentVersion {
    guard let version = try document.versions().last(where: { Int64($0.generation) == generation }) else {
        throw InterchangeError.notFound("there is no version \(generation)", path: document.url.path)
    }
    return version
}

@c @implementation
package func folio_document_restore_version(_ document: OpaquePointer?, _ generation: Int64, _ error: ErrorPlace)
    -> folio_status
{
    status(error) {
        try documentContent(document).drive { document in
            try await document.revert(to: version(generation, of: document))
        }
    }
}

@c @implementation
package func folio_document_name_version(
    _ document: OpaquePointer?, _ generation: Int64, _ name: UnsafePointer<CChar>?, _ error: ErrorPlace
) -> folio_status {
    status(error) {
        let name = try optionalText(name, "the name")
        try documentContent(document).perform { try $0.setName(name, of: version(generation, of: $0)) }
    }
}

@c @implementation
package func folio_document_pin_version(
    _ document: OpaquePointer?, _ generation: Int64, _ is_pinned: Bool, _ error: ErrorPlace
) -> folio_status {
    status(error) {
        try documentContent(document).perform { try $0.setPinned(is_pinned, version(generation, of: $0)) }
    }
}

@c @implementation
package func folio_document_remove_version(_ document: OpaquePointer?, _ generation: Int64, _ error: ErrorPlace)
    -> folio_status
{
    status(error) {
        try documentContent(document).perform { try $0.removeVersions([version(generation, of: $0)]) }
    }
}

@c @implementation
package func folio_document_export_version(
    _ document: OpaquePointer?, _ generation: Int64, _ path: UnsafePointer<CChar>?, _ form: folio_form,
    _ replace: Bool, _ error: ErrorPlace
) -> folio_status {
    status(error) {
        let path = try text(path, "the path")
        let form = try documentForm(form) ?? DocumentForm(extensionOf: path)
        try documentContent(document).drive { document in
            let number = try version(generation, of: document).generation
            let old = try await PersistentDocument.open(document.url, version: number)
            do {
                try await old.write(to: URL(fileURLWithPath: path), form: form, replacing: replace)
            } catch {
                try? await old.close()
                throw error
            }
            try await old.close()
        }
    }
}
