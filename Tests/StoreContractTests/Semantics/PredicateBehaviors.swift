import Foundation
import ObjectGraph
import Query
import Schema
import Testing

/// The predicate language over one small graph: the same answer from unsaved objects, from saved
/// ones, and from the store opened again.
struct PredicateBehaviors {
    /// Ada (36) teaches Bob (20) and Cyd; Évariste (20) has a mail address. Accounts: main (100,
    /// tags x and y, entries in and out), spare (5, tag x), both Ada's; joint (50) and the savings
    /// account nest (200, 0.5), both Bob's; lost (no balance, of nobody).
    private static func fill(_ context: ManagedObjectContext) throws {
        let ada = try context.make("Person", ["name": "Ada", "age": 36]),
            bob = try context.make("Person", ["name": "Bob", "age": 20, "mentor": ada])
        try context.make("Person", ["name": "Cyd", "mentor": ada])
        try context.make("Person", ["name": "Évariste", "age": 20, "email": "e@x.org", "friends": Set([bob])])
        let x = try context.make("Tag", ["word": "x", "weight": 1]),
            y = try context.make("Tag", ["word": "y", "weight": 2])
        let day = Date(timeIntervalSinceReferenceDate: 1000)
        let main = try context.make(
            "Account",
            [
                "title": "main", "balance": 100, "owner": ada, "tags": Set([x, y]), "opened": day,
                "note": "50% *off* [new]",
            ])
        for text in ["in", "out"] { try context.make("Entry", ["text": text, "account": main]) }
        try context.make(
            "Account", ["title": "spare", "balance": 5, "owner": ada, "tags": Set([x]), "note": "line one\nline two"])
        try context.make("Account", ["title": "joint", "balance": 50, "owner": bob, "color": "Red"])
        try context.make(
            "Savings",
            [
                "title": "nest", "balance": 200, "rate": 0.5, "owner": bob, "opened": day.addingTimeInterval(60),
                "color": "red",
            ])
        try context.make("Account", ["title": "lost", "balance": nil])
    }

    private static func ask(_ facts: String, _ entity: String, _ format: String, _ wanted: [String]) -> Behavior {
        Behavior(facts, "\(entity) where \(format)") { f in
            let context = f.context()
            try fill(context)
            let key = entity == "Person" ? "name" : "title"
            #expect(try context.found(entity, format, by: key) == wanted, "unsaved")
            try context.save()
            #expect(try context.found(entity, format, by: key) == wanted, "saved")
            #expect(try f.context().found(entity, format, by: key) == wanted, "fetched anew")
            #expect(try context.count(entity, matching: FetchPredicate(format: format)) == wanted.count)
        }
    }

    private static func refuse(_ facts: String, _ entity: String, _ format: String, _ code: QueryError.Code)
        -> Behavior
    {
        Behavior(facts, "\(entity) where \(format) is refused") { f in
            let context = f.context()
            try fill(context)
            for _ in 0..<2 {
                #expect(#expect(throws: QueryError.self) { try context.all(entity, format) }?.code == code)
                try context.save()
            }
        }
    }

