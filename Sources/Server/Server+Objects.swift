import Coding
import Folio
import Foundation
import Interchange

/// Objects, undo and live results.
extension Server {
    func getObjects(_ parameters: Parameters) throws -> JSONValue {
        let served = try served(parameters)
        return .array(try parameters.strings("ids").map { try served.json(served.object($0)) })
    }

    private func query(_ parameters: Parameters, in served: ServedDocument) throws -> FetchQuery {
        var terms = FetchTerms(.entity(try parameters.string("entity")))
        func text(_ name: String) throws -> String? {
            guard let value = parameters.json(name) else { return nil }
            guard let text = value.string ?? value.strings?.joined(separator: ",") else {
                throw RPCError(.invalidParams, "the parameter \(name) is a string or an array of strings")
            }
            return text
        }
        let arguments = try PredicateArguments(parameters)
        if let condition = try text("where") {
            terms.conditions = [try arguments.placed(in: condition)]
        } else {
            try arguments.refusePositions()
        }
        terms.values = arguments.variables
        terms.sort = try text("sort")
        terms.columns = try text("columns")
        terms.groups = try text("groupBy")
        terms.having = try text("having")
        terms.limit = try parameters.optionalCount("limit")
        terms.offset = try parameters.optionalCount("offset") ?? 0
        terms.isDistinct = try parameters.bool("distinct")
        return try FetchQuery(terms, in: served.document.store.identity)
    }

    func fetchObjects(_ parameters: Parameters) throws -> JSONValue {
        let served = try served(parameters), query = try query(parameters, in: served)
        if query.isEmpty { return .array([]) }
        if let rows = query.rows {
            // A child reads its parent's objects with their unsaved changes, which a store does not
            // have.
            let context = served.context.hasChanges ? ManagedObjectContext(parent: served.context) : served.context
            return .array(
                try context.fetch(rows).map { row in
                    .object(
                        Dictionary(
                            query.columns.columns.map { ($0.name, ValueJSON.json(row[$0.name] ?? .null)) },
                            uniquingKeysWith: { $1 }))
                })
        }
        let columns = query.columns.columns.map(\.name)
        return .array(
            try served.context.fetch(query.objects).map { object in
                try Task.checkCancellation()
                return columns.isEmpty ? try served.json(object) : try served.json(object, columns: columns)
            })
    }

    func countObjects(_ parameters: Parameters) throws -> JSONValue {
        let served = try served(parameters)
        let count = try served.context.count(for: query(parameters, in: served).objects)
        return .object(["count": .int(count)])
    }

    // MARK: Edits

    func insertObjects(_ parameters: Parameters) throws -> JSONValue {
        let served = try served(parameters)
        let wanted = try parameters.objects("objects", allowed: ["entity", "values"])
        return try served.edit(parameters.optionalString("name")) {
            let objects = try wanted.map { object in
                let entity = try EntityLookup.entity(named: object.string("entity"), in: served.document.model)
                return try served.context.insert(entity)
            }
            // The client's names for the objects stay the same when they are saved.
            try served.context.obtainPermanentIDs(for: objects)
            for (object, values) in zip(objects, wanted) { try served.set(values.object("values"), of: object) }
            return .object(["ids": .strings(objects.map(\.objectID.description))])
        }
    }

    func setObjects(_ parameters: Parameters) throws -> JSONValue {
        let served = try served(parameters)
        let edits = try parameters.objects("edits", allowed: ["id", "values"])
        return try served.edit(parameters.optionalString("name")) {
            for edit in edits { try served.set(edit.requiredObject("values"), of: served.object(edit.string("id"))) }
            return .null
        }
    }

    func deleteObjects(_ parameters: Parameters) throws -> JSONValue {
        let served = try served(parameters)
        let ids = try parameters.strings("ids")
        return try served.edit(parameters.optionalString("name")) {
            for object in try ids.map({ try served.object($0) }) { served.context.delete(object) }
            return .null
        }
    }

