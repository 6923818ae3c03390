import CoreData
import Synchronization
import Testing

/// A person who records which hooks were called, and runs closures of a test in them.
final class FactPerson: NSManagedObject {
    var events: [String] = []
    var inWillSave: ((FactPerson) -> Void)?
    var inDidSave: ((FactPerson) -> Void)?
    var validation: ((FactPerson) throws -> Void)?

    override func awakeFromInsert() {
        super.awakeFromInsert()
        events.append("insert \(value(forKey: "age") as? Int ?? -1)")
        setPrimitiveValue("awake", forKey: "nickname")
    }
    override func awakeFromFetch() {
        super.awakeFromFetch()
        events.append("fetch \(isFault)")
        setValue("derived", forKey: "note")
    }
    override func awake(fromSnapshotEvents flags: NSSnapshotEventType) {
        super.awake(fromSnapshotEvents: flags)
        events.append("snapshot \(flags.rawValue)")
    }
    override func prepareForDeletion() {
        super.prepareForDeletion()
        events.append("prepare")
    }
    override func willSave() {
        super.willSave()
        events.append("willSave")
        inWillSave?(self)
    }
    override func didSave() {
        super.didSave()
        events.append("didSave")
        inDidSave?(self)
    }
    override func willTurnIntoFault() {
        super.willTurnIntoFault()
        events.append("willFault")
    }
    override func didTurnIntoFault() {
        super.didTurnIntoFault()
        events.append("didFault")
    }
    override func validateForInsert() throws {
        events.append("validateInsert")
        try super.validateForInsert()
        try validation?(self)
    }
    override func validateForUpdate() throws {
        events.append("validateUpdate")
        try super.validateForUpdate()
        try validation?(self)
    }
    override func validateForDelete() throws {
        events.append("validateDelete")
        try super.validateForDelete()
    }
}

/// A lock whose values by key are its own.
final class FactLock: NSManagedObject {
    @Managed var title: String?

    override func value(forKey key: String) -> Any? {
        key == "title" ? (super.value(forKey: key) as? String)?.uppercased() : super.value(forKey: key)
    }
}

/// A coordinator with one store of a kind, over a model that has every kind of relationship and
/// rule.
final class Facts {
    enum Kind: String, CaseIterable, Sendable {
        case sqlite, xml, binary, inMemory

        var type: String {
            switch self {
            case .sqlite: NSSQLiteStoreType
            case .xml: NSXMLStoreType
            case .binary: NSBinaryStoreType
            case .inMemory: NSInMemoryStoreType
            }
        }
    }

    let folder: Folder
    let coordinator: NSPersistentStoreCoordinator
    let url: URL
    /// Contexts that live as long as the fixture, since objects don't keep theirs.
    private var contexts: [NSManagedObjectContext] = []

    init(_ kind: Kind, model: NSManagedObjectModel = Facts.model(), options: [AnyHashable: Any]? = nil) throws {
        folder = try Folder()
        url = folder.url.appendingPathComponent("facts.store")
        coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        try coordinator.addPersistentStore(
            ofType: kind.type, configurationName: nil, at: kind == .inMemory ? nil : url, options: options)
    }

    func context(
        _ type: NSManagedObjectContextConcurrencyType = .privateQueueConcurrencyType
    ) -> NSManagedObjectContext {
        let context = NSManagedObjectContext(concurrencyType: type)
        context.persistentStoreCoordinator = coordinator
        context.userInfo["folder"] = folder
        contexts.append(context)
        return context
    }

