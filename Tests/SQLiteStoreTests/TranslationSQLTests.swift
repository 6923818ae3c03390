import Foundation
import Query
import SQLiteKit
import SQLiteStore
import Schema
import Storage
import Testing

/// What requests become, word by word.
struct TranslationSQLTests {
    let model: ManagedObjectModel
    let layout: StoreLayout
    let identity: StoreIdentity

    init() throws {
        model = try LibraryModel.make()
        layout = try StoreLayout.creating(model, configuration: nil)
        identity = StoreIdentity(uuid: "5F6A2C1E-0000-4000-8000-000000000001", model: model)
    }

    private func translate(
        _ text: String?, _ arguments: any PredicateArgument..., entity name: String = "Item", order: [SortKey] = [],
        offset: Int = 0, limit: Int? = nil,
        excluding: [Int64] = []
    ) throws -> TranslatedRequest {
        let entity = try #require(model.entity(named: name))
        let predicate = try text.map {
            try FetchPredicate(format: $0, arguments: arguments).validated(against: entity, in: model, store: identity)
        }
        let request = RowRequest(
            entityIndex: entity.index, selection: .matching(predicate), sortKeys: order, offset: offset, limit: limit,
            excludedKeys: excluding)
        return try SQLTranslation.translate(request, layout: layout, identity: identity)
    }

    /// The condition alone.
    private func condition(_ text: String, _ arguments: any PredicateArgument..., entity: String = "Item") throws
        -> String
    {
        let name = try #require(model.entity(named: entity))
        let predicate = try FetchPredicate(format: text, arguments: arguments).validated(
            against: name, in: model, store: identity)
        let request = RowRequest(entityIndex: name.index, selection: .matching(predicate))
        let translated = try SQLTranslation.translate(request, layout: layout, identity: identity)
        #expect(translated.residual == nil)
        return translated.statement.conditions.map(\.text).joined(separator: " AND ")
    }

    private func id(_ entity: String, _ key: Int64) throws -> ManagedObjectID {
        ManagedObjectID(store: identity, entityIndex: try #require(model.entity(named: entity)).index, key: key)
    }

    @Test func comparisonsOfColumnsWithConstantsAreAsAnIndexWantsThem() throws {
        #expect(try condition("title == 'a'") == "t0.ZTITLE = ?")
        #expect(try condition("year > 1960") == "t0.ZYEAR > ?")
        #expect(try condition("1960 <= year") == "? <= t0.ZYEAR")
        #expect(try condition("year BETWEEN {1960, 1970}") == "t0.ZYEAR BETWEEN ? AND ?")
        #expect(try condition("title BEGINSWITH 'ab'") == "(t0.ZTITLE >= ? AND t0.ZTITLE < ?)")
        #expect(try condition("title == nil") == "t0.ZTITLE IS NULL")
        #expect(try condition("title != nil") == "t0.ZTITLE IS NOT NULL")
    }

    @Test func notEqualAndNegationIncludeNil() throws {
        #expect(try condition("title != 'a'") == "t0.ZTITLE IS NOT ?")
        #expect(try condition("NOT title == 'a'") == "t0.ZTITLE IS NOT ?")
        #expect(try condition("NOT year > 1960") == "(t0.ZYEAR > ?) IS NOT TRUE")
        #expect(
            try condition("NOT (year > 1960 AND rank < 3)")
                == "((t0.ZYEAR > ?) IS NOT TRUE OR (t0.ZRANK < ?) IS NOT TRUE)")
        #expect(try condition("year == rank") == "t0.ZYEAR IS t0.ZRANK")
    }

    @Test func constantsAreBoundInTheFormOfTheColumn() throws {
        let uuid = UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16))
        let link = try #require(URL(string: "https://example.org/a"))
        let translated = try translate(
            "added > %@ AND code == %@ AND link == %@ AND price == %@ AND isOpen == YES AND weight == 0.1",
            Date(timeIntervalSinceReferenceDate: 5), uuid,
            link, Decimal(string: "10.11") ?? 0)
        #expect(
            translated.statement.conditions.flatMap(\.arguments) == [
                .real(5), .blob([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16]),
                .text("https://example.org/a"), .real(10.11), .integer(1),
                .real(Double(Float(0.1))),
            ])
    }
}

