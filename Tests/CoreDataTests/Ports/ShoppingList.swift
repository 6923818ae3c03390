import CoreData

// A shopping list: a container, lists with items, and a results controller that feeds a table.
// A comment with "Linux:" marks a line that is another on Apple's platforms.

// MARK: Model

final class ShoppingList: NSManagedObject {
    @Managed var name: String  // Linux: @NSManaged
    @Managed var createdAt: Date  // Linux: @NSManaged
    @Managed var items: Set<ShoppingItem>  // Linux: @NSManaged

    convenience init(name: String, context: NSManagedObjectContext) {
        self.init(context: context)
        self.name = name
    }

    override func awakeFromInsert() {
        super.awakeFromInsert()
        setPrimitiveValue(Date(timeIntervalSinceReferenceDate: 700_000_000), forKey: "createdAt")
    }

    var openItems: [ShoppingItem] {
        items.filter { !$0.isBought }.sorted { $0.position < $1.position }
    }
}

final class ShoppingItem: NSManagedObject {
    @Managed var title: String  // Linux: @NSManaged
    @Managed var category: String?  // Linux: @NSManaged
    @Managed var quantity: Int32  // Linux: @NSManaged
    @Managed var position: Int64  // Linux: @NSManaged
    @Managed var isBought: Bool  // Linux: @NSManaged
    @Managed var price: NSDecimalNumber?  // Linux: @NSManaged
    @Managed var list: ShoppingList?  // Linux: @NSManaged

    override func validateForInsert() throws {
        try super.validateForInsert()
        try validateQuantity()
    }

    override func validateForUpdate() throws {
        try super.validateForUpdate()
        try validateQuantity()
    }

    private func validateQuantity() throws {
        guard quantity > 0 else {
            throw NSError(
                domain: "ShoppingErrorDomain", code: 1,
                userInfo: [NSLocalizedDescriptionKey: "\(title) needs a quantity"])
        }
    }

    override func willSave() {
        super.willSave()
        let trimmed = title.trimmingCharacters(in: .whitespaces)
        if trimmed != title { title = trimmed }
    }

    class func request(for list: ShoppingList) -> NSFetchRequest<ShoppingItem> {
        let request = NSFetchRequest<ShoppingItem>(entityName: "ShoppingItem")
        request.predicate = NSPredicate(format: "%K == %@", "list", list)
        request.sortDescriptors = [
            NSSortDescriptor(key: "category", ascending: true),
            NSSortDescriptor(key: "title", ascending: true, selector: Selector("localizedCaseInsensitiveCompare:")),
        ]
        request.fetchBatchSize = 20
        return request
    }
}

enum ShoppingModel {
    static func make() -> NSManagedObjectModel {
        let list = NSEntityDescription()
        list.name = "ShoppingList"
        list.managedObjectClassName = NSStringFromClass(ShoppingList.self)
        let item = NSEntityDescription()
        item.name = "ShoppingItem"
        item.managedObjectClassName = NSStringFromClass(ShoppingItem.self)

        let items = NSRelationshipDescription()
        items.name = "items"
        items.destinationEntity = item
        items.minCount = 0
        items.maxCount = 0
        items.deleteRule = .cascadeDeleteRule
        let owner = NSRelationshipDescription()
        owner.name = "list"
        owner.destinationEntity = list
        owner.minCount = 1
        owner.maxCount = 1
        owner.deleteRule = .nullifyDeleteRule
        owner.isOptional = false
        items.inverseRelationship = owner
        owner.inverseRelationship = items

        list.properties = [
            attribute("name", .stringAttributeType, optional: false),
            attribute("createdAt", .dateAttributeType, optional: false), items,
        ]
        list.uniquenessConstraints = [["name"]]
        let index = NSFetchIndexDescription(
            name: "byTitle",
            elements: [])
        item.properties = [
            attribute("title", .stringAttributeType, optional: false), attribute("category", .stringAttributeType),
            attribute("quantity", .integer32AttributeType, optional: false, default: 1),
            attribute("position", .integer64AttributeType, optional: false, default: 0),
            attribute("isBought", .booleanAttributeType, optional: false, default: false),
            attribute("price", .decimalAttributeType), owner,
        ]
        index.elements = [
            NSFetchIndexElementDescription(property: item.propertiesByName["title"]!, collationType: .binary)
        ]
        item.indexes = [index]

        let model = NSManagedObjectModel()
        model.entities = [list, item]
        model.setEntities([list, item], forConfigurationName: "Main")
        let expensive = NSFetchRequest<any NSFetchRequestResult>(entityName: "ShoppingItem")
        expensive.predicate = NSPredicate(format: "price > $LIMIT")
        expensive.sortDescriptors = [NSSortDescriptor(key: "title", ascending: true)]
        model.setFetchRequestTemplate(expensive, forName: "expensive")
        return model
    }

