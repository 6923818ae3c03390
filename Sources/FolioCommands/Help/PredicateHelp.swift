/// The text of `folio help predicates`: examples, which are valid for
/// `DocumentSamples/Expeditions.folio`.
enum PredicateHelp {
    struct Example: Sendable {
        let predicate: String
        /// The equivalent in SQL or another language; a remark if there is none.
        let sql: String
        let entity: String

        init(_ predicate: String, _ sql: String, of entity: String = "Journey") {
            self.predicate = predicate
            self.sql = sql
            self.entity = entity
        }
    }

    struct Section: Sendable {
        let title: String
        let examples: [Example]
        /// The notes, in the format of a command's notes.
        let notes: String
    }

    static let introduction = """
        A predicate is a condition on objects, in Core Data's predicate format. --where and --having take one, and --columns and --group-by take its expressions. \
        The left column is what to write, the right one what SQL has for it.
        """

    static var sections: [Section] { [comparisons, texts, relationships, operators, functions, values, shells] }

    static func print(_ console: Console) {
        if console.isJSON { return console.print(json) }
        let wrapper = TextWrapper(width: TextWrapper.terminalWidth)
        var lines = ["folio help predicates: the language of conditions", ""] + wrapper.lines(introduction)
        for section in sections {
            lines += ["", section.title]
            lines += Help.definitions(
                section.examples.map { ($0.predicate, $0.sql) }, wrapper, widest: wrapper.width / 2)
            if !section.notes.isEmpty {
                lines += (section.examples.isEmpty ? [] : [""]) + wrapper.noteLines(section.notes)
            }
        }
        lines.forEach(console.print)
    }

    private static var json: JSONValue {
        let sections = sections.map { section in
            JSONValue.object([
                "title": .string(section.title), "notes": .string(section.notes),
                "examples": .array(
                    section.examples.map {
                        .object([
                            "predicate": .string($0.predicate), "sql": .string($0.sql), "entity": .string($0.entity),
                        ])
                    }),
            ])
        }
        return .object([
            "topic": .string("predicates"), "introduction": .string(introduction), "sections": .array(sections),
        ])
    }
}