extension TranslationSQLTests {
    @Test func foldingIsDoneOnceForConstants() throws {
        let translated = try translate("title ==[cd] 'ÉA' AND title CONTAINS[c] 'X' AND title CONTAINS 'X'")
        #expect(
            translated.statement.conditions.map(\.text) == [
                "FolioFold(t0.ZTITLE, ?) = ?", "FolioContains(t0.ZTITLE, ?, ?)", "instr(t0.ZTITLE, ?) > 0",
            ])
        #expect(translated.statement.conditions[0].arguments == [.integer(3), .text("ea")])
    }

    @Test func aLikePatternIsFoundByWhatStandsBeforeItsFirstWildcard() throws {
        #expect(
            try condition("title LIKE 'ab*c'") == "((t0.ZTITLE >= ? AND t0.ZTITLE < ?) AND FolioLike(t0.ZTITLE, ?, ?))")
        #expect(try condition("title LIKE '*c'") == "FolioLike(t0.ZTITLE, ?, ?)")
        #expect(try condition("title MATCHES[c] 'a.*'") == "FolioMatches(t0.ZTITLE, ?, ?)")
    }

    @Test func toOnePathsAreJoinedOnce() throws {
        let translated = try translate(
            "author.name == 'a' AND author.age > 3 AND author.mentor.name == 'b'",
            order: [SortKey("author.name", ascending: false)])
        #expect(
            translated.statement.selecting(["t0.Z_PK"]).text
                == "SELECT t0.Z_PK FROM ZITEM t0 LEFT JOIN ZPERSON t1 ON t1.Z_PK = t0.ZAUTHOR LEFT JOIN ZPERSON t2 ON t2.Z_PK = t1.ZMENTOR "
                + "WHERE t1.ZNAME = ? AND t1.ZAGE > ? AND t2.ZNAME = ? ORDER BY t1.ZNAME DESC, t0.Z_PK")
    }

    @Test func referencesAreComparedByTheirKeysWithoutAJoin() throws {
        #expect(try condition("author == %@", id("Person", 7)) == "t0.ZAUTHOR = ?")
        #expect(try condition("SELF == %@", id("Book", 7)) == "t0.Z_PK = ?")
        #expect(try condition("author IN %@", [id("Person", 7), id("Person", 8)]) == "t0.ZAUTHOR IN (?, ?)")
        #expect(try condition("author.mentor == nil") == "t1.ZMENTOR IS NULL")
    }

    @Test func objectsOfOtherStoresAndUnsavedOnesAreNobody() throws {
        let other = ManagedObjectID(
            store: StoreIdentity(uuid: "OTHER", model: model), entityIndex: try id("Person", 7).entityIndex, key: 7)
        #expect(try condition("author == %@", other) == "0")
        #expect(try condition("author != %@", other).isEmpty)
        #expect(try condition("author == %@", id("Person", -1)) == "0")
        #expect(try condition("author IN %@", [other, id("Person", 8)]) == "t0.ZAUTHOR IN (?)")
    }

    @Test func toManyPathsAreCorrelatedSubselects() throws {
        #expect(
            try condition("ANY items.year > 3", entity: "Person")
                == "EXISTS (SELECT 1 FROM ZITEM t1 WHERE t1.ZAUTHOR = t0.Z_PK AND t1.ZYEAR > ?)")
        #expect(
            try condition("ALL items.year > 3", entity: "Person")
                == "NOT EXISTS (SELECT 1 FROM ZITEM t1 WHERE t1.ZAUTHOR = t0.Z_PK AND (t1.ZYEAR > ?) IS NOT TRUE)")
        #expect(
            try condition("NONE items.year > 3", entity: "Person")
                == "NOT EXISTS (SELECT 1 FROM ZITEM t1 WHERE t1.ZAUTHOR = t0.Z_PK AND t1.ZYEAR > ?)")
        #expect(
            try condition("ANY tags.word == 'a'")
                == "EXISTS (SELECT 1 FROM Z_1TAGS t1 LEFT JOIN ZTAG t2 ON t2.Z_PK = t1.Z_6TAGS WHERE t1.Z_1ITEMS = t0.Z_PK AND t2.ZWORD = ?)"
                .replacingOccurrences(of: "Z_1TAGS", with: joinTable.table).replacingOccurrences(
                    of: "Z_6TAGS", with: joinTable.memberColumn
                )
                .replacingOccurrences(of: "Z_1ITEMS", with: joinTable.ownerColumn))
        #expect(
            try condition("ANY items.shelf.name == 'a'", entity: "Person")
                == "EXISTS (SELECT 1 FROM ZITEM t1 LEFT JOIN ZSHELF t2 ON t2.Z_PK = t1.ZSHELF WHERE t1.ZAUTHOR = t0.Z_PK AND t2.ZNAME = ?)"
        )
        #expect(
            try condition("%@ IN items", id("Item", 3), entity: "Person")
                == "EXISTS (SELECT 1 FROM ZITEM t1 WHERE t1.ZAUTHOR = t0.Z_PK AND t1.Z_PK = ?)")
    }
}

