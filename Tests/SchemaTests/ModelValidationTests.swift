import Schema
import Testing

struct ModelValidationTests {
    private func faults(_ change: (inout ManagedObjectModel.Definition) -> Void) -> [String] {
        var description = ManagedObjectModel.Definition()
        description.entities = [
            EntityDefinition(
                "Author", attributes: [AttributeDescription("name", .string)],
                relationships: [RelationshipDescription("books", to: "Book", inverse: "author", maxCount: 0)]),
            EntityDefinition(
                "Book", attributes: [AttributeDescription("title", .string)],
                relationships: [RelationshipDescription("author", to: "Author", inverse: "books")]),
            EntityDefinition("Novel", superentityName: "Book"),
        ]
        change(&description)
        do {
            _ = try ManagedObjectModel(description)
            return []
        } catch {
            #expect(error.code == .invalid)
            return error.faults.map(\.description)
        }
    }

    @Test func aSoundModelHasNoFaults() {
        #expect(faults { _ in } == [])
    }

    @Test func everyFaultIsReportedAtOnce() {
        let found = faults {
            $0.entities[0].superentityName = "Nobody"
            $0.entities[0].relationships[0].inverseName = "writer"
            $0.entities[1].attributes[0].defaultValue = .int(3)
            $0.entities[2].uniquenessConstraints = [["isbn"]]
            $0.configurations = ["Cloud": ["Book", "Shelf"]]
        }
        #expect(
            found == [
                "Author: its parent “Nobody” is no entity of the model",
                "Author.books: its inverse “writer” is no property of Book",
                "Book.title: the default value is no value of type String",
                "Book.author: its inverse Author.books has the inverse “writer”",
                "Novel.isbn: a uniqueness constraint names an unknown attribute",
                "Shelf: the configuration “Cloud” names an unknown entity",
            ])
    }

    @Test func hierarchiesMustNotBeCircular() {
        #expect(
            faults { $0.entities[1].superentityName = "Novel" }.contains(
                "Book: it is its own ancestor: Book → Novel → Book"))
        #expect(
            faults { $0.entities[1].superentityName = "Book" }.contains { $0.hasPrefix("Book: it is its own ancestor") }
        )
    }

    @Test func destinationsAndInversesMustFit() {
        #expect(
            faults { $0.entities[1].relationships[0].destinationEntityName = "Poet" }.contains(
                "Book.author: its destination “Poet” is no entity of the model"))
        #expect(
            faults { $0.entities[1].relationships[0].destinationEntityName = "" }.contains(
                "Book.author: it has no destination"))
        #expect(
            faults { $0.entities[1].relationships[0].inverseName = "name" }.contains(
                "Book.author: its inverse Author.name is no relationship"))
        let wrong = faults {
            $0.entities.append(
                EntityDefinition(
                    "Shelf", relationships: [RelationshipDescription("author", to: "Author", inverse: "books")]))
        }
        #expect(wrong == ["Shelf.author: its inverse Author.books leads to Book"])
        #expect(
            faults { $0.entities[1].relationships[0].inverseName = nil } == [
                "Author.books: its inverse Book.author has no inverse"
            ])
    }

    @Test func inversesMayBeDeclaredForASuperentity() {
        let found = faults {
            $0.entities[0].relationships[0].destinationEntityName = "Novel"
        }
        #expect(found == [])
    }
}

