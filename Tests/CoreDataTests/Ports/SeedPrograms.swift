import CoreData

// The programs of the tutorials that everybody begins with, as they print them. A comment with
// "Linux:" marks a line that is another on Apple's platforms.

/// Students are added, listed, changed and deleted.
enum StudentProgram {
    static func run(_ container: NSPersistentContainer) throws {
        let context = container.viewContext
        let entity = NSEntityDescription.entity(forEntityName: "Student", in: context)!
        for (name, age) in [("Ada", 36), ("Grace", 85), ("Alan", 41)] {
            let student = NSManagedObject(entity: entity, insertInto: context)
            student.setValue(name, forKey: "name")
            student.setValue(age, forKey: "age")
        }
        do {
            try context.save()
        } catch let error as NSError {
            print("Could not save. \(error), \(error.userInfo)")
        }

        let fetchRequest = NSFetchRequest<NSManagedObject>(entityName: "Student")
        fetchRequest.sortDescriptors = [NSSortDescriptor(key: "name", ascending: true)]
        for student in try context.fetch(fetchRequest) {
            print(student.value(forKey: "name") as! String, student.value(forKey: "age") as! Int)
        }

        fetchRequest.predicate = NSPredicate(format: "name = %@", "Alan")
        let alan = try context.fetch(fetchRequest)[0]
        alan.setValue(42, forKey: "age")
        try context.save()
        print("Alan is \(alan.value(forKey: "age") ?? 0)")

        fetchRequest.predicate = NSPredicate(format: "age > 50")
        for student in try context.fetch(fetchRequest) { context.delete(student) }
        try context.save()
        fetchRequest.predicate = nil
        print("\(try context.count(for: fetchRequest)) students")
    }

    static func model() -> NSManagedObjectModel {
        let student = NSEntityDescription()
        student.name = "Student"
        student.managedObjectClassName = "NSManagedObject"
        let name = NSAttributeDescription()
        name.name = "name"
        name.attributeType = .stringAttributeType
        name.isOptional = false
        let age = NSAttributeDescription()
        age.name = "age"
        age.attributeType = .integer16AttributeType
        student.properties = [name, age]
        let model = NSManagedObjectModel()
        model.entities = [student]
        return model
    }
}

/// A contact has details, which go with it.
final class ContactInfo: NSManagedObject {
    @Managed var name: String?  // Linux: @NSManaged
    @Managed var city: String?  // Linux: @NSManaged
    @Managed var details: ContactDetailInfo?  // Linux: @NSManaged
}

final class ContactDetailInfo: NSManagedObject {
    @Managed var phone: String?  // Linux: @NSManaged
    @Managed var contact: ContactInfo?  // Linux: @NSManaged
}

enum ContactInfoProgram {
    static func run(_ container: NSPersistentContainer) throws {
        let context = container.viewContext
        let ada = ContactInfo(context: context)
        ada.name = "Ada"
        ada.details = ContactDetailInfo(context: context)
        ada.details?.phone = "555 1234"
        let grace = NSEntityDescription.insertNewObject(forEntityName: "ContactInfo", into: context) as! ContactInfo
        grace.setValue("Grace", forKey: "name")
        let details = ContactDetailInfo(context: context)
        details.phone = "555 9876"
        details.contact = grace
        try context.save()

        let request = NSFetchRequest<ContactInfo>(entityName: "ContactInfo")
        request.sortDescriptors = [NSSortDescriptor(keyPath: \ContactInfo.name, ascending: true)]
        for contact in try context.fetch(request) {
            print(contact.name ?? "", contact.city ?? "", contact.details?.phone ?? "")
        }
        request.predicate = NSPredicate(format: "details.phone BEGINSWITH %@", "555 9")
        for contact in try context.fetch(request) { context.delete(contact) }
        try context.save()
        let left = NSFetchRequest<ContactDetailInfo>(entityName: "ContactDetailInfo")
        print(try context.fetch(left).map { $0.contact?.name ?? "nobody" })
    }

    static func model() -> NSManagedObjectModel {
        let contact = NSEntityDescription()
        contact.name = "ContactInfo"
        contact.managedObjectClassName = NSStringFromClass(ContactInfo.self)
        let detail = NSEntityDescription()
        detail.name = "ContactDetailInfo"
        detail.managedObjectClassName = NSStringFromClass(ContactDetailInfo.self)
        func text(_ name: String, _ value: String? = nil) -> NSAttributeDescription {
            let attribute = NSAttributeDescription()
            attribute.name = name
            attribute.attributeType = .stringAttributeType
            attribute.defaultValue = value
            return attribute
        }
        let details = NSRelationshipDescription()
        details.name = "details"
        details.destinationEntity = detail
        details.maxCount = 1
        details.deleteRule = .cascadeDeleteRule
        let owner = NSRelationshipDescription()
        owner.name = "contact"
        owner.destinationEntity = contact
        owner.maxCount = 1
        owner.deleteRule = .nullifyDeleteRule
        details.inverseRelationship = owner
        owner.inverseRelationship = details
        contact.properties = [text("name"), text("city", "London"), details]
        detail.properties = [text("phone"), owner]
        let model = NSManagedObjectModel()
        model.entities = [contact, detail]
        return model
    }
}

/// Employees work in departments.
@ManagedObjectClass  // Linux: @objc(Employee)
final class Employee: NSManagedObject {
    var name: String?  // Linux: @NSManaged
    var salary: NSDecimalNumber?  // Linux: @NSManaged
    var department: Department?  // Linux: @NSManaged
}

@ManagedObjectClass  // Linux: @objc(Department)
final class Department: NSManagedObject {
    var name: String?  // Linux: @NSManaged
    var employees: NSSet?  // Linux: @NSManaged