extension TranslationSQLTests {
    private var joinTable: JoinTable {
        get throws {
            let item = try #require(model.entity(named: "Item"))
            guard
                case .manyToMany(let join) = try layout.storage(of: item.index).properties[
                    try #require(item.propertyIndex(named: "tags"))]
            else {
                throw CocoaError(.featureUnsupported)
            }
            return join
        }
    }

    @Test func aggregatesAreSubselectsAndEmptinessIsAQuestionOfExistence() throws {
        #expect(
            try condition("items.@count > 2", entity: "Person")
                == "(SELECT COUNT(*) FROM ZITEM t1 WHERE t1.ZAUTHOR = t0.Z_PK) > ?")
        #expect(
            try condition("items.@count == 0", entity: "Person")
                == "NOT EXISTS (SELECT 1 FROM ZITEM t1 WHERE t1.ZAUTHOR = t0.Z_PK)")
        #expect(
            try condition("items.@count > 0", entity: "Person")
                == "EXISTS (SELECT 1 FROM ZITEM t1 WHERE t1.ZAUTHOR = t0.Z_PK)")
        #expect(
            try condition("items.@max.year > 2", entity: "Person")
                == "(SELECT MAX(t1.ZYEAR) FROM ZITEM t1 WHERE t1.ZAUTHOR = t0.Z_PK) > ?")
        #expect(
            try condition("author.items.@count > 2")
                == "(SELECT COUNT(*) FROM ZITEM t1 WHERE t1.ZAUTHOR = t0.ZAUTHOR) > ?")
        #expect(
            try condition("SUBQUERY(items, $i, $i.year > age).@count > 2", entity: "Person")
                == "(SELECT COUNT(*) FROM ZITEM t1 WHERE t1.ZAUTHOR = t0.Z_PK AND t1.ZYEAR > t0.ZAGE) > ?")
    }

    @Test func anElementOfAnOrderedRelationshipIsFoundByItsPosition() throws {
        #expect(
            try condition("items[0].title == 'a'", entity: "Shelf") == "t2.ZTITLE = ?")
        let select = try translate("items[LAST].title == 'a'", entity: "Shelf").statement.selecting(["t0.Z_PK"])
        #expect(
            select.text
                == "SELECT t0.Z_PK FROM ZSHELF t0 LEFT JOIN ZITEM t2 ON t2.Z_PK = (SELECT t1.Z_PK FROM ZITEM t1 WHERE t1.ZSHELF = t0.Z_PK "
                + "ORDER BY t1.Z_FOK_SHELF IS NULL DESC, t1.Z_FOK_SHELF DESC, t1.Z_PK DESC LIMIT ? OFFSET ?) WHERE t2.ZTITLE = ?"
        )
    }

    @Test func listsOfSimilarLengthShareAText() throws {
        #expect(try condition("year IN {1, 2, 3}") == "t0.ZYEAR IN (?, ?, ?, ?)")
        #expect(try condition("year IN {1, 2, 3, 4}") == "t0.ZYEAR IN (?, ?, ?, ?)")
        #expect(try condition("year IN %@", Array(1...1000)) == "t0.ZYEAR IN (SELECT value FROM json_each(?))")
        #expect(try condition("NOT year IN {1, 2, nil}") == "t0.ZYEAR NOT IN (?, ?)")
        #expect(try condition("year IN {1, 2, nil}") == "(t0.ZYEAR IN (?, ?) OR t0.ZYEAR IS NULL)")
        #expect(try condition("NOT year IN {1, 2}") == "(t0.ZYEAR IN (?, ?)) IS NOT TRUE")
    }

    @Test func subentitiesAreToldApartByTheirNumber() throws {
        #expect(try translate(nil).statement.conditions.isEmpty)
        #expect(try translate(nil, entity: "Book").statement.conditions.map(\.text) == ["t0.Z_ENT = ?"])
        #expect(
            try translate("pages > 3", entity: "Book").statement.conditions.map(\.text) == [
                "likely(t0.Z_ENT = ?)", "t0.ZPAGES > ?",
            ])
    }

    @Test func windowsAreStable() throws {
        let translated = try translate(
            "year > 3", order: [SortKey("title", collation: .caseInsensitive)], offset: 5, limit: 10, excluding: [3, 4])
        let select = translated.statement.selecting(["t0.Z_PK"])
        #expect(
            select.text == "SELECT t0.Z_PK FROM ZITEM t0 WHERE t0.ZYEAR > ? AND t0.Z_PK NOT IN (?, ?) AND +t0.Z_PK > 0 "
                + "ORDER BY t0.ZTITLE COLLATE FolioCaseInsensitive ASC, t0.Z_PK LIMIT ? OFFSET ?")
        #expect(select.arguments == [.integer(3), .integer(3), .integer(4), .integer(10), .integer(5)])
    }
}

extension TranslationSQLTests {
    @Test func whatSQLCanNotSayIsLeftOverPartByPart() throws {
        let translated = try translate("year > 3 AND tags[year].word == 'a' AND author.name == 'x'", limit: 3)
        #expect(translated.statement.conditions.map(\.text) == ["t0.ZYEAR > ?", "t1.ZNAME = ?"])
        #expect(translated.residual == (try FetchPredicate(format: "tags[year].word == 'a'")))
        #expect(translated.statement.limit == nil)
    }

    @Test func hostileTextStaysAnArgument() throws {
        let text = "x'; DROP TABLE ZITEM; --"
        let translated = try translate("title == %@ OR author.name LIKE %@", text, text)
        #expect(!translated.statement.selecting(["t0.Z_PK"]).text.contains("DROP"))
    }
}
