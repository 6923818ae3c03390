import RowMemory
import Schema
import Storage

/// The objects of a store as a save sees them before it changes anything: all of them in memory, or
/// read from elsewhere when they are asked for.
protocol ChangeableTable: AnyObject {
    var shape: TableShape { get }
    var identity: StoreIdentity { get }

    func row(_ key: Int64, entityIndex: Int) throws -> Row?
    /// Behind which number new rows of a hierarchy can be put one after the other; nil where they
    /// have to be looked at one by one.
    func lastNumber(root: Int) -> Int64?
    /// None for an owner that is not there.
    func members(of owner: Int64, _ relation: Int) throws -> [ObjectReference]
    /// The members of all owners.
    func allLists(of relation: Int) throws -> [Int64: [ObjectReference]]
    /// Whether a change of the members' rows has to be told to the owners.
    func hasLists(_ relation: Int) -> Bool
    /// Who has the values of a constraint that some rows are to have; it may know of others too.
    func uniqueness(_ constraint: Int, of candidates: [Row]) throws -> UniquenessIndex
}

extension ChangeableTable {
    func lastNumber(root: Int) -> Int64? { nil }

    /// The object that a reference leads to; nil also where the number is that of an object of
    /// another entity than the reference says.
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

/// Where the numbers of new objects come from.
protocol NumberSource {
    /// Minds that a number is taken.
    mutating func note(_ key: Int64, root: Int)
    /// Takes `count` numbers for new objects of an entity and returns the first; the others follow
    /// it.
    mutating func take(_ count: Int, root: Int, entityIndex: Int) throws -> Int64
}
