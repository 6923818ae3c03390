import CoreData
import Testing

/// Requests and predicates.
struct FetchTests {
    private func library() throws -> NSPersistentContainer {
        let container = try Library.container()
        let context = container.viewContext
        for (name, titles) in [("Herbert", ["Dune", "Dune Messiah"]), ("Lem", ["Solaris", "Eden", "Fiasco"])] {
            let author = Author(context: context)
            author.name = name
            for (index, title) in titles.enumerated() {
                let book = Book(context: context)
                (book.title, book.year, book.author) = (title, Int16(1960 + index), author)
            }
        }
        try context.save()
        return container
    }

    @Test func aRequestSortsFiltersAndLimits() throws {
        let context = try library().viewContext
        let request = NSFetchRequest<Book>(entityName: "Book")
        request.predicate = NSPredicate(format: "author.name == %@ AND year >= %d", "Lem", 1961)
        request.sortDescriptors = [NSSortDescriptor(key: "title", ascending: false)]
        #expect(try context.fetch(request).map(\.title) == ["Fiasco", "Eden"])
        request.fetchLimit = 1
        #expect(try context.fetch(request).map(\.title) == ["Fiasco"])
        #expect(try context.count(for: request) == 1)
    }

    @Test func keyPathsOfManagedPropertiesHaveNames() throws {
        let context = try library().viewContext
        let request = NSFetchRequest<Book>(entityName: "Book")
        request.sortDescriptors = [
            NSSortDescriptor(keyPath: \Book.author?.name, ascending: true),
            NSSortDescriptor(keyPath: \Book.title, ascending: false),
        ]
        #expect(request.sortDescriptors?.map(\.key) == ["author.name", "title"])
        #expect(
            try context.fetch(request).map(\.title) == ["Dune Messiah", "Dune", "Solaris", "Fiasco", "Eden"])
        #expect(NSExpression(forKeyPath: \Book.year).keyPath == "year")
    }

    @Test func resultsAreObjectsIDsDictionariesOrACount() throws {
        let context = try library().viewContext
        let ids = NSFetchRequest<NSManagedObjectID>(entityName: "Book")
        ids.resultType = .managedObjectIDResultType
        #expect(try context.fetch(ids).count == 5)
        let rows = NSFetchRequest<NSDictionary>(entityName: "Book")
        rows.resultType = .dictionaryResultType
        let count = NSExpressionDescription()
        count.name = "count"
        count.expression = NSExpression(forFunction: "count:", arguments: [NSExpression(forKeyPath: "title")])
        count.expressionResultType = .integer64AttributeType
        rows.propertiesToFetch = ["author.name", count]
        rows.propertiesToGroupBy = ["author.name"]
        rows.sortDescriptors = [NSSortDescriptor(key: "author.name", ascending: true)]
        let found = try context.fetch(rows)
        #expect(found.map { $0["author.name"] as? String } == ["Herbert", "Lem"])
        #expect(found.map { $0["count"] as? Int } == [2, 3])
        let number = NSFetchRequest<NSNumber>(entityName: "Book")
        number.resultType = .countResultType
        #expect(try context.fetch(number) == [5])
        let any: NSFetchRequest<any NSFetchRequestResult> = Book.fetchRequest()
        #expect(try (context.fetch(any) as? [Book])?.count == 5)
        let result = try context.execute(any)
        #expect(type(of: result) != NSPersistentStoreResult.self)
    }

    @Test func predicatesAreWhatTheirTextSays() throws {
        let comparison = NSPredicate(format: "title BEGINSWITH[c] %@", "du")
        #expect((comparison as? NSComparisonPredicate)?.predicateOperatorType == .beginsWith)
        #expect((comparison as? NSComparisonPredicate)?.options == .caseInsensitive)
        let compound = NSPredicate(format: "year > 1 OR NOT title == nil")
        #expect((compound as? NSCompoundPredicate)?.subpredicates.count == 2)
        #expect(NSPredicate(format: "a == 1") == NSPredicate(format: "a == %d", 1))
        #expect(NSPredicate(format: "%K IN %@", "name", ["a", "b"]).evaluate(with: ["name": "b"]))
        #expect(NSPredicate(format: "SELF CONTAINS 'x'").evaluate(with: "axb"))
        #expect(!NSPredicate(format: "a == $V").evaluate(with: ["a": 1], substitutionVariables: ["V": 2]))
        #expect(NSPredicate(format: "a == $V").withSubstitutionVariables(["V": 1]).evaluate(with: ["a": 1]))
        let built = NSComparisonPredicate(
            leftExpression: NSExpression(forKeyPath: "year"), rightExpression: NSExpression(forConstantValue: 1961),
            modifier: .direct, type: .equalTo)
        let both = NSCompoundPredicate(andPredicateWithSubpredicates: [built, NSPredicate(value: true)])
        let context = try library().viewContext
        let request = NSFetchRequest<Book>(entityName: "Book")
        request.predicate = both
        #expect(try Set(context.fetch(request).compactMap(\.title)) == ["Dune Messiah", "Eden"])
        let dune = try #require(
            context.fetch(request).first { $0.title == "Dune Messiah" })
        #expect(comparison.evaluate(with: dune))
        let author = try #require(dune.author)
        #expect(NSPredicate(format: "author == %@", author).evaluate(with: dune))
        let kind = NSPredicate(format: "entity == %@ AND year > %@", Book.entity(), 1900 as NSNumber as any CVarArg)
        #expect(kind.evaluate(with: dune) && !kind.evaluate(with: author))
        let found = NSSet(array: [dune, author]).filtered(using: NSPredicate(format: "entity.name == 'Author'"))
        #expect(found as? Set<Author> == [author])
        request.predicate = NSPredicate { _, _ in true }
        #expect(throws: CocoaError.self) { try context.fetch(request) }
    }
}

