import RowMemory
import Schema
import Storage

/// The objects of a store before a save changes anything: all of them in memory, or read from
/// elsewhere on demand.
protocol ChangeableTable: AnyObject {
    var shape: TableShape { get }
    var identity: StoreIdentity { get }

    func row(_ key: Int64, entityIndex: Int) throws -> Row?
    /// The greatest primary key of a hierarchy to which rows with greater keys can be appended in
    /// order; nil if they must be checked one by one.
    func lastNumber(root: Int) -> Int64?
    /// The members of an owner; empty if the owner does not exist.
    func members(of owner: Int64, _ relation: Int) throws -> [ObjectReference]
    /// The members of all owners.
    func allLists(of relation: Int) throws -> [Int64: [ObjectReference]]
    /// Whether the owners have lists that must be updated if the members' rows change.
    func hasLists(_ relation: Int) -> Bool
    /// The objects with the values of a constraint that the candidates will have; others may be
    /// included.
    func uniqueness(_ constraint: Int, of candidates: [Row]) throws -> UniquenessIndex
}

extension ChangeableTable {
    func lastNumber(root: Int) -> Int64? { nil }

    /// The object of a reference; nil if the object with this key has another entity than the
    /// reference states.
    func row(_ reference: ObjectReference) throws -> Row? {
        try row(reference.key, entityIndex: reference.entityIndex).flatMap { shape.row($0, ifNamedBy: reference) }
    }
}

extension RowTable {
    func lastNumber(root: Int) -> Int64? { hierarchies[root].greatestKey }

    func row(_ reference: ObjectReference) -> Row? {
        row(reference.key, entityIndex: reference.entityIndex).flatMap { shape.row($0, ifNamedBy: reference) }
    }
}

extension TableShape {
    fileprivate func row(_ row: Row, ifNamedBy reference: ObjectReference) -> Row? {
        model.entities[reference.entityIndex].family.contains(row.entityIndex) ? row : nil
    }
}

/// A source of primary keys for new objects.
protocol NumberSource {
    /// Records that a key is in use.
    mutating func note(_ key: Int64, root: Int)
    /// Reserves `count` consecutive keys for new objects of an entity and returns the first.
    mutating func take(_ count: Int, root: Int, entityIndex: Int) throws -> Int64
}
