import Testing

/// What each form of a declaration becomes.
@Suite("Expansion of @Model") struct ExpansionTests {
    @Test func aClassBecomesThatOfItsEntity() {
        let expansion = Expansion(
            """
            @Model(originalName: "Work") public final class Book: ManagedObject {
                #Unique<Book>([\\.title, \\.year])
                #Index<Book>([\\.title], [\\.year, \\.title])
                public var title: String
                var year: Int16 = 0
                var label: String { title }
            }
            """)
        #expect(expansion.complaints.isEmpty)
        // How the compiler indents is its own affair.
        #expect(
            expansion.words
                == Expansion.words(
                    """
                    public final class Book: ManagedObject {
                        public var title: String {
                            get {
                                self[required: Self.titleProperty]
                            }
                            set {
                                self[required: Self.titleProperty] = newValue
                            }
                        }

                        public static let titleProperty = ManagedObject._typedProperty("title", (String).self)
                        var year: Int16 {
                            get {
                                self[Self.yearProperty, default: 0]
                            }
                            set {
                                self[Self.yearProperty, default: 0] = newValue
                            }
                        }

                        static let yearProperty = ManagedObject._typedProperty("year", (Int16).self)
                        var label: String { title }

                        public override class var _schemaEntity: _SchemaEntity? {
                            _SchemaEntity("Book", of: Book.self, superclass: ManagedObject.self, properties: [titleProperty._declaration(isOptional: false), yearProperty._declaration(isOptional: false, defaultValue: 0)], keyPaths: { type in
                                func names<_Object: Book & KeyPathNaming>(_: _Object.Type) -> [AnyKeyPath: String] {
                                    var names: [AnyKeyPath: String] = [:]
                                    names[\\_Object.`title`] = "title"
                                    names[\\_Object.`year`] = "year"
                                    return names
                                }
                                return (type as? any (Book & KeyPathNaming).Type).map {
                                    names($0)
                                } ?? [:]
                            }, uniquenessConstraints: [["title", "year"]], indexes: [["title"], ["year", "title"]], originalName: "Work")
                        }
                    }
                    """), "\(expansion.text)")
    }

    struct Form: Sendable, CustomTestStringConvertible {
        let source: String
        let place: String
        let handle: String
        let declaration: String
        var testDescription: String { source }

        init(_ source: String, _ place: String, _ handle: String, _ declaration: String) {
            (self.source, self.place, self.handle, self.declaration) = (source, place, handle, declaration)
        }
    }

    private static let attributes = [
        Form(
            "var x: String", "self[required: Self.xProperty]",
            #"static let xProperty = ManagedObject._typedProperty("x", (String).self)"#,
            "xProperty._declaration(isOptional: false)"),
        Form(
            "var x: Date?", "self[Self.xProperty]",
            #"static let xProperty = ManagedObject._typedProperty("x", (Date?).self)"#,
            "xProperty._declaration(isOptional: true)"),
        Form(
            "var x: Optional<Int>", "self[Self.xProperty]",
            #"static let xProperty = ManagedObject._typedProperty("x", (Optional<Int>).self)"#,
            "xProperty._declaration(isOptional: true)"),
        Form(
            "var x: Genre = .novel", "self[Self.xProperty, default: .novel]",
            #"static let xProperty = ManagedObject._typedProperty("x", (Genre).self)"#,
            "xProperty._declaration(isOptional: false, defaultValue: .novel)"),
        Form(
            "var x: Int? = 3", "self[Self.xProperty]",
            #"static let xProperty = ManagedObject._typedProperty("x", (Int?).self)"#,
            "xProperty._declaration(isOptional: true, defaultValue: 3)"),
        Form(
            "var x: Int? = nil", "self[Self.xProperty]",
            #"static let xProperty = ManagedObject._typedProperty("x", (Int?).self)"#,
            "xProperty._declaration(isOptional: true)"),
        Form(
            #"var x = "a""#, #"self[Self.xProperty, default: "a"]"#,
            #"static let xProperty = ManagedObject._typedProperty("x", (String).self)"#,
            #"xProperty._declaration(isOptional: false, defaultValue: "a")"#),
        Form(
            "var x = 1", "self[Self.xProperty, default: 1]",
            #"static let xProperty = ManagedObject._typedProperty("x", (Int).self)"#,
            "xProperty._declaration(isOptional: false, defaultValue: 1)"),
        Form(
            "var x = 1.5", "self[Self.xProperty, default: 1.5]",
            #"static let xProperty = ManagedObject._typedProperty("x", (Double).self)"#,
            "xProperty._declaration(isOptional: false, defaultValue: 1.5)"),
        Form(
            "var x = false", "self[Self.xProperty, default: false]",
            #"static let xProperty = ManagedObject._typedProperty("x", (Bool).self)"#,
            "xProperty._declaration(isOptional: false, defaultValue: false)"),
        Form(
            "var x: Size = Size()", "self[Self.xProperty, default: Size()]",
            #"static let xProperty = ManagedObject._typedProperty("x", (Size).self)"#,
            "xProperty._declaration(isOptional: false, defaultValue: Size())"),
        Form(
            "var x: [String]?", "self[Self.xProperty]",
            #"static let xProperty = ManagedObject._typedProperty("x", ([String]?).self)"#,
            "xProperty._declaration(isOptional: true)"),
        Form(
            "var `in`: Bool = true", "self[Self.inProperty, default: true]",
            #"static let inProperty = ManagedObject._typedProperty("in", (Bool).self)"#,
            "inProperty._declaration(isOptional: false, defaultValue: true)"),
        Form(
            #"@Attribute(.unique, originalName: "y", minimum: .int(1)) var x: Int = 1"#,
            "self[Self.xProperty, default: 1]",
            #"static let xProperty = ManagedObject._typedProperty("x", (Int).self)"#,
            #"xProperty._declaration(isOptional: false, defaultValue: 1, _AttributeOptions(.unique, originalName: "y", minimum: .int(1)))"#
        ),
        Form(
            "@Attribute var x: Int?", "self[Self.xProperty]",
            #"static let xProperty = ManagedObject._typedProperty("x", (Int?).self)"#,
            "xProperty._declaration(isOptional: true, _AttributeOptions())"),
        Form(
            "@Transient var x: Bool = false", "self[Self.xProperty, default: false]",
            #"static let xProperty = ManagedObject._typedProperty("x", (Bool).self)"#,
            "xProperty._declaration(isOptional: false, isTransient: true, defaultValue: false)"),
        Form(
            "public var x: UUID?", "self[Self.xProperty]",
            #"public static let xProperty = ManagedObject._typedProperty("x", (UUID?).self)"#,
            "xProperty._declaration(isOptional: true)"),
        Form(
            "package var x: UUID?", "self[Self.xProperty]",
            #"package static let xProperty = ManagedObject._typedProperty("x", (UUID?).self)"#,
            "xProperty._declaration(isOptional: true)"),
        Form(
            "private var x: UUID?", "self[Self.xProperty]",
            #"fileprivate static let xProperty = ManagedObject._typedProperty("x", (UUID?).self)"#,
            "xProperty._declaration(isOptional: true)"),
    ]
}

