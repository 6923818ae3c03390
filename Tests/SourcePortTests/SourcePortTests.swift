import Foundation
import PortReport
import SourcePort
import Testing

/// Sources in Apple's form and what becomes of them. `CoreDataTests/Ported` has the results of
/// `AppleForm`, which are compiled and run there.
struct SourcePortTests {
    // A line that begins with it would be an import of this file to the tests of the house.
    private static let coreData = "import CoreData"
    private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    private static let names = ["Performer.swift", "Tune+CoreDataClass.swift", "Tune+CoreDataProperties.swift"]

    private func port(_ text: String, besides others: String...) -> PortedSource {
        SourcePort.rewrite([("File.swift", text)] + others.map { ("Other.swift", $0) }).files[0]
    }

    @Test func aTreeBecomesWhatTheModuleTakes() throws {
        func text(_ folder: String, _ name: String) throws -> String {
            try String(contentsOf: Self.folder.appendingPathComponent("\(folder)/\(name)"), encoding: .utf8)
        }
        let ported = SourcePort.rewrite(try Self.names.map { ($0, try text("AppleForm", $0 + ".txt")) })
        for file in ported.files {
            #expect(try file.text == text("../CoreDataTests/Ported", file.path), "\(file.path)")
            #expect(file.notes.isEmpty, "\(file.path)")
        }
        // What is ported stays as it is.
        for file in SourcePort.rewrite(ported.files.map { ($0.path, $0.text ?? "") }).files {
            #expect(file.text == nil && file.changeCount == 0 && file.notes.isEmpty, "\(file.path)")
        }
    }

    @Test func attributesGoWithWhatSeparatesThem() {
        let ported = port(
            """
            \(Self.coreData)
            @objc(Book) @objcMembers
            final class Book: NSManagedObject {
                @objc /* kept */ func a() {}
                @nonobjc
                // Kept, too.
                func b() {}
                @NSManaged var c: String
                @NSManaged private(set) var d: Int16  // D
                @IBOutlet var e: Int
            }
            """)
        #expect(
            ported.text == """
                \(Self.coreData)
                final class Book: NSManagedObject {
                    /* kept */ func a() {}
                    // Kept, too.
                    func b() {}
                    @Managed var c: String
                    @Managed private(set) var d: Int16  // D
                    @IBOutlet var e: Int
                }
                """)
        #expect(ported.changeCount == 6 && ported.notes.isEmpty)
    }

    @Test func castsOfRequestsAreInitializers() {
        let ported = port(
            """
            \(Self.coreData)
            let a = request as? NSFetchRequest<NSFetchRequestResult>
            delete(self.request(for: "Book") as! NSFetchRequest<NSFetchRequestResult>)
            let b = Self.fetchRequest() as! NSFetchRequest<Self>
            let c = Book.fetchRequest() as! NSFetchRequest<Book>
            let d = make(#keyPath(Book.title)) as! NSFetchRequest<Book>
            let e = request as NSFetchRequest<Book>
            """)
        #expect(
            ported.text == """
                \(Self.coreData)
                let a = NSFetchRequest<NSFetchRequestResult>(casting: request)
                delete(NSFetchRequest<NSFetchRequestResult>(casting: self.request(for: "Book"))!)
                let b = NSFetchRequest<Self>(casting: Self.fetchRequest())!
                let c = NSFetchRequest<Book>(entityName: "Book")
                let d = NSFetchRequest<Book>(casting: make("title"))!
                let e = request as NSFetchRequest<Book>
                """)
        #expect(ported.changeCount == 6)
    }

    @Test func keyPathsAreCheckedWhereTheSourcesHaveTheProperty() {
        let model = "class Base: NSManagedObject { @NSManaged var id: String }\nclass Book: Base {}"
        let ported = port(
            "let keys = [#keyPath(Book.id), #keyPath(Book.title), #keyPath(Book.author.name)]", besides: model)
        #expect(
            ported.text == #"let keys = [NSStringFromKeyPath(\Book.id), "title", "author.name"]"#)
        #expect(ported.notes.map(\.place.column) == [32, 54] && ported.notes.map(\.newPlace.column) == [44, 53])
        #expect(ported.notes.allSatisfy { $0.message.hasPrefix("the compiler does not check the key path") })
    }

    @Test(arguments: [
        ("import CloudKit", "imports CloudKit, which Linux does not have"),
        ("let s = #selector(Book.go)", "methods are not called by selectors here"),
        ("center.addObserver(self, selector: #selector(go), name: n, object: nil)", "observe with a closure"),
        ("book.addObserver(self, forKeyPath: k, options: [], context: nil)", "objects are not observed by key"),
        ("let t = book.observe(\\.title, options: .new) { _, _ in }", "objects are not observed by key"),
        ("let t = book.observe(\\.title) { _, _ in }", "objects are not observed by key"),
        ("book.removeObserver(self, forKeyPath: k)", "objects are not observed by key"),
        ("book.willChangeValue(for: \\.title)", "changes are told by the property's name"),
        (
            "class B { override class func automaticallyNotifiesObservers(forKey k: String) -> Bool { true } }",
            "objects are not observed by key"
        ),
        ("let p = NSPredicate(format: f, arguments: list)", "there are no va_lists here"),
        (
            "class B { func validateName(_ v: AutoreleasingUnsafeMutablePointer<AnyObject?>) throws {} }",
            "is not found by its name"
        ),
        (
            "class P: NSEntityMigrationPolicy { @objc func slug(_ s: String) -> String { s } }",
            "a mapping's expression finds no method by its name"
        ),
        ("class {", "can't be parsed"),
    ]) func whatIsLeftIsListed(_ text: String, _ message: String) {
        let notes = port(text).notes
        #expect(notes.count == 1 && notes.first?.message.hasPrefix(message) == true, "\(notes)")
    }

    @Test func filesOfInterfacesStayAsTheyAre() {
        let ported = port("import UIKit\nimport CoreData\nclass C: UIViewController { @objc func go() {} }")
        #expect(ported.text == nil && ported.notes.map(\.place.line) == [1])
        let guarded = port("#if canImport(UIKit)\nimport UIKit\n#endif\nclass C { @objc func go() {} }")
        #expect(guarded.text?.contains("class C { func go() {} }") == true && guarded.notes.isEmpty)
    }
}
