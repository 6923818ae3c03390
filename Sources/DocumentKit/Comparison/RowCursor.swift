internal import RowMemory
internal import Schema
internal import Storage

/// The rows of one entity in ascending order of number, with the members of some of their relationships; a batch at a time.
final class RowCursor {
    let store: any PersistentStore
    private let entity: Entity?
    private let memberProperties: [Int]
    private var rows = RowBatch()
    private var members: [Int: [[ObjectReference]]] = [:]
    private var index = -1
    private var offset = 0
    private var isLast = false
    private static let batchSize = 2048

    /// - Parameter entity: Nil for a store that does not know it: there are no rows then.
    /// - Parameter members: The places of to-many relationships whose members are wanted.
    init(_ store: any PersistentStore, _ entity: Entity?, members: [Int]) {
        self.store = store
        self.entity = entity
        memberProperties = members
        isLast = entity == nil
    }

    /// The number of the present row; nil after the last.
    var key: Int64? { index >= 0 && index < rows.count ? rows[index].key : nil }
    var row: Row { rows[index] }

    func members(_ propertyIndex: Int) -> [ObjectReference] { members[propertyIndex]?[index] ?? [] }

    /// Goes on to the next row; at first to the first.
    func advance() throws {
        index += 1
        if index >= rows.count, !isLast { try load() }
    }

    private func load() throws {
        guard let entity else { return }
        rows = try store.rows(RowRequest(entityIndex: entity.index, includesSubentities: false, offset: offset, limit: Self.batchSize))
        offset += rows.count
        isLast = rows.count < Self.batchSize
        index = 0
        let owners = (0..<rows.count).map { rows[$0].key }
        for property in memberProperties {
            members[property] = try store.related(entityIndex: entity.index, propertyIndex: property, owners: owners, includingRows: false).members
        }
    }
}
