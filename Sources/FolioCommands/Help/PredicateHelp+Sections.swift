extension PredicateHelp {
    static let comparisons = Section(
        title: "Comparisons",
        examples: [
            Example(#"title == "Farthest North""#, "title = 'Farthest North'"),
            Example("year != 1893", "year <> 1893, and null too"),
            Example("year >= 1890 AND year < 1900", "year >= 1890 AND year < 1900"),
            Example("NOT (year > 1900 OR distance > 2000)", "NOT (year > 1900 OR distance > 2000)"),
            Example("budget == nil", "budget IS NULL"),
            Example("budget != nil", "budget IS NOT NULL"),
            Example("year BETWEEN {1890, 1900}", "year BETWEEN 1890 AND 1900"),
            Example("year IN {1893, 1911}", "year IN (1893, 1911)"),
            Example("NOT year IN {1893, 1911}", "year NOT IN (1893, 1911)"),
            Example("isCharted == YES", "isCharted IS TRUE", of: "Place"),
            Example(#"startedOn >= "1893-06-24""#, "startedOn >= '1893-06-24'"),
            Example("TRUEPREDICATE", "1 = 1"),
        ],
        notes: """
            = is ==, <> is !=, =< is <=, => is >=; && || ! are AND OR NOT. Words of the language may be in lower case.

            nil equals nothing but nil, and is different from every value. NOT p holds exactly where p does not; there is no third answer as in SQL.
            """)

    static let texts = Section(
        title: "Text",
        examples: [
            Example(#"name CONTAINS "nse""#, "name LIKE '%nse%'", of: "Person"),
            Example(#"name BEGINSWITH "Fri""#, "name LIKE 'Fri%'", of: "Person"),
            Example(#"name ENDSWITH "sen""#, "name LIKE '%sen'", of: "Person"),
            Example(#"name LIKE "F*f ?ansen""#, "name LIKE 'F%f _ansen'", of: "Person"),
            Example(#"name MATCHES "[A-F].*n""#, "name REGEXP '^[A-F].*n$'", of: "Person"),
            Example(#"name ==[c] "roald amundsen""#, "lower(name) = 'roald amundsen'", of: "Person"),
            Example(#"name CONTAINS[cd] "nänsen""#, "without case and accents", of: "Person"),
            Example(#"name SEARCH "nans* -peary""#, "name MATCH 'nans* NOT peary'", of: "Person"),
        ],
        notes: """
            [c] passes over the case and [d] over accents, [l] goes by the language, [n] says that the text is folded already. The wildcards of LIKE are * and ?, and not % and _; \
            LIKE and MATCHES are about the whole text. SEARCH finds words, "phrases in quotes", begin*, -unwanted, and OR, whatever case and accents.
            """)

    static let relationships = Section(
        title: "Relationships",
        examples: [
            Example(#"leader.name == "Roald Amundsen""#, "… JOIN person … WHERE name = 'Roald Amundsen'"),
            Example(#"leader == "Person/p1""#, "leader_id = 1"),
            Example(#"ANY members.name CONTAINS "Nansen""#, "EXISTS (SELECT … WHERE name LIKE '%Nansen%')"),
            Example("ALL members.born != nil", "NOT EXISTS (SELECT … WHERE born IS NULL)"),
            Example(#"NONE stops.place.name == "Framheim""#, "NOT EXISTS (SELECT … WHERE name = 'Framheim')"),
            Example("stops.@count > 2", "(SELECT COUNT(*) …) > 2"),
            Example("stops.@sum.nights > 10", "(SELECT SUM(nights) …) > 10; also @avg, @min, @max"),
            Example(
                "SUBQUERY(stops, $s, $s.nights > 2 AND $s.place.name != nil).@count > 0",
                "EXISTS (SELECT … WHERE … AND …), of one row"),
            Example("stops[SIZE] > 1", "the size; [0], [FIRST], [LAST] of ordered ones"),
            Example(#"SELF IN {"Journey/p1", "Journey/p2"}"#, "id IN (1, 2)"),
        ],
        notes: "SOME is ANY. Objects are named as commands print them, in quotes.")

    static let operators = Section(
        title: "Operators and other expressions",
        examples: [
            Example(
                "TERNARY(distance == nil, 0, distance) > 100",
                "CASE WHEN distance IS NULL THEN 0 ELSE distance END > 100"),
            Example(
                #"CAST(year, "NSString") == "1893""#,
                "CAST(year AS TEXT) = '1893'; NSNumber, NSDecimalNumber, NSDate, NSUUID, NSURL, NSData too"),
        ] + QueryFunctionHelp.examples { $0.isOperator },
        notes: "")

    static let functions = Section(
        title: "Functions", examples: QueryFunctionHelp.examples { !$0.isOperator },
        notes: """
            The parts of a date are those in UTC, or in the time zone that is given by its name behind the date: hour(startedOn, "Europe/Berlin"). \
            local(startedOn, "Europe/Berlin") is the date whose parts in UTC those are, to be compared with days there. The name may be an attribute's or $NAME. \
            The days of a week are numbered from 1 for Monday. count, sum, average, min and max of a path over a relationship are about that; \
            in --columns, --group-by and --having they are about all objects of a group.
            """)

    static let values = Section(
        title: "Values",
        examples: [],
        notes: #"""
              "text", 'text'          with \" \' \\ \n \t \u00e9 for signs
              7, -1.5, 1e3, 0x1F      numbers
              YES, NO, TRUE, FALSE    booleans
              nil, NULL               no value
              "1893-06-24"            a date, at midnight in UTC
              "1893-06-24T12:30:15Z"  with a time; +02:00 instead of Z is another zone
              {1, 2, 3}               a list
              #size, #"order"         keys that are words of the language, such as FIRST, SIZE, IN
              $NAME                   a variable of a fetch request of the model (see --template and --with)
            """#)

    static let shells = Section(
        title: "In a shell",
        examples: [],
        notes: #"""
            Put the whole condition in single quotes and text in it in double ones; then the shell leaves all of it as it is. A single quote within is written '\''.
              --where 'name == "Roald Amundsen"'
              --where 'name == "O'\''Neill"'
            In double quotes the shell takes $s for a variable of its own, and an interactive one ! for a command of its history.
            """#)
}