    /// Moves a member of an ordered relationship.
    func moveObject(_ parameters: Parameters) throws -> JSONValue {
        let served = try served(parameters)
        let index = try parameters.int("index")
        return try served.edit(parameters.optionalString("name")) {
            let object = try served.object(parameters.string("id")),
                member = try served.object(parameters.string("member"))
            let property = try EntityLookup.property(named: parameters.string("key"), of: object.entity)
            guard property.relationship != nil else {
                throw InterchangeError.usage("\(object.entity.name).\(property.name) is no relationship")
            }
            try PropertyAccess(object).addRelatedObject(member, at: property.index, position: index)
            return .null
        }
    }

    // MARK: Undo

    func undo(_ parameters: Parameters) throws -> JSONValue {
        let served = try served(parameters)
        try served.context.closedUndoManager("undo/end").undo()
        served.context.processPendingChanges()
        return .object(served.state)
    }

    func redo(_ parameters: Parameters) throws -> JSONValue {
        let served = try served(parameters)
        try served.context.closedUndoManager("undo/end").redo()
        served.context.processPendingChanges()
        return .object(served.state)
    }

    func beginGroup(_ parameters: Parameters) throws -> JSONValue {
        let served = try served(parameters)
        try served.context.beginUndoGroup(named: parameters.optionalString("name"))
        return .null
    }

    func endGroup(_ parameters: Parameters) throws -> JSONValue {
        let served = try served(parameters)
        try served.context.openUndoManager("undo/begin").endUndoGrouping()
        return .object(served.state)
    }

    // MARK: Live results

    func watch(_ parameters: Parameters) throws -> JSONValue {
        let served = try served(parameters), query = try query(parameters, in: served)
        guard query.rows == nil else {
            throw InterchangeError.usage("live results are objects, and no rows of expressions")
        }
        guard !query.isEmpty else { throw InterchangeError.usage("live results have no limit of 0") }
        served.context.processWithinStep()
        let columns = query.columns.columns.map(\.name)
        let watch = try Watch(newName("w"), query.objects, columns: columns, of: served)
        watches[watch.name] = watch
        return .object(["watch": .string(watch.name), "count": .int(watch.count)])
    }

    private func watched(_ parameters: Parameters) throws -> Watch {
        let name = try parameters.string("watch")
        guard let watch = watches[name] else { throw RPCError(.invalidParams, "there are no live results \(name)") }
        return watch
    }

    /// A window of live results.
    func rows(_ parameters: Parameters) throws -> JSONValue {
        let watch = try watched(parameters)
        let first = try parameters.optionalCount("first") ?? 0, count = try parameters.optionalCount("count") ?? Int.max
        return .object(["count": .int(watch.count), "rows": .array(try watch.rows(first, count))])
    }

    func unwatch(_ parameters: Parameters) throws -> JSONValue {
        watches[try watched(parameters).name] = nil
        return .null
    }

    // MARK: Models and predicates

    func describe(_ parameters: Parameters) throws -> JSONValue {
        try JSONReader.value(of: ModelJSON.text(of: served(parameters).document))
    }

    func checkPredicate(_ parameters: Parameters) throws -> JSONValue {
        let document = try served(parameters).document
        let entity = try EntityLookup.entity(named: parameters.string("entity"), in: document.model)
        do {
            let arguments = try PredicateArguments(parameters), store = document.store.identity
            let predicate = try arguments.predicate(parameters.string("predicate"))
            try arguments.variables.checkUse(predicate.variables)
            _ = try arguments.variables.binding(predicate, of: entity, in: store).validated(
                against: entity, in: document.model, store: store)
            return .object(["isValid": .bool(true)])
        } catch let error as QueryError {
            return .object([
                "isValid": .bool(false), "message": .string(error.message),
                "offset": error.offset.map { .int($0) } ?? .null,
                "expected": error.expected.map { .string($0) } ?? .null,
                "suggestions": .strings(error.suggestions),
            ])
        }
    }

    func completePredicate(_ parameters: Parameters) throws -> JSONValue {
        let document = try served(parameters).document
        let entity = try EntityLookup.entity(named: parameters.string("entity"), in: document.model)
        let text = try parameters.string("predicate")
        let offset = try parameters.optionalCount("offset") ?? text.count
        guard offset <= text.count else { throw RPCError(.invalidParams, "the text has no offset \(offset)") }
        let completion = PredicateCompletion(text.prefix(offset), entity, document.model)
        return .object(["start": .int(offset - completion.prefix.count), "items": .array(completion.items)])
    }
}
