import PortReport
import SourcePort
import Testing

/// Overrides in extensions, which need the Objective-C runtime.
struct OverrideTests {
    // A line that begins with it would be an import of this file to the tests of the house.
    private static let coreData = "import CoreData"
    private let entity = PortRequest.ModelClass(
        name: "Book", superclass: "Item", isGenerated: true, properties: ["title", "tags"], sets: ["tags"])

    private func port(_ texts: String..., classes: [PortRequest.ModelClass] = []) -> PortedTree {
        SourcePort.rewrite(texts.enumerated().map { ("\($0.offset).swift", $0.element) }, classes: classes)
    }

    @Test func overridesMoveIntoTheClassOfTheFile() {
        let ported = port(
            """
            \(Self.coreData)
            class Book: NSManagedObject {}
            extension Book {
                /// Sets the title.
                @objc override public func awakeFromInsert() { set(#keyPath(Book.title)) }  // Once.
                override class func entity() -> NSEntityDescription { NSEntityDescription() }
            }
            extension Book { @NSManaged var title: String }

            """)
        #expect(
            ported.files[0].text == """
                \(Self.coreData)
                class Book: NSManagedObject {
                    /// Sets the title.
                    override public func awakeFromInsert() { set(NSStringFromKeyPath(\\Book.title)) }  // Once.

                    override class func entity() -> NSEntityDescription { NSEntityDescription() }
                }
                extension Book { @Managed var title: String }

                """)
        #expect(ported.files[0].notes.isEmpty && ported.declaredClasses.isEmpty)
        // What is ported stays as it is.
        #expect(port(ported.files[0].text ?? "").files[0].text == nil)
    }

    @Test func overridesMoveToOtherFilesWithTheirNotes() {
        let ported = port(
            """
            \(Self.coreData)

            public class Book: NSManagedObject {
                var a = 1
            }
            """,
            """
            \(Self.coreData)

            // MARK: Life

            public extension Book {
                override func willSave() {
                    go(#selector(run))
                    log()
                }

                func run() {}
            }

            private func log() {}
            """)
        #expect(
            ported.files.map(\.text) == [
                """
                \(Self.coreData)

                public class Book: NSManagedObject {
                    var a = 1

                    public override func willSave() {
                        go(#selector(run))
                        log()
                    }
                }
                """,
                """
                \(Self.coreData)

                // MARK: Life

                public extension Book {
                    func run() {}
                }

                private func log() {}
                """,
            ])
        let notes = ported.files[1].notes
        #expect(notes.map(\.place.line) == [6, 7] && notes.map(\.newPlace.line) == [6, 7])
        #expect(notes.map(\.newPath) == ["0.swift", "0.swift"])
        #expect(notes.first?.message.contains("does not reach log") == true)
    }

    @Test func extensionsOfClassesThatXcodeGeneratesBecomeTheseClasses() {
        let ported = port(
            """
            extension Book: Labelled {
                public override func awakeFromInsert() { setPrimitiveValue("", forKey: #keyPath(title)) }
            }
            """, "extension Book {\n    override func didSave() {}\n}\nextension Book { func a() {} }\n",
            classes: [entity])
        #expect(
            ported.files.map(\.text) == [
                """
                public class Book: Item, Labelled {
                    public override func awakeFromInsert() { setPrimitiveValue("", forKey: NSStringFromKeyPath(\\Book.title)) }

                    override func didSave() {}
                }
                """, "\nextension Book { func a() {} }\n",
            ])
        #expect(ported.declaredClasses == ["Book"] && ported.files.allSatisfy(\.notes.isEmpty))
        let bare = port("extension Book {\n    override func didSave() {}\n}\n", classes: [entity])
        #expect(bare.files[0].text == "public class Book: Item {\n    override func didSave() {}\n}\n")
    }

    @Test func extensionsWithAnAccessLevelGetAClassBesideThem() {
        let ported = port(
            "import CoreData\n\npublic extension Book {\n    override func didSave() {}\n\n    func a() {}\n}\n",
            classes: [entity])
        #expect(
            ported.files[0].text == """
                \(Self.coreData)

                public class Book: Item {
                    public override func didSave() {}
                }

                public extension Book {
                    func a() {}
                }

                """)
        let whole = port("public extension Book {\n    override func didSave() {}\n}\n", classes: [entity])
        #expect(
            whole.files[0].text == """
                public class Book: Item {
                    public override func didSave() {}
                }

                """)
    }

    @Test(arguments: [
        "extension Unknown { override func f() {} }",
        "#if DEBUG\nextension Book { override func f() {} }\n#endif\nclass Book {}",
        "extension Book {\n#if DEBUG\noverride func f() {}\n#endif\n}\nclass Book {}",
        "extension Book { override func f() {} }\n#if A\nclass Book {}\n#else\nclass Book {}\n#endif",
    ]) func overridesThatCanNotMoveAreListed(_ text: String) {
        let file = port(text).files[0]
        #expect(file.text == nil)
        #expect(file.notes.map(\.message).filter { $0.hasPrefix("extensions don't override here") }.count == 1)
    }
}