    /// Another coordinator over the same file.
    func again(_ options: [AnyHashable: Any]? = nil) throws -> NSManagedObjectContext {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: self.coordinator.managedObjectModel)
        let store = self.coordinator.persistentStores[0]
        try coordinator.addPersistentStore(
            ofType: store.type, configurationName: nil, at: store.url, options: options)
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        return context
    }

    static func relationship(_ name: String, toMany: Bool, _ rule: NSDeleteRule = .nullifyDeleteRule)
        -> NSRelationshipDescription
    {
        let relationship = NSRelationshipDescription()
        (relationship.name, relationship.deleteRule, relationship.maxCount) = (name, rule, toMany ? 0 : 1)
        return relationship
    }

    static func join(
        _ one: NSRelationshipDescription, of first: NSEntityDescription,
        _ other: NSRelationshipDescription, of second: NSEntityDescription
    ) {
        (one.destinationEntity, other.destinationEntity) = (second, first)
        (one.inverseRelationship, other.inverseRelationship) = (other, one)
        first.properties.append(one)
        second.properties.append(other)
    }

    static func entity(_ name: String, _ attributes: [NSAttributeDescription]) -> NSEntityDescription {
        let entity = NSEntityDescription()
        (entity.name, entity.properties) = (name, attributes)
        return entity
    }

    /// An attribute with bounds as the model editor makes them: 0 to 150, and 18 unless set.
    static func bounded() -> NSAttributeDescription {
        let file = FileManager.default.temporaryDirectory
            .appendingPathComponent("Bounds-\(UUID().uuidString).xcdatamodel")
        defer { try? FileManager.default.removeItem(at: file) }
        let text = """
            <?xml version="1.0" encoding="UTF-8" standalone="yes"?>
            <model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0" sourceLanguage="Swift">
                <entity name="Bounds" syncable="YES">
                    <attribute name="age" optional="YES" attributeType="Integer 16" minValueString="0"
                        maxValueString="150" defaultValueString="18" usesScalarValueType="YES"/>
                </entity>
            </model>
            """
        try? FileManager.default.createDirectory(at: file, withIntermediateDirectories: true)
        try? Data(text.utf8).write(to: file.appendingPathComponent("contents"))
        let age = NSManagedObjectModel(contentsOf: file)?.entitiesByName["Bounds"]?.attributesByName["age"]
        return age?.copy() as? NSAttributeDescription ?? NSAttributeDescription()
    }

    static func model() -> NSManagedObjectModel {
        let person = entity(
            "Person",
            [
                Library.attribute("name", .stringAttributeType) { $0.isOptional = false },
                bounded(),
                Library.attribute("nickname", .stringAttributeType),
                Library.attribute("note", .stringAttributeType) { $0.isTransient = true },
                Library.attribute("born", .dateAttributeType),
                Library.attribute("tags", .transformableAttributeType),
            ])
        person.managedObjectClassName = NSStringFromClass(FactPerson.self)
        let student = entity("Student", [Library.attribute("school", .stringAttributeType)])
        student.managedObjectClassName = NSStringFromClass(FactPerson.self)
        person.subentities = [student]
        let pet = entity("Pet", [Library.attribute("name", .stringAttributeType)])
        let club = entity("Club", [Library.attribute("name", .stringAttributeType)])
        let key = entity("Key", [Library.attribute("number", .integer32AttributeType) { $0.defaultValue = 0 }])
        let lock = entity("Lock", [Library.attribute("title", .stringAttributeType)])
        lock.managedObjectClassName = NSStringFromClass(FactLock.self)
        join(
            relationship("pets", toMany: true, .cascadeDeleteRule), of: person, relationship("owner", toMany: false),
            of: pet)
        join(relationship("boss", toMany: false), of: person, relationship("staff", toMany: true), of: person)
        join(relationship("clubs", toMany: true), of: person, relationship("members", toMany: true), of: club)
        let keys = relationship("keys", toMany: true)
        keys.isOrdered = true
        join(keys, of: person, relationship("holder", toMany: false), of: key)
        join(
            relationship("locks", toMany: true, .denyDeleteRule), of: person, relationship("owner", toMany: false),
            of: lock)
        let model = NSManagedObjectModel()
        model.entities = [person, student, pet, club, key, lock]
        return model
    }
}

extension NSManagedObjectContext {
    @discardableResult
    func make(_ entity: String, _ values: [String: Any] = [:]) -> NSManagedObject {
        let object = NSEntityDescription.insertNewObject(forEntityName: entity, into: self)
        for (key, value) in values { object.setValue(value, forKey: key) }
        return object
    }

    /// A new person; the name is "x" unless given.
    @discardableResult
    func person(_ values: [String: Any] = [:]) throws -> FactPerson {
        try #require(make("Person", ["name": "x"].merging(values) { _, new in new }) as? FactPerson)
    }

    @discardableResult
    func saved(_ values: [String: Any] = [:]) throws -> FactPerson {
        let object = try person(values)
        try save()
        object.events = []
        return object
    }

    func names(_ format: String? = nil, _ arguments: [Any] = []) throws -> [String] {
        try all("Person", format, arguments).map { $0.text("name") ?? "-" }.sorted()
    }
}

extension NSManagedObject {
    func int(_ key: String) -> Int? { value(forKey: key) as? Int }
    func objects(_ key: String) -> Set<NSManagedObject> { value(forKey: key) as? Set<NSManagedObject> ?? [] }
    func object(_ key: String) -> NSManagedObject? { value(forKey: key) as? NSManagedObject }
}

/// The notifications that contexts post while a closure runs.
enum Posts {
    struct Post: Sendable {
        let name: Notification.Name
        let counts: [String: Int]
        let keys: Set<String>

        subscript(key: String) -> Int { counts[key] ?? 0 }
    }

    static func of(
        _ context: AnyObject, _ names: Notification.Name..., while body: () throws -> Void
    ) rethrows -> [Post] {
        let posts = Mutex<[Post]>([])
        let observers = names.map { name in
            NotificationCenter.default.addObserver(forName: name, object: context, queue: nil) { note in
                var counts: [String: Int] = [:]
                for (key, value) in note.userInfo ?? [:] {
                    counts["\(key)"] = (value as? NSSet)?.count ?? (value as? Set<AnyHashable>)?.count ?? 1
                }
                let post = Post(name: name, counts: counts, keys: Set(counts.keys))
                posts.withLock { $0.append(post) }
            }
        }
        defer { for observer in observers { NotificationCenter.default.removeObserver(observer) } }
        try body()
        return posts.withLock { $0 }
    }
}

/// Whether a closure throws.
func throwsError(_ body: () throws -> Void) -> Bool {
    do { try body() } catch { return true }
    return false
}
