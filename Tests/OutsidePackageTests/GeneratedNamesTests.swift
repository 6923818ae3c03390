import Foundation
import TestSupport
import Testing

/// Classes for names that Swift, Foundation, the framework or the generator itself takes.
struct GeneratedNamesTests {
    private static let properties = [
        "ID", "id", "Id", "context", "self", "Self", "Type", "Protocol", "init", "Any", "class", "default", "in", "is",
        "as", "nil", "true", "await", "async", "actor", "some", "any", "open", "get", "set", "newValue", "value",
        "values", "idx", "indexes", "zip", "names", "add", "remove", "insert", "fetchRequest", "addToItems",
        "removeFromItems", "insertIntoItems", "objectID", "isInserted", "isUpdated", "isDeleted", "isFault",
        "hasChanges", "hasFault", "hasPersistentChangedValues", "managedObjectContext", "entity", "description",
        "description_", "debugDescription", "hash", "hashValue", "delete", "validate", "propertyValue", "setValue",
        "willSave", "didSave", "awake", "primitiveValue", "predicateConstant", "fetchedObjects", "changedValues",
        "customValidatedKeys", "namesByKeyPath", "_", "__", "_name", "name", "Name", "nameProperty", "größe", "名前",
        "Data", "String", "Int", "Set", "Date", "model", "classes", "text", "itemKeyPaths", "willChange",
        "objectWillChange", "observable", "registry", "slots", "row", "store", "perform", "object", "key", "keys",
    ]
    private static let classes = [
        "Data", "Date", "Set", "URL", "UUID", "Error", "Decimal", "TimeInterval", "IndexSet", "String", "Int", "Int16",
        "Int32", "Int64", "Double", "Float", "Bool", "Array", "Dictionary", "Optional", "Sequence", "Identifiable",
        "AnyKeyPath", "ObjectIdentifier", "Result", "Type", "Protocol", "Notification", "Operation", "ManagedObjects",
        "FetchRequest", "LargeValue", "PropertyValue", "KeyPathNaming", "PredicateArgument", "ManagedObjectModel",
        "CodableObject", "Größe",
    ]

    /// A type of every kind for the attributes of an entity.
    private static let attributes = [
        "Integer 16", "Integer 32", "Integer 64", "Double", "Float", "Boolean", "Date", "Decimal", "String", "UUID",
        "URI", "Binary", "Transformable",
    ].map { type in
        "<attribute name='a\(type.filter { $0 != " " })' attributeType='\(type)'/>"
            + "<attribute name='s\(type.filter { $0 != " " })' attributeType='\(type)' usesScalarValueType='YES'/>"
    }.joined()

