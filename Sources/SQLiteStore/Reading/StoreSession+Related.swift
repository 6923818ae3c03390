import RowMemory
import Schema
import SQLiteKit
import Storage

extension StoreSession {
    /// The members of a to-many relationship of some owners, in one statement.
    func related(entityIndex: Int, propertyIndex: Int, owners: [Int64], includingRows: Bool) throws -> RelatedBatch {
        let property = layout.model.entities[entityIndex].properties[propertyIndex]
        let storage = try layout.storage(of: entityIndex).properties[propertyIndex]
        guard !owners.isEmpty, let link = MemberLink(storage) else {
            return RelatedBatch(members: owners.map { _ in [] })
        }

        let destination = try layout.storage(of: link.destinationIndex)
        let reader = try reader(link.destinationIndex, includingSubentities: true)
        var select = SelectStatement(destination)
        select.restrict(to: layout.numbers(of: link.destinationIndex, includingSubentities: true))
        link.join(to: &select)
        let scans = try !link.canRepeat && fillsTable(owners, of: link, destination)
        select.conditions.append(scans ? link.owners(within: owners) : .key(link.owner, isIn: owners))

        let isOrdered = property.relationship?.isOrdered ?? false
        if includingRows, !isOrdered, !link.canRepeat, reader.isOfOneEntity {
            var columns = reader.columns
            let owner = columns.firstIndex(of: link.owner) ?? columns.count
            if owner == columns.count { columns.append(link.owner) }
            if scans,
                let scanned = try scan(
                    destination, columns, into: { MemberRowCollector(reader, owners: owners, ownerColumn: owner) })
            {
                return scanned.related
            }
            let collector = MemberRowCollector(reader, owners: owners, ownerColumn: owner)
            if scans {
                try scanning(destination) { try run(select, columns, into: collector) }
            } else {
                try run(select, columns, into: collector)
            }
            return collector.related
        }
        var columns = includingRows ? reader.columns : Array(reader.columns.prefix(RowReader.headerCount))
        columns += [link.owner, isOrdered ? link.order ?? "NULL" : "NULL"]
        let collector = MemberCollector(
            reader, owners: owners, ownerColumn: columns.count - 2, includingRows: includingRows,
            canRepeat: link.canRepeat)
        try run(select, columns, into: collector)
        return RelatedBatch(members: collector.members, rows: collector.batch)
    }

    /// Whether the owners' members are more than two fifths of their table, above which an index
    /// costs more than a scan. Estimated from a sample of owners and the table's greatest primary
    /// key.
    private func fillsTable(_ owners: [Int64], of link: MemberLink, _ destination: EntityStorage) throws -> Bool {
        let sampled = 16
        guard owners.count >= sampled * 4 else { return false }
        let sample = (0..<sampled).map { owners[$0 * owners.count / sampled] }
        let table = SQLName.quoted(destination.table)
        let inSample =
            SQLFragment("SELECT count(*) FROM \(table) \(SelectStatement.rootAlias) WHERE ")
            + .key(link.owner, isIn: sample)
        let members = try connection.value(inSample.text, inSample.arguments)?.integer ?? 0
        let last = try connection.value("SELECT max(Z_PK) FROM \(table)")?.integer ?? 0
        return Double(members) * Double(owners.count) / Double(sampled) > 0.4 * Double(last)
    }
}

/// The expressions that select members with their owners: `owner` and `order` are SQL expressions,
/// `t0` is the members' table.
private struct MemberLink {
    let destinationIndex: Int
    let owner: String
    let order: String?
    private let table: String?
    /// Whether a member can have several owners.
    var canRepeat: Bool { table != nil }