extension FetchTests {
    @Test func aFetchIsAColumnAndAValue() throws {
        let context = try library().viewContext
        let late = NSFetchRequest<Book>(entityName: "Book")
        late.predicate = NSPredicate(format: "year > 1960")
        let count = NSFetchRequestExpression.expression(forFetch: late, context: context, countOnly: true)
        let column = NSExpressionDescription()
        (column.name, column.expression, column.expressionResultType) = ("late", count, .integer64AttributeType)
        let rows = NSFetchRequest<NSDictionary>(entityName: "Author")
        rows.resultType = .dictionaryResultType
        rows.propertiesToFetch = ["name", column]
        rows.sortDescriptors = [NSSortDescriptor(key: "name", ascending: true)]
        let found = try context.fetch(rows)
        #expect(found.map { $0["name"] as? String } == ["Herbert", "Lem"])
        #expect(found.map { $0["late"] as? Int } == [3, 3])
        let all = NSFetchRequestExpression.expression(forFetch: late, context: context, countOnly: false)
        #expect((all.expressionValue(with: nil, context: nil) as? [Book])?.count == 3)
        let same = NSFetchRequest<Book>(entityName: "Book")
        same.predicate = NSPredicate(format: "SELF IN %@", all)
        #expect(try context.count(for: same) == 3)
        late.predicate = NSPredicate { _, _ in true }
        #expect(throws: CocoaError.self) { try context.fetch(rows) }
        column.expression = nil
        #expect(throws: CocoaError.self) { try context.fetch(rows) }
    }

    @Test func variablesOfExpressionsHaveTheValuesOfTheContext() throws {
        let context = try library().viewContext
        let book = try #require(context.fetch(NSFetchRequest<Book>(entityName: "Book")).first)
        let sum = NSExpression(format: "year + $MORE")
        #expect(sum.expressionValue(with: book, context: ["MORE": 10]) as? Int == Int(book.year) + 10)
        let variable = NSExpression(forVariable: "WORD")
        #expect(variable.expressionValue(with: nil, context: ["WORD": "text"]) as? String == "text")
        let nested = NSExpression(forVariable: "OTHER")
        #expect(
            nested.expressionValue(with: book, context: ["OTHER": NSExpression(forKeyPath: "year")]) as? Int16
                == book.year)
    }

    @Test func aBatchDeletionIsAboutTheStoresOfItsRequests() throws {
        let folder = try Folder()
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: Library.model())
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        for name in ["a", "b"] {
            let store = try coordinator.addPersistentStore(
                ofType: NSSQLiteStoreType, configurationName: nil,
                at: folder.url.appendingPathComponent("\(name).sqlite"),
                options: nil)
            let book = Book(context: context)
            book.title = name
            context.assign(book, to: store)
        }
        try context.save()
        func delete(_ configure: (NSFetchRequest<Book>, NSBatchDeleteRequest) -> Void) throws -> Int? {
            let fetch = NSFetchRequest<Book>(entityName: "Book")
            let request = NSBatchDeleteRequest(fetchRequest: fetch)
            let copy = NSFetchRequest<Book>(entityName: "Book")
            configure(copy, request)
            let own = copy.affectedStores == nil ? request : NSBatchDeleteRequest(fetchRequest: copy)
            own.affectedStores = request.affectedStores
            own.resultType = .resultTypeCount
            return (try context.execute(own) as? NSBatchDeleteResult)?.result as? Int
        }
        let stores = coordinator.persistentStores
        #expect(
            try delete {
                $0.affectedStores = [stores[0]]; $1.affectedStores = [stores[1]]
            } == 0)
        #expect(try delete { fetch, _ in fetch.affectedStores = [stores[0]] } == 1)
        let left = NSFetchRequest<NSManagedObject>(entityName: "Book")
        left.resultType = .managedObjectResultType
        context.reset()
        #expect(try context.fetch(left).map { $0.value(forKey: "title") as? String } == ["b"])
        #expect(try delete { _, request in request.affectedStores = [stores[1]] } == 1)
    }
}

extension FetchTests {
    @Test func expressionsStandForPlaceholders() throws {
        let expression = NSExpression(format: "year + 1")
        let predicate = NSPredicate(format: "%@ == 1962", expression)
        let context = try library().viewContext
        let request = NSFetchRequest<Book>(entityName: "Book")
        request.predicate = predicate
        #expect(try context.fetch(request).count == 2)
    }
}
