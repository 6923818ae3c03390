import ObjectGraph
import Schema

extension ManagedObject {
    /// The names or titles of a relationship's objects: sorted for an unordered one.
    func names(_ key: String) -> [String] {
        func name(_ object: ManagedObject) -> String {
            let key =
                object.entity.property(named: "name") != nil
                ? "name" : object.entity.property(named: "title") != nil ? "title" : "number"
            return object[key].map { "\($0)" } ?? "?"
        }
        switch self[key] {
        case let set as Set<ManagedObject>: return set.map(name).sorted()
        case let array as [ManagedObject]: return array.map(name)
        case let object as ManagedObject: return [name(object)]
        default: return []
        }
    }

    func object(_ key: String) -> ManagedObject? { self[key] as? ManagedObject }
}
