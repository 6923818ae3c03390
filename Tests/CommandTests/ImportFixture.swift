import Foundation
import TestSupport

/// A document of authors and books, and files to import into it.
struct ImportFixture {
    let folder: URL
    var document: String { folder.path + "/Library.folio" }

    /// - Parameters:
    ///   - author: attributes of the relationship from a book to its author.
    ///   - store: what the document is called where it is no package.
    static func run(author: String = #"optional="YES""#, store: String? = nil, _ body: (ImportFixture) throws -> Void)
        throws
    {
        try withTemporaryDirectory { folder in
            let model = folder.path + "/Library.xcdatamodel"
            try FileManager.default.createDirectory(atPath: model, withIntermediateDirectories: true)
            let contents = """
                <?xml version="1.0" encoding="UTF-8"?>
                <model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0">
                <entity name="Author"><attribute name="first" optional="YES" attributeType="String"/><attribute name="last" optional="YES" attributeType="String"/>
                <relationship name="books" optional="YES" toMany="YES" destinationEntity="Book" inverseName="author" inverseEntity="Book"/></entity>
                <entity name="Book"><attribute name="title" attributeType="String" minValueString="1" maxValueString="40"/>
                <attribute name="isbn" optional="YES" attributeType="String"/>
                <attribute name="year" optional="YES" attributeType="Integer 32"/>
                <relationship name="author" \(author) maxCount="1" destinationEntity="Author" inverseName="books" inverseEntity="Author"/>
                <relationship name="sequel" optional="YES" maxCount="1" destinationEntity="Book" inverseName="prequel" inverseEntity="Book"/>
                <relationship name="prequel" optional="YES" maxCount="1" destinationEntity="Book" inverseName="sequel" inverseEntity="Book"/>
                <relationship name="tags" optional="YES" toMany="YES" destinationEntity="Tag" inverseName="books" inverseEntity="Tag"/></entity>
                <entity name="Tag"><attribute name="name" optional="YES" attributeType="String"/>
                <relationship name="books" optional="YES" toMany="YES" destinationEntity="Book" inverseName="tags" inverseEntity="Book"/>
                <uniquenessConstraints><uniquenessConstraint><constraint value="name"/></uniquenessConstraint></uniquenessConstraints></entity>
                </model>
                """
            try Data(contents.utf8).write(to: URL(fileURLWithPath: model + "/contents"))
            let fixture = ImportFixture(folder: folder)
            let made = try FolioCommand.run(["new", fixture.document, "--model", model])
            guard made.exit == 0 else {
                throw CocoaError(.fileWriteUnknown, userInfo: [NSLocalizedDescriptionKey: made.messages])
            }
            try body(fixture)
        }
    }

    /// Writes a file.
    func file(_ name: String, _ text: String) throws {
        try Data(text.utf8).write(to: folder.appendingPathComponent(name))
    }

    /// Runs `folio import` on files that were written.
    func importing(_ arguments: String...) throws -> FolioCommand.Outcome {
        try FolioCommand.run(["import", document] + arguments, in: folder)
    }

    /// What a fetch prints as CSV, without the header and the objects' names.
    func rows(_ entity: String, _ columns: String, sort: String, where condition: String = "TRUEPREDICATE") throws
        -> String
    {
        let output = try FolioCommand.run(
            "fetch", document, entity, "--where", condition, "--columns", columns, "--sort", sort, "--format", "csv"
        ).output
        return output.split(separator: "\n").dropFirst().map { String($0.drop { $0 != "," }.dropFirst()) + "\n" }
            .joined()
    }

    func count(_ entity: String) throws -> String {
        try FolioCommand.run("fetch", document, entity, "--count").output
    }
}
