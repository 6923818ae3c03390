import Foundation
import Testing

/// What is said of wrong use, at which token, and how it is mended.
@Suite("Diagnostics of @Model") struct DiagnosticTests {
    /// One complaint is expected, at the last occurrence of `place`.
    private func expect(
        _ message: String, at place: String, in source: String, repaired: (by: String, to: String)? = nil,
        location: SourceLocation = #_sourceLocation
    ) {
        let complaints = Expansion(source).complaints
        #expect(complaints.count == 1, "\(complaints)", sourceLocation: location)
        guard let complaint = complaints.first, let range = source.range(of: place, options: .backwards) else {
            Issue.record("there is no complaint, or no \(place)", sourceLocation: location)
            return
        }
        #expect(complaint.message == message, sourceLocation: location)
        #expect(complaint.place == place, sourceLocation: location)
        #expect(
            complaint.offset == source.utf8.distance(from: source.startIndex, to: range.lowerBound),
            sourceLocation: location)
        #expect(complaint.repairs == (repaired.map { [$0.by: $0.to] } ?? [:]), sourceLocation: location)
    }

    private func inClass(_ member: String) -> String { "@Model class A: ManagedObject {\n    \(member)\n}" }

    private func expect(
        _ message: String, at place: String, of member: String, repaired: (by: String, to: String)? = nil,
        location: SourceLocation = #_sourceLocation
    ) {
        expect(
            message, at: place, in: inClass(member), repaired: repaired.map { ($0.by, inClass($0.to)) },
            location: location)
    }

    @Test func onlyClassesAreModels() {
        expect("@Model needs a class: objects of a context have identity", at: "struct", in: "@Model struct A {}")
        expect("@Model needs a class: objects of a context have identity", at: "enum", in: "@Model enum A {}")
        expect("@Model needs a class: objects of a context have identity", at: "actor", in: "@Model actor A {}")
    }

    @Test func genericClassesAreNone() {
        expect(
            "a class with @Model can't be generic: it is the class of one entity", at: "<T>",
            in: "@Model class A<T>: ManagedObject {}")
    }

    @Test func theSuperclassIsNamed() {
        expect(
            "a class with @Model inherits from ManagedObject or from another class with @Model", at: "Book",
            in: "@Model class Book {}",
            repaired: ("inherit from ManagedObject", "@Model class Book: ManagedObject {}"))
    }

    @Test func constantsBecomeVariables() {
        expect(
            "a property of an entity is a variable: the store fills it", at: "let", of: "let x: Int",
            repaired: ("make it a variable", "var x: Int"))
    }

    @Test func severalPropertiesAreDeclaredOneByOne() {
        expect("declare each property of an entity by itself", at: "x: Int, y: Int", of: "var x: Int, y: Int")
        expect("declare each property of an entity by itself", at: "(x, y) = (1, 2)", of: "var (x, y) = (1, 2)")
    }

    @Test func observersAreRefused() {
        expect(
            "a property of an entity can't have observers: override willSave, or observe the context",
            at: "{ didSet {} }", of: "var x: Int = 0 { didSet {} }")
    }

    @Test func namesOfTheBaseClassAreTaken() {  // L50
        expect(
            "ManagedObject has a property “description” of its own", at: "description", of: "var description: String")
        expect("ManagedObject has a property “`entity`” of its own", at: "`entity`", of: "var `entity`: String")
    }

    @Test func typesAreWritten() {
        expect(
            "write the type of “x”: a macro sees no more than the text", at: "x", of: "var x = Date()",
            repaired: ("write the type", "var x: <#Type#> = Date()"))
    }
}

extension DiagnosticTests {
    @Test func unwrappedTypesBecomeOptional() {
        expect(
            "a value can be missing: a property of an entity is optional or has a value of its own", at: "Int!",
            of: "var x: Int!",
            repaired: ("make it optional", "var x: Int?"))
    }

    @Test func nothingIsWeak() {
        for word in ["weak", "unowned"] {
            expect(
                "a property of an entity holds nothing: there is nothing to weaken", at: word,
                of: "\(word) var x: Writer?",
                repaired: ("remove “\(word)”", "var x: Writer?"))
        }
    }

    @Test func aPropertyIsAnAttributeOrARelationship() {
        expect(
            "a property is an attribute or a relationship, not both", at: "@Relationship",
            of: "@Attribute @Relationship var x: Writer?")
    }

    @Test func theOtherEndOfAToOneCanBeMissing() {
        expect(
            "the object at the other end of a to-one relationship can be missing", at: "Writer",
            of: "@Relationship var x: Writer",
            repaired: ("make it optional", "@Relationship var x: Writer?"))
        expect(
            "the object at the other end of a to-one relationship can be missing", at: "Library.Writer",
            of: "@Relationship var x: Library.Writer",
            repaired: ("make it optional", "@Relationship var x: Library.Writer?"))
    }

    @Test func aToOneHasNoOrder() {
        expect(
            "a to-one relationship has one object at most, and no order", at: "isOrdered: true",
            of: "@Relationship(isOrdered: true) var x: Writer?")
    }

    @Test func aTransientValueIsNotKeptUnique() {
        expect(
            "the store keeps values unique, and never sees a transient one", at: ".unique",
            of: "@Transient @Attribute(.unique) var x: Int",
            repaired: ("remove @Transient", "@Attribute(.unique) var x: Int"))
    }

    @Test func whatIsNotStoredIsNoProperty() {
        for (name, rest) in [
            ("Attribute", "var x: Int { 1 }"), ("Relationship", "static var x: Writer?"),
            ("Transient", "lazy var x = 1"),
        ] {
            expect(
                "this property is none of the entity's: those are stored variables of the object", at: "@\(name)",
                of: "@\(name) \(rest)", repaired: ("remove @\(name)", rest))
        }
    }

    @Test func initializersAreConvenient() {
        expect(
            "an object is made by its context: this initializer calls self.init(context:)", at: "init",
            of: "init(x: Int) {}",
            repaired: ("make it a convenience initializer", "convenience init(x: Int) {}"))
        expect(
            "an object is made by its context: this initializer calls self.init(context:)", at: "init",
            of: "public init(x: Int) {}",
            repaired: ("make it a convenience initializer", "public convenience init(x: Int) {}"))
    }

    @Test func constraintsAndIndexesAreKeyPathsOfOneStep() {
        expect("#Unique takes arrays of key paths, such as [\\.name]", at: "names", of: "#Unique<A>(names)")
        expect(
            "#Index takes key paths of one step, such as \\.name", at: "\\.author.name",
            of: "#Index<A>([\\.author.name])")
        expect("#Index takes key paths of one step, such as \\.name", at: "path", of: "#Index<A>([path])")
    }

    @Test func markersStandInAModel() {
        for name in ["Attribute", "Relationship", "Transient"] {
            expect(
                "@\(name) says something of a property of a class with @Model", at: "@\(name)",
                in: "class A {\n    @\(name) var x: Int\n}")
            expect("@\(name) stands before a property", at: "@\(name)", of: "@\(name) func x() {}")
        }
        expect(
            "#Unique stands among the members of a class with @Model", at: "#Unique<A>([\\.x])",
            in: "class A {\n    #Unique<A>([\\.x])\n}")
        expect(
            "#Index stands among the members of a class with @Model", at: "#Index<A>([\\.x])", in: "#Index<A>([\\.x])")
    }
}