extension ExpansionTests {
    private static let relationships = [
        Form(
            "var x: Writer?", "self[Self.xProperty]",
            #"static let xProperty = ManagedObject._typedProperty("x", (Writer?).self)"#,
            "xProperty._declaration(isOptional: true)"),
        Form(
            "var x: [Chapter]", "self[required: Self.xProperty]",
            #"static let xProperty = ManagedObject._typedProperty("x", ([Chapter]).self)"#,
            "xProperty._declaration(isOptional: false)"),
        Form(
            "var x: Set<Tag> = []", "self[Self.xProperty, default: []]",
            #"static let xProperty = ManagedObject._typedProperty("x", (Set<Tag>).self)"#,
            "xProperty._declaration(isOptional: false, defaultValue: [])"),
        Form(
            "var x: ManagedObjects<Tag>", "self[required: Self.xProperty]",
            #"static let xProperty = ManagedObject._typedProperty("x", (ManagedObjects<Tag>).self)"#,
            "xProperty._declaration(isOptional: false)"),
        Form(
            #"@Relationship(deleteRule: .cascade, inverse: \Chapter.book, isOrdered: true) var x: [Chapter]"#,
            "self[required: Self.xProperty]",
            #"static let xProperty = ManagedObject._typedProperty("x", ([Chapter]).self)"#,
            #"xProperty._declaration(isOptional: false, _RelationshipOptions(deleteRule: .cascade, inverse: \Chapter.book, isOrdered: true))"#
        ),
        Form(
            #"@Relationship(originalName: "y") var x: Library.Writer?"#, "self[Self.xProperty]",
            #"static let xProperty = ManagedObject._typedProperty("x", (Library.Writer?).self)"#,
            #"xProperty._declaration(isOptional: true, _RelationshipOptions(originalName: "y"))"#),
        Form(
            "@Relationship var x: [Chapter] = []", "self[Self.xProperty, default: []]",
            #"static let xProperty = ManagedObject._typedProperty("x", ([Chapter]).self)"#,
            "xProperty._declaration(isOptional: false, _RelationshipOptions())"),
    ]

    @Test(arguments: attributes + relationships) func aPropertyGetsItsPlaceItsHandleAndItsDeclaration(_ form: Form) {
        let expansion = Expansion("@Model class A: ManagedObject {\n    \(form.source)\n}")
        #expect(expansion.complaints.isEmpty)
        #expect(expansion.words.contains("get { \(form.place) } set { \(form.place) = newValue }"))
        #expect(expansion.words.contains(form.handle + " "))
        #expect(expansion.words.contains("properties: [\(form.declaration)]"), "\(expansion.text)")
    }

    @Test(arguments: [
        "static var x = 1", "class var x: Int { 1 }", "lazy var x = 1", "var x: Int { 1 }",
        "var x: Int { get { 1 } set {} }", "override var x: Int { get { 1 } set {} }",
        "func x() {}", "convenience init(x: Int) { self.init() }",
        "required init(_ seed: ManagedObjectSeed) { super.init(seed) }", "struct X {}",
    ])
    func whatIsNoStoredVariableStaysAsItIs(_ member: String) {
        let expansion = Expansion("@Model class A: ManagedObject {\n    \(member)\n}")
        #expect(expansion.complaints.isEmpty)
        #expect(
            expansion.text.contains("    \(member)\n") && expansion.text.contains("properties: [])"),
            "\(expansion.text)")
    }

    @Test func theEntityIsAsVisibleAsItsClass() {
        for (access, expected) in [
            ("open", "public "), ("public", "public "), ("package", "package "), ("internal", ""), ("fileprivate", ""),
            ("private", ""), ("", ""),
        ] {
            let expansion = Expansion("@Model \(access) class A: B {}")
            #expect(
                expansion.text.contains("    \(expected)override class var _schemaEntity"),
                "\(access): \(expansion.text)")
            #expect(expansion.text.contains(#"_SchemaEntity("A", of: A.self, superclass: B.self, properties: [])"#))
        }
    }
}
