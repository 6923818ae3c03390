import Foundation
import Testing
import TestSupport

/// Makes `DocumentSamples/Hostile` anew: run `.ci/make-hostile`. Identities and dates differ from
/// run to run.
struct MakeHostileDocuments {
    private static let isAsked = ProcessInfo.processInfo.environment["FOLIO_MAKE_HOSTILE"] != nil

    @Test(.enabled(if: isAsked)) func make() async throws {
        let folder = HostileTable.folder
        for name in (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        where name != HostileTable.fileName {
            try FileManager.default.removeItem(at: folder.appendingPathComponent(name))
        }
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let scratch = FileManager.default.temporaryDirectory.appendingPathComponent(
            "folio-hostile-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: scratch, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: scratch) }
        let set = HostileSet(folder: folder, small: try await SmallDocument(in: scratch))
        try set.makeArchives()
        try set.makeManifests()
        try set.makeModels()
        try set.makePropertyLists()
        try set.makeStores()
    }
}