    private static func attribute(
        _ name: String, _ type: NSAttributeType, optional: Bool = true, default value: Any? = nil
    ) -> NSAttributeDescription {
        let attribute = NSAttributeDescription()
        attribute.name = name
        attribute.attributeType = type
        attribute.isOptional = optional
        attribute.defaultValue = value
        return attribute
    }
}

// MARK: Stack

final class ShoppingStack: @unchecked Sendable {
    let container: NSPersistentContainer
    private var observer: (any NSObjectProtocol)?
    private(set) var savedTitles: [String] = []

    init(url: URL) throws {
        container = NSPersistentContainer(name: "Shopping", managedObjectModel: ShoppingModel.make())
        let description = NSPersistentStoreDescription(url: url)
        description.shouldMigrateStoreAutomatically = true
        description.shouldInferMappingModelAutomatically = true
        description.configuration = "Main"
        container.persistentStoreDescriptions = [description]
        var failure: (any Error)?
        container.loadPersistentStores { _, error in failure = error }
        if let failure { throw failure }
        let context = container.viewContext
        context.mergePolicy = NSMergeByPropertyObjectTrumpMergePolicy
        context.automaticallyMergesChangesFromParent = true
        context.undoManager = UndoManager()
        context.name = "view"
        observer = NotificationCenter.default.addObserver(
            forName: .NSManagedObjectContextDidSave, object: context, queue: nil
        ) { [unowned self] notification in
            let inserted = notification.userInfo?[NSInsertedObjectsKey] as? Set<NSManagedObject> ?? []
            savedTitles += inserted.compactMap { ($0 as? ShoppingItem)?.title }.sorted()
        }
    }

    deinit {
        if let observer { NotificationCenter.default.removeObserver(observer) }
    }

    var context: NSManagedObjectContext { container.viewContext }

    func saveContext() {
        guard context.hasChanges else { return }
        do {
            try context.save()
        } catch let error as NSError where error.domain == "ShoppingErrorDomain" {
            print("not saved:", error.localizedDescription)
            context.rollback()
        } catch {
            let error = error as NSError
            print("unresolved error", error.domain, error.code)
        }
    }

    func list(named name: String) throws -> ShoppingList {
        let request = NSFetchRequest<ShoppingList>(entityName: "ShoppingList")
        request.predicate = NSPredicate(format: "name ==[c] %@", name)
        request.fetchLimit = 1
        return try context.fetch(request).first ?? ShoppingList(name: name, context: context)
    }

    @discardableResult
    func add(_ title: String, _ category: String?, price: String? = nil, to list: ShoppingList) -> ShoppingItem {
        let item = ShoppingItem(context: context)
        item.title = title
        item.category = category
        item.price = price.map { NSDecimalNumber(string: $0) }
        item.position = Int64(list.items.count)
        item.list = list
        return item
    }
}

// MARK: Table

/// Follows a results controller as a table view does, and prints what it would show.
final class ShoppingTable: NSObject, NSFetchedResultsControllerDelegate {
    let controller: NSFetchedResultsController<ShoppingItem>
    private(set) var rows: [[String]] = []

