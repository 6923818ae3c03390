package import Foundation
import SQLiteKit
import Storage

extension SQLitePersistentStore {
    /// The number of objects of each entity in a store's tables, subentities not included. No model
    /// is needed, and nothing is written.
    /// - Returns: The counts by the names of the entities of the store's model, including abstract
    ///   ones.
    /// - Throws: `StorageError`, as `open`.
    package static func objectCounts(at url: URL) throws -> [String: Int] {
        do {
            try checkKind(of: url.path)
            return try Connection.reading(url.path) { connection in
                let catalog = try StoreCatalog.read(from: connection)
                let known = try modelInfo(from: connection, catalog).versionHashes
                // `Z_PRIMARYKEY` also has rows for the history, which are not entities of the
                // model.
                let entities = catalog.entities.filter { known.isEmpty || known[$0.name] != nil }
                var counts = Dictionary(entities.map { ($0.name, 0) }) { first, _ in first }
                let names = Dictionary(entities.map { ($0.number, $0.name) }) { first, _ in first }
                for root in entities where root.parent == 0 {
                    let table = "Z" + root.name.uppercased()
                    guard catalog.table(table) != nil else { continue }
                    for row in try connection.rows(
                        "SELECT Z_ENT, count(*) FROM \(SQLName.quoted(table)) WHERE Z_PK > 0 GROUP BY Z_ENT")
                    {
                        if let number = row[0].integer, let name = names[number] {
                            counts[name] = Int(row[1].integer ?? 0)
                        }
                    }
                }
                return counts
            }
        } catch {
            throw StorageError(error, path: url.path)
        }
    }
}