extension ModelValidationTests {
    @Test func namesMustBeLegalAndOccurOnce() {
        #expect(
            faults { $0.entities[2].attributes = [AttributeDescription("title", .string)] } == [
                "Novel.title: a property of this name is inherited from Book"
            ])
        #expect(
            faults {
                $0.entities[2].attributes = [AttributeDescription("a", .string), AttributeDescription("a", .date)]
            }.contains("Novel.a: there are two properties of this name"))
        #expect(
            faults { $0.entities.append(EntityDefinition("Novel")) }.contains(
                "Novel: there are two entities of this name"))
        for name in ["", "1st", "a b", "a.b", "a-b", "x\u{0}"] {
            #expect(!faults { $0.entities[2].attributes = [AttributeDescription(name, .string)] }.isEmpty)
        }
        for name in ["_a", "été", "a1", "名前"] {
            #expect(faults { $0.entities[2].attributes = [AttributeDescription(name, .string)] } == [])
        }
    }

    @Test func valuesOfAttributesMustFitTheirTypes() {
        func fault(_ attribute: AttributeDescription) -> Bool {
            !faults { $0.entities[2].attributes = [attribute] }.isEmpty
        }
        #expect(fault(AttributeDescription("a", .integer16, defaultValue: .int(40_000))))
        #expect(!fault(AttributeDescription("a", .integer32, defaultValue: .int(40_000))))
        #expect(fault(AttributeDescription("a", .boolean, defaultValue: .string("YES"))))
        #expect(fault(AttributeDescription("a", .undefined)))
        #expect(!fault(AttributeDescription("a", .undefined, isTransient: true)))
        #expect(fault(AttributeDescription("a", .integer16, minimumValue: .int(3), maximumValue: .int(2))))
        #expect(fault(AttributeDescription("a", .date, minimumValue: .int(3))))
        #expect(fault(AttributeDescription("a", .integer16, regularExpression: ".")))
        #expect(fault(AttributeDescription("a", .string, allowsExternalBinaryDataStorage: true)))
        #expect(fault(AttributeDescription("a", .composite, compositeName: "Point")))
    }

    @Test func compositesMustNotHoldThemselves() {
        let found = faults {
            $0.composites = [
                CompositeDescription("A", attributes: [AttributeDescription("b", .composite, compositeName: "B")]),
                CompositeDescription("B", attributes: [AttributeDescription("a", .composite, compositeName: "A")]),
            ]
        }
        #expect(found == ["A: the composite holds itself", "B: the composite holds itself"])
    }

    @Test func requestsAndIndexesMustNameWhatThereIs() {
        #expect(
            faults { $0.fetchRequestTemplates = [FetchRequestTemplate("all", entityName: "Shelf")] } == [
                "the fetch request “all” is for “Shelf”, which is no entity of the model"
            ])
        #expect(
            faults { $0.entities[0].indexes = [FetchIndexDescription("i", elements: [.init(propertyName: "age")])] }
                == ["Author.age: the index “i” names an unknown property"])
        #expect(
            faults { $0.entities[0].compoundIndexes = [["name", "age"]] } == [
                "Author.age: a compound index names an unknown property"
            ])
        #expect(
            faults {
                $0.entities[0].relationships[0].minCount = 5; $0.entities[0].relationships[0].maxCount = 4
            } == ["Author.books: its smallest count is greater than its greatest"])
    }

    @Test func aHierarchyHasAMeasuredDepth() {
        func chain(_ count: Int) -> [String] {
            faults { model in
                model.entities = (0..<count).map {
                    EntityDefinition("E\($0)", superentityName: $0 == 0 ? nil : "E\($0 - 1)")
                }
            }
        }
        #expect(chain(100) == [])
        #expect(chain(101) == ["E100: the entity lies more than 100 levels deep"])
        // Each level would inherit all properties of those above it.
        #expect(chain(20_000).count == 1)
    }
}

extension ModelValidationTests {
    @Test func propertiesThatAreInheritedAgainAndAgainAreMeasured() {
        let found = faults { model in
            model.entities = [
                EntityDefinition("Wide", attributes: (0..<1000).map { AttributeDescription("a\($0)", .string) })
            ]
            model.entities += (0..<200).map { EntityDefinition("E\($0)", superentityName: "Wide") }
        }
        #expect(found == ["the model has more than 200000 properties, inherited ones counted for every entity"])
    }

    @Test func entitiesAndTheirPropertiesAreCounted() {
        func entities(_ count: Int) -> [String] {
            faults { model in model.entities = (0..<count).map { EntityDefinition("E\($0)") } }
        }
        #expect(entities(65_535) == [])
        #expect(entities(65_536) == ["the model has more than 65535 entities"])
        let wide = faults { model in
            model.entities = [
                EntityDefinition("Wide", attributes: (0..<65_536).map { AttributeDescription("a\($0)", .string) })
            ]
        }
        #expect(wide == ["Wide: the entity has more than 65535 properties"])
    }

    @Test func compositesAreMeasured() {
        func nested(_ levels: Int, times: Int) -> [String] {
            faults { model in
                model.composites = (0..<levels).map { level in
                    let isLast = level == levels - 1
                    return CompositeDescription(
                        "C\(level)",
                        attributes: (0..<times).map {
                            AttributeDescription(
                                "a\($0)", isLast ? .string : .composite, compositeName: isLast ? nil : "C\(level + 1)")
                        })
                }
            }
        }
        #expect(nested(16, times: 1) == [])
        #expect(nested(17, times: 1) == ["C0: the composite holds others more than 16 deep"])
        #expect(nested(10, times: 2) == [])
        #expect(nested(11, times: 2) == ["C0: the composite has more than 2000 values"])
    }
}