    init(list: ShoppingList, context: NSManagedObjectContext) throws {
        controller = NSFetchedResultsController(
            fetchRequest: ShoppingItem.request(for: list), managedObjectContext: context,
            sectionNameKeyPath: "category", cacheName: nil)
        super.init()
        controller.delegate = self
        try controller.performFetch()
        reload()
    }

    func reload() {
        rows = (controller.sections ?? []).map { section in
            (section.objects as? [ShoppingItem] ?? []).map(\.title)
        }
    }

    func show() {
        for section in controller.sections ?? [] {
            let items = section.objects as? [ShoppingItem] ?? []
            print(
                "\(section.name) (\(section.numberOfObjects)): \(items.map { "\($0.title)" }.joined(separator: ", "))")
        }
    }

    func controllerWillChangeContent(_ controller: NSFetchedResultsController<any NSFetchRequestResult>) {
        print("begin")
    }

    func controller(
        _ controller: NSFetchedResultsController<any NSFetchRequestResult>,
        didChange sectionInfo: any NSFetchedResultsSectionInfo,
        atSectionIndex sectionIndex: Int, for type: NSFetchedResultsChangeType
    ) {
        switch type {
        case .insert: print("+ section \(sectionIndex) \(sectionInfo.name)")
        case .delete: print("- section \(sectionIndex) \(sectionInfo.name)")
        default: break
        }
    }

    func controller(
        _ controller: NSFetchedResultsController<any NSFetchRequestResult>, didChange anObject: Any,
        at indexPath: IndexPath?,
        for type: NSFetchedResultsChangeType, newIndexPath: IndexPath?
    ) {
        let title = (anObject as! ShoppingItem).title
        switch type {
        case .insert: print("+ \(title) \(newIndexPath!.section).\(newIndexPath!.item)")
        case .delete: print("- \(title) \(indexPath!.section).\(indexPath!.item)")
        case .move:
            print(
                "> \(title) \(indexPath!.section).\(indexPath!.item) to \(newIndexPath!.section).\(newIndexPath!.item)")
        case .update: print("* \(title) \(indexPath!.section).\(indexPath!.item)")
        }
    }

    func controllerDidChangeContent(_ controller: NSFetchedResultsController<any NSFetchRequestResult>) {
        print("end")
        reload()
    }
}

// MARK: Program

enum ShoppingProgram {
    static func run(_ url: URL) throws {
        let stack = try ShoppingStack(url: url)
        let context = stack.context
        let list = try stack.list(named: "Weekend")
        stack.add("Apples", "Fruit", price: "2.40", to: list)
        stack.add("  Bread ", "Bakery", price: "3.20", to: list)
        stack.add("Pears", "Fruit", to: list)
        stack.saveContext()
        print(stack.savedTitles)

        let table = try ShoppingTable(list: list, context: context)
        table.show()
        let cake = stack.add("Cake", "Bakery", price: "18", to: list)
        context.processPendingChanges()
        cake.category = "Sweets"
        context.processPendingChanges()
        context.undo()
        context.processPendingChanges()
        print(cake.category ?? "none", context.undoManager?.canRedo ?? false)
        stack.saveContext()

        let pears = table.controller.object(at: IndexPath(item: 1, section: 1))
        pears.quantity = 0
        stack.saveContext()
        print(pears.quantity, pears.hasChanges)
        pears.isBought = true
        context.delete(cake)
        stack.saveContext()
        print(list.openItems.map(\.title), table.rows)

        let expensive = stack.container.managedObjectModel.fetchRequestFromTemplate(
            withName: "expensive", substitutionVariables: ["LIMIT": 2])
        print((try context.fetch(expensive!) as? [ShoppingItem] ?? []).map(\.title))

        let again = try ShoppingStack(url: url)
        let found = try again.list(named: "weekend")
        print(found.name, found.items.count, found.objectID == list.objectID, found.createdAt == list.createdAt)
        again.context.delete(found)
        again.saveContext()
        print(try again.context.count(for: NSFetchRequest<ShoppingItem>(entityName: "ShoppingItem")))
    }
}
