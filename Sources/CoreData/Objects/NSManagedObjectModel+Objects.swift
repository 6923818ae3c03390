import Schema

extension NSManagedObjectModel {
    /// Where new objects live that are in no context yet.
    var waitingRoom: WaitingRoom { WaitingRoom.current(of: use()) }

    /// The entity of a class; nil where there is none, or more than one.
    func entity(of type: NSManagedObject.Type) -> NSEntityDescription? {
        let last = String(describing: type)
        let found = entities.filter { entity in
            guard let name = entity.content.entity.managedObjectClassName else { return false }
            return name.split(separator: ".").last.map(String.init) == last && ObjectClasses.type(named: name) == type
        }
        let concrete = found.filter { !$0.isAbstract }
        if concrete.count == 1 { return concrete[0] }
        if concrete.isEmpty, found.count == 1 { return found[0] }
        // Several entities may share a class: the one that is named as the class is meant.
        return found.first { $0.name == last }
    }
}
