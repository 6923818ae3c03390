extension MergeCase {
    private static let lines = ["1", "2", "3", "4", "5", "6"]

    static func text(changing changes: [Int: String] = [:]) -> MergeCaseValue {
        .text(lines.enumerated().map { (changes[$0.offset] ?? $0.element) + "\n" }.joined())
    }

    private static func one(
        _ title: String, _ ours: [Edit], _ theirs: [Edit], newModel: NewModel? = nil, _ wanted: [(String, Fact)]
    ) -> MergeCase {
        MergeCase(title: title, newModel: newModel, ours: ours, theirs: theirs, wanted: wanted)
    }

    /// Base: Ada has the books a, b and c, Ben has f; d and e have no author. Tag red is on a; tags
    /// blue and green are on nothing. Chapter c1 is in a, profile p is free, Ada and Ben are
    /// partners.
    static let all: [MergeCase] = attributes + deletions + links + orders + objects + values + models

    private static let attributes = [
        one(
            "different attributes of one object", [.set("Book", "a", "title", .text("T"))],
            [.set("Book", "a", "note", .text("N"))],
            [
                ("the title", .value("Book", "a", "title", .text("T"))),
                ("the note", .value("Book", "a", "note", .text("N"))),
            ]),
        one(
            "one attribute, different values", [.set("Book", "a", "title", .text("T"))],
            [.set("Book", "a", "title", .text("U"))], []),
        one(
            "one attribute, the same value", [.set("Book", "a", "title", .text("T"))],
            [.set("Book", "a", "title", .text("T"))], [("the title", .value("Book", "a", "title", .text("T")))]),
        one(
            "different objects", [.set("Book", "a", "title", .text("T"))], [.set("Book", "b", "title", .text("U"))],
            [
                ("ours", .value("Book", "a", "title", .text("T"))),
                ("theirs", .value("Book", "b", "title", .text("U"))),
            ]),
        one(
            "different parts of a composite", [.set("Author", "Ada", "city", .text("Bath"))],
            [.set("Author", "Ada", "country", .text("Wales"))],
            [
                ("the city", .value("Author", "Ada", "city", .text("Bath"))),
                ("the country", .value("Author", "Ada", "country", .text("Wales"))),
            ]),
        one(
            "one part of a composite", [.set("Author", "Ada", "city", .text("Bath"))],
            [.set("Author", "Ada", "city", .text("York"))], []),
    ]

    private static let deletions = [
        one(
            "deleted, and untouched there", [.set("Book", "a", "title", .text("T"))], [.delete("Book", "d")],
            [("the deletion", .gone("Book", "d")), ("the title", .value("Book", "a", "title", .text("T")))]),
        one("deleted here, changed there", [.delete("Book", "d")], [.set("Book", "d", "title", .text("T"))], []),
        one("changed here, deleted there", [.set("Book", "d", "title", .text("T"))], [.delete("Book", "d")], []),
        one(
            "deleted on both sides", [.delete("Book", "d")], [.delete("Book", "d")],
            [("the deletion", .gone("Book", "d"))]),
        one(
            "a new object leads to what is deleted there",
            [.insert("Book", "n"), .link("Book", "n", "author", "Ben")], [.delete("Author", "Ben")],
            [("our new book", .there("Book", "n"))]),
        one(
            "an object is moved to what is deleted there", [.link("Book", "d", "author", "Ben")],
            [.delete("Author", "Ben")], [("the book d", .there("Book", "d"))]),
        one(
            "what is deleted with its owner there is changed here", [.set("Book", "f", "title", .text("T"))],
            [.delete("Author", "Ben")], [("the book f", .there("Book", "f"))]),
        one(
            "a mandatory owner is deleted there", [.insert("Chapter", "n"), .link("Chapter", "n", "book", "d")],
            [.delete("Book", "d")], [("our new chapter", .there("Chapter", "n"))]),
        one(
            "a deletion that a new link denies", [.insert("Loan", "n"), .link("Loan", "n", "book", "d")],
            [.delete("Book", "d")], []),
    ]

    private static let links = [
        one(
            "a set: both add", [.add("Book", "a", "tags", "blue")], [.add("Book", "a", "tags", "green")],
            [
                ("blue", .has("Book", "a", "tags", "blue")), ("green", .has("Book", "a", "tags", "green")),
                ("red", .has("Book", "a", "tags", "red")),
            ]),
        one(
            "a set: both add the same", [.add("Book", "a", "tags", "blue")], [.add("Book", "a", "tags", "blue")],
            [("blue", .has("Book", "a", "tags", "blue"))]),
        one(
            "a set: one adds, one removes", [.add("Book", "a", "tags", "blue")], [.remove("Book", "a", "tags", "red")],
            [("blue", .has("Book", "a", "tags", "blue")), ("the removal", .hasNot("Book", "a", "tags", "red"))]),
        one(
            "a set: what is added here is deleted there", [.add("Book", "b", "tags", "red")], [.delete("Tag", "red")],
            [("red on b", .has("Book", "b", "tags", "red"))]),
        one(
            "to-one: two owners", [.link("Book", "d", "author", "Ada")], [.link("Book", "d", "author", "Ben")], []),
        one(
            "one-to-one: each of a pair gets another partner", [.link("Author", "Ada", "partner", "Cyd")],
            [.link("Author", "Ben", "partner", "Dan")],
            [
                ("Ada and Cyd", .link("Author", "Ada", "partner", "Cyd")),
                ("Ben and Dan", .link("Author", "Ben", "partner", "Dan")),
                ("Cyd and Ada", .link("Author", "Cyd", "partner", "Ada")),
            ]),
        one(
            "one-to-one: both take the same", [.link("Profile", "p", "author", "Ada")],
            [.link("Profile", "p", "author", "Ben")], []),
    ]

    private static let orders = [
        one(
            "an order: moved here, appended there", [.order("Ada", ["c", "a", "b"])],
            [.order("Ada", ["a", "b", "c", "d"])],
            [("the order", .order("Ada", ["c", "a", "b", "d"]))]),
        one(
            "an order: both insert, at different places", [.order("Ada", ["d", "a", "b", "c"])],
            [.order("Ada", ["a", "b", "e", "c"])], [("the order", .order("Ada", ["d", "a", "b", "e", "c"]))]),
        one(
            "an order: both append", [.order("Ada", ["a", "b", "c", "d"])], [.order("Ada", ["a", "b", "c", "e"])],
            [("the order", .order("Ada", ["a", "b", "c", "d", "e"]))]),
        one(
            "an order: removed here, moved there", [.order("Ada", ["a", "c"])], [.order("Ada", ["c", "a", "b"])],
            [("the order", .order("Ada", ["c", "a"]))]),
    ]

    private static let objects = [
        one(
            "both insert", [.insert("Book", "n"), .set("Book", "n", "title", .text("T"))],
            [.insert("Book", "m"), .set("Book", "m", "title", .text("U"))],
            [("our book", .there("Book", "n")), ("their book", .there("Book", "m"))]),
        one(
            "both insert objects that lead to each other",
            [.insert("Author", "Eve"), .insert("Book", "n"), .link("Book", "n", "author", "Eve")],
            [.insert("Author", "Fay"), .insert("Book", "m"), .link("Book", "m", "author", "Fay")],
            [
                ("Eve's book", .link("Book", "n", "author", "Eve")),
                ("Fay's book", .link("Book", "m", "author", "Fay")),
            ]),
        one(
            "both insert the same", [.insert("Tag", "new")], [.insert("Tag", "new")],
            [("the tag", .there("Tag", "new"))]),
        one(
            "both insert one unique value, among others",
            [.insert("Tag", "other"), .insert("Tag", "new"), .add("Book", "a", "tags", "new")],
            [.insert("Tag", "new"), .add("Book", "b", "tags", "new")],
            [
                ("new on a", .has("Book", "a", "tags", "new")), ("new on b", .has("Book", "b", "tags", "new")),
                ("other", .there("Tag", "other")),
            ]),
        one(
            "two objects get one unique value", [.set("Tag", "red", "label", .text("warm"))],
            [.set("Tag", "blue", "label", .text("warm"))], []),
    ]

    private static let values = [
        one(
            "a number with the rule `sum`", [.set("Book", "a", "copies", .integer(12))],
            [.set("Book", "a", "copies", .integer(15))],
            [("a part of the sum", .value("Book", "a", "copies", .integer(17)))]),
        one(
            "a number with the rule `max`", [.set("Book", "a", "rating", .real(4))],
            [.set("Book", "a", "rating", .real(5))], [("the maximum", .value("Book", "a", "rating", .real(5)))]),
        one(
            "a text with the rule `text`, different lines", [.set("Book", "a", "text", text(changing: [0: "one"]))],
            [.set("Book", "a", "text", text(changing: [5: "six"]))],
            [("a line", .value("Book", "a", "text", text(changing: [0: "one", 5: "six"])))]),
        one(
            "a text with the rule `text`, one line", [.set("Book", "a", "text", text(changing: [2: "one"]))],
            [.set("Book", "a", "text", text(changing: [2: "two"]))], []),
        one(
            "a large value here, a text there", [.set("Book", "a", "cover", .bytes(7, 200_000))],
            [.set("Book", "a", "note", .text("N"))],
            [
                ("the large value", .value("Book", "a", "cover", .bytes(7, 200_000))),
                ("the note", .value("Book", "a", "note", .text("N"))),
            ]),
        one(
            "a large value on both sides", [.set("Book", "a", "cover", .bytes(7, 200_000))],
            [.set("Book", "a", "cover", .bytes(8, 200_000))], []),
    ]

    private static let models = [
        one(
            "a newer model here", [.set("Book", "a", "shelf", .text("S"))], [.set("Book", "a", "title", .text("T"))],
            newModel: .ours,
            [
                ("the new attribute", .value("Book", "a", "shelf", .text("S"))),
                ("the title", .value("Book", "a", "title", .text("T"))),
            ]),
        one(
            "a newer model there", [.set("Book", "a", "title", .text("T"))], [.set("Book", "a", "shelf", .text("S"))],
            newModel: .theirs, []),
    ]
}