    @ManagedAccessor func addToEmployees(_ value: Employee)  // Linux: @NSManaged
    @ManagedAccessor func removeFromEmployees(_ values: NSSet)  // Linux: @NSManaged
}

enum EmployeesProgram {
    static func run(_ context: NSManagedObjectContext) throws {
        for (department, names) in [("Engineering", ["Ada", "Grace"]), ("Sales", ["Willy"])] {
            let made = Department(context: context)
            made.name = department
            for (index, name) in names.enumerated() {
                let employee = Employee(context: context)
                employee.name = name
                employee.salary = NSDecimalNumber(string: "\(1000 + index * 500).50")
                made.addToEmployees(employee)
            }
        }
        try context.save()

        let request: NSFetchRequest<Department> = NSFetchRequest(entityName: "Department")
        request.sortDescriptors = [NSSortDescriptor(key: "name", ascending: true)]
        request.relationshipKeyPathsForPrefetching = ["employees"]
        for department in try context.fetch(request) {
            let names = (department.employees?.allObjects as? [Employee] ?? []).compactMap(\.name).sorted()
            let sum = department.value(forKeyPath: "employees.@sum.salary") as! NSNumber
            print(department.name!, names, sum.doubleValue)
        }

        let rich = NSFetchRequest<Employee>(entityName: "Employee")
        rich.predicate = NSPredicate(
            format: "salary > %@ AND department.name == %@", NSDecimalNumber(value: 1200), "Engineering")
        print(try context.fetch(rich).map { $0.name! })

        let sales = try context.fetch(request)[1]
        sales.removeFromEmployees(sales.employees!)
        try context.save()
        print("\(sales.employees?.count ?? -1) in Sales")
        let total = NSExpressionDescription()
        total.name = "total"
        total.expression = NSExpression(forFunction: "sum:", arguments: [NSExpression(forKeyPath: "salary")])
        total.expressionResultType = .decimalAttributeType
        let sums = NSFetchRequest<NSDictionary>(entityName: "Employee")
        sums.resultType = .dictionaryResultType
        sums.propertiesToFetch = [total]
        print(try context.fetch(sums)[0]["total"]!)
    }

    static func model() -> NSManagedObjectModel {
        let employee = NSEntityDescription(), department = NSEntityDescription()
        employee.name = "Employee"
        employee.managedObjectClassName = NSStringFromClass(Employee.self)
        department.name = "Department"
        department.managedObjectClassName = NSStringFromClass(Department.self)
        let employees = NSRelationshipDescription(), workplace = NSRelationshipDescription()
        employees.name = "employees"
        employees.destinationEntity = employee
        employees.inverseRelationship = workplace
        workplace.name = "department"
        workplace.destinationEntity = department
        workplace.maxCount = 1
        workplace.inverseRelationship = employees
        let name = NSAttributeDescription(), salary = NSAttributeDescription(), title = NSAttributeDescription()
        (name.name, name.type) = ("name", .string)
        (title.name, title.type) = ("name", .string)
        (salary.name, salary.type) = ("salary", .decimal)
        employee.properties = [name, salary, workplace]
        department.properties = [title, employees]
        let model = NSManagedObjectModel()
        model.entities = [employee, department]
        return model
    }
}

/// A document of notes.
final class NotesDocument: NSPersistentDocument {
    override var managedObjectModel: NSManagedObjectModel? { Self.model }
    nonisolated(unsafe) private static let model: NSManagedObjectModel = {
        let note = NSEntityDescription()
        note.name = "Note"
        let text = NSAttributeDescription()
        text.name = "text"
        text.attributeType = .stringAttributeType
        note.properties = [text]
        let model = NSManagedObjectModel()
        model.entities = [note]
        return model
    }()

    override func configurePersistentStoreCoordinator(
        for url: URL, ofType fileType: String, modelConfiguration configuration: String?,
        storeOptions: [String: Any]? = nil
    ) throws {
        var options = storeOptions ?? [:]
        options[NSMigratePersistentStoresAutomaticallyOption] = true
        options[NSInferMappingModelAutomaticallyOption] = true
        try super.configurePersistentStoreCoordinator(
            for: url, ofType: fileType, modelConfiguration: configuration, storeOptions: options)
    }

    override func persistentStoreType(forFileType fileType: String) -> String { NSSQLiteStoreType }
}

enum DocumentProgram {
    static func run(_ folder: URL) throws {
        let url = folder.appendingPathComponent("Notes.notes"), copy = folder.appendingPathComponent("Copy.notes")
        let document = NotesDocument()
        let context = document.managedObjectContext!
        let note = NSEntityDescription.insertNewObject(forEntityName: "Note", into: context)
        note.setValue("Buy milk", forKey: "text")
        context.processPendingChanges()
        print("edited:", document.isDocumentEdited)
        try document.save(to: url, ofType: "Notes", for: .saveAsOperation)
        print("edited:", document.isDocumentEdited, document.displayName!)

        note.setValue("Buy bread", forKey: "text")
        context.processPendingChanges()
        document.undoManager?.undo()
        print(note.value(forKey: "text")!)
        document.undoManager?.redo()
        try document.save(to: copy, ofType: "Notes", for: .saveAsOperation)
        print(document.displayName!, note.value(forKey: "text")!, note.objectID.isTemporaryID)
        document.close()

        for file in [url, copy] {
            let opened = try NotesDocument(contentsOf: file, ofType: "Notes")
            let request = NSFetchRequest<NSManagedObject>(entityName: "Note")
            print(try opened.managedObjectContext!.fetch(request).map { $0.value(forKey: "text") as! String })
            opened.close()
        }
    }
}