    private func generated(_ contents: String, for framework: String = "folio", in scratch: URL) throws -> (
        output: URL, exit: Int32, messages: String
    ) {
        let configuration = scratch.appendingPathComponent("configuration.json"),
            output = scratch.appendingPathComponent("Classes.swift"),
            model = scratch.appendingPathComponent("Shop.xcdatamodel")
        try FileManager.default.createDirectory(at: model, withIntermediateDirectories: true)
        try #"{"classes": "all", "codable": \#(framework == "folio")}"#.write(
            to: configuration, atomically: true, encoding: .utf8)
        try "<model>\(contents)</model>".write(
            to: model.appendingPathComponent("contents"), atomically: true, encoding: .utf8)
        let made = try Subprocess.run(
            [
                productsFolder.appendingPathComponent("modelgen").path, model.path, output.path, configuration.path,
                "--for", framework,
            ], in: scratch)
        return (output, made.exit, made.output)
    }

    private func compile(_ contents: String) throws {
        try withTemporaryDirectory { scratch in
            let made = try generated(contents, in: scratch)
            #expect(made.exit == 0, "\(made.messages)")
            try typecheckGenerated(made.output, in: scratch)
        }
    }

    @Test func attributesOfEveryNameCompile() throws {
        let named = Self.properties.map { "<attribute name='\($0)' attributeType='String'/>" }.joined()
        try compile(
            """
            <entity name='Item' representedClassName='Item'>\(named)<relationship name='items' toMany='YES' ordered='YES' destinationEntity='Item'/></entity>
            <entity name='Sub' representedClassName='Sub' parentEntity='Item'><attribute name='ID_' attributeType='String'/></entity>
            """)
        for type in ["Integer 64", "Transformable", "Undefined"] {
            let transient = type == "Undefined" ? "transient='YES'" : ""
            try compile(
                "<entity name='Item' representedClassName='Item'>"
                    + ["ID", "id", "context", "self"].map {
                        "<attribute name='\($0)' attributeType='\(type)' \(transient)/>"
                    }.joined()
                    + "</entity>")
        }
    }

    /// All kinds of names at once: a run of the compiler takes seconds.
    @Test func classesForCoreDataCompileWithEveryName() throws {
        let attributes = Self.properties.map { "<attribute name='\($0)' attributeType='String'/>" }.joined(),
            relationships = Self.properties.map {
                "<relationship name='\($0)' toMany='YES' ordered='YES' destinationEntity='Item'/>"
            }.joined()
        let others = (Self.classes + ["NSNumber", "NSSet", "NSOrderedSet", "NSIndexSet", "NSObject", "NSFetchRequest"])
            .map { name in
                "<entity name='\(name)' representedClassName='\(name)'>\(Self.attributes)"
                    + "<relationship name='others' toMany='YES' ordered='YES' destinationEntity='Data'/>"
                    + "<relationship name='more' toMany='YES' destinationEntity='Data'/>"
                    + "<relationship name='one' maxCount='1' destinationEntity='Error'/></entity>"
            }.joined()
        try withTemporaryDirectory { scratch in
            let made = try generated(
                """
                <entity name='Thing' representedClassName='Thing'>\(attributes)</entity>
                <entity name='Item' representedClassName='Item'>\(relationships)
                    <relationship name='items' toMany='YES' destinationEntity='Item'/>
                    <relationship name='Items' toMany='YES' ordered='YES' destinationEntity='Item'/></entity>
                <entity name='Sub' representedClassName='Sub' parentEntity='Item'>
                    <relationship name='ITems' toMany='YES' destinationEntity='Item'/></entity>
                \(others)
                """, for: "coredata", in: scratch)
            #expect(made.exit == 0, "\(made.messages)")
            try typecheckGenerated(made.output, in: scratch)
        }
    }

    @Test func relationshipsOfEveryNameCompile() throws {
        let named = Self.properties.map {
            "<relationship name='\($0)' toMany='YES' ordered='YES' destinationEntity='Item'/>"
        }.joined()
        try compile(
            """
            <entity name='Item' representedClassName='Item'>\(named)<relationship name='items' toMany='YES' destinationEntity='Item'/>
                <relationship name='Items' toMany='YES' ordered='YES' destinationEntity='Item'/></entity>
            <entity name='Sub' representedClassName='Sub' parentEntity='Item'>
                <relationship name='ITems' toMany='YES' destinationEntity='Item'/><relationship name='Größe' toMany='YES' destinationEntity='Sub'/></entity>
            <entity name='One' representedClassName='One'><relationship name='id' maxCount='1' destinationEntity='Item'/></entity>
            <fetchRequest name='all' entity='Item'/><fetchRequest name='All' entity='Item'/>
            """)
    }

    @Test func classesOfTheNamesOfOtherTypesCompile() throws {
        let entities = Self.classes.map { name in
            "<entity name='\(name)' representedClassName='\(name)'>\(Self.attributes)"
                + "<relationship name='others' toMany='YES' ordered='YES' destinationEntity='Data'/>"
                + "<relationship name='one' maxCount='1' destinationEntity='Error'/></entity>"
        }.joined()
        try compile(
            entities
                + "<entity name='Renamed' representedClassName='Other'/><fetchRequest name='all' entity='Set'/>"
                + "<composite name='C'><attribute name='x' attributeType='String'/></composite>"
                + "<entity name='Holder' representedClassName='Holder'><attribute name='c' attributeType='Composite' composite='C'/></entity>"
        )
    }

    @Test(arguments: [("Foundation", "module"), ("ShopModel", "enum"), ("Self", "no name"), ("class", "no name")])
    func classesThatCanNotBeAreNamed(_ name: String, _ reason: String) throws {
        try withTemporaryDirectory { scratch in
            let made = try generated("<entity name='E' representedClassName='\(name)'/>", in: scratch)
            #expect(
                made.exit == 65 && made.messages.contains("E: ") && made.messages.contains(reason), "\(made.messages)")
        }
    }
}