/// What Foundation has in another form on Linux.
struct FoundationFormTests {
    private func port(_ text: String, besides other: String = "") -> String? {
        let tree = SourcePort.rewrite([("A.swift", text), ("B.swift", other)])
        #expect(tree.files[0].notes.isEmpty)
        return tree.files[0].text
    }

    @Test(arguments: [
        ("let s: NSSet = [a, b]", "let s: NSSet = NSSet(array: [a, b])"),
        ("var s: NSMutableSet? = []", "var s: NSMutableSet? = NSMutableSet()"),
        ("let s = [a] as NSSet", "let s = NSSet(array: [a])"),
        ("func f(_ s: NSSet = [a]) {}", "func f(_ s: NSSet = NSSet(array: [a])) {}"),
        ("book.tags = [a]", "book.tags = NSSet(array: [a])"),
        ("self.book?.tags = []", "self.book?.tags = NSSet()"),
        ("let n = (book.tags ?? []).count", "let n = (book.tags ?? NSSet()).count"),
        ("book.addToTags([a, b])", "book.addToTags(NSSet(array: [a, b]))"),
        ("book.lines = [a]", nil), ("let s: NSArray = [a]", nil), ("book.addToLines([a])", nil),
    ]) func literalsOfSetsAreCalls(_ text: String, _ expected: String?) {
        let model = """
            class Book: NSManagedObject {
                @NSManaged var tags: NSSet?
                @NSManaged var lines: [String]
                @NSManaged func addToTags(_ values: NSSet)
                @NSManaged func addToLines(_ value: Line)
            }
            """
        #expect(port(text, besides: model) == expected)
    }

    @Test(arguments: [
        "struct Form { var tags: [String] = [] }", "func f() { let tags = [1] }", "func f(tags: [Int]) {}",
    ]) func literalsStayWhereTheNameHasOtherTypes(_ text: String) {
        let model = "import CoreData\nclass Book: NSManagedObject { @NSManaged var tags: NSSet? }\n"
        #expect(port("book.tags = [a]", besides: model) == "book.tags = NSSet(array: [a])")
        #expect(port("form.tags = [a]", besides: model + text) == nil)
    }

    @Test(arguments: [
        ("name(\"\\(T.self.classForCoder())\")", "name(\"\\(T.self)\")"),
        ("let c = Book.classForCoder()", "let c = Book.self"),
        ("func f<T: NSFastEnumeration>(_ t: T) {}", "func f<T: Sequence>(_ t: T) {}"),
    ]) func namesThatLinuxLacksAreReplaced(_ text: String, _ expected: String) { #expect(port(text) == expected) }

    @Test(arguments: [
        (
            "import XCTest\n@testable import Shop\n\nlet c: NSManagedObjectContext? = nil",
            "@testable import Shop\nimport CoreData\n"
        ),
        ("import Shop\nclass A { @NSManaged var a: String }", "import Shop\nimport CoreData\nclass A { @Managed"),
        ("// Shop\n\nlet c = NSPersistentContainer(name: n)", "// Shop\n\nimport CoreData\n\nlet c"),
        (
            "import Shop\nfunc f(_ e: NSExpression?, _ r: NSFetchRequest<A>) {}",
            "import Shop\nimport CoreData\nimport class CoreData.NSExpression\nfunc"
        ),
    ]) func filesThatNameCoreDataImportIt(_ text: String, _ part: String) throws {
        let ported = try #require(port(text))
        #expect(ported.contains(part), "\(ported)")
        #expect(port(ported) == nil)
    }

    @Test func importsUnderAConditionAreEnough() {
        #expect(port("import Shop\n#if canImport(CoreData)\nimport CoreData\n#endif\nlet c: NSManagedObject?") == nil)
    }

    @Test func namesThatFoundationHasAreImportedAlone() {
        #expect(
            port("public import CoreData  // Core\nimport XCTest\nfunc f(_ e: NSExpression?) {}")
                == "public import CoreData  // Core\npublic import class CoreData.NSExpression\nimport XCTest\nfunc f(_ e: NSExpression?) {}"
        )
        #expect(port("import CoreData\nfunc f(_ e: NSExpression?) {}") == nil)
        #expect(port("import CoreData\nimport XCTest\nlet e = NSExpression(forKeyPath: \"a\")") == nil)
        #expect(
            port(
                "import CoreData\nimport XCTest\nfunc f(_ e: NSExpression?) {}",
                besides: "public typealias NSExpression = CoreData.NSExpression") == nil)
        // Foundation's own class is meant where nothing else is imported.
        #expect(
            port("import Foundation\nlet e = NSExpression(forKeyPath: \"a\")")
                == "import Foundation\nimport class CoreData.NSExpression\nlet e = NSExpression(forKeyPath: \"a\")")
        let ported = "import CoreData\nimport class CoreData.NSExpression\nimport XCTest\nlet e: NSExpression"
        #expect(port(ported) == nil)
    }
}
