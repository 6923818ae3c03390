internal import DocumentFiles
internal import FileSystem
internal import Foundation
internal import Migration
internal import SQLiteStore
internal import Schema
internal import Storage

/// Migration in several steps, of which some go by mapping models. Each step, or run of steps that
/// a store can carry out, writes a store; all but the last lie in a temporary folder.
extension MigratedStoreBuilder {
    /// - Parameter files: The location of the large values of the last store.
    func makeStore(at path: String, _ files: ExternalValues, by steps: [VersionStep]) throws {
        let folder = try StateFolder.makeTemporary()
        defer { StateFolder.removeTemporary(folder) }
        var current: any StoreBackend = session.store, rest = steps[...], number = 0
        defer { if number > 0 { try? current.close() } }
        while let first = rest.first {
            let plans = Array(rest.prefix { $0.plan != nil }.compactMap(\.plan))
            let run = plans.isEmpty ? rest.prefix(1) : rest.prefix(plans.count)
            rest = rest.dropFirst(run.count)
            guard let last = run.last else { break }
            let place = rest.isEmpty ? path : FilePath.join(folder, "\(number).sqlite")
            let values = rest.isEmpty ? files : ExternalValues.besideStore(at: place)
            var description = PersistentStoreDescription(url: URL(fileURLWithPath: place))
            let model = plans.isEmpty ? last.destination : first.source
            let store = try SQLitePersistentStore.create(description, model: model, uuid: session.uuid, files: values)
            do {
                if let mapping = first.mapping, plans.isEmpty {
                    try migrateObjects(from: current, to: store, mapping)
                } else {
                    try RowCopier(
                        from: current, to: store, progress: { try WorkProgress.advance(by: Int64($0)) }
                    ).copy()
                }
                try DocumentWriter.copyApplicationMetadata(from: session.store, to: store)
                if plans.isEmpty, let source = session.sqliteStore { try GreatestKeys(of: source).hold(in: store) }
                try store.closeAsOneFile()
            } catch {
                try? store.close()
                throw error
            }
            if !plans.isEmpty {
                try migrateCopy(&description) {
                    try SQLitePersistentStore.migrate(
                        $0, plans, files: values, checksRules: checksRules, progress: progress)
                }
            }
            if number > 0 { try current.close() }
            number = 0
            guard !rest.isEmpty else { return }
            description.createsIfMissing = false
            current = try SQLitePersistentStore.open(description, model: last.destination, files: values)
            number = steps.count - rest.count
        }
    }
}