    static let all: [Behavior] = [
        // Connectives.
        ask("P1", "Account", "balance > 50 OR balance < 10 AND title == 'x'", ["main", "nest"]),
        ask("P1", "Account", "(balance > 50 OR balance < 10) AND title BEGINSWITH 's'", ["spare"]),
        ask("P1", "Account", "NOT balance > 50 AND title != 'lost'", ["joint", "spare"]),
        ask("P1", "Account", "!(balance > 50) && !(title == 'lost')", ["joint", "spare"]),
        ask(
            "P1 P5", "Account", "not balance == nil Or balance == nil aNd falsepredicate",
            ["joint", "main", "nest", "spare"]),
        ask("P1 P45", "Account", "TRUEPREDICATE AND NOT FALSEPREDICATE", ["joint", "lost", "main", "nest", "spare"]),
        ask("P15", "Account", "((balance == 5)) OR (balance == 50 OR (balance == 100))", ["joint", "main", "spare"]),
        // Operators in all their spellings.
        ask("P3", "Account", "balance = 5", ["spare"]), ask("P3", "Account", "balance == 5", ["spare"]),
        ask("P3 P31", "Account", "balance <> 5", ["joint", "lost", "main", "nest"]),
        ask("P3 P66", "Account", "balance != 5", ["joint", "lost", "main", "nest"]),
        ask("P3", "Account", "balance < 50", ["spare"]), ask("P3", "Account", "balance <= 50", ["joint", "spare"]),
        ask("P3", "Account", "balance =< 50", ["joint", "spare"]),
        ask("P3", "Account", "balance > 50", ["main", "nest"]),
        ask("P3", "Account", "balance >= 50", ["joint", "main", "nest"]),
        ask("P3", "Account", "balance => 50", ["joint", "main", "nest"]),
        ask("P17 P38", "Account", "balance BETWEEN {5, 100}", ["joint", "main", "spare"]),
        ask("P38", "Account", "NOT balance BETWEEN {5, 100}", ["lost", "nest"]),
        ask("P34", "Account", "title IN {'main', 'nest', 'other'}", ["main", "nest"]),
        ask("P34 P68", "Account", "NOT balance IN {5, 50}", ["lost", "main", "nest"]),
        ask("P34", "Account", "title CONTAINS 'a'", ["main", "spare"]),
        ask("P35", "Account", "title ENDSWITH 't'", ["joint", "lost", "nest"]),
        ask("P33 P35", "Account", "color BEGINSWITH 'r'", ["nest"]),
        ask("P4 P35", "Account", "color BEGINSWITH[c] 'r'", ["joint", "nest"]),
        // Literals.
        ask("P8", "Account", "balance == 0x64", ["main"]), ask("P8", "Account", "balance == 0b101", ["spare"]),
        ask("P8", "Account", "balance == 5.0e1", ["joint"]),
        ask("P8", "Account", #"title == "main""#, ["main"]),
        ask("P8 P22", "Account", #"note == 'line one\nline two'"#, ["spare"]),
        ask("P9", "Account", "TRUE == YES AND balance == 5", ["spare"]),
        ask("P9", "Account", "FALSE == 0 AND balance == 5", ["spare"]),
        ask("P9 P67", "Account", "balance == NULL", ["lost"]), ask("P9 P67", "Account", "owner == NIL", ["lost"]),
        ask("P67", "Account", "owner != nil", ["joint", "main", "nest", "spare"]),
        ask("P13 P14", "Account", "#title == 'main'", ["main"]),
        // Text.
        ask("P36", "Account", "title LIKE '*s*t'", ["lost", "nest"]),
        ask("P36", "Account", "title LIKE '????'", ["lost", "main", "nest"]),
        ask("P36", "Account", #"note LIKE '*\*off\**'"#, ["main"]),
        ask("P36", "Account", "note CONTAINS '[new]'", ["main"]),
        ask("P36", "Account", "note CONTAINS '50%'", ["main"]),
        ask("P37 P71", "Account", "title MATCHES '.*[ai].*'", ["joint", "main", "spare"]),
        ask("P37", "Account", "title MATCHES 'mai'", []),
        ask("P37", "Account", "title MATCHES[c] 'MAIN'", ["main"]),
        ask("P35 P52 P70", "Person", "name BEGINSWITH[cd] 'e'", ["Évariste"]),
        ask("P52", "Person", "name BEGINSWITH[d] 'E'", ["Évariste"]),
        ask("P70", "Person", "name BEGINSWITH[c] 'é'", ["Évariste"]), ask("P33", "Person", "name BEGINSWITH 'E'", []),
        ask("P49", "Account", "title.length == 5", ["joint", "spare"]),
        ask("P51", "Account", "title > 'lz'", ["main", "nest", "spare"]),
        ask("P4 P51", "Account", "title <[c] 'LOTS'", ["joint", "lost"]),
        ask("P31", "Account", "color CONTAINS ''", ["joint", "nest"]),
        ask("P31 P68", "Account", "NOT color CONTAINS 'e'", ["lost", "main", "spare"]),
        ask("P31", "Account", "color < 'z'", ["joint", "nest"]),
        ask("P68", "Account", "NOT color < 'z'", ["lost", "main", "spare"]),
        // Numbers and dates.
        ask("P7", "Account", "balance + 5 == 10", ["spare"]),
        ask("P7 P21", "Account", "balance - 2 * 25 == 0", ["joint"]),
        ask("P7 P21", "Account", "(balance - 2) * 25 == 1200", ["joint"]),
        ask("P7", "Account", "balance / 2 == 100", ["nest"]), ask("P7 P21", "Account", "balance == 10 ** 2", ["main"]),
        ask("P7", "Account", "-balance == -5", ["spare"]),
        ask("P7", "Account", "(balance & 4) == 4", ["main", "spare"]),
        ask("P7", "Account", "modulus:by:(balance, 20) == 0", ["main", "nest"]),
        ask("P73", "Account", "balance BETWEEN {2 + 3, 10 * 5}", ["joint", "spare"]),
        ask("P53", "Account", "opened > CAST(1030, 'NSDate')", ["nest"]),
        ask("P53 P76", "Account", "opened == CAST(1000, 'NSDate')", ["main"]),
        ask("P46", "Account", "TERNARY(balance > 50, 'rich', 'poor') == 'rich'", ["main", "nest"]),
        ask("P46 P72", "Account", "TERNARY(balance > 50, 1, 0) IN {1, 2}", ["main", "nest"]),
        ask("P75", "Account", "balance == 5.5 OR balance == 50.0", ["joint"]),
        // Paths.
        ask("P6 P42", "Account", "owner.name == 'Ada'", ["main", "spare"]),
        ask("P6", "Account", "owner.mentor.name == 'Ada'", ["joint", "nest"]),
        ask("P31", "Account", "owner.mentor.name != 'Ada'", ["lost", "main", "spare"]),
        ask("P67", "Account", "owner.mentor == nil", ["lost", "main", "spare"]),
        ask("Q12", "Savings", "balance > 0", ["nest"]), ask("P6", "Savings", "rate == 0.5", ["nest"]),
        ask("P39", "Person", "ANY accounts.balance > 100", ["Bob"]),
        ask("P2 P16", "Person", "SOME accounts.balance > 100", ["Bob"]),
        ask("P39", "Person", "ALL accounts.balance >= 50", ["Bob", "Cyd", "Évariste"]),
        ask("P39 P63", "Person", "ALL accounts.balance >= 50 AND accounts.@count > 0", ["Bob"]),
        ask("P40 P16", "Person", "NONE accounts.balance > 100", ["Ada", "Cyd", "Évariste"]),
        ask("P2", "Person", "NOT ANY accounts.balance > 100", ["Ada", "Cyd", "Évariste"]),
        ask("P39 P41", "Account", "ANY owner.name == 'Bob'", ["joint", "nest"]),
        ask("P62", "Account", "ANY tags.word IN {'y', 'z'}", ["main"]),
        ask("P61", "Person", "accounts.@count == 0", ["Cyd", "Évariste"]),
        ask("P43", "Person", "accounts.@sum.balance == 250", ["Bob"]),
        ask("P43", "Person", "accounts.@avg.balance == 52.5", ["Ada"]),
        ask("P43", "Person", "accounts.@min.balance == 5", ["Ada"]),
        ask("P43", "Person", "accounts.@max.balance >= 100", ["Ada", "Bob"]),
        ask("P43", "Person", "pupils.@count == 2", ["Ada"]),
        ask("P43", "Account", "entries[0].text == 'in'", ["main"]),
        ask("P43", "Account", "entries[LAST].text == 'out'", ["main"]),
        ask("P43", "Account", "entries[SIZE] > 1", ["main"]),
        ask("P44", "Person", "SUBQUERY(accounts, $a, $a.balance > 10 AND $a.tags.@count == 0).@count == 2", ["Bob"]),
        ask(
            "P44", "Person",
            "SUBQUERY(accounts, $a, SUBQUERY($a.tags, $t, $t.word == $a.title OR $t.word == 'x').@count > 0).@count == 2",
            ["Ada"]),
        ask("P44", "Person", "SUBQUERY(pupils, $p, $p.age < 30)[SIZE] == 1", ["Ada"]),
        ask("P34 P65", "Person", "ANY friends.name IN {'Bob', 'Ada'}", ["Évariste"]),
        ask("P39", "Person", "ANY friends.friends.name == 'Bob'", ["Bob"]),
        // What can't be said.
        refuse("P60", "Person", "nmae == 'Ada'", .unknownKey), refuse("P60", "Person", "scratch == 'x'", .unsupported),
        refuse("P61", "Person", "accounts == nil", .type),
        refuse("P12", "Person", "name == $who", .unboundVariable),
    ]

    static let arguments: [Behavior] = [
        Behavior("P10", "%K takes a path and %@ a value") { f in
            let context = f.context()
            try fill(context)
            #expect(
                try context.all("Account", "owner.name == 'Ada' AND balance > 5").map { $0.text("title") } == ["main"])
            let predicate = try FetchPredicate(format: "%K == %@ AND balance > %d", "owner.name", "Ada", 5)
            for _ in 0..<2 {
                #expect(try context.count("Account", matching: predicate) == 1)
                try context.save()
            }
        },
        Behavior("P11", "a placeholder in quotes is text") { f in
            let context = f.context()
            try context.make("Account", ["title": "%@"])
            try context.make("Account", ["title": "x"])
            for _ in 0..<2 {
                #expect(try context.found("Account", "title == '%@'", by: "title") == ["%@"])
                try context.save()
            }
        },
        Behavior("P12", "variables are bound, nil too") { f in
            let context = f.context()
            try fill(context)
            let template = try FetchPredicate(format: "mentor.name == $WHO")
            for _ in 0..<2 {
                #expect(try context.count("Person", matching: template.withSubstitutionVariables(["WHO": "Ada"])) == 2)
                #expect(try context.count("Person", matching: template.withSubstitutionVariables(["WHO": nil])) == 2)
                try context.save()
            }
        },
        Behavior("P18 P20", "a predicate's text is read as the same predicate, and selects the same") { f in
            let context = f.context()
            try fill(context)
            try context.save()
            for format in [
                "balance BETWEEN {5, 100}", "NOT (title LIKE[cd] 'm*' OR owner.mentor == nil)",
                "SUBQUERY(tags, $t, $t.weight > 1).@count == 1",
            ] {
                let predicate = try FetchPredicate(format: format)
                let again = try FetchPredicate(format: "\(predicate)")
                #expect(again == predicate)
                #expect(try context.count("Account", matching: again) == context.count("Account", matching: predicate))
            }
        },
        Behavior("P30 P74 Q38", "objects are compared by identity, unsaved ones too") { f in
            let context = f.context()
            try fill(context)
            let ada = try context.one("Person", "name == 'Ada'"), x = try context.one("Tag", "word == 'x'")
            for _ in 0..<2 {
                #expect(
                    try context.count("Account", matching: FetchPredicate(format: "owner == %@", ada.objectID)) == 2)
                #expect(
                    try context.count("Account", matching: FetchPredicate(format: "owner != %@", ada.objectID)) == 3)
                #expect(
                    try context.count("Account", matching: FetchPredicate(format: "ANY tags == %@", x.objectID)) == 2)
                #expect(
                    try context.count("Account", matching: FetchPredicate(format: "tags CONTAINS %@", x.objectID)) == 2)
                #expect(
                    try context.count("Person", matching: FetchPredicate(format: "SELF IN %@", [ada.objectID])) == 1)
                #expect(
                    try context.count("Account", matching: FetchPredicate(format: "owner IN %@", [ada.objectID])) == 2)
                try context.save()
            }
        },
        Behavior("P77", "one fetch judges saved and unsaved objects by the same rules") { f in
            let context = f.context()
            try context.saved("Account", "title", ["Éa", "ea"])
            try context.make("Account", ["title": "ÉB"])
            try context.make("Account", ["title": nil])
            #expect(try context.found("Account", "title BEGINSWITH[cd] 'e'", by: "title") == ["ea", "ÉB", "Éa"])
            #expect(try context.found("Account", "NOT title BEGINSWITH 'e'", by: "title").count == 3)
            #expect(try context.found("Account", "title != 'ea'", by: "title").count == 3)
        },
    ]
}

extension PredicateBehaviors {
    @Test(arguments: all, StoreKind.allCases) func asking(behavior: Behavior, kind: StoreKind) throws {
        try behavior.run(on: kind)
    }
    @Test(arguments: arguments, StoreKind.allCases) func asking(with behavior: Behavior, kind: StoreKind) throws {
        try behavior.run(on: kind)
    }
}
