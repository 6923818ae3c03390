/// The predicate language as `folio help predicates` shows it: by examples, which hold for
/// `DocumentSamples/Expeditions.folio`.
enum PredicateHelp {
    struct Example: Sendable {
        let predicate: String
        /// What SQL, or another language, has for it; a remark where it has nothing.
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
        /// As the notes of a command.
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