    init?(_ storage: PropertyStorage) {
        switch storage {
        case .toMany(let key):
            destinationIndex = key.destinationIndex
            owner = SelectStatement.column(key.key)
            order = key.order.map { SelectStatement.column($0) }
            table = nil
        case .manyToMany(let join):
            destinationIndex = join.destinationIndex
            owner = "j.owner"
            order = "j.position"
            let (table, owner, member) = (
                SQLName.quoted(join.table), SQLName.quoted(join.ownerColumn), SQLName.quoted(join.memberColumn)
            )
            let position = join.memberOrder.map { SQLName.quoted($0) } ?? "NULL"
            var rows = "SELECT \(owner) AS owner, \(member) AS member, \(position) AS position FROM \(table)"
            if join.isReflexive { rows += " UNION SELECT \(member), \(owner), \(position) FROM \(table)" }
            self.table = rows
        case .none, .attribute, .composite, .toOne:
            return nil
        }
    }

    /// A condition that includes all rows of the owners, and possibly others. The unary plus keeps
    /// SQLite from using the index, which would visit much of the table row by row.
    func owners(within owners: [Int64]) -> SQLFragment {
        SQLFragment("+\(owner) BETWEEN ? AND ?", [.integer(owners.min() ?? 0), .integer(owners.max() ?? 0)])
    }

    func join(to select: inout SelectStatement) {
        guard let table else { return }
        select.joins.append(SQLFragment("JOIN (\(table)) j ON j.member = \(SelectStatement.rootAlias).Z_PK"))
    }
}

/// Groups members by owner, and orders them as the relationship orders them.
private final class MemberCollector: RowReceiver {
    private struct Member {
        let reference: ObjectReference
        let position: Int64

        /// Orders by position; members with equal or no positions by entity and primary key.
        static func precedes(_ left: Member, _ right: Member) -> Bool {
            (left.position, left.reference.entityIndex, left.reference.key) < (
                right.position, right.reference.entityIndex, right.reference.key
            )
        }
    }

    private let reader: RowReader
    private let owners: [Int64: Int]
    private let owner: Int
    private let includesRows: Bool
    private let canRepeat: Bool
    // Changed only by `receive`, which SQLite never calls concurrently, and read after the
    // statement is finished.
    @exclusivity(unchecked) private var collected: ContiguousArray<ContiguousArray<Member>>
    @exclusivity(unchecked) private var seen: Set<Int64> = []
    @exclusivity(unchecked) private(set) var batch = RowBatch()
    /// The owner of the previous row, and its index. The members of an owner are usually adjacent.
    @exclusivity(unchecked) private var last: (owner: Int64, place: Int) = (0, -1)

    /// - Parameter ownerColumn: the column with the owner's key; the next column has the position.
    init(_ reader: RowReader, owners: [Int64], ownerColumn: Int, includingRows: Bool, canRepeat: Bool) {
        self.reader = reader
        self.owners = Dictionary(zip(owners, owners.indices), uniquingKeysWith: { first, _ in first })
        owner = ownerColumn
        includesRows = includingRows
        self.canRepeat = canRepeat
        collected = ContiguousArray(repeating: [], count: owners.count)
    }

    func receive(_ cells: some ResultCells) {
        guard let place = place(of: cells.int64(at: owner)), let entityIndex = reader.entityIndex(of: cells) else {
            return
        }
        let key = cells.int64(at: 0)
        let position = cells.typeNumber(at: owner + 1) == CellType.null ? .max : cells.int64(at: owner + 1)
        collected[place].append(
            Member(reference: ObjectReference(key: key, entityIndex: entityIndex), position: position))
        if includesRows, !canRepeat || seen.insert(key).inserted { reader.append(cells, to: &batch) }
    }

    @inline(__always) private func place(of owner: Int64) -> Int? {
        if owner == last.owner, last.place >= 0 { return last.place }
        guard let place = owners[owner] else { return nil }
        last = (owner, place)
        return place
    }

    /// The members of each owner, in the order of the owners.
    var members: [[ObjectReference]] {
        collected.map { members in
            let isSorted = zip(members, members.dropFirst()).allSatisfy { Member.precedes($0, $1) }
            return (isSorted ? members : ContiguousArray(members.sorted(by: Member.precedes))).map(\.reference)
        }
    }
}
